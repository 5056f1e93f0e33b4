// What a call asks the ledger to hold, and the limit that is sent where it gets less: one unit for a token of the prompt, two for one
// of the answer.
import { expect, test } from 'bun:test';
import type { RatioSnapshot } from '#server/money/prices/price.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import { prepareJsonBody } from '#server/relay/upstream-body/prepare.ts';
import { demandOf, lowerToHold, type Held } from './demand.ts';
import type { CallRecord } from './log-row.ts';

const price: RatioSnapshot = {
  version: 1,
  kind: 'ratio',
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  modelRatio: 1,
  completionRatio: 2,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  reasoningRatio: 2,
};

interface Given {
  path?: string;
  lowers?: boolean;
  /** Tokens per second. */
  speed?: number;
}

function asked(fields: object, { path = '/v1/chat/completions', lowers = true, speed = 500 }: Given = {}) {
  const endpoint = relayEndpoints.find((each) => each.path === path)!;
  const value = { model: 'm', messages: [{ role: 'user', content: 'hello there' }], ...fields };
  const prepared = prepareJsonBody(endpoint, { text: JSON.stringify(value), value });
  const current = {
    PreConsumedQuota: 0,
    LowerAnswerLimits: lowers,
    ModelLimits: { m: { answer: 9000, speed } },
  };
  const settings = { current } as unknown as SettingsReader;
  const demand = demandOf(settings, prepared, price);
  const prompt = demand.exposure.costOf(0);
  const { amount, least, slice } = demand;
  return {
    prompt,
    /** Without the prompt. */
    figures: { amount: amount - prompt, least: least - prompt, slice },
    /** The limit that is sent, and that the log row has, when so much is held beside the prompt. */
    limitWith: (held: number, more: Partial<Held> = {}): number | undefined => {
      const sent: number[] = [];
      const record = {} as CallRecord;
      const call = { ...prepared, lowerOutputLimit: (limit: number) => void sent.push(limit) };
      lowerToHold(settings, call, record, demand, {
        amount: prompt + held,
        balance: 0,
        hasPlans: false,
        ...more,
      });
      expect(sent).toEqual(record.outputLimit === undefined ? [] : [record.outputLimit]);
      return record.outputLimit;
    },
  };
}

test('a whole answer asks for all that its limit costs, and can use what the least limit costs', () => {
  expect(asked({ max_tokens: 700 }).figures).toEqual({ amount: 1400, least: 512, slice: 700 });
  expect(asked({}).figures).toEqual({ amount: 18_000, least: 512, slice: 4096 });
  expect(asked({ n: 2 }).figures).toEqual({ amount: 36_000, least: 1024, slice: 8192 });
  expect(asked({ max_tokens: 100 }).figures).toEqual({ amount: 200, least: 200, slice: 100 });
});

test('where limits are not lowered a whole answer needs all of it, and a stream its least as before', () => {
  const lowers = false;
  expect(asked({ max_tokens: 700 }, { lowers }).figures).toMatchObject({ amount: 1400, least: 1400 });
  expect(asked({ max_tokens: 700, stream: true }, { lowers }).figures).toMatchObject({ least: 512 });
});

test('a stream asks for its first slice, and one that may think in secret for what it can think in a second', () => {
  const stream = { stream: true };
  expect(asked(stream).figures).toEqual({ amount: 2048, least: 512, slice: 1024 });
  expect(asked({ ...stream, n: 2 }).figures).toEqual({ amount: 4096, least: 1024, slice: 2048 });
  expect(asked({ ...stream, max_tokens: 50 }).figures).toEqual({ amount: 100, least: 100, slice: 50 });
  const thinks = { ...stream, reasoning_effort: 'high' };
  expect(asked(thinks).figures).toMatchObject({ amount: 2048, slice: 1024 });
  expect(asked(thinks, { speed: 3000 }).figures).toEqual({ amount: 6000, least: 512, slice: 3000 });
});

test('a call without an answer to limit holds its prompt, and can use no less', () => {
  const { figures, prompt, limitWith } = asked({ input: 'a b c' }, { path: '/v1/embeddings' });
  expect(prompt).toBeGreaterThan(0);
  expect(figures).toEqual({ amount: 0, least: 0, slice: 0 });
  expect(limitWith(-1)).toBeUndefined();
});

test('a whole answer that got less is limited to what is held, to no less than the least', () => {
  const { limitWith } = asked({ max_tokens: 700 });
  expect([1400, 1399, 1001, 1000, 512, 100].map((held) => limitWith(held))).toEqual([
    undefined,
    699,
    500,
    500,
    256,
    256,
  ]);
  // What the balance has beside the hold is for other calls.
  expect(limitWith(1000, { balance: 5000 })).toBe(500);
  expect(asked({ max_tokens: 700 }, { lowers: false }).limitWith(1000)).toBeUndefined();
});

test('a stream that may think in secret is limited to hold and balance, any other one is not', () => {
  const stream = { stream: true, max_tokens: 700 };
  const thinks = { ...stream, reasoning_effort: 'high' };
  const { limitWith } = asked(thinks);
  expect(limitWith(600, { balance: 400 })).toBe(500);
  expect(limitWith(1400)).toBeUndefined();
  expect(limitWith(600, { balance: 800 })).toBeUndefined();
  // What a subscription may pay is not known here.
  expect(limitWith(600, { hasPlans: true })).toBeUndefined();
  expect(asked(stream).limitWith(600)).toBeUndefined();
  expect(asked(thinks, { lowers: false }).limitWith(600)).toBeUndefined();
});
