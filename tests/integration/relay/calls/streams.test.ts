// Streams under faults: what the caller gets, what is charged, and whether the upstream is closed.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readEventText } from '#server/models/formats/sse.ts';
import { faultSeen, type FaultRow } from '#tests/support/fault-report.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';
import { PRESETS } from '#mock/upstream/presets.ts';
import { flood, startRawUpstream } from '#tests/support/raw-upstream.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';

let relay: RelayHarness;
let token: TestToken;

beforeAll(async () => {
  relay = await startRelay({ timeouts: { stalledReaderSeconds: 1 }, heartbeatSeconds: 1 });
});
afterAll(() => relay[Symbol.asyncDispose]());
beforeEach(async () => {
  relay.mock.reset();
  token = await relay.token();
  // A separate channel for each test: failures of one must not cool down the channel of the next.
  await relay.store.db.deleteFrom('abilities').execute();
  await relay.channel();
});

type Limit = 'RelayFirstByteSeconds' | 'RelayIdleSeconds' | 'RelayTotalSeconds';
const ordinary = { RelayFirstByteSeconds: 600, RelayIdleSeconds: 300, RelayTotalSeconds: 3600 };
const shortened = new Set<Limit>();

/** For one test: the others have limits that a busy machine does not reach. */
async function shorten(limit: Limit, seconds: number): Promise<void> {
  shortened.add(limit);
  await relay.settings.set(limit, String(seconds), 0);
}
afterEach(async () => {
  for (const limit of shortened) await relay.settings.set(limit, String(ordinary[limit]), 0);
  shortened.clear();
});

const post = (behaviour: Behaviour | string, extra: object = {}) =>
  relay.post('/v1/chat/completions', token.key, {
    model: 'gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: behaviourMessage(behaviour) }],
    ...extra,
  });

interface Chunk {
  choices: { delta: { content?: string }; finish_reason: string | null }[];
  usage?: { total_tokens: number } | null;
  error?: { message: string; code: string; type: string };
}

function chunksOf(text: string): Chunk[] {
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((block) => readEventText(block).data)
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk);
}

const contentOf = (text: string) =>
  chunksOf(text)
    .flatMap(({ choices }) => choices ?? [])
    .map(({ delta }) => delta.content ?? '')
    .join('');
const charge = async () => (await relay.userRow(token.userId)).used_quota;
const plainText = 'Hello! I am a mock model, and this is a steady answer.';

describe('U4 the same answer for every split and framing', () => {
  test.each<[string, Behaviour]>([
    ['plain', {}],
    ['slices of one byte', { sliceBytes: 1 }],
    ['slices of seven bytes', { sliceBytes: 7 }],
    ['\\r\\n', { lineEnding: '\r\n' }],
    ['\\r', { lineEnding: '\r' }],
    ['\\r in slices', { lineEnding: '\r', sliceBytes: 3 }],
    ['\\r\\n in slices', { lineEnding: '\r\n', sliceBytes: 2 }],
    ['a byte order mark', { byteOrderMark: true }],
    ['comments', { comments: true }],
    ['several data lines', { multilineData: true }],
    ['no newline at the end', { omitFinalNewline: true }],
    ['no [DONE]', { omitDone: true }],
  ])('%s (plan U4)', async (_what, behaviour) => {
    const text = await (await post(behaviour)).text();
    expect(contentOf(text)).toBe(plainText);
    expect(text).toContain('[DONE]');
    for (const chunk of chunksOf(text)) expect(chunk.usage).toBeUndefined();
    const row = await relay.lastLog(token.userId);
    const [served] = relay.mock.requests;
    expect(row).toMatchObject({
      prompt_tokens: served?.usage.inputTokens,
      completion_tokens: 15,
      estimated: 0,
    });
    faultSeen('U4', 'streams in slices of 1 to 7 bytes, other line ends, comments, no final newline');
  });
});

describe('M18 usage reported in odd ways (plan M18)', () => {
  test.each<[string, Behaviour]>([
    ['twice', { usageReport: 'twice' }],
    ['as a running total', { usageReport: 'cumulative' }],
    ['together with the finish reason', { usageReport: 'with-finish' }],
    ['in every case', { usageReport: 'unasked' }],
  ])('%s is charged once and hidden from a caller who did not ask', async (what, behaviour) => {
    const text = await (await post(behaviour)).text();
    expect(contentOf(text)).toBe(plainText);
    for (const chunk of chunksOf(text)) expect(chunk.usage ?? undefined).toBeUndefined();
    expect(await relay.lastLog(token.userId)).toMatchObject({ completion_tokens: 15, estimated: 0 });
    expect(await relay.logs(token.userId)).toHaveLength(1);
    faultSeen('M18', `usage ${what}`);
  });

  test('never: the local count is charged and marked; a caller who asked for usage gets it', async () => {
    const text = await (
      await post({ usageReport: 'missing' }, { stream_options: { include_usage: true } })
    ).text();
    const row = await relay.lastLog(token.userId);
    expect(row).toMatchObject({ completion_tokens: 15, estimated: 1 });
    expect(row.prompt_tokens).toBeGreaterThan(0);
    const last = chunksOf(text).at(-1);
    expect(last).toMatchObject({ choices: [], usage: { total_tokens: row.prompt_tokens + 15 } });
  });

  test('never, and usage not requested: the gateway adds no chunk', async () => {
    const text = await (await post({ usageReport: 'missing' })).text();
    for (const chunk of chunksOf(text)) expect(chunk.usage).toBeUndefined();
  });

  test.each(['completed', 'incomplete', 'failed'] as const)('Responses ending in %s', async (ending) => {
    const response = await relay.post('/v1/responses', token.key, {
      model: 'gpt-4o',
      stream: true,
      input: behaviourMessage({ ending }),
    });
    const text = await response.text();
    expect(text).toContain(`response.${ending}`);
    faultSeen('M18', `usage in response.${ending}`);
    const row = await relay.lastLog(token.userId);
    expect(row.estimated).toBe(0);
    expect(row.quota).toBeGreaterThan(0);
    expect(row.completion_tokens).toBe(relay.mock.requests[0]?.usage.outputTokens ?? -1);
  });
});

describe('streams that fail', () => {
  test('M19 an error inside a 200 stream is not output: nothing is charged, the status is an error (plan M19)', async () => {
    const response = await post({ errorInside200: true });
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(relay.mock.requests).toHaveLength(1);
    expect(await charge()).toBe(0);
    faultSeen('M19', 'an error first in the stream: nothing charged');
    expect(await relay.holds()).toBe(0);
  });

  test('M19 an error in the middle ends in the caller’s format; only the words before it are charged (plan M19)', async () => {
    const text = await (await post({ errorAfterEvents: 4 })).text();
    const chunks = chunksOf(text);
    expect(chunks.at(-1)?.error).toMatchObject({ type: 'tollgate_error', code: 'stream_broken' });
    expect(text).not.toContain('[DONE]');
    const row = await relay.lastLog(token.userId);
    expect(row).toMatchObject({ completion_tokens: 3, estimated: 1 });
    faultSeen('M19', 'an error after 3 words: 3 charged');
  });

  test.each<[string, Behaviour, FaultRow | undefined]>([
    ['U2 reset', { resetAfterEvents: 4 }, undefined],
    ['cut off politely', { cutAfterEvents: 4 }, undefined],
    ['U5 half an object (plan U5)', { malformedAfterEvents: 4 }, 'U5'],
    ['U1 stalled (plan U1)', { stall: { afterEvents: 4, milliseconds: 60_000 } }, 'U1'],
  ])(
    '%s after output: an error event, what was delivered is charged as an estimate',
    async (what, behaviour, row) => {
      if (behaviour.stall !== undefined) await shorten('RelayIdleSeconds', 2);
      const text = await (await post(behaviour)).text();
      expect(chunksOf(text).at(-1)?.error?.type).toBe('tollgate_error');
      expect(contentOf(text)).toBe('Hello! I');
      expect(await relay.lastLog(token.userId)).toMatchObject({ completion_tokens: 3, estimated: 1 });
      expect(await relay.holds()).toBe(0);
      if (row !== undefined) faultSeen(row, `${what.slice(3, -10)} after 3 words, 3 words charged`);
    },
  );

  test('U1 silence before the head and before the first event: 504, no charge, counted for the channel (plan U1)', async () => {
    await shorten('RelayFirstByteSeconds', 2);
    await shorten('RelayIdleSeconds', 2);
    for (const behaviour of ['stall-headers', 'stall-first-token']) {
      const response = await post(behaviour);
      expect(response.status).toBe(504);
    }
    expect(await charge()).toBe(0);
    expect(await relay.holds()).toBe(0);
    const endings = () => relay.mock.requests.map(({ ending }) => ending);
    const closed = await eventually(endings, (all) => all.every((each) => each === 'aborted'));
    expect(closed).toEqual(['aborted', 'aborted']);
    expect(relay.logged.filter((line) => line.includes('an upstream failed')).slice(-2)).toEqual([
      expect.stringContaining('timeout'),
      expect.stringContaining('timeout'),
    ]);
    faultSeen('U1', 'silent before the head and before the first event: 504 after 2 s each');
  });

  test('U2 a reset at any early byte is a clean failure', async () => {
    for (const resetAtByte of [0, 1, 20, 100]) {
      const response = await post({ resetAtByte });
      expect(response.status).toBe(502);
    }
    expect(await charge()).toBe(0);
  });

  test('U5 one event of 50 MB is refused at the limit of an event; memory does not grow with it (plan U5)', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    await using upstream = await startRawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {"choices":[],"x":"');
      flood(socket, megabyte, () => (sent += 1) > 50);
    });
    await relay.channel({ base_url: upstream.url.replace('upstream.test', '127.0.0.1'), priority: 9 });
    const before = process.memoryUsage().rss;
    const response = await post('huge-line');
    const text = await response.text();
    expect(text.length).toBeLessThan(10_000);
    expect(text).toContain('"error"');
    expect(upstream.received).toHaveLength(1);
    expect(
      await eventually(
        () => upstream.open(),
        (count) => count === 0,
      ),
    ).toBe(0);
    // The kernel's buffers take some megabytes that the gateway never reads.
    expect(sent).toBeLessThan(25);
    const grownBytes = process.memoryUsage().rss - before;
    expect(grownBytes).toBeLessThan(60_000_000);
    faultSeen('U5', `event of 50 MB: ended after ${sent} MB, memory +${Math.round(grownBytes / 1e6)} MB`);
  });

  test('U5 events of 4 MB, one after another, leave nothing behind (plan U5)', async () => {
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 5; round += 1) {
      const text = await (await post('huge-line')).text();
      expect(text.length).toBeLessThan(10_000);
      expect(chunksOf(text).at(-1)?.error).toBeDefined();
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    faultSeen('U5', '5 events of 4 MB refused');
  });

  test('U6 an endless stream ends at the total time and is charged for what was delivered (plan U6)', async () => {
    await shorten('RelayTotalSeconds', 5);
    const text = await (await post('endless')).text();
    expect(chunksOf(text).at(-1)?.error).toBeDefined();
    const row = await relay.lastLog(token.userId);
    const delivered = chunksOf(text).filter(
      ({ choices }) => (choices?.[0]?.delta.content ?? '') !== '',
    ).length;
    expect(delivered).toBeGreaterThan(0);
    expect(row.completion_tokens).toBe(delivered);
    expect(relay.mock.requests[0]?.ending).toBe('aborted');
    faultSeen('U6', `ended after the total time of 5 s, ${delivered} words delivered and charged`);
  });

  test('U7 heartbeats are sent while the upstream is silent, and only between events (plan U7)', async () => {
    const quiet = await startRelay({ heartbeatSeconds: 1 });
    try {
      await quiet.channel();
      const own = await quiet.token();
      const response = await quiet.post('/v1/chat/completions', own.key, {
        model: 'gpt-4o',
        stream: true,
        messages: [
          { role: 'user', content: behaviourMessage({ stall: { afterEvents: 3, milliseconds: 2600 } }) },
        ],
      });
      const text = await response.text();
      expect(text).toContain(': keep-alive\n\n');
      expect(contentOf(text)).toBe(plainText);
      for (const block of text.split('\n\n'))
        expect(block === '' || /^(?:data: |: keep-alive$)/.test(block)).toBe(true);
      const heartbeats = text.split(': keep-alive\n\n').length - 1;
      faultSeen('U7', `heartbeats in 2.6 s of silence: ${heartbeats}, none inside an event`);
    } finally {
      await quiet[Symbol.asyncDispose]();
    }
  });

  test('U8 a compressed answer that was not requested is refused, bomb or not (plan U8)', async () => {
    for (const behaviour of ['gzip', 'gzip-bomb']) {
      const response = await relay.post('/v1/chat/completions', token.key, {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: behaviourMessage(behaviour) }],
      });
      expect(response.status).toBe(502);
    }
    expect(await charge()).toBe(0);
    // The answers really were compressed: the bomb is 200 MB in less than one.
    const [, bomb] = relay.mock.requests;
    expect(bomb?.headers['accept-encoding']).toBe('identity');
    expect(bomb?.bytesWritten).toBeWithin(1, 1024 * 1024);
    faultSeen('U8', `identity requested; 200 MB packed into ${bomb?.bytesWritten} bytes refused`);
  });

  test('U9 a redirect is not followed, to metadata or to another server, and the key is not sent there (plan U9)', async () => {
    const reached: string[] = [];
    using trap = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        reached.push(request.url);
        return new Response('caught');
      },
    });
    expect((await post('redirect')).status).toBe(502);
    expect((await post({ redirect: `http://127.0.0.1:${trap.port}/` })).status).toBe(502);
    expect(relay.mock.requests.map(({ status }) => status)).toEqual([302, 302]);
    expect(reached).toEqual([]);
    faultSeen('U9', '302 to metadata and to a server that listens: 0 requests there');
  });

  test('U10 of the upstream’s headers only the content type passes (plan U10)', async () => {
    const response = await post('odd-headers');
    await response.text();
    const names = [...response.headers.keys()];
    expect(
      names.filter((name) => /cookie|private|proxy|trailer|secret|keep-alive|openai/.test(name)),
    ).toEqual([]);
    expect(response.headers.get('content-type')).toStartWith('text/event-stream');
    expect(relay.mock.requests[0]?.status).toBe(200);
    faultSeen(
      'U10',
      `${Object.keys(PRESETS['odd-headers']?.headers ?? {}).length} odd headers sent, 0 passed on`,
    );
  });
});

// cuts.test.ts tests random points and every way of leaving.
describe('M20 the caller leaves', () => {
  test('before the first byte: the prompt is charged, the upstream closed within a second', async () => {
    const controller = new AbortController();
    const call = fetch(`${relay.url}/v1/chat/completions`, {
      method: 'POST',
      signal: controller.signal,
      headers: { Authorization: `Bearer ${token.key}` },
      body: JSON.stringify({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: behaviourMessage({ headersDelayMilliseconds: 600_000 }) }],
      }),
    }).catch(() => undefined);
    await eventually(
      () => relay.mock.requests.length,
      (count) => count === 1,
    );
    using clock = startRunClock();
    const leftAtMilliseconds = Date.now();
    controller.abort();
    await call;
    const rows = await eventually(
      () => relay.logs(token.userId),
      (all) => all.length === 1,
    );
    expect(rows[0]).toMatchObject({ completion_tokens: 0, estimated: 1 });
    expect(rows[0]?.quota).toBeGreaterThan(0);
    const [served] = relay.mock.requests;
    const ending = await eventually(
      () => served?.ending,
      (each) => each !== 'open',
    );
    expect(ending).toBe('aborted');
    const closedAfter = clock.between(leftAtMilliseconds, served?.endedAtMilliseconds ?? 0);
    expect(closedAfter).toBeLessThan(1000);
  });

  test('D2 a caller who stops reading holds the upstream back, and is given up after a while', async () => {
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(relay.url).port),
      socket: { data() {} },
    });
    const body = JSON.stringify({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: behaviourMessage({ outputTokens: 200_000 }) }],
    });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.pause();
    const before = process.memoryUsage().rss;
    const [row] = await eventually(
      () => relay.logs(token.userId),
      (all) => all.length === 1,
    );
    // The whole answer would be some 50 MB.
    expect(relay.mock.requests[0]?.bytesWritten).toBeLessThan(30_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000);
    expect(row?.completion_tokens).toBeGreaterThan(0);
    expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ ending: 'client_left' });
    expect(await relay.holds()).toBe(0);
    socket.terminate();
  });
});
