// Hostile and broken upstreams: what they receive, how long they may delay a call, and what their answers may cost.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { TEST_AUTHORITY } from '#server/platform/egress/test-certificates.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { flood, startRawUpstream, whole, type RawUpstream } from '#tests/support/raw-upstream.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

const path = '/v1/chat/completions';
const schemes: [string, boolean][] = [
  ['plain', false],
  ['TLS', true],
];
const completion = JSON.stringify({
  id: 'a',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
});
const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] };

/** A group for each test, so that no other test uses its channels. */
const groups = Array.from({ length: 40 }, (_, index) => `group${index}`);

let relay: RelayHarness;
beforeAll(async () => {
  relay = await startRelay({
    egress: { certificateAuthority: TEST_AUTHORITY, resolve: async () => ['127.0.0.1'] },
    settings: {
      RetryTimes: '3',
      GroupRatio: JSON.stringify(Object.fromEntries(['default', ...groups].map((group) => [group, 1]))),
    },
  });
});
afterAll(() => relay[Symbol.asyncDispose]());

/** A token whose only channels are the given upstreams. */
async function callerOf(...upstreams: RawUpstream[]): Promise<TestToken> {
  const group = groups.pop() ?? '';
  for (const { url } of upstreams) await relay.channel({ base_url: url, groups: [group] });
  return await relay.token({ user_id: await relay.user({ group }), group });
}

interface Attempts {
  admin_info: { attempts: { channel: number; status: number }[] };
}

const attemptsOf = (row: { other: string }) => (JSON.parse(row.other) as Attempts).admin_info.attempts;

describe('C2 a request that reached an upstream is not sent to it again', () => {
  test.each(schemes)('%s: a kept connection that closes on the request', async (_scheme, isSecure) => {
    await using upstream = await startRawUpstream(
      (socket, index) => {
        if (index === 0) socket.write(whole(completion));
        else socket.destroy();
      },
      { isSecure },
    );
    const token = await callerOf(upstream);
    const spent = async () => (await relay.userRow(token.userId)).used_quota;
    expect((await relay.post(path, token.key, body)).status).toBe(200);
    const paid = await spent();
    const second = await relay.post(path, token.key, body);
    expect(second.status).toBe(502);
    expect(await second.json()).toMatchObject({ error: { type: 'tollgate_error' } });
    expect(upstream.received).toHaveLength(2);
    expect(upstream.connections).toBe(1);
    expect(await spent()).toBe(paid);
    expect(await relay.holds()).toBe(0);
  });

  test.each(schemes)(
    '%s: the next channel is a separate attempt, and the log shows it',
    async (_scheme, isSecure) => {
      await using closing = await startRawUpstream((socket) => socket.destroy(), { isSecure });
      await using working = await startRawUpstream((socket) => socket.write(whole(completion)), { isSecure });
      const token = await callerOf(closing, working);
      // The order of the two is random.
      for (let calls = 0; calls < 8; calls += 1)
        expect((await relay.post(path, token.key, body)).status).toBe(200);
      const rows = (await relay.logs(token.userId)).filter(({ type }) => type === 2);
      const attempts = rows.flatMap(attemptsOf);
      expect(rows).toHaveLength(8);
      expect(working.received).toHaveLength(attempts.filter(({ status }) => status === 200).length);
      expect(closing.received).toHaveLength(attempts.filter(({ status }) => status === 0).length);
      expect(closing.received.length).toBeGreaterThan(0);
    },
  );
});

describe('TLS', () => {
  test('connections are reused: 200 calls in waves of 25 open no more than 25', async () => {
    await using upstream = await startRawUpstream((socket) => socket.write(whole(completion)), {
      isSecure: true,
    });
    const token = await callerOf(upstream);
    for (let wave = 0; wave < 8; wave += 1) {
      const calls = Array.from({ length: 25 }, () => relay.post(path, token.key, body));
      for (const response of await Promise.all(calls)) expect(response.status).toBe(200);
    }
    expect(upstream.received).toHaveLength(200);
    expect(upstream.connections).toBeLessThanOrEqual(25);
  });

  test('a reused connection is not used for another name at the same address', async () => {
    await using upstream = await startRawUpstream((socket) => socket.write(whole(completion)), {
      isSecure: true,
    });
    const right = await callerOf(upstream);
    expect((await relay.post(path, right.key, body)).status).toBe(200);
    const wrong = await callerOf({ ...upstream, url: upstream.url.replace('upstream.test', 'other.test') });
    expect((await relay.post(path, wrong.key, body)).status).toBe(502);
    expect(upstream.received).toHaveLength(1);
  });

  test.each(schemes)(
    '%s: a caller who leaves mid-stream closes the upstream within a second',
    async (_scheme, isSecure) => {
      const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word' } }] })}\n\n`;
      await using upstream = await startRawUpstream(
        (socket) => {
          socket.write(
            'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
          );
          const timer = setInterval(() => socket.write(`${event.length.toString(16)}\r\n${event}\r\n`), 20);
          socket.on('close', () => clearInterval(timer));
        },
        { isSecure },
      );
      const token = await callerOf(upstream);
      const leaving = new AbortController();
      const response = await fetch(relay.url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
        signal: leaving.signal,
      });
      await response.body?.getReader().read();
      using clock = startRunClock();
      const leftAtMilliseconds = Date.now();
      leaving.abort();
      expect(
        await eventually(
          () => upstream.open(),
          (count) => count === 0,
        ),
      ).toBe(0);
      expect(clock.between(leftAtMilliseconds, upstream.closedAtMilliseconds)).toBeLessThan(1000);
    },
  );
});

describe('S7 the time to the first byte cannot be extended', () => {
  const limit = (seconds: number) => relay.settings.set('RelayFirstByteSeconds', String(seconds), 0);
  // Other tests have a limit that a busy machine does not reach.
  beforeAll(() => limit(2));
  afterAll(() => limit(600));

  /** The most milliseconds that one turn of the event loop took, without those in which other processes ran. */
  async function longestBlockOf(work: Promise<unknown>): Promise<number> {
    let longest = 0;
    let last = performance.now();
    let used = process.cpuUsage();
    const timer = setInterval(() => {
      const { user, system } = process.cpuUsage(used);
      longest = Math.max(longest, Math.min(performance.now() - last, (user + system) / 1000));
      last = performance.now();
      used = process.cpuUsage();
    }, 10);
    await work.catch(() => undefined);
    clearInterval(timer);
    return longest;
  }

  async function expectGivenUp(upstream: RawUpstream): Promise<void> {
    const token = await callerOf(upstream);
    using clock = startRunClock();
    const begunAtMilliseconds = Date.now();
    const call = relay.post(path, token.key, body);
    const blocked = await longestBlockOf(call);
    const response = await call;
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: { type: 'tollgate_error' } });
    expect(clock.between(begunAtMilliseconds, Date.now())).toBeLessThan(4000);
    expect(blocked).toBeLessThan(1000);
    expect(
      await eventually(
        () => upstream.open(),
        (count) => count === 0,
      ),
    ).toBe(0);
    expect((await relay.userRow(token.userId)).used_quota).toBe(0);
  }

  test('by a flood of 1xx answers', async () => {
    const early = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1000));
    await using upstream = await startRawUpstream((socket) => flood(socket, early));
    await expectGivenUp(upstream);
  });

  test('two million 1xx answers before the real one do not block the process', async () => {
    const early = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1000));
    let sent = 0;
    await using upstream = await startRawUpstream((socket) => {
      flood(socket, early, () => (sent += 1000) > 2_000_000);
    });
    const token = await callerOf(upstream);
    expect(await longestBlockOf(relay.post(path, token.key, body))).toBeLessThan(1000);
  });

  test.each([
    ['a line of a head', 'X-More: 1\r\n'],
    ['a byte of a head', 'X'],
  ])('by %s now and then', async (_what, bytes) => {
    await using upstream = await startRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write(bytes), 100);
      socket.on('close', () => clearInterval(timer));
    });
    await expectGivenUp(upstream);
  });

  test('a response head without end is refused before it fills the memory (plan U10)', async () => {
    const line = Buffer.from(`X-More: ${'x'.repeat(8000)}\r\n`);
    await using upstream = await startRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, line);
    });
    const token = await callerOf(upstream);
    const before = process.memoryUsage().rss;
    const { status } = await relay.post(path, token.key, body);
    expect([502, 504]).toContain(status);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect(upstream.received).toHaveLength(1);
    faultSeen('U10', `a head without end: ${status}`);
  });
});

describe('S11 an answer over the limit', () => {
  test('is a failure of the upstream in the caller’s format, not charged and not “client left”', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    await using upstream = await startRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"id":"');
      let left = 140;
      flood(socket, piece, () => (left -= 1) < 0);
    });
    const token = await callerOf(upstream);
    const response = await relay.post(path, token.key, body);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { type: 'tollgate_error' } });
    expect(
      await eventually(
        () => upstream.open(),
        (count) => count === 0,
      ),
    ).toBe(0);
    expect((await relay.userRow(token.userId)).used_quota).toBe(0);
    expect(await relay.holds()).toBe(0);
    expect((await relay.logs(token.userId)).filter(({ type }) => type === 2)).toEqual([]);
  });
});
