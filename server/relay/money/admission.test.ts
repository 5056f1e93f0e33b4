// What is asked of the ledger for a call, and what becomes of its answer.
import { expect, test } from 'bun:test';
import {
  LedgerUnavailableError,
  type Opening,
  type Refusal,
  type ReserveRequest,
} from '#server/money/ledger/ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import { prepareJsonBody } from '#server/relay/upstream-body/prepare.ts';
import {
  admitFree,
  attribute,
  findPrice,
  takeHold,
  type Admission,
  type HoldRequest,
  type Pricing,
} from './admission.ts';
import { refusalError } from './refusal-error.ts';
import type { CallRecord } from './log-row.ts';

/** One unit for each token. */
const price: PriceSnapshot = {
  version: 1,
  kind: 'ratio',
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  reasoningRatio: 1,
};

const totalSeconds = 3600;

/** Takes the hold of a call with these fields; `answer` is the ledger's. */
async function admit(
  fields: Record<string, unknown>,
  answer: (request: ReserveRequest) => Opening = ({ requestId, amount }) => ({
    ok: true,
    balance: 0,
    amount,
    call: { requestId },
  }),
  more: Partial<HoldRequest> = {},
) {
  const endpoint = relayEndpoints.find(({ path }) => path === '/v1/chat/completions')!;
  const value = { model: 'm', messages: [{ role: 'user', content: 'hello there' }], ...fields };
  const prepared = prepareJsonBody(endpoint, { text: JSON.stringify(value), value });
  const asked: ReserveRequest[] = [];
  const ended: number[] = [];
  const record = { caller: { userId: 7, tokenId: 8 }, channelId: 9 } as Partial<CallRecord> as CallRecord;
  const parts = {
    ledger: {
      open(request: ReserveRequest) {
        asked.push(request);
        return answer(request);
      },
    },
    settings: { current: { PreConsumedQuota: 0, ModelLimits: {}, LowerAnswerLimits: true } },
    breaker: { end: (channelId: number) => ended.push(channelId) },
    timeouts: { totalSeconds },
  } as unknown as Admission;
  const taking = takeHold(parts, { requestId: 'r', prepared, price, record, ...more });
  const result = await taking.then(
    (taken) => ({ taken, error: undefined }),
    (error: unknown) => ({ taken: undefined, error }),
  );
  return { ...result, asked: asked[0], ended, record, prompt: prepared.estimate.promptTokens };
}

test('the hold of a call lasts longer than the call may take', async () => {
  const before = Date.now() / 1000;
  const { asked } = await admit({ max_tokens: 100 });
  const life = (asked?.expiresAt ?? 0) - before;
  expect(life).toBeGreaterThanOrEqual(totalSeconds + 60);
  expect(life).toBeLessThanOrEqual(totalSeconds + 600);
  expect(asked).toMatchObject({ requestId: 'r', userId: 7, tokenId: 8 });
});

test('a whole answer holds its limit, a stream its first slice; both count as many tokens per minute', async () => {
  const whole = await admit({ max_tokens: 9000 });
  expect(whole.asked?.amount).toBe(whole.prompt + 9000);
  expect(whole.asked?.limits.tokens).toBe(whole.prompt + 4096);
  const stream = await admit({ max_tokens: 9000, stream: true });
  expect(stream.asked?.amount).toBe(stream.prompt + 1024);
  expect(stream.asked?.limits.tokens).toBe(stream.prompt + 1024);
  const short = await admit({ max_tokens: 50, n: 2, stream: true });
  expect(short.asked?.amount).toBe(short.prompt + 100);
  expect(short.asked?.limits.tokens).toBe(short.prompt + 100);
});

test('a whole answer that gets less than it can cost asks the upstream for what its hold pays', async () => {
  const { record, taken, prompt, asked } = await admit({ max_tokens: 9000 }, ({ requestId }) => ({
    ok: true,
    balance: 0,
    amount: 1000,
    call: { requestId },
  }));
  expect(asked?.least).toBe(prompt + 256);
  expect(taken?.hold.amount).toBe(1000);
  expect(record.outputLimit).toBe(1000 - prompt);
});

test('a refused call frees its channel, and a ledger that is away is told as such', async () => {
  const refusal = { reason: 'insufficient_user_quota', subject: 'user', retryAfterSeconds: 0 } as const;
  const refused = await admit({}, () => ({ ok: false, ...refusal, balance: 1, available: 1 }));
  expect(refused.error).toMatchObject({ code: 'insufficient_quota' });
  expect(refused.ended).toEqual([9]);
  const away = await admit({}, () => {
    throw new LedgerUnavailableError('away');
  });
  expect(away.error).toBeInstanceOf(RelayError);
  expect(away.error).toMatchObject({ code: 'unavailable' });
  expect(away.ended).toEqual([9]);
});

const opened =
  (amount: number, balance = 0) =>
  ({ requestId }: ReserveRequest): Opening => ({ ok: true, balance, amount, call: { requestId } });

test('a whole answer that its key or its budget bounds asks for no more than its hold, whatever the balance has', async () => {
  const { record, prompt } = await admit({ max_tokens: 9000 }, opened(1000, 50_000));
  expect(record.outputLimit).toBe(1000 - prompt);
});

test('several whole answers count several usual answers in the tokens per minute', async () => {
  const three = await admit({ max_tokens: 9000, n: 3 });
  expect(three.asked?.limits.tokens).toBe(three.prompt + 3 * 4096);
});

test('a stream can begin with a hold for its least limit, and with no more than its first slice', async () => {
  const plain = await admit({ max_tokens: 9000, stream: true });
  expect(plain.asked?.least).toBe(plain.prompt + 256);
  const thinking = { type: 'enabled', budget_tokens: 5000 };
  const thoughtful = await admit({ max_tokens: 9000, stream: true, thinking });
  expect(thoughtful.asked?.least).toBe(thoughtful.prompt + 1024);
  const whole = await admit({ max_tokens: 9000, thinking });
  expect(whole.asked?.least).toBe(whole.prompt + 5256);
});

test('a limit is lowered to what hold and balance pay, never below the least, and not where they pay for all', async () => {
  const silent = { max_tokens: 9000, stream: true, reasoning_effort: 'low' };
  const poor = await admit(silent, opened(1000, 500));
  expect(poor.record.outputLimit).toBe(1500 - poor.prompt);
  expect((await admit(silent, opened(1000, 1_000_000))).record.outputLimit).toBeUndefined();
  // A subscription pays beside the balance: how much is not known here.
  const plans = { ids: [1], isPlanFirst: true, isRequired: false };
  expect((await admit(silent, opened(1000, 500), { plans })).record.outputLimit).toBeUndefined();
  expect(
    (await admit({ ...silent, reasoning_effort: 'none' }, opened(1000, 500))).record.outputLimit,
  ).toBeUndefined();
  const least = await admit({ max_tokens: 9000 }, opened(100));
  expect(least.record.outputLimit).toBe(256);
  const enough = await admit({ max_tokens: 400 }, ({ requestId, amount }) =>
    opened(amount)({ requestId } as ReserveRequest),
  );
  expect(enough.record.outputLimit).toBeUndefined();
});

test('the subscriptions that may pay are asked for with the hold', async () => {
  const plans = { ids: [4], isPlanFirst: true, isRequired: true };
  expect((await admit({}, undefined, { plans })).asked?.plans).toBe(plans);
});

test('drawings and songs have no price by tokens, other models have', () => {
  const parts = (found: PriceSnapshot) =>
    ({ prices: { resolve: () => found } }) as unknown as Pick<Pricing, 'prices'>;
  const fixed = { ...price, kind: 'price', modelPrice: 1 } as unknown as PriceSnapshot;
  expect(findPrice(parts(price), 'mj_imagine', 'default')).toBe('no_price');
  expect(findPrice(parts(fixed), 'mj_imagine', 'default')).toBe(fixed);
  expect(findPrice(parts(price), 'gpt-4o', 'default')).toBe(price);
});

test('a call that costs nothing leaves no hold behind', async () => {
  const released: unknown[] = [];
  const asked: ReserveRequest[] = [];
  const call = { requestId: 'r' };
  const core = {
    ledger: {
      open: (request: ReserveRequest) => {
        asked.push(request);
        return { ok: true, balance: 0, amount: 0, call };
      },
      release: async (which: unknown) => void released.push(which),
    },
    settings: { current: { SiteTimeZone: 'UTC' } },
    prices: { resolve: () => price },
    catalog: {},
  } as unknown as Parameters<typeof admitFree>[0];
  const record = {
    caller: { userId: 7, tokenId: 8, group: 'default' },
    model: 'gpt-4o',
  } as unknown as CallRecord;
  await admitFree(core, 'r', record);
  expect(asked).toMatchObject([{ requestId: 'r', userId: 7, tokenId: 8, amount: 0, limits: { tokens: 0 } }]);
  expect(released).toEqual([call]);
});

test('a refusal says what is left of what refused it, and a token’s own words are for its own rates alone', () => {
  const caller = { rateLimitMessage: 'Slow down, please.' } as unknown as Caller;
  const demand = { price, needed: 1_000_000, zone: 'UTC' };
  const refusal: Refusal = {
    ok: false,
    reason: 'concurrent_calls',
    subject: 'token',
    retryAfterSeconds: 3,
    balance: 5_000_000,
    available: 250_000,
  };
  const of = (more: Partial<Refusal>, budget?: object) =>
    refusalError({ ...refusal, ...more }, caller, { ...demand, budget: budget as never }) as RelayError;
  expect(of({}).options).toEqual({ message: 'Slow down, please.', retryAfterSeconds: 3 });
  expect(of({ subject: 'user' }).options.message).toBeUndefined();
  expect(of({ reason: 'day_budget' }).options.message).toBeUndefined();
  expect(of({ reason: 'tokens_per_minute' }).options.message).toBe('Slow down, please.');
  const short = of({ reason: 'insufficient_token_quota', retryAfterSeconds: 0 });
  expect(short.parameters).toMatchObject({ needed: '$2.00', left: '$0.50' });
  const budget = { name: 'All', owners: 'ann', isTotal: false };
  expect(of({ reason: 'organization_budget' }, budget)).toMatchObject({
    code: 'organization_budget',
    parameters: { name: 'All', owners: 'ann' },
    options: { retryAfterSeconds: 3 },
  });
  const total = of({ reason: 'organization_budget' }, { ...budget, isTotal: true });
  expect(total.code).toBe('organization_budget_total');
  expect(total.options.retryAfterSeconds).toBeUndefined();
});

test('the tags that an organization keeps are noted with its call, whether its budgets are known or read first', async () => {
  const called = () => ({ caller: { organization: { id: 5 } }, model: 'm' }) as unknown as CallRecord;
  const record = called();
  const kept = { budgets: '1,2', tags: '{"team":"a"}' };
  const bookOf = (attributed: unknown) =>
    ({ budgets: { attribute: () => attributed } }) as unknown as Parameters<typeof attribute>[0];
  expect(attribute(bookOf(kept), record)).toBe('1,2');
  expect(record.tags).toBe(kept.tags);
  const later = called();
  expect(await attribute(bookOf(Promise.resolve(kept)), later)).toBe('1,2');
  expect(later).toMatchObject({ tags: kept.tags });
  const personal = { caller: {}, model: 'm' } as unknown as CallRecord;
  expect([attribute(bookOf(kept), personal), personal.tags]).toEqual(['', undefined]);
});
