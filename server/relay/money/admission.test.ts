// What is asked of the ledger for a call, and what becomes of its answer.
import { expect, test } from 'bun:test';
import { LedgerUnavailableError, type Opening, type ReserveRequest } from '#server/money/ledger/ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import { prepareJsonBody } from '#server/relay/upstream-body/prepare.ts';
import { takeHold, type Admission } from './admission.ts';
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
  const taking = takeHold(parts, { requestId: 'r', prepared, price, record });
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
