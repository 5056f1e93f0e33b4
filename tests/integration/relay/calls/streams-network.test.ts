// Network failures between healthy programs: upstream connections that are reset at any byte or fall silent, callers
// that vanish or read one byte at a time.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startChaosProxy, type ChaosProxy } from '#tests/support/chaos-proxy.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { dice } from '#tests/support/random.ts';
import { contentPieces, sendCall } from './caller.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

const resets = Number(process.env['TOLLGATE_CUTS'] ?? 60);
setDefaultTimeout(60_000 + resets * 500);

const path = '/v1/chat/completions';
const answerTokens = 15;
/** A little more than the whole answer of the upstream, head and framing included. */
const farthestByte = 9000;
/** A channel cools down after five failures in a row. */
const callsPerChannel = 4;

let relay: RelayHarness;

beforeAll(async () => {
  relay = await startRelay({ timeouts: { stalledReaderSeconds: 1 } });
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
});

/** A caller that may choose the channel. */
async function operator(): Promise<TestToken> {
  return await relay.token({ user_id: await relay.user({ role: 100 }) });
}

const channelBehind = (proxy: ChaosProxy) => relay.channel({ base_url: proxy.url });

const streamed = (behaviour: Behaviour) => ({
  model: 'gpt-4o',
  stream: true,
  messages: [{ role: 'user', content: behaviourMessage(behaviour) }],
});

async function ask(key: string, behaviour: Behaviour = {}): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${relay.port}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(streamed(behaviour)),
  });
  return { status: response.status, text: await response.text() };
}

/** Whole events only, each of them JSON, and an error at the end unless the answer is complete. */
function expectCleanStream(text: string): void {
  expect(text).toEndWith('\n\n');
  const events = text.split('\n\n').filter((event) => event !== '' && !event.startsWith(':'));
  const data = events.map((event) => event.slice('data: '.length));
  if (data.at(-1) === '[DONE]') data.pop();
  else expect(JSON.parse(data.at(-1) ?? '')).toMatchObject({ error: { type: 'tollgate_error' } });
  for (const each of data) expect(typeof JSON.parse(each)).toBe('object');
}

async function expectNothingHeld(): Promise<void> {
  const held = () => relay.holds();
  expect(await eventually(held, (count) => count === 0)).toBe(0);
  expect(await checkInvariants(relay.store)).toEqual([]);
}

describe('U2 the upstream’s connection is reset', () => {
  test(`at ${resets} random bytes: an error and no charge, or whole events, an error event and a charge for what was delivered (plan U2)`, async () => {
    const endings = { refused: 0, broken: 0, complete: 0 };
    let next = 0;
    async function lane(): Promise<void> {
      await using proxy = await startChaosProxy({ port: relay.mock.port });
      const token = await operator();
      let channelId = 0;
      let charges = 0;
      for (let calls = 0; next < resets; calls += 1) {
        next += 1;
        if (calls % callsPerChannel === 0) channelId = await channelBehind(proxy);
        const resetAfterBytes = Math.floor(dice.next() * farthestByte);
        proxy.spoil({ toClient: { resetAfterBytes } });
        // Events are sent one by one, as models write them: bytes that arrive in one read with the reset are lost.
        const { status, text } = await ask(`${token.key}-${channelId}`, { chunkDelayMilliseconds: 2 });
        const rows = (await relay.logs(token.userId)).filter((row) => row.type === 2);
        const facts = `reset after ${resetAfterBytes}`;
        if (status !== 200) {
          endings.refused += 1;
          expect(status, facts).toBe(502);
          expect(JSON.parse(text)).toMatchObject({ error: { type: 'tollgate_error' } });
          expect(rows, facts).toHaveLength(charges);
          continue;
        }
        // The event with the role has no content: a stream that broke after it is free.
        if (contentPieces(text) > 0) charges += 1;
        endings[text.includes('[DONE]') ? 'complete' : 'broken'] += 1;
        expectCleanStream(text);
        expect(rows, facts).toHaveLength(charges);
        const row = rows.at(-1);
        if (contentPieces(text) === 0 || row === undefined) continue;
        // Usage reported before the reset counts; otherwise the output that was passed on.
        const due = row.estimated === 1 ? contentPieces(text) : answerTokens;
        expect(row.completion_tokens, facts).toBe(due);
        expect(row.quota).toBe(Math.round(row.prompt_tokens * 1.25 + due * 5));
        // A complete answer leaves its connection open, with a byte count that must not apply to the next call.
        proxy.resetAll();
        await eventually(proxy.connections, (count) => count === 0);
        await Bun.sleep(5);
      }
    }
    await Promise.all(Array.from({ length: 6 }, lane));
    expect(endings.refused + endings.broken + endings.complete).toBe(resets);
    expect(endings.broken).toBeGreaterThan(resets / 4);
    await expectNothingHeld();
    faultSeen(
      'U2',
      `${resets} resets: ${endings.refused} before the answer, ${endings.broken} within, ${endings.complete} after`,
    );
    if (process.env['TOLLGATE_CUTS'] !== undefined)
      process.stderr.write(`${resets} resets: ${JSON.stringify(endings)}\n`);
  });
});

describe('U3 the upstream falls silent and never closes', () => {
  const limit = async (firstByte: number, idle: number) => {
    await relay.settings.set('RelayFirstByteSeconds', String(firstByte), 0);
    await relay.settings.set('RelayIdleSeconds', String(idle), 0);
  };
  // Other tests have limits that a busy machine does not reach.
  beforeAll(() => limit(2, 2));
  afterAll(() => limit(600, 300));

  test.each([
    ['before its head is whole', 20, false],
    ['after some words', 1500, true],
  ])(
    '%s: the call ends at the idle limit and its socket is freed (plan U3)',
    async (when, stallAfterBytes, hasWords) => {
      await using proxy = await startChaosProxy({ port: relay.mock.port });
      const token = await operator();
      const key = `${token.key}-${await channelBehind(proxy)}`;
      proxy.spoil({ toClient: { stallAfterBytes } });
      using clock = startRunClock();
      const begun = Date.now();
      const { status, text } = await ask(key);
      expect(clock.between(begun, Date.now())).toBeLessThan(8000);
      const rows = (await relay.logs(token.userId)).filter((row) => row.type === 2);
      if (hasWords) {
        expectCleanStream(text);
        expect(contentPieces(text)).toBeGreaterThan(0);
        expect(rows).toHaveLength(1);
        expect(rows[0]).toMatchObject({ completion_tokens: contentPieces(text), estimated: 1 });
      } else {
        expect(status).toBe(504);
        expect(rows).toEqual([]);
      }
      expect(await eventually(proxy.connections, (count) => count === 0)).toBe(0);
      await expectNothingHeld();
      faultSeen('U3', `silent ${when}: ended at the limit of 2 s, socket freed`);
    },
  );
});

describe('callers on a bad connection', () => {
  test('D3 a caller who vanishes without closing is given up; what was sent is settled and the upstream closed (plan D3)', async () => {
    await using proxy = await startChaosProxy({ port: relay.port });
    const token = await operator();
    const key = `${token.key}-${await relay.channel()}`;
    proxy.spoil({ toClient: { stallAfterBytes: 3000 } });
    const call = await sendCall(proxy.port, path, key, streamed({ tag: 'vanished', outputTokens: 400_000 }));
    await call.untilBytes(3000);
    const [row] = await eventually(
      () => relay.logs(token.userId),
      (rows) => rows.length === 1,
    );
    const served = relay.mock.requests.find(({ tag }) => tag === 'vanished');
    expect(served?.ending).toBe('aborted');
    expect(row?.completion_tokens).toBeGreaterThanOrEqual(contentPieces(call.body()));
    expect(row?.completion_tokens).toBeLessThanOrEqual(served?.outputTokensWritten ?? 0);
    // Only what fits into the buffers was read from the upstream: the kernel may buffer 33 MB of some 100.
    expect(served?.outputTokensWritten).toBeLessThan(200_000);
    call.socket.destroy();
    await expectNothingHeld();
    faultSeen('D3', `silent after 3,000 bytes: given up, ${row?.completion_tokens} words charged`);
  });

  test('D2 many callers who do not read hold the upstream back: memory stays small, all are settled (plan D2)', async () => {
    const token = await operator();
    const key = `${token.key}-${await relay.channel()}`;
    const many = 15;
    const before = process.memoryUsage().rss;
    const calls = await Promise.all(
      Array.from({ length: many }, async () => {
        const call = await sendCall(relay.port, path, key, streamed({ outputTokens: 200_000 }));
        call.socket.pause();
        return call;
      }),
    );
    const rows = await eventually(
      () => relay.logs(token.userId),
      (all) => all.length === many,
      30_000,
    );
    expect(rows).toHaveLength(many);
    for (const row of rows) {
      expect(row.completion_tokens).toBeGreaterThan(0);
      // Stopped long before the end: the whole answer would be some 50 MB.
      expect(row.completion_tokens).toBeLessThan(100_000);
    }
    // The mock and the callers are in this process as well; the platform's client buffers up to 3 MB of an unread
    // answer.
    const grownBytes = process.memoryUsage().rss - before;
    expect(grownBytes).toBeLessThan(many * 7_000_000);
    for (const { socket } of calls) socket.destroy();
    await expectNothingHeld();
    const megabytes = (grownBytes / many / 1e6).toFixed(1);
    faultSeen('D2', `${many} callers who read nothing: all given up and settled, ${megabytes} MB each`);
  });
});
