import { describe, expect, setSystemTime, test } from 'bun:test';
import { array, assert, constantFrom, integer, option, property, record } from 'fast-check';
import type { PriceTier } from '#contract/money/price-rules.ts';
import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import { chargeExactly, chargeOf, holdFor, largestChargeOf } from './charge.ts';
import { createPriceCache } from './price-cache.ts';
import {
  noPrices,
  resolvePrice,
  type PriceSettings,
  type PriceSnapshot,
  type RatioSnapshot,
} from './price.ts';
import type { RuleFactors } from './price-rules.ts';
import { searchesOf, withFees } from './tiers.ts';
import { usageOf, type Usage } from './usage.ts';

const plain: RatioSnapshot = {
  kind: 'ratio',
  version: 1,
  model: 'm',
  group: 'g',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  modelRatio: 1,
  completionRatio: 4,
  cacheRatio: 0.1,
  cacheWriteRatio: 1.25,
  cacheWrite1hRatio: 2,
  imageRatio: 1,
  audioRatio: 3,
  audioCompletionRatio: 2,
  reasoningRatio: 4,
};
const ruled = (factors: RuleFactors): RatioSnapshot => ({ ...plain, ...factors });

describe('one formula', () => {
  test('the class and the hour multiply everything, surcharges too', () => {
    const usage = usageOf({ input: 1000, surcharges: [{ name: 'x', count: 2, dollarsEach: 0.01 }] });
    expect(chargeOf(ruled({ classRatio: 2, hourRatio: 0.25 }), usage)).toBe((1000 + 10_000) / 2);
    expect(chargeOf(ruled({ batchRatio: 0.5, hourRatio: 0.5 }), usage)).toBe((1000 + 10_000) / 4);
  });

  test('the longest tier that the prompt passes multiplies the whole call', () => {
    const tiers: PriceTier[] = [
      { above: 100, input: 2, output: 1.5 },
      { above: 1000, input: 4, output: 3, cacheRead: 5, cacheWrite: 6 },
    ];
    const price = ruled({ tiers });
    expect(chargeOf(price, usageOf({ input: 100, output: 10 }))).toBe(100 + 40);
    expect(chargeOf(price, usageOf({ input: 101, output: 10 }))).toBe(202 + 60);
    // The whole prompt counts, cached or not.
    expect(chargeOf(price, usageOf({ input: 51, cacheRead: 50 }))).toBe(102 + 10);
    const long = usageOf({ input: 1000, cacheRead: 100, cacheWrite5m: 100, audioOutput: 10 });
    expect(chargeOf(price, long)).toBe(4000 + 50 + 750 + 180);
  });

  test('a call that is not free costs at least the minimum, times the ratios of the call', () => {
    const price = ruled({ minimum: 0.01, groupRatio: 2 } as RuleFactors);
    expect(chargeOf(price, usageOf({ input: 1 }))).toBe(10_000);
    expect(chargeOf(price, usageOf({ input: 6000 }))).toBe(12_000);
    expect(chargeOf(price, usageOf({}))).toBe(0);
    expect(chargeOf({ ...price, modelRatio: 0 }, usageOf({ input: 1000 }))).toBe(0);
    expect(chargeOf({ ...price, hourRatio: 0.5 }, usageOf({ input: 1 }))).toBe(5000);
  });

  test('the fee comes once and searches by their number, also where they were counted without a price', () => {
    const usage = usageOf({ input: 100, surcharges: [{ name: 'web_search', count: 3, dollarsEach: 0 }] });
    const price = ruled({ fee: 0.002, search: 0.01 });
    const charged = withFees(price, withFees(price, usage));
    expect(chargeOf(price, charged)).toBe(100 + 1000 + 15_000);
    expect(withFees(plain, usage)).toBe(usage);
  });
});

describe('hold', () => {
  const usage = usageOf({ input: 100, output: 100, surcharges: searchesOf(1) });
  const estimate = { usage, smallestHold: 0 };
  test('covers the dearest tier, the fee, a search and the minimum', () => {
    const tiers = [{ above: 200_000, input: 2, output: 1.5 }];
    expect(holdFor(ruled({ tiers }), estimate)).toBe(200 + 600);
    expect(holdFor(ruled({ tiers: [{ above: 200_000, input: 0.5 }] }), estimate)).toBe(500);
    expect(holdFor(ruled({ fee: 0.002, search: 0.01 }), estimate)).toBe(500 + 1000 + 5000);
    expect(holdFor(ruled({ minimum: 0.1 }), estimate)).toBe(50_000);
    expect(holdFor({ ...ruled({ minimum: 0.1 }), modelRatio: 0 }, estimate)).toBe(0);
    expect(holdFor(ruled({ classRatio: 2 }), estimate)).toBe(1000);
  });
});

const settings: PriceSettings = {
  ...noPrices,
  GroupRatio: { default: 1 },
  ModelPrice: { picture: 0.04 },
  ModelRatio: { plain: 1, ruled: 1 },
  BatchRatio: 0.5,
  PriceRules: {
    ruled: {
      tiers: [{ above: 1000, input: 2 }],
      hours: [{ from: '00:00', to: '12:00', timeZone: 'UTC', ratio: 0.5 }],
      classes: { batch: 0.3, flex: 0.6 },
    },
    picture: { tiers: [{ above: 1000, input: 2 }], fee: 0.01 },
  },
};
const noon = Date.parse('2026-03-06T12:00:00Z');

describe('the price of a moment', () => {
  const book = createPriceCache(settings, () => undefined);
  const resolve = (model: string, moment?: Parameters<typeof book.resolve>[2]) => {
    const price = book.resolve(model, 'default', moment);
    return typeof price === 'string' ? expect.unreachable(price) : price;
  };

  test('a model without rules has one snapshot, whatever the moment', () => {
    expect(resolve('plain', { at: noon })).toBe(resolve('plain', { at: 0, requestClass: 'flex' }));
    expect(resolve('plain', { at: noon, requestClass: 'batch' })).toMatchObject({ batchRatio: 0.5 });
  });

  test('calls with equal factors share a snapshot; the hour and the class make others', () => {
    const morning = resolve('ruled', { at: noon - 1 });
    expect(morning).toMatchObject({ hourRatio: 0.5, tiers: [{ above: 1000, input: 2 }] });
    expect(resolve('ruled', { at: noon - 3_600_000 })).toBe(morning);
    expect(resolve('ruled', { at: noon })).toMatchObject({ hourRatio: 1 });
    expect(resolve('ruled', { at: noon, requestClass: 'flex' })).toMatchObject({ classRatio: 0.6 });
    expect(resolve('ruled', { at: noon, requestClass: 'priority' })).not.toHaveProperty('classRatio');
  });

  test('hours that begin and end inside an hour change the price with their minute (M21)', () => {
    const hours = [{ from: '08:30', to: '10:30', timeZone: 'UTC', ratio: 2 }];
    const half = createPriceCache({ ...settings, PriceRules: { ruled: { hours } } }, () => undefined);
    const ratioAt = (time: string) => {
      const price = half.resolve('ruled', 'default', { at: Date.parse(`2026-03-06T${time}Z`) });
      return typeof price === 'string' ? expect.unreachable(price) : price.hourRatio;
    };
    const times = ['08:10:00', '08:29:59', '08:30:00', '08:40:00', '10:29:59', '10:30:00'];
    expect(times.map(ratioAt)).toEqual([1, 1, 2, 2, 2, 1]);
  });

  test('without a moment it is the price of now', () => {
    try {
      for (const [at, hourRatio] of [
        [noon - 1, 0.5],
        [noon, 1],
      ] as const) {
        setSystemTime(new Date(at));
        expect(resolve('ruled')).toMatchObject({ hourRatio });
      }
    } finally {
      setSystemTime();
    }
  });

  test('the sum of several prompts is in no tier; a batch takes the ratio of its model', () => {
    const batch = resolve('ruled', { at: noon, requestClass: 'batch' });
    expect(batch).toMatchObject({ batchRatio: 0.3, hourRatio: 1 });
    expect(batch).not.toHaveProperty('tiers');
    expect(resolve('ruled', { at: noon, isSum: true })).not.toHaveProperty('tiers');
  });

  test('a fixed price has no tiers', () => {
    expect(resolve('picture')).toMatchObject({ fee: 0.01 });
    expect(resolve('picture')).not.toHaveProperty('tiers');
  });

  test('the book and a single look-up agree', () => {
    for (const model of ['plain', 'ruled', 'picture'])
      for (const requestClass of [undefined, 'batch', 'flex', 'priority'] as const)
        for (const at of [noon - 1, noon]) {
          const moment = { at, requestClass };
          const single = resolvePrice(settings, () => undefined, model, 'default', moment);
          expect(resolve(model, moment)).toEqual(single as PriceSnapshot);
        }
  });
});

/** Whole hundredths, so that the check below can use whole numbers. */
const hundredths = integer({ min: 0, max: 1000 });
const tierOf = record({
  above: integer({ min: 1, max: 400 }),
  input: option(hundredths, { nil: undefined }),
  output: option(hundredths, { nil: undefined }),
  cacheRead: option(hundredths, { nil: undefined }),
  cacheWrite: option(hundredths, { nil: undefined }),
});

interface Case {
  group: number;
  hour: number | undefined;
  class: number | undefined;
  minimum: number;
  fee: number;
  search: number;
  searches: number;
  tiers: { above: number; input?: number; output?: number; cacheRead?: number; cacheWrite?: number }[];
  counts: number[];
}

const ofClass: Record<TokenClass, [ratio: bigint, of: 'input' | 'output' | 'cacheRead' | 'cacheWrite']> = {
  input: [100n, 'input'],
  cacheRead: [10n, 'cacheRead'],
  cacheWrite5m: [125n, 'cacheWrite'],
  cacheWrite1h: [200n, 'cacheWrite'],
  imageInput: [100n, 'input'],
  audioInput: [300n, 'input'],
  output: [400n, 'output'],
  reasoning: [400n, 'output'],
  audioOutput: [600n, 'output'],
};

/** The charge by fractions with one denominator; shares nothing with the code under test. */
function oracle(each: Case, tierNumber: number): bigint {
  const tier = each.tiers[tierNumber];
  const call = BigInt(each.group) * BigInt(each.hour ?? 100) * BigInt(each.class ?? 100);
  let sum = 0n;
  let tokens = 0;
  for (const [index, name] of TOKEN_CLASSES.entries()) {
    const [ratio, of] = ofClass[name];
    const input = tier?.input ?? 100;
    const byTier = { input, output: tier?.output ?? 100, cacheRead: input, cacheWrite: input };
    const factor = of === 'input' || of === 'output' ? byTier[of] : (tier?.[of] ?? byTier[of]);
    sum += BigInt(each.counts[index] ?? 0) * ratio * BigInt(factor) * call;
    tokens += each.counts[index] ?? 0;
  }
  // Tokens: 10^4 for ratio and tier, 10^6 for the call. Dollars: 10^5 for the price, 10^6 for the call, 500,000 units.
  const one = 10n ** 11n;
  const dollars = BigInt(each.fee + each.search * each.searches) * call * 500_000n;
  const total = sum * 10n + dollars;
  const rounded = (2n * total + one) / (2n * one);
  const isPaid = total > 0n || (tokens > 0 && call > 0n);
  if (!isPaid) return 0n;
  const least = (2n * BigInt(each.minimum) * call * 500_000n + one) / (2n * one);
  return [rounded, least, 1n].reduce((most, value) => (value > most ? value : most));
}

test('any rules and usage cost what whole-number fractions say, and the hold of as many tokens covers them', () => {
  const cases = record({
    group: hundredths,
    hour: option(hundredths, { nil: undefined }),
    class: option(hundredths, { nil: undefined }),
    minimum: constantFrom(0, 0, 1, 500),
    fee: constantFrom(0, 0, 7, 1234),
    search: constantFrom(0, 0, 1000),
    searches: integer({ min: 0, max: 1 }),
    tiers: array(tierOf, { maxLength: 3 }),
    counts: array(integer({ min: 0, max: 200 }), { minLength: 9, maxLength: 9 }),
  });
  let tiered = 0;
  assert(
    property(cases, (drawn) => {
      const each = { ...drawn, tiers: ascending(drawn.tiers) } as Case;
      const price = snapshotOf(each);
      const usage = withFees(price, usageIn(each));
      const prompt = each.counts.slice(0, 6).reduce((sum, value) => sum + value, 0);
      const tier = each.tiers.filter(({ above }) => prompt > above).length - 1;
      if (tier >= 0) tiered += 1;
      expect(BigInt(chargeOf(price, usage))).toBe(oracle(each, tier));
      expect(chargeExactly(price, usage)).toBe(chargeOf(price, usage));
      const tiersOfCase = [-1, ...each.tiers.keys()].map((number) => oracle(each, number));
      const dearest = tiersOfCase.reduce((most, value) => (value > most ? value : most));
      expect(BigInt(largestChargeOf(price, usage))).toBe(dearest);
      // Plain text in and out, which is what an estimate counts.
      const counts = TOKEN_CLASSES.map((name) => (name === 'input' || name === 'output' ? 150 : 0));
      const plainUse = withFees(price, usageIn({ ...each, counts }));
      const hold = holdFor(price, {
        usage: usageOf({ input: 150, output: 150, surcharges: searchesOf(1) }),
        smallestHold: 0,
      });
      expect(hold).toBeGreaterThanOrEqual(chargeOf(price, plainUse));
    }),
    { numRuns: 2000 },
  );
  expect(tiered).toBeGreaterThan(100);
});

function ascending<Tier extends { above: number }>(tiers: readonly Tier[]): Tier[] {
  const sorted = tiers.toSorted((one, other) => one.above - other.above);
  return sorted.filter(({ above }, index) => above !== sorted[index - 1]?.above);
}

function snapshotOf(each: Case): RatioSnapshot {
  const share = (value: number | undefined) => (value === undefined ? undefined : value / 100);
  const given = (factors: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(factors).filter(([, value]) => value !== undefined && value !== 0));
  const tiers = each.tiers.map(({ above, ...rest }) => ({
    above,
    ...Object.fromEntries(
      Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : [[name, value / 100]])),
    ),
  }));
  return {
    ...plain,
    groupRatio: each.group / 100,
    ...(each.hour === undefined ? {} : { hourRatio: each.hour / 100 }),
    ...(each.class === undefined ? {} : { classRatio: share(each.class) ?? 1 }),
    ...given({ minimum: each.minimum / 1e5, fee: each.fee / 1e5, search: each.search / 1e5 }),
    ...(tiers.length === 0 ? {} : { tiers }),
  };
}

function usageIn({ counts, searches }: Case): Usage {
  return usageOf({
    ...Object.fromEntries(TOKEN_CLASSES.map((name, index) => [name, counts[index] ?? 0])),
    surcharges: searches === 0 ? [] : [{ name: 'web_search', count: searches, dollarsEach: 0 }],
  });
}

describe('rules of nothing', () => {
  const rated: PriceSettings = { ...noPrices, GroupRatio: { g: 1 }, ModelRatio: { m: 1 } };
  const resolved = (rule: object, moment?: Parameters<typeof resolvePrice>[4]) =>
    resolvePrice({ ...rated, PriceRules: { m: rule } }, () => undefined, 'm', 'g', moment) as PriceSnapshot;

  test('leave no factor in the price, of a call or of a fee', () => {
    const price = resolved({ minimum: 0, fee: 0, search: 0, tiers: [] });
    for (const name of ['minimum', 'fee', 'search', 'tiers']) expect(price).not.toHaveProperty(name);
    expect(chargeOf(price, usageOf({}))).toBe(0);
  });

  test('a search without a price costs nothing, also where an older price was logged with it', () => {
    const usage = usageOf({ surcharges: [{ name: 'web_search', count: 3, dollarsEach: 0.01 }] });
    expect(withFees(resolved({ fee: 0.001 }), usage).surcharges).toEqual([
      { name: 'call_fee', count: 1, dollarsEach: 0.001 },
      { name: 'web_search', count: 3, dollarsEach: 0 },
    ]);
  });

  test('the factor of a class alone decides by the moment, in the cache too', () => {
    const cache = createPriceCache(
      { ...rated, PriceRules: { m: { classes: { flex: 0.5 } } } },
      () => undefined,
    );
    const classOf = (requestClass?: 'flex' | 'priority') =>
      (cache.resolve('m', 'g', { at: 0, requestClass }) as PriceSnapshot).classRatio;
    expect([classOf(), classOf('flex'), classOf('priority')]).toEqual([undefined, 0.5, undefined]);
  });
});
