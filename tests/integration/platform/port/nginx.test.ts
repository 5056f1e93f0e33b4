// The nginx example of docs/guides/reverse-proxy.md before a running application: streaming, real addresses, slow callers,
// a cap of connections, WebSockets.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import {
  behaviourMessage,
  startMockUpstream,
  type Behaviour,
  type MockUpstream,
} from '#mock/upstream/index.ts';
import { startNginx, whyNoNginx, type Nginx } from '#tests/support/nginx.ts';
import { exchange, openSocket } from '#tests/support/raw-socket.ts';
import { sendCall, type RawCaller } from '#tests/integration/relay/calls/caller.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(60_000);

const path = '/v1/chat/completions';
const mostConnections = 4;
/** Not the callers' own, which are on this machine too. */
const proxyAddress = '127.0.0.3';
const reason = whyNoNginx();
if (reason !== undefined) process.stderr.write(`tests of nginx are skipped: ${reason}\n`);

describe.skipIf(reason !== undefined)('behind nginx', () => {
  let mock: MockUpstream;
  let app: TestApplication;
  let nginx: Nginx;
  let key: string;

  async function newKey(fields: object = {}): Promise<string> {
    const user = await app.actor({ quota: 100_000_000 });
    const [token] = await app
      .client(user)
      .tokens.create({ body: { name: 'nginx', unlimited_quota: true, ...fields } });
    return `sk-${token?.key}`;
  }

  beforeAll(async () => {
    mock = startMockUpstream();
    app = await startApplication({ environment: { TRUSTED_PROXIES: proxyAddress } });
    await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o', 'gpt-realtime'] });
    key = await newKey();
    nginx = await startNginx(app.port, {
      'limit_conn per_address 100;': `limit_conn per_address ${mostConnections};`,
      'proxy_http_version 1.1;': `proxy_http_version 1.1; proxy_bind ${proxyAddress};`,
      'client_header_timeout 15s;': 'client_header_timeout 2s;',
      'client_body_timeout 15s;': 'client_body_timeout 2s;',
    });
  });
  afterAll(async () => {
    await nginx[Symbol.asyncDispose]();
    await app.close();
    await mock.stop();
  });

  const body = (behaviour: Behaviour = {}, more: object = {}) => ({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: behaviourMessage(behaviour) }],
    ...more,
  });

  test('events arrive as the upstream sends them', async () => {
    const behaviour = { tag: 'nginx', stall: { afterEvents: 3, milliseconds: 600_000 } };
    const call = await sendCall(nginx.port, path, key, body(behaviour, { stream: true }));
    // The upstream pauses for ten minutes: without streaming nothing would be here.
    await call.untilBody((text) => (text.match(/data:/g)?.length ?? 0) >= 3);
    call.socket.destroy();
    const ending = () => mock.requests.find(({ tag }) => tag === 'nginx')?.ending;
    expect(await eventually(ending, (each) => each === 'aborted')).toBe('aborted');
  });

  test('a smuggled request is refused by the proxy and never reaches the gateway (plan D17)', async () => {
    const hidden = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: smuggled\r\nContent-Length: 0\r\n\r\n`;
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n`;
    const before = app.logged.length;
    const attacks = [
      `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
      `${head}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
    ];
    for (const bytes of attacks) {
      const answer = await exchange(nginx.port, bytes);
      expect(answer).toMatch(/^HTTP\/1\.1 (?:400|501) /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    }
    expect(app.logged.slice(before).filter((line) => line.includes(path))).toEqual([]);
    faultSeen('D17', `behind nginx: ${attacks.length} smuggled requests refused, none reached the gateway`);
  });

  test('the caller’s address is the real one, whatever the caller writes (plan D18)', async () => {
    const ask = async (allowed: string) => {
      const text = JSON.stringify(body());
      const forged = 'X-Forwarded-For: 10.1.2.3\r\nX-Forwarded-For: 10.1.2.3\r\n';
      return await exchange(
        nginx.port,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${await newKey({ allow_ips: allowed })}\r\n` +
          `${forged}Content-Length: ${text.length}\r\n\r\n${text}`,
      );
    };
    expect(await ask('10.1.2.3')).toStartWith('HTTP/1.1 403');
    expect(await ask('127.0.0.1')).toStartWith('HTTP/1.1 200');
    faultSeen('D18', 'forged headers through nginx: refused');
  });

  test('slow heads and bodies are cut by the proxy; the gateway never hears of them', async () => {
    const before = app.logged.length;
    for (const start of [
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-`,
      `POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{`,
    ]) {
      const caller = await openSocket(nginx.port);
      await caller.send(start);
      await Promise.race([caller.over, Bun.sleep(20_000)]);
      expect(caller.isOver()).toBe(true);
      caller.socket.destroy();
    }
    expect(app.logged.slice(before).filter((line) => line.includes('/api/user/login'))).toEqual([]);
  });

  test('an address with too many connections gets 429', async () => {
    const stalled = body({ stall: { afterEvents: 2, milliseconds: 600_000 } }, { stream: true });
    const calls: RawCaller[] = [];
    for (let count = 0; count < mostConnections; count += 1) {
      const call = await sendCall(nginx.port, path, key, stalled);
      await call.untilBody((text) => text.includes('data:'));
      calls.push(call);
    }
    expect((await fetch(`${nginx.url}/healthz`)).status).toBe(429);
    for (const { socket } of calls) socket.destroy();
    const status = async () => (await fetch(`${nginx.url}/healthz`)).status;
    expect(await eventually(status, (code) => code === 200)).toBe(200);
  });

  test('a WebSocket opens on /v1/realtime', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${nginx.port}/v1/realtime?model=gpt-realtime`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const first = await new Promise<string>((resolve) => {
      socket.addEventListener('message', (event) => resolve(String(event.data)));
      socket.addEventListener('close', (event) => resolve(`closed ${event.code}`));
    });
    expect(first).toContain('session.created');
    socket.close();
    // The location has headers of its own; the caller's address must be among them.
    const bound = await newKey({ allow_ips: '10.1.2.3' });
    const refused = await fetch(`${nginx.url}/v1/realtime?model=gpt-realtime`, {
      headers: {
        Authorization: `Bearer ${bound}`,
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'X-Forwarded-For': '10.1.2.3',
      },
    });
    expect(refused.status).toBe(403);
  });
});
