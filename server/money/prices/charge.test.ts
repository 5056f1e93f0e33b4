import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import { describe, expect, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { cappedChargeOf, chargeExactly, chargeOf, holdFor } from './charge.ts';
import { AmountError } from '#server/money/ledger/errors.ts';
import type { FixedPriceSnapshot, RatioSnapshot } from './price.ts';
import { usageOf, type Usage } from './usage.ts';

const base = {
  version: 1,
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
} as const;
const ratio = (part: Partial<RatioSnapshot>): RatioSnapshot => ({
  ...base,
  kind: 'ratio',
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  cacheWriteRatio: 1,
  cacheWrite1hRatio: 1,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  reasoningRatio: 1,
  ...part,
});
const fixed = (part: Partial<FixedPriceSnapshot>): FixedPriceSnapshot => ({
  ...base,
  kind: 'price',
  modelPrice: 0.1,
  ...part,
});

describe('charge', () => {
  test('a second costs the price of its resolution, else the price of the model', () => {
    const snapshot = fixed({
      modelPrice: 0.3,
      unit: 'second',
      resolutionPrices: { '1024p': 0.5 },
      groupRatio: 0.5,
    });
    expect(chargeOf(snapshot, usageOf({ pieces: 8, resolution: '720p' }))).toBe(600_000);
    expect(chargeOf(snapshot, usageOf({ pieces: 8, resolution: '1024p' }))).toBe(1_000_000);
    // A size that is hardly larger is not cheaper.
    expect(chargeOf(snapshot, usageOf({ pieces: 8, resolution: '1088p' }))).toBe(1_000_000);
    expect(chargeOf(snapshot, usageOf({ pieces: 8, resolution: '1023p' }))).toBe(600_000);
    const cheapBelow = { ...snapshot, resolutionPrices: { '480p': 0.1 } };
    expect(chargeOf(cheapBelow, usageOf({ pieces: 8, resolution: '720p' }))).toBe(600_000);
    expect(chargeOf(snapshot, usageOf({ pieces: 8, resolution: 'constructor' }))).toBe(600_000);
    expect(chargeOf(snapshot, usageOf({ pieces: 8 }))).toBe(600_000);
  });

  test('REL-9.46 REL-9.47 REL-9.48 a call costs group ratio × model ratio × (prompt + completion × completion ratio)', () => {
    const snapshot = ratio({ modelRatio: 1.25, completionRatio: 4, groupRatio: 2 });
    expect(chargeOf(snapshot, usageOf({ input: 1000, output: 500 }))).toBe(7500);
    // $ per million tokens: ratio × 2 in, ratio × completion ratio × 2 out.
    expect(chargeOf(snapshot, usageOf({ input: 1_000_000 })) / 500_000).toBe(1.25 * 2 * 2);
    expect(chargeOf(snapshot, usageOf({ output: 1_000_000 })) / 500_000).toBe(1.25 * 4 * 2 * 2);
  });

  test('a batch costs its ratio of the same call, tokens, pieces and surcharges alike', () => {
    const usage = usageOf({
      input: 1000,
      output: 500,
      surcharges: [{ name: 'web_search', count: 3, dollarsEach: 0.01 }],
    });
    const snapshot = ratio({ modelRatio: 1.25, completionRatio: 4, groupRatio: 2 });
    expect(chargeOf(snapshot, usage)).toBe(7500 + 30_000);
    expect(chargeOf({ ...snapshot, batchRatio: 0.5 }, usage)).toBe((7500 + 30_000) / 2);
    expect(chargeOf(fixed({ batchRatio: 0.3 }), usageOf({ pieces: 2 }))).toBe(30_000);
    expect(chargeOf(fixed({ batchRatio: 0 }), usageOf({ pieces: 2 }))).toBe(0);
  });

  test('a cached answer costs its part of the same call, fees and minimum alike, and at least one unit', () => {
    const surcharges = [{ name: 'call_fee', count: 1, dollarsEach: 0.01 }];
    const usage = usageOf({ input: 1000, output: 500, surcharges });
    const snapshot = ratio({ modelRatio: 1.25, completionRatio: 4, groupRatio: 2 });
    expect(chargeOf({ ...snapshot, hitRatio: 0.1 }, usage)).toBe(chargeOf(snapshot, usage) / 10);
    expect(chargeOf({ ...snapshot, minimum: 1 }, usage)).toBe(1_000_000);
    expect(chargeOf({ ...snapshot, minimum: 1, hitRatio: 0.1 }, usage)).toBe(100_000);
    expect(chargeOf({ ...snapshot, hitRatio: 0.1 }, usageOf({ input: 1 }))).toBe(1);
    expect(chargeOf({ ...snapshot, hitRatio: 0 }, usage)).toBe(0);
    expect(chargeOf({ ...snapshot, modelRatio: 0, hitRatio: 0.1 }, usageOf({ input: 9 }))).toBe(0);
    expect(chargeOf(fixed({ hitRatio: 0.3 }), usageOf({ pieces: 2 }))).toBe(30_000);
  });

  test('each token class has its own price', () => {
    const snapshot = ratio({
      completionRatio: 5,
      cacheRatio: 0.1,
      cacheWriteRatio: 1.25,
      cacheWrite1hRatio: 2,
      imageRatio: 3,
      audioRatio: 20,
      audioCompletionRatio: 2,
      reasoningRatio: 7,
    });
    const prices: Record<TokenClass, number> = {
      input: 1,
      cacheRead: 0.1,
      cacheWrite5m: 1.25,
      cacheWrite1h: 2,
      imageInput: 3,
      audioInput: 20,
      output: 5,
      reasoning: 7,
      audioOutput: 40,
    };
    for (const name of TOKEN_CLASSES)
      expect(chargeOf(snapshot, usageOf({ [name]: 1000 }))).toBe(prices[name] * 1000);
  });

  test('there is one rounding, at the end, and half a unit goes up', () => {
    const snapshot = ratio({ modelRatio: 0.1, completionRatio: 1.5 });
    // 3 × 0.15 = 0.45 and 1 × 0.1 = 0.1: together 0.55, though each alone would vanish.
    expect(chargeOf(snapshot, usageOf({ input: 1, output: 3 }))).toBe(1);
    expect(chargeOf(ratio({ modelRatio: 0.5 }), usageOf({ input: 5 }))).toBe(3);
    expect(chargeOf(ratio({ modelRatio: 0.1 }), usageOf({ input: 14 }))).toBe(1);
    expect(chargeOf(ratio({ modelRatio: 0.1 }), usageOf({ input: 15 }))).toBe(2);
    // Binary fractions would give 0.30000000000000004 × 5 = 1.5000000000000002.
    expect(chargeOf(ratio({ modelRatio: 0.1, groupRatio: 3 }), usageOf({ input: 4 }))).toBe(1);
  });

  test('paid use never costs zero, free use always does', () => {
    expect(chargeOf(ratio({ modelRatio: 0.000001 }), usageOf({ input: 1 }))).toBe(1);
    expect(chargeOf(ratio({ cacheRatio: 0 }), usageOf({ cacheRead: 5 }))).toBe(1);
    expect(chargeOf(fixed({ modelPrice: 0.000_000_1 }), usageOf({}))).toBe(1);
    expect(chargeOf(ratio({ modelRatio: 0 }), usageOf({ input: 1000, output: 1000 }))).toBe(0);
    expect(chargeOf(ratio({ groupRatio: 0 }), usageOf({ input: 1000 }))).toBe(0);
    expect(chargeOf(fixed({ modelPrice: 0 }), usageOf({}))).toBe(0);
    expect(chargeOf(ratio({}), usageOf({}))).toBe(0);
  });

  test('a fixed price is dollars × quota per dollar × group ratio × pieces', () => {
    expect(chargeOf(fixed({ modelPrice: 0.04, groupRatio: 1.5 }), usageOf({ pieces: 2 }))).toBe(60_000);
    expect(chargeOf(fixed({ modelPrice: 0.04 }), usageOf({ pieces: 1.5 }))).toBe(30_000);
    expect(chargeOf(fixed({ modelPrice: 0.04, quotaPerUnit: 1_000_000 }), usageOf({ input: 9999 }))).toBe(
      40_000,
    );
  });

  test('surcharges are added before the rounding', () => {
    const surcharges = [{ name: 'web_search', count: 3, dollarsEach: 0.01 }];
    expect(chargeOf(ratio({ groupRatio: 2 }), usageOf({ input: 10, surcharges }))).toBe(20 + 30_000);
  });

  test('what is no count or no ratio is refused (plan M14)', () => {
    for (const input of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e308]) {
      expect(() => chargeOf(ratio({}), usageOf({ input }))).toThrow(AmountError);
    }
    for (const modelRatio of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
      expect(() => chargeOf(ratio({ modelRatio }), usageOf({ input: 1 }))).toThrow(AmountError);
    }
    faultSeen('M14', 'ratios -1, NaN, infinite and 1e300');
    expect(() => chargeOf(fixed({}), usageOf({ pieces: -1 }))).toThrow(AmountError);
    const surcharges = [{ name: 'search', count: -5, dollarsEach: 1 }];
    expect(() => chargeOf(fixed({}), usageOf({ surcharges }))).toThrow(AmountError);
    expect(() => chargeOf(ratio({ modelRatio: 1e9 }), usageOf({ input: Number.MAX_SAFE_INTEGER }))).toThrow(
      AmountError,
    );
  });

  test('M9 the charge of delivered output is capped instead of refused', () => {
    const usage = usageOf({ input: 1e12, output: 1e12 });
    expect(cappedChargeOf(ratio({ modelRatio: 1e9 }), usage)).toBe(Number.MAX_SAFE_INTEGER);
    expect(cappedChargeOf(ratio({ modelRatio: 1e-7 }), usage)).toBe(
      chargeOf(ratio({ modelRatio: 1e-7 }), usage),
    );
    expect(cappedChargeOf(fixed({ modelPrice: 1e9, quotaPerUnit: 1e9 }), usage)).toBe(
      Number.MAX_SAFE_INTEGER,
    );
  });

  test('a hold covers the estimate and at least the smallest hold; free models hold nothing', () => {
    const estimate = { usage: usageOf({ input: 100, output: 1000 }), smallestHold: 500 };
    expect(holdFor(ratio({ completionRatio: 4 }), estimate)).toBe(4100);
    expect(holdFor(ratio({ modelRatio: 0.01 }), estimate)).toBe(500);
    expect(holdFor(ratio({ modelRatio: 0 }), estimate)).toBe(0);
    expect(holdFor(fixed({ modelPrice: 0.1 }), estimate)).toBe(50_000);
    expect(() => holdFor(ratio({}), { ...estimate, usage: usageOf({ output: 1e308 }) })).toThrow(AmountError);
    expect(() => holdFor(ratio({}), { ...estimate, usage: usageOf({ output: -1 }) })).toThrow(AmountError);
  });
});

/** A decimal known by its digits, and the number that prints as it. */
interface Known {
  digits: bigint;
  scale: number;
  value: number;
}

/** Its own arithmetic, in fractions over one denominator: nothing of the code under test. */
function oracle(snapshot: RatioSnapshot, known: Record<string, Known>, usage: Usage): bigint {
  const get = (name: string): Known => known[name] ?? { digits: 1n, scale: 0, value: 1 };
  const factors: Record<TokenClass, string[]> = {
    input: [],
    cacheRead: ['cacheRatio'],
    cacheWrite5m: ['cacheWriteRatio'],
    cacheWrite1h: ['cacheWrite1hRatio'],
    imageInput: ['imageRatio'],
    audioInput: ['audioRatio'],
    output: ['completionRatio'],
    reasoning: ['reasoningRatio'],
    audioOutput: ['audioRatio', 'audioCompletionRatio'],
  };
  const places = 36;
  let sum = 0n;
  let tokens = 0;
  for (const name of TOKEN_CLASSES) {
    const parts = ['modelRatio', 'groupRatio', ...factors[name]].map(get);
    const digits = parts.reduce((product, part) => product * part.digits, BigInt(usage[name]));
    const scale = parts.reduce((total, part) => total + part.scale, 0);
    sum += digits * 10n ** BigInt(places - scale);
    tokens += usage[name];
  }
  const one = 10n ** BigInt(places);
  const rounded = (2n * sum + one) / (2n * one);
  const isPaid = snapshot.modelRatio !== 0 && snapshot.groupRatio !== 0;
  return rounded === 0n && isPaid && tokens > 0 ? 1n : rounded;
}

test('100,000 random prices and usages equal an oracle of whole numbers', () => {
  const cases = Number(process.env['CHARGE_CASES'] ?? 100_000);
  let state = 0x2545f491;
  const random = (below: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const names = [
    'modelRatio',
    'groupRatio',
    'completionRatio',
    'cacheRatio',
    'cacheWriteRatio',
    'cacheWrite1hRatio',
    'imageRatio',
    'audioRatio',
    'audioCompletionRatio',
    'reasoningRatio',
  ];
  let compared = 0;
  let overflows = 0;
  let known: Record<string, Known> = {};
  let snapshot = ratio({});
  for (let index = 0; index < cases; index += 1) {
    // Many usages to a price, as in life.
    if (index % 10 === 0) {
      known = Object.fromEntries(
        names.map((name) => {
          const digits = random(20) === 0 ? 0 : random(10 ** (1 + random(6)));
          const scale = random(random(4) === 0 ? 9 : 4);
          return [name, { digits: BigInt(digits), scale, value: Number(`${digits}e-${scale}`) }];
        }),
      );
      snapshot = ratio(Object.fromEntries(names.map((name) => [name, known[name]?.value ?? 0])));
    }
    const usage = usageOf(
      Object.fromEntries(
        TOKEN_CLASSES.map((name) => [name, random(3) === 0 ? random(10 ** (1 + random(7))) : 0]),
      ),
    );
    const expected = oracle(snapshot, known, usage);
    if (expected > BigInt(Number.MAX_SAFE_INTEGER)) {
      overflows += 1;
      if (!refuses(snapshot, usage)) throw new Error(`no refusal of ${expected}`);
      continue;
    }
    // One comparison per case: a hundred thousand expects would take longer than the arithmetic.
    const charge = chargeOf(snapshot, usage);
    if (BigInt(charge) !== expected || charge !== chargeExactly(snapshot, usage)) {
      throw new Error(`${charge} is not ${expected}: ${JSON.stringify({ snapshot, usage })}`);
    }
    compared += 1;
  }
  expect(compared).toBeGreaterThan(cases / 2);
  expect(overflows).toBeGreaterThan(0);
}, 60_000);

function refuses(snapshot: RatioSnapshot, usage: Usage): boolean {
  try {
    chargeOf(snapshot, usage);
    return false;
  } catch (error) {
    return error instanceof AmountError;
  }
}
