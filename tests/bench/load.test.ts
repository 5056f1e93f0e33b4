// The load generator's figures must be right before its measurements can be.
import { afterAll, describe, expect, test } from 'bun:test';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { LoadGenerator } from './children.ts';
import { chatBody } from './phases.ts';
import {
  crossFormatChunk,
  type Figures,
  median,
  quartilesOf,
  ratiosOf,
  type Round,
  rowOf,
  tableOf,
  threadLine,
} from './summary.ts';

const mock = startMockUpstream({ keepRequests: 0 });
const load = new LoadGenerator();
afterAll(async () => {
  await load.stop();
  await mock.stop();
});

const base = { url: mock.url, path: '/v1/chat/completions', key: 'sk-l', body: chatBody(), connections: 4 };

describe('load generator', () => {
  test('sends exactly the requests asked for and sees every answer', async () => {
    mock.reset();
    const result = await load.run({ ...base, requests: 50 });
    expect(result).toMatchObject({ requests: 50, errors: 0, statuses: { 200: 50 }, events: 0 });
    expect(mock.books.totals.complete).toBe(50);
    expect(result.latencyMilliseconds.p99).toBeGreaterThanOrEqual(result.latencyMilliseconds.p50);
  });

  test('stops when the time is over', async () => {
    const result = await load.run({ ...base, seconds: 0.3 });
    expect(result.seconds).toBeGreaterThan(0.25);
    expect(result.seconds).toBeLessThan(2);
    expect(result.requests).toBeGreaterThan(10);
  });

  test('keeps a pace independent of the answers’ times, on as many connections as that needs', async () => {
    const body = chatBody({ outputTokens: 1, headersDelayMilliseconds: 300 }).replace('"stream":true,', '');
    const result = await load.run({ ...base, body, connections: 200, perSecond: 200, seconds: 1 });
    expect(result.requests).toBeWithin(150, 201);
    expect(result.statuses).toEqual({ 200: result.requests });
    // One after the other on a few connections would have taken much longer.
    expect(result.seconds).toBeLessThan(2.5);
    expect(result.latencyByStatus['200']?.p50).toBeGreaterThan(299);
  });

  test.each([undefined, 1, 7])(
    'counts every event of every stream, sliced to %p bytes',
    async (sliceBytes) => {
      const body = chatBody({ outputTokens: 20, ...(sliceBytes === undefined ? {} : { sliceBytes }) });
      const result = await load.run({ ...base, body, connections: 3, requests: 6 });
      // Role, 20 tokens, finish, [DONE].
      expect(result).toMatchObject({ requests: 6, events: 6 * 23, errors: 0 });
      expect(result.firstEventMilliseconds.p50).toBeLessThanOrEqual(result.latencyMilliseconds.p50);
    },
  );

  test('holds streams open at the same time', async () => {
    const body = chatBody({ outputTokens: 3, chunkDelayMilliseconds: 100 });
    const result = await load.run({ ...base, body, connections: 40, requests: 40 });
    expect(result.mostOpenStreams).toBe(40);
    expect(result.statuses).toEqual({ 200: 40 });
  });

  test('aborts streams in the middle, and the upstream notices each one', async () => {
    mock.reset();
    const body = chatBody({ endless: true, chunkDelayMilliseconds: 2 });
    const result = await load.run({ ...base, body, requests: 30, abortAfterEvents: 2 });
    expect(result).toMatchObject({ aborted: 30, requests: 0, errors: 0 });
    for (let attempt = 0; attempt < 100 && mock.books.totals.open > 0; attempt += 1) await Bun.sleep(10);
    expect(mock.books.totals).toMatchObject({ aborted: 30, open: 0 });
  });

  test('reports refusals and broken answers', async () => {
    const refused = await load.run({ ...base, body: chatBody({ status: 429 }), requests: 5 });
    expect(refused.statuses).toEqual({ 429: 5 });
    const broken = await load.run({ ...base, body: chatBody({ resetAtByte: 300 }), requests: 5 });
    expect(broken).toMatchObject({ requests: 0, errors: 5 });
  });
});

describe('summary', () => {
  const figures = (name: string, cpu: number[], perSecond: number[], p50: number[]): Figures => ({
    name,
    rounds: new Map(
      cpu.map((microseconds, index): [number, Round] => [
        index,
        {
          throughput: {
            cpuMicrosecondsPerRequest: microseconds,
            requestsPerSecond: perSecond[index] ?? 0,
            residentMegabytes: 40 + index,
            threads: { main: microseconds - 10, writer: 10 },
          },
          latency: { p50Milliseconds: p50[index] ?? 0, p99Milliseconds: (p50[index] ?? 0) * 3 },
          firstTokenMilliseconds: p50[index] ?? 0,
          bursts: [{ p50Milliseconds: 4, lastMilliseconds: 9 }],
          chunk: { few: [10, 10], many: [microseconds / 2] },
          convertedChunk: microseconds,
        },
      ]),
    ),
    held: { streams: 500, residentMegabytes: 60 },
    idleMegabytes: 30,
  });
  const proxy = figures('bare proxy', [50, 100, 50], [10_000, 5_000, 10_000], [0.1, 0.2, 0.1]);
  const gateway = figures('gateway', [75, 150, 100], [8_000, 4_000, 5_000], [0.3, 0.5, 0.3]);

  test('the median of an even number is the middle of the two', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([9])).toBe(9);
  });

  test('ratios compare each round with the bare proxy of that round, so a slow round does not distort them', () => {
    const ratios = ratiosOf(gateway, proxy);
    expect(ratios.cpuPerRequest).toBeCloseTo(1.5);
    expect(ratios.cpuPerChunkOfFew).toBeCloseTo(1);
    // The limit must hold with few streams and with many.
    expect(ratios.cpuPerChunk).toBeCloseTo(1.5);
    expect(ratios.throughput).toBeCloseTo(0.8);
    expect(ratios.addedP50Ms).toBeCloseTo(0.2);
  });

  test('a target that skipped rounds is compared with the rounds it ran in', () => {
    const rare = { ...gateway, rounds: new Map([...gateway.rounds].filter(([number]) => number === 2)) };
    expect(ratiosOf(rare, proxy).cpuPerRequest).toBeCloseTo(2);
  });

  test('the table shows the time added to the direct call', () => {
    const direct = {
      latency: [{ p50Milliseconds: 0.05, p99Milliseconds: 0.1 }],
      firstTokenMilliseconds: [0.05],
      bursts: [1, 3, 2].map((p50Milliseconds) => ({ p50Milliseconds, lastMilliseconds: 5 })),
    };
    const row = rowOf(gateway, direct);
    expect(row.addedP50Milliseconds).toBeCloseTo(0.25);
    expect(row.loadedMegabytes).toBe(42);
    expect(row.addedFirstOfBurstMilliseconds).toBe(2);
    expect(row.addedLastOfBurstMilliseconds).toBe(4);
    expect(tableOf([row])).toContain('0.250');
    expect(threadLine(gateway)).toEndWith('main 90.0, writer 10.0');
  });

  test('quartiles are those of the sorted values', () => {
    expect(quartilesOf([5, 1, 3, 2, 4])).toEqual({ lower: 2, median: 3, upper: 4 });
  });

  test('a converted chunk is compared with an unconverted one, round by round', () => {
    expect(crossFormatChunk(figures('gateway', [40, 80, 60], [1, 1, 1], [1, 1, 1]))).toBe(2);
  });
});
