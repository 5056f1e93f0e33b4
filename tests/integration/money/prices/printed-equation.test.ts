// The terms as they are printed are read back as text and added up with arithmetic of this file's own; the charge and the row are
// the server's.
import { describe, expect, test } from 'bun:test';
import { TOKEN_CLASSES } from '#contract/money/token-classes.ts';
import { chargeOf as serverCharge } from '#server/money/prices/charge.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import { consumeRow, type CallRecord } from '#server/relay/money/log-row.ts';
import { chargeNote, chargeOf, type Charge } from '#web/features/logs/charge.ts';
import { detailsOf } from '#web/features/logs/other.ts';
import { printedCharge, quotaMoney } from '#web/features/logs/printed-prices.ts';

const record: CallRecord = {
  caller: { userId: 1, username: 'u', tokenId: 1, tokenName: 't', group: 'vip' } as CallRecord['caller'],
  model: 'm',
  upstreamModel: 'm',
  channelId: 1,
  channelName: 'c',
  address: '',
  path: '/v1/chat/completions',
  isStream: false,
  isWebSocket: false,
  reasoningEffort: '',
  attempts: [],
};

const base = {
  version: 1,
  model: 'm',
  group: 'vip',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'list',
} as const;
const listed: PriceSnapshot = {
  ...base,
  kind: 'ratio',
  modelRatio: 0.15,
  completionRatio: 8.333333333333,
  cacheRatio: 0.1,
  cacheWriteRatio: 1.25,
  cacheWrite1hRatio: 2,
  imageRatio: 1,
  audioRatio: 3.333333333333,
  audioCompletionRatio: 2,
  reasoningRatio: 8.333333333333,
};

function charged(price: PriceSnapshot, usage: Usage, path = record.path): Charge {
  const consumption = {
    usage,
    price,
    estimated: false,
    useTimeMilliseconds: 1,
    firstTokenMilliseconds: undefined,
    ending: '',
  };
  const {
    other = '',
    prompt_tokens = 0,
    completion_tokens = 0,
  } = consumeRow({ ...record, path }, consumption);
  return (
    chargeOf(
      { quota: serverCharge(price, usage) },
      detailsOf({ other, prompt_tokens, completion_tokens }),
      1,
    ) ?? expect.unreachable('a charge')
  );
}

const SCALE = 80n;
const ONE = 10n ** SCALE;

/** A printed number over 10^80. */
function read(text: string): bigint {
  const [, whole = '', fraction = ''] = /^\$?(\d+)(?:\.(\d+))?$/.exec(text) ?? expect.unreachable(text);
  return BigInt(whole + fraction.padEnd(Number(SCALE), '0'));
}

/** What a reader finds who adds up the printed terms, in whole quota and half a unit up. */
function addedUp(charge: Charge): bigint {
  const dollars = printedCharge(charge).terms.reduce((sum, { count, price, unit }) => {
    const product = (read(String(count)) * read(price)) / ONE;
    return sum + (unit === 'million' ? product / 1_000_000n : product);
  }, 0n);
  const quota = dollars * BigInt(charge.quotaPerUnit);
  return (2n * quota + ONE) / (2n * ONE);
}

describe('the printed terms', () => {
  test('are count × price with the group in the price (D13)', () => {
    const charge = charged({ ...listed, groupRatio: 0.85 }, usageOf({ input: 16, output: 65 }));
    const { terms, sum, isRounded } = printedCharge(charge);
    expect(terms.map(({ name, count, price, unit }) => [name, count, price, unit])).toEqual([
      ['input', 16, '$0.255', 'million'],
      ['output', 65, '$2.125', 'million'],
    ]);
    expect([sum, isRounded, quotaMoney(charge, charge.quota)]).toEqual(['$0.000142205', true, '$0.000142']);
  });

  test('are seconds, pictures, calls and surcharges with a price of their own', () => {
    const fixed: PriceSnapshot = { ...base, kind: 'price', modelPrice: 0.04, groupRatio: 2 };
    const search = [{ name: 'web_search', count: 3, dollarsEach: 0.01 }];
    const shown = (charge: Charge) =>
      printedCharge(charge).terms.map(({ count, price, unit }) => `${count} × ${price} ${unit}`);
    expect(shown(charged(fixed, usageOf({})))).toEqual(['1 × $0.08 call']);
    expect(shown(charged(fixed, usageOf({ pieces: 3 }), '/v1/images/generations'))).toEqual([
      '3 × $0.08 picture',
    ]);
    const video: PriceSnapshot = { ...fixed, unit: 'second', resolutionPrices: { '1080p': 0.15 } };
    expect(shown(charged(video, usageOf({ pieces: 8, resolution: '1080p', surcharges: search })))).toEqual([
      '8 × $0.30 second',
      '3 × $0.02 each',
    ]);
  });

  test('half a unit of endless fractions is rounded as it was charged', () => {
    const price: PriceSnapshot = { ...listed, quotaPerUnit: 300_000, modelRatio: 0.5 };
    const charge = charged(price, usageOf({ input: 3 }));
    expect([charge.quota, Number(addedUp(charge))]).toEqual([2, 2]);
  });

  test('of many rows add up to the charge, to the unit', () => {
    const random = generator(20_261_118);
    const pick = <Value>(values: readonly Value[]): Value =>
      values[Math.floor(random() * values.length)] as Value;
    const number = () =>
      pick([0, 1, 2, 0.5, 0.85, 1.1, 1 / 3, random(), Number((random() * 20).toFixed(3)), random() * 1e-3]);
    const positive = () => number() || 1;
    let whole = 0;
    for (let round = 0; round < 3000; round += 1) {
      const common = {
        ...base,
        groupRatio: number(),
        quotaPerUnit: pick([500_000, 500_000, 1_000_000, 300_000, 7]),
        ...(random() < 0.2 ? { batchRatio: 0.5 } : {}),
        ...(random() < 0.2 ? { classRatio: positive() } : {}),
        ...(random() < 0.2 ? { hourRatio: 0.25 } : {}),
        ...(random() < 0.2 ? { hitRatio: pick([0.1, 0.333, 0.01]) } : {}),
      };
      const price: PriceSnapshot =
        random() < 0.3
          ? { ...common, kind: 'price', modelPrice: number(), ...(random() < 0.5 ? { unit: 'second' } : {}) }
          : {
              ...common,
              kind: 'ratio',
              modelRatio: number(),
              completionRatio: number(),
              cacheRatio: number(),
              cacheWriteRatio: number(),
              cacheWrite1hRatio: number(),
              imageRatio: number(),
              audioRatio: number(),
              audioCompletionRatio: number(),
              reasoningRatio: number(),
              ...(random() < 0.3 ? { tiers: [{ above: 1000, input: positive(), output: positive() }] } : {}),
            };
      const counts = TOKEN_CLASSES.map((name) => [
        name,
        random() < 0.5 ? 0 : Math.floor(10 ** (random() * 7)),
      ]);
      const usage = usageOf({
        ...(Object.fromEntries(counts) as Partial<Usage>),
        pieces: pick([1, 3, 0.4, 8]),
        surcharges: random() < 0.3 ? [{ name: 'web_search', count: 2, dollarsEach: positive() }] : [],
      });
      const charge = charged(price, usage);
      const sum = addedUp(charge);
      // A call of a model that has a price costs a unit at least, which the row says in words.
      if (sum === 0n && charge.quota === 1) expect(chargeNote(charge)).toBe('minimum');
      else expect([round, sum]).toEqual([round, BigInt(charge.quota)]);
      if (!printedCharge(charge).isRounded) whole += 1;
    }
    expect(whole).toBeGreaterThan(100);
  });
});

/** The same numbers in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
