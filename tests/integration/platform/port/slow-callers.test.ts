// Callers who send or read as slowly as they can lose their connection in the stated time, and others are served meanwhile.
// Times are shortened; the platform's clock for connections ticks every four seconds.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourMessage, startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { isLong } from '#tests/chaos/extent.ts';
import { startRunClock, type RunClock } from '#tests/support/run-clock.ts';
import { openConnections, openSocket, type RawSocket } from '#tests/support/raw-socket.ts';
import { eventually, startRelay } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(240_000);

const path = '/v1/chat/completions';
/** A time may be up one tick early, so each is more than one. */
const seconds = { idle: 12, megabyte: 8, unsized: 8 };
/** Twice what is stated, and two ticks: the limit of the time in which this process could run. */
const patienceMilliseconds = (2 * seconds.idle + 8) * 1000;
/** A machine with other work takes a multiple of the stated times. */
const longestWaitMilliseconds = 100_000;
const downloadBytes = 12 * 1024 * 1024;
/** Of each kind. */
const many = isLong ? 500 : 50;
const dripMilliseconds = isLong ? 1000 : 100;

let mock: MockUpstream;
let speech: Bun.Server<undefined>;
let app: TestApplication;
let key: string;
let clock: RunClock;

beforeAll(async () => {
  clock = startRunClock();
  mock = startMockUpstream();
  speech = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(new Uint8Array(downloadBytes), { headers: { 'Content-Type': 'audio/mpeg' } }),
  });
  app = await startApplication({ callerSeconds: seconds });
  await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o'] });
  await addChannel(app.store, { base_url: `http://127.0.0.1:${speech.port}`, models: ['tts-1'] });
  const user = await app.actor({ quota: 1_000_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 'slow', unlimited_quota: true } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  clock[Symbol.dispose]();
  await app.close();
  await mock.stop();
  await speech.stop(true);
});

const head = (target: string, framing: string) =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

const call = (target: string, body: object) => {
  const text = JSON.stringify(body);
  return head(target, `Content-Length: ${Buffer.byteLength(text)}`) + text;
};

/** A byte now and then until the other side closes. */
async function drip(start: string): Promise<{ answer: string; milliseconds: number }> {
  const begun = Date.now();
  const caller = await openSocket(app.port);
  await caller.send(start);
  const timer = setInterval(() => {
    if (caller.socket.writable) caller.socket.write('a');
  }, dripMilliseconds);
  await Promise.race([caller.over, Bun.sleep(longestWaitMilliseconds)]);
  clearInterval(timer);
  const milliseconds = caller.isOver() ? clock.between(begun, Date.now()) : Number.POSITIVE_INFINITY;
  caller.socket.destroy();
  return { answer: caller.text(), milliseconds };
}

async function expectServed(): Promise<void> {
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, Connection: 'close' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  await response.text();
}

describe('D1 slow senders', () => {
  test('heads and bodies that come byte by byte are given up, however steadily, while others are served (plan D1)', async () => {
    const heads = Array.from({ length: many }, () =>
      drip('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-'),
    );
    const bodies = Array.from({ length: many }, () => drip(head(path, 'Content-Length: 10000')));
    const anonymous = Array.from({ length: many }, () =>
      drip(
        'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n',
      ),
    );
    for (let round = 0; round < 5; round += 1) await expectServed();
    let slowest = 0;
    for (const { answer, milliseconds } of await Promise.all([...heads, ...bodies, ...anonymous])) {
      expect(answer).toBe('');
      expect(milliseconds).toBeLessThan(patienceMilliseconds);
      slowest = Math.max(slowest, milliseconds);
    }
    const stated = `limits of ${seconds.unsized} to ${seconds.idle} s`;
    faultSeen(
      'D1',
      `${3 * many} slow callers closed after at most ${Math.round(slowest / 1000)} s, ${stated}`,
    );
  });

  test('S6 a body that stalls after 20 MB is dropped, with a length and without', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 32);
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);
    const stall = async (framing: string, part: Buffer) => {
      const caller = await openSocket(app.port);
      await caller.send(head(path, framing));
      for (let sent = 0; sent < 20; sent += 1) await caller.send(part);
      const stalled = Date.now();
      await Promise.race([caller.over, Bun.sleep(longestWaitMilliseconds)]);
      expect(caller.isOver()).toBe(true);
      expect(clock.between(stalled, Date.now())).toBeLessThan(patienceMilliseconds);
      caller.socket.destroy();
    };
    await Promise.all([
      stall('Content-Length: 60000000', megabyte),
      stall('Transfer-Encoding: chunked', chunk),
    ]);
    await expectServed();
  });

  test('a large body at a modest pace is read', async () => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
    const text = JSON.stringify(body) + ' '.repeat(6 * 1024 * 1024);
    const caller = await openSocket(app.port);
    await caller.send(head(path, `Content-Length: ${text.length}`));
    // Twice as long as one megabyte may take.
    const parts = 32;
    const size = Math.ceil(text.length / parts);
    for (let at = 0; at < text.length; at += size) {
      await caller.send(text.slice(at, at + size));
      await Bun.sleep((2 * seconds.megabyte * 1000) / parts);
    }
    expect(await caller.until(/^HTTP\/1\.1 \d{3}/)).toStartWith('HTTP/1.1 200');
    caller.socket.destroy();
  });
});

describe('S5 callers who do not read', () => {
  const streamed = {
    model: 'gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: behaviourMessage({ tag: 'unread', outputTokens: 100_000 }) }],
  };
  /** Each takes some megabytes of small events before the kernel's buffers are full. */
  const streams = 8;
  const downloads = 15;
  const spoken = { model: 'tts-1', input: 'hello', voice: 'alloy' };

  test(`${streams} streams and ${downloads} downloads that are not read are closed and their upstreams let go (plan D2)`, async () => {
    const callers: RawSocket[] = [];
    const unread = async (bytes: string) => {
      const caller = await openSocket(app.port);
      caller.socket.pause();
      await caller.send(bytes);
      callers.push(caller);
    };
    for (let count = 0; count < streams; count += 1) await unread(call(path, streamed));
    for (let count = 0; count < downloads; count += 1) await unread(call('/v1/audio/speech', spoken));
    await eventually(
      () => mock.requests.filter(({ tag }) => tag === 'unread').length,
      (count) => count === streams,
      longestWaitMilliseconds,
    );
    const begun = Date.now();
    const left = () => openConnections(app.port, callers);
    expect(await eventually(left, (count) => count === 0, longestWaitMilliseconds)).toBe(0);
    expect(clock.between(begun, Date.now())).toBeLessThan(2 * patienceMilliseconds);
    const endings = () => mock.requests.filter(({ tag }) => tag === 'unread').map(({ ending }) => ending);
    const aborted = await eventually(endings, (all) => all.every((each) => each === 'aborted'));
    expect(aborted).toEqual(Array.from({ length: streams }, () => 'aborted'));
    faultSeen('D2', `${streams} streams and ${downloads} downloads not read: closed, upstreams let go`);
    for (const { socket } of callers) socket.destroy();
    await expectServed();
  });

  test('a caller who reads slowly but steadily gets all of it', async () => {
    const caller = await openSocket(app.port);
    await caller.send(call('/v1/audio/speech', spoken));
    let read = 0;
    caller.socket.on('data', (bytes: Buffer) => {
      read += bytes.length;
      caller.socket.pause();
      setTimeout(() => caller.socket.resume(), bytes.length / 1000);
    });
    // Twelve megabytes at one megabyte a second: longer than a caller may take nothing.
    await eventually(
      () => read,
      (bytes) => bytes >= downloadBytes || caller.isOver(),
      longestWaitMilliseconds,
    );
    expect(read).toBeGreaterThanOrEqual(downloadBytes);
    caller.socket.destroy();
  });

  test('a stream whose upstream pauses for longer than that is kept open by heartbeats', async () => {
    await using relay = await startRelay({ heartbeatSeconds: 2, callerSeconds: { idle: 8 } });
    await relay.channel();
    const { key: own } = await relay.token();
    const pause = { stall: { afterEvents: 3, milliseconds: 16_000 } };
    const messages = [{ role: 'user', content: behaviourMessage(pause) }];
    const response = await relay.post(path, own, { model: 'gpt-4o', stream: true, messages });
    expect(await response.text()).toEndWith('data: [DONE]\n\n');
  });
});
