// Attacks on the public port of the whole application: endless bodies, request smuggling, forged addresses, and callers
// that abort at once.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourMessage, startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { sendCall } from './caller.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(60_000);

const path = '/v1/chat/completions';
const chat = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });

let mock: MockUpstream;
let app: TestApplication;
/** The same application behind a trusted proxy. */
let behindProxy: TestApplication;
let key: string;

async function connected(application: TestApplication): Promise<TestApplication> {
  await addChannel(application.store, { base_url: mock.url, models: ['gpt-4o'] });
  return application;
}

async function newKey(application: TestApplication, fields: object = {}): Promise<string> {
  const user = await application.actor({ quota: 100_000_000 });
  const [token] = await application
    .client(user)
    .tokens.create({ body: { name: 'port', unlimited_quota: true, ...fields } });
  return `sk-${token?.key}`;
}

beforeAll(async () => {
  mock = startMockUpstream();
  app = await connected(await startApplication());
  behindProxy = await connected(await startApplication({ environment: { TRUSTED_PROXIES: '127.0.0.1' } }));
  key = await newKey(app);
});
afterAll(async () => {
  await app.close();
  await behindProxy.close();
  await mock.stop();
});

interface Exchange {
  answer: string;
  isClosed: boolean;
}

/** Writes these bytes and reads until the peer closes or has been silent for a while. */
function speak(bytes: string): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  let answer = '';
  const socket = connect({ port: app.port, host: '127.0.0.1' }, () => socket.write(bytes));
  const finish = (isClosed: boolean) => {
    clearTimeout(timer);
    socket.destroy();
    resolve({ answer, isClosed });
  };
  const timer = setTimeout(() => finish(false), 30_000);
  socket.on('data', (part: Buffer) => (answer += part.toString('latin1')));
  socket.on('close', () => finish(true));
  socket.on('error', () => finish(true));
  return promise;
}

describe('D17 request smuggling', () => {
  const hidden = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Hidden: 1\r\nContent-Length: 0\r\n\r\n`;
  const start = (...lines: string[]) => [`POST ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');

  test.each([
    ['length and chunks', start('Content-Length: 4', 'Transfer-Encoding: chunked') + `0\r\n\r\n${hidden}`],
    ['two lengths', start('Content-Length: 0', `Content-Length: ${hidden.length}`) + hidden],
    ['chunks spelled oddly', start('Transfer-Encoding: xchunked') + `0\r\n\r\n${hidden}`],
    ['a folded header', start('X-A: b', ' Content-Length: 5') + hidden],
    ['a bare line feed', `POST ${path} HTTP/1.1\nHost: x\n\n${hidden}`],
    ['a space before the colon', start('Content-Length : 5') + hidden],
    ['a length that is no number', start('Content-Length: 0x0') + hidden],
  ])(
    '%s: one refusal, the connection closed, nothing behind it is answered (plan D17)',
    async (_what, bytes) => {
      const { answer, isClosed } = await speak(bytes);
      expect(answer).toMatch(/^HTTP\/1\.1 (?:400|505) /);
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(isClosed).toBe(true);
      faultSeen(
        'D17',
        'lengths, chunks, folds and line ends that parsers read differently: one refusal, closed',
      );
    },
  );

  test.each([
    [
      'an address of another server as the target',
      start('Content-Length: 0').replace(path, `http://other${path}`),
    ],
    ['an upgrade to HTTP/2', start('Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 0')],
  ])('%s: no success, and a request behind it is never answered (plan D17)', async (_what, bytes) => {
    const alone = await speak(bytes.replace('Host: x\r\n', 'Host: x\r\nConnection: close\r\n'));
    expect(alone.answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    const { answer, isClosed } = await speak(bytes + hidden);
    expect(answer.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(isClosed).toBe(true);
    faultSeen('D17', 'absolute form and Upgrade: refused, nothing behind them answered');
  });
});

describe('D7 endless bodies', () => {
  test('a giant Content-Length is refused before the body is read, an endless body while it is read (plan D7)', async () => {
    const giant = await speak(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 10000000000\r\n\r\n{`,
    );
    expect(giant.answer).toStartWith('HTTP/1.1 413');
    expect(giant.isClosed).toBe(true);
    const before = process.memoryUsage().rss;
    let sentMegabytes = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sentMegabytes += 1;
        controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
      },
    });
    const response = await fetch(app.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: endless,
    }).catch(() => undefined);
    // The caller's connection may close before it has read the reason.
    expect([413, undefined]).toContain(response?.status);
    // More than the 64 MB of the limit: the body was refused while it arrived, and not before.
    expect(sentMegabytes).toBeWithin(64, 300);
    const grownBytes = process.memoryUsage().rss - before;
    expect(grownBytes).toBeLessThan(600_000_000);
    faultSeen(
      'D7',
      `endless body: refused after ${sentMegabytes} MB, caller and gateway +${Math.round(grownBytes / 1e6)} MB`,
    );
  });
});

describe('D18 a forged address', () => {
  const call = async (application: TestApplication, token: string, headers: Record<string, string>) => {
    const response = await fetch(application.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, ...headers },
      body: chat,
    });
    await response.text();
    return response.status;
  };

  test('a key bound to an address is refused to a caller that only claims that address in a header (plan D18)', async () => {
    const bound = await newKey(app, { allow_ips: '10.1.2.3' });
    const names = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'CF-Connecting-IP', 'X-Tollgate-Peer'];
    for (const name of names) expect(await call(app, bound, { [name]: '10.1.2.3' }), name).toBe(403);
    faultSeen('D18', `${names.length} forged headers: refused`);
  });

  test('behind a trusted proxy the address is the one the proxy appended, not an earlier one in the list (plan D18)', async () => {
    const bound = await newKey(behindProxy, { allow_ips: '10.1.2.3' });
    expect(await call(behindProxy, bound, { 'X-Forwarded-For': '10.1.2.3' })).toBe(200);
    expect(await call(behindProxy, bound, { 'X-Forwarded-For': '10.1.2.3, 10.9.9.9' })).toBe(403);
    expect(await call(behindProxy, bound, {})).toBe(403);
    faultSeen('D18', 'a forged address before the one of the trusted proxy: refused');
  });
});

describe('D9 callers that abort at once', () => {
  const aborts = 1000;

  test(`${aborts} aborted streams leave no descriptor, no hold and no running call (plan D9)`, async () => {
    const body = {
      model: 'gpt-4o',
      stream: true,
      messages: [
        { role: 'user', content: behaviourMessage({ outputTokens: 300, chunkDelayMilliseconds: 2 }) },
      ],
    };
    const abortMany = async (count: number) => {
      for (let done = 0; done < count; done += 20)
        await Promise.all(
          Array.from({ length: 20 }, async () => {
            const call = await sendCall(app.port, path, key, body);
            await call.untilBytes(1);
            call.socket.resetAndDestroy();
          }),
        );
      await eventually(
        () => mock.books.totals.open,
        (open) => open === 0,
      );
    };
    const descriptors = () => readdirSync('/proc/self/fd').length;
    await abortMany(100);
    const base = descriptors();
    const bytesBefore = process.memoryUsage().rss;
    await abortMany(aborts);
    const settled = await eventually(descriptors, (count) => count <= base * 1.05);
    expect(settled).toBeLessThanOrEqual(base * 1.05);
    expect(mock.books.totals.aborted).toBeGreaterThanOrEqual(aborts + 100);
    const holds = async () => {
      await app.ledger.writeHolds();
      return await app.store.db.selectFrom('holds').select('id').execute();
    };
    expect(await eventually(holds, (rows) => rows.length === 0)).toEqual([]);
    // A short call has no hold row: when its log row exists, it has ended.
    const charged = async () => {
      const query = app.store.db.selectFrom('logs').select(({ fn }) => fn.countAll<number>().as('count'));
      return (await query.where('is_stream', '=', 1).executeTakeFirstOrThrow()).count;
    };
    expect(await eventually(charged, (count) => count === aborts + 100)).toBe(aborts + 100);
    const grownMegabytes = Math.round((process.memoryUsage().rss - bytesBefore) / 1e6);
    faultSeen(
      'D9',
      `${mock.books.totals.aborted} streams aborted: descriptors ${base} before, ${settled} after; memory with callers and upstream +${grownMegabytes} MB`,
    );
  });
});
