// The Caddy example of docs/guides/reverse-proxy.md before a running application: streaming, long pauses, real addresses, slow
// heads, WebSockets.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { startCaddy, whyNoCaddy, type Caddy } from '#tests/support/caddy.ts';
import { addChannel } from '#tests/support/channels.ts';
import {
  behaviourMessage,
  startMockUpstream,
  type Behaviour,
  type MockUpstream,
} from '#mock/upstream/index.ts';
import { openSocket } from '#tests/support/raw-socket.ts';
import { sendCall } from '#tests/integration/relay/calls/caller.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(60_000);

const path = '/v1/chat/completions';
const reason = whyNoCaddy();
if (reason !== undefined) process.stderr.write(`tests of Caddy are skipped: ${reason}\n`);

describe.skipIf(reason !== undefined)('behind Caddy', () => {
  let mock: MockUpstream;
  let app: TestApplication;
  let caddy: Caddy;
  let key: string;

  async function newKey(fields: object = {}): Promise<string> {
    const user = await app.actor({ quota: 100_000_000 });
    const body = { name: 'caddy', unlimited_quota: true, ...fields };
    const [token] = await app.client(user).tokens.create({ body });
    return `sk-${token?.key}`;
  }

  beforeAll(async () => {
    mock = startMockUpstream();
    app = await startApplication({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
    await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o', 'gpt-realtime'] });
    key = await newKey();
    // Every time of the example becomes a second, so that a pause of some seconds is longer than all of them.
    caddy = await startCaddy(app.port, {
      'read_header 15s': 'read_header 1s',
      'idle 2m': 'idle 1s',
      'keepalive 60s': 'keepalive 1s',
      'health_interval 5s': 'health_interval 1s',
    });
  });
  afterAll(async () => {
    await caddy[Symbol.asyncDispose]();
    await app.close();
    await mock.stop();
  });

  const body = (behaviour: Behaviour = {}, more: object = {}) => ({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: behaviourMessage(behaviour) }],
    ...more,
  });

  test('events arrive as the upstream sends them, and a caller that leaves ends the call', async () => {
    const behaviour = { tag: 'caddy', stall: { afterEvents: 3, milliseconds: 600_000 } };
    const call = await sendCall(caddy.port, path, key, body(behaviour, { stream: true }));
    // The upstream pauses for ten minutes: without streaming nothing would be here.
    await call.untilBody((text) => (text.match(/data:/g)?.length ?? 0) >= 3);
    call.socket.destroy();
    const ending = () => mock.requests.find(({ tag }) => tag === 'caddy')?.ending;
    expect(await eventually(ending, (each) => each === 'aborted')).toBe('aborted');
  });

  test('a stream that pauses longer than every time of the configuration is delivered to its end', async () => {
    const behaviour = { tag: 'pause', stall: { afterEvents: 3, milliseconds: 2500 } };
    const call = await sendCall(caddy.port, path, key, body(behaviour, { stream: true }));
    await call.untilBody((text) => text.includes('[DONE]'));
    expect(call.body()).toContain('data: [DONE]');
    expect(mock.requests.find(({ tag }) => tag === 'pause')?.ending).toBe('complete');
    call.socket.destroy();
  });

  test('the caller’s address is the real one, whatever the caller writes', async () => {
    const ask = async (allowed: string) => {
      const text = JSON.stringify(body());
      const caller = await openSocket(caddy.port, '127.0.0.9');
      await caller.send(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${await newKey({ allow_ips: allowed })}\r\n` +
          `X-Forwarded-For: 10.1.2.3\r\nX-Forwarded-For: 10.1.2.3\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      );
      await caller.over;
      return caller.text();
    };
    // A trusted address at the end of the list would make the gateway believe what is left of it.
    expect(await ask('10.1.2.3')).toStartWith('HTTP/1.1 403');
    expect(await ask('127.0.0.1')).toStartWith('HTTP/1.1 403');
    expect(await ask('127.0.0.9')).toStartWith('HTTP/1.1 200');
  });

  test('slow heads are cut by the proxy', async () => {
    const caller = await openSocket(caddy.port);
    await caller.send(`POST ${path} HTTP/1.1\r\nHost: x\r\nX-`);
    await Promise.race([caller.over, Bun.sleep(30_000)]);
    expect(caller.isOver()).toBe(true);
    caller.socket.destroy();
  });

  test('a WebSocket opens on /v1/realtime', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${caddy.port}/v1/realtime?model=gpt-realtime`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const first = await new Promise<string>((resolve) => {
      socket.addEventListener('message', (event) => resolve(String(event.data)));
      socket.addEventListener('close', (event) => resolve(`closed ${event.code}`));
    });
    expect(first).toContain('session.created');
    socket.close();
  });
});
