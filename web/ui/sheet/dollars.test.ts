import { expect, test } from 'bun:test';
import type { PricedModel } from '#contract/options.ts';
import { inGroup, relativeRatio, unitPrice, withDollars, withoutGroup } from './dollars.ts';
import { isMoney, mapsOf, readCell, readDollars, rowOf, textsOf, type RatioMaps } from './ratios.ts';

const empty: RatioMaps = {
  ModelPrice: {},
  ModelRatio: {},
  CompletionRatio: {},
  PriceUnit: {},
  ResolutionPrice: {},
};
const listed: PricedModel = {
  model: 'm',
  vendor: '',
  offered: true,
  unpriced: false,
  recent_calls: 0,
  recent_prompt_tokens: 0,
  recent_completion_tokens: 0,
  recent_quota: 0,
  list_ratio: 0.7,
  list_completion_ratio: 3.333333333333,
};

function typed(maps: RatioMaps, part: 'input' | 'output', dollars: number): RatioMaps {
  const next = withDollars(maps, rowOf(maps, 'm', listed), part, dollars) ?? expect.unreachable('a ratio');
  // As it is stored and read again.
  return mapsOf(textsOf(next)) ?? expect.unreachable('maps');
}

const priceOf = (maps: RatioMaps) => unitPrice(rowOf(maps, 'm', listed));

/** The product in whole units, half a unit up; each number is the decimal that it prints as. */
function charge(tokens: number, factors: readonly number[]): bigint {
  let [digits, scale] = [BigInt(tokens), 0];
  for (const factor of factors) {
    const [whole = '', fraction = ''] = String(factor).split('.');
    digits *= BigInt(whole + fraction);
    scale += fraction.length;
  }
  const one = 10n ** BigInt(scale);
  return (2n * digits + one) / (2n * one);
}

/** The same numbers in every run. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('a price that was typed comes back as it was, and typing it again changes nothing', () => {
  const random = generator(7);
  const dollars = () => Number((10 ** (random() * 6 - 3)).toFixed(Math.floor(random() * 6))) || 0.01;
  for (let round = 0; round < 2000; round += 1) {
    const [input, output, later] = [dollars(), dollars(), dollars()];
    const set = typed(typed(empty, 'input', input), 'output', output);
    expect([round, priceOf(set)]).toEqual([round, { input, output }]);
    expect(typed(typed(set, 'input', input), 'output', output)).toEqual(set);
    // The output price stays when the input price changes, there and back.
    const moved = typed(set, 'input', later);
    expect([round, priceOf(moved)]).toEqual([round, { input: later, output }]);
    expect(typed(moved, 'input', input)).toEqual(set);
  }
});

test('a call costs what it costs at the typed price, to the unit', () => {
  const random = generator(11);
  // Prices of cents: half a unit is common at them.
  const cents = () => Math.ceil(random() * 3000) / 100;
  for (let round = 0; round < 2000; round += 1) {
    const [input, output] = [cents(), cents()];
    const set = typed(typed(empty, 'input', input), 'output', output);
    const tokens = Math.ceil(10 ** (random() * 6));
    const factors = [
      set.ModelRatio['m'] ?? Number.NaN,
      set.CompletionRatio['m'] ?? listed.list_completion_ratio ?? 1,
    ];
    expect([round, tokens, output, charge(tokens, factors)]).toEqual([
      round,
      tokens,
      output,
      charge(tokens, [output, 0.5]),
    ]);
  }
  // $2.50 at an input of $0.30: a ratio rounded down would lose this half.
  expect(relativeRatio(2.5, 0.3)).toBe(8.33333333333334);
  expect(charge(2, [0.15, relativeRatio(2.5, 0.3)])).toBe(3n);
  expect(charge(2, [0.15, 8.333333333333])).toBe(2n);
});

test('a price of one group is the same price again in it', () => {
  expect(inGroup(withoutGroup(2.125, 0.85), 0.85)).toBe(2.125);
  for (let cents = 1; cents < 3000; cents += 7)
    for (const ratio of [0.85, 1.1, 0.3, 3])
      expect(inGroup(withoutGroup(cents / 100, ratio), ratio)).toBe(cents / 100);
});

test('D9 a price may be typed with its sign, and is money wherever it is typed', () => {
  expect([readDollars('$2.50'), readDollars(' 2.5 '), readDollars('$ 0.3'), readDollars('')]).toEqual([
    2.5,
    2.5,
    0.3,
    undefined,
  ]);
  expect([readDollars('$-1'), readDollars('$$1'), readCell('$2.50')]).toEqual(['bad', 'bad', 'bad']);
  expect([isMoney('$2.50'), isMoney('2.50')]).toEqual([true, false]);
});
