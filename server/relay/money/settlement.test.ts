import { describe, expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import type { StreamCover } from './stream-cover.ts';
import { noPrices, resolvePrice, type PriceSnapshot } from '#server/money/prices/price.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import type { Failure, Outcome } from '#server/money/ledger/ledger.ts';
import type { AskedCall } from './asked-for.ts';
import {
  credibleUsage,
  estimatedUsage,
  quotaError,
  releaseCall,
  reportedUsage,
  settleCall,
  withHidden,
  withUnreported,
  type BilledCall,
  type Ended,
  type SettlingServices,
} from './settlement.ts';

test('a report from before the end is charged with what was sent after it, and no token twice', () => {
  const report = usageOf({ input: 10, output: 1 });
  // A report of the whole answer.
  expect(withUnreported(report, 0, 40)).toBe(report);
  // A report at the start counts the first token of the answer, or none: those that were delivered are all there are.
  expect(withUnreported(report, 40, 40)).toEqual({ ...report, output: 40 });
  expect(withUnreported({ ...report, output: 0 }, 40, 40).output).toBe(40);
  expect(withUnreported({ ...report, output: 50 }, 40, 40).output).toBe(50);
  // A report in the middle, which may count more than was delivered before it.
  expect(withUnreported({ ...report, output: 30 }, 15, 40).output).toBe(45);
  expect(withUnreported({ ...report, output: 25 }, 15, 40)).toEqual({ ...report, output: 40 });
});

test('thoughts of a call that its balance ended are added to a report from its start, not to one that counts them (M11)', () => {
  const cover = { hiddenTokens: () => 500 } as unknown as StreamCover;
  const start = usageOf({ input: 10, output: 1 });
  expect(withHidden(start, cover, 0)).toEqual({ ...start, reasoning: 499 });
  expect(withHidden({ ...start, output: 40 }, cover, 40)).toEqual({ ...start, output: 40, reasoning: 500 });
  expect(withHidden({ ...start, output: 900 }, cover, 40)).toEqual({ ...start, output: 900 });
  const counted = { ...start, reasoning: 70 };
  expect(withHidden(counted, cover, 0)).toBe(counted);
  expect(withHidden({ ...start, reasoning: 1 }, cover, 0).reasoning).toBe(1);
  const least = { hiddenTokens: () => 2 } as unknown as StreamCover;
  expect(withHidden(start, least, 0).reasoning).toBe(1);
  expect(withHidden(start, undefined, 0)).toBe(start);
});

/** A call of a mapped model, with everything that its end tells others. */
function ending() {
  const settled: Outcome[] = [];
  const released: (Failure | undefined)[] = [];
  const told: unknown[] = [];
  const hold = {
    call: { requestId: 'r' },
    amount: 900,
    settle: async (outcome: Outcome) => void settled.push(outcome),
    release: async (failure?: Failure) => void released.push(failure),
  };
  // Five units a search, and 500 for the call.
  const price = {
    ...(resolvePrice(
      { ...noPrices, GroupRatio: { vip: 1 }, ModelRatio: { m: 1 } },
      () => undefined,
      'm',
      'vip',
    ) as PriceSnapshot),
    fee: 0.001,
    search: 0.00001,
  };
  const record = {
    caller: { userId: 7, username: 'ann', tokenId: 8, tokenName: 'key', group: 'vip' },
    model: 'm',
    upstreamModel: 'theirs',
    channelId: 9,
    channelName: 'nine',
    path: '/v1/x',
    attempts: [],
    reasoningEffort: '',
  };
  const call = { startedAt: performance.now() - 1_000_000, price, hold, record } as unknown as BilledCall;
  const services = {
    settings: { current: { LogConsumeEnabled: true } },
    watcher: { ended: (ended: unknown) => told.push(ended) },
    usageAlerts: { doubted: (...doubt: unknown[]) => told.push(doubt) },
    costs: {
      costOf: (_record: unknown, { surcharges }: { surcharges: readonly unknown[] }) => surcharges.length,
    },
  } as unknown as SettlingServices;
  return { call, services, settled, released, told, record };
}

test('what is settled is the call of its model, group and channel, with fees in the charge and not in the cost', async () => {
  const { call, services, settled, told, record } = ending();
  const doubts = [{ count: 'report' }] as const;
  const usage = usageOf({
    input: 100,
    output: 10,
    surcharges: [{ name: 'web_search', count: 2, dollarsEach: 0 }],
  });
  const ended: Ended = { usage, estimated: true, firstTokenMilliseconds: 120.6, ending: '', doubts };
  await settleCall(services, call, ended);
  expect(settled).toMatchObject([
    {
      charge: 110 + 500 + 10,
      // One surcharge: the searches as they were reported.
      cost: 1,
      group: 'vip',
      channelId: 9,
      modelName: 'm',
      promptTokens: 100,
      completionTokens: 10,
      firstTokenMs: 121,
      log: {
        model_name: 'm',
        upstream_model: 'theirs',
        group: 'vip',
        prompt_tokens: 100,
        completion_tokens: 10,
        estimated: 1,
      },
    },
  ]);
  expect(JSON.parse(settled[0]?.log?.other ?? '{}')).toMatchObject({ frt: 121, doubts });
  expect(settled[0]?.useTimeMs).toBeWithin(1_000_000, 1_600_000);
  expect(told).toMatchObject([
    {
      requestId: 'r',
      usage: { input: 100, output: 10, surcharges: { length: 2 } },
      charge: 620,
      held: 900,
      firstTokenMilliseconds: 120.6,
      record,
      ending: '',
    },
    ['r', record, doubts],
  ]);
  expect((told[0] as { milliseconds: number }).milliseconds).toBeWithin(1_000_000, 1_600_000);
});

test('an answer without a first token has none in the books; a site without a log writes no row', async () => {
  const { call, services, settled } = ending();
  const ended = {
    usage: usageOf({}),
    estimated: false,
    firstTokenMilliseconds: undefined,
    ending: '',
    doubts: [],
  };
  await settleCall(services, call, ended);
  const { settings: _, ...rest } = services;
  const silent = {
    settings: { current: { LogConsumeEnabled: false } },
    ...rest,
  } as unknown as SettlingServices;
  await settleCall(silent, call, ended);
  expect(settled).toMatchObject([
    { firstTokenMs: 0, log: { estimated: 0 } },
    { firstTokenMs: 0, log: null },
  ]);
});

test('a stream that the balance ends says so, as other refusals for money do', () => {
  const { code, options } = quotaError();
  expect([code, options.type, options.publicCode]).toEqual([
    'stream_insufficient_quota',
    'insufficient_quota',
    'insufficient_quota',
  ]);
});

test('a call that failed is counted under the name that its caller used', async () => {
  const { call, services, released, told, record } = ending();
  await releaseCall(services, call, 'no answer');
  expect(released).toMatchObject([
    { channelId: 9, modelName: 'm', log: { type: 5, content: 'no answer', channel_id: 9, model_name: 'm' } },
  ]);
  expect(released[0]?.useTimeMs).toBeWithin(1_000_000, 1_600_000);
  expect(told).toMatchObject([{ requestId: 'r', record, charge: 0, held: 900, ending: 'failed' }]);
  expect((told[0] as { milliseconds: number }).milliseconds).toBe(released[0]?.useTimeMs ?? 0);
});

test('an estimate has what the prompt explains and what was delivered', () => {
  const unreported = usageOf({ input: 20, output: 3 });
  const call = { prepared: { estimate: { unreported } } } as unknown as BilledCall;
  expect(estimatedUsage(call, 0)).toBe(unreported);
  expect(estimatedUsage(call, 40)).toEqual({ ...unreported, output: 43 });
});

describe('a report', () => {
  const call: AskedCall = {
    prepared: {
      endpoint: relayEndpoints.find(({ path }) => path === '/v1/chat/completions')!,
      estimate: {
        promptTokens: 10,
        pieces: 1,
        choices: 1,
        unreported: usageOf({}),
        isExact: false,
        most: usageOf({}),
      },
      outputLimit: 1000,
      requestLength: 40,
      fields: {},
      model: 'm',
    },
  };
  const report = (counts: Partial<CanonicalUsage>): CanonicalUsage => ({
    ...usageOf({}),
    webSearches: 0,
    raw: {},
    ...counts,
  });
  const read = (counts: Partial<CanonicalUsage>, delivered = 5, asked: Partial<AskedCall> = {}) =>
    reportedUsage({ ...call, ...asked }, report(counts), () => delivered);

  test('with an impossible count is not believed at all', () => {
    for (const raw of [{ prompt_tokens: -1 }, { prompt_tokens: 2e12 }, { details: { cached_tokens: -5 } }])
      expect(read({ input: 5, raw })).toEqual({ usage: undefined, doubts: [{ count: 'report' }] });
    expect(read({ input: 5, raw: { cost: -1, prompt_tokens: 1e12 } }).usage?.input).toBe(5);
  });

  test('is credible where no number of tokens is impossible, in any spelling', () => {
    for (const raw of [{ promptTokenCount: -1 }, { candidatesTokensDetails: [], Tokens: -1 }])
      expect(read({ input: 5, raw }).doubts).toEqual([{ count: 'report' }]);
    for (const raw of [
      { prompt_tokens: 0 },
      { prompt_tokens: 5, details: null },
      { details: { cached_tokens: 1 }, list: [1] },
      'no object',
    ])
      expect(read({ input: 5, raw })).toMatchObject({ usage: { input: 5 }, doubts: [] });
    expect(credibleUsage(undefined)).toBeUndefined();
    expect(reportedUsage(call, undefined, () => 5)).toEqual({ usage: undefined, doubts: [] });
  });

  test('within what the request explains is charged class by class, and its answer is not counted', () => {
    const counts = {
      input: 1,
      cacheRead: 2,
      cacheWrite5m: 3,
      cacheWrite1h: 4,
      imageInput: 5,
      audioInput: 6,
      output: 7,
      reasoning: 8,
      audioOutput: 9,
    };
    const bounds = { input: 100, output: 100, answer: 100, searches: 3 };
    const never = (): number => {
      throw new Error('the answer was counted');
    };
    expect(reportedUsage({ ...call, bounds }, report({ ...counts, webSearches: 3 }), never)).toEqual({
      usage: { ...counts, pieces: 1, surcharges: [{ name: 'web_search', count: 3, dollarsEach: 0 }] },
      doubts: [],
    });
  });

  test('of a total alone has no searches beside it that were not asked for', () => {
    const bounds = { input: 100, output: 50, answer: 50, searches: 0 };
    expect(read({ input: 120, isTotalAlone: true, webSearches: 1 }, 5, { bounds }).usage).toBeUndefined();
  });

  test('whose total contradicts its parts is charged what was delivered, where no part has the answer', () => {
    const bounds = { input: 100, output: 10, answer: 20, searches: 0 };
    const total = (output: number, inTotalOnly: number) =>
      read({ input: 50, cacheRead: 7, output, inTotalOnly }, 9, { bounds });
    expect(total(500, 500)).toMatchObject({
      usage: { input: 50, cacheRead: 7, output: 9 },
      doubts: [{ count: 'total', reported: 557, charged: 57 }],
    });
    // The answer has one token that is counted apart from the others.
    expect(total(501, 500)).toMatchObject({ usage: { output: 1 }, doubts: [{ count: 'total' }] });
  });

  test('of nothing is one only where nothing was delivered', () => {
    expect(read({}, 1)).toEqual({ usage: undefined, doubts: [] });
    expect(read({}, 0).usage).toMatchObject({ input: 0, output: 0 });
  });

  test('of a total alone is believed as a prompt with its answer, or not at all', () => {
    const bounds = { input: 100, output: 50, answer: 50, searches: 0 };
    expect(read({ input: 150, isTotalAlone: true }, 5, { bounds }).usage?.input).toBe(150);
    expect(read({ input: 151, isTotalAlone: true }, 5, { bounds })).toEqual({
      usage: undefined,
      doubts: [{ count: 'report' }],
    });
  });

  test('whose answer was lowered for another reason keeps what is left of it', () => {
    const bounds = { input: 100, output: 0, answer: 0, searches: 0 };
    const { usage, doubts } = read({ input: 105, reasoning: 0 }, 7, { bounds });
    expect([usage?.output, usage?.input, doubts.map(({ count }) => count)]).toEqual([0, 100, ['input']]);
  });
});
