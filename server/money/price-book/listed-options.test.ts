// Prices of an outside list in the gateway's own options.
import { expect, test } from 'bun:test';
import { PRICE_KEYS, type Prices } from '#contract/money/price-keys.ts';
import { SETTINGS } from '#contract/settings.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { resolvePrice } from '#server/money/prices/price.ts';
import { withListed } from './listed-options.ts';

const defaults = Object.fromEntries(PRICE_KEYS.map((key) => [key, SETTINGS[key].fallback])) as Prices;

test('each class of a long prompt is a factor of its own usual price (M21)', () => {
  const long = { above: 200_000, input: 4, output: 12, cacheRead: 0.6, cacheWrite: 10 };
  const usual = { input: 2, output: 8, cacheRead: 0.2, cacheWrite5m: 2.5 };
  const prices = withListed(defaults, { model: 'm', ...usual, tiers: [long] });
  expect(prices?.PriceRules['m']).toEqual({
    tiers: [{ above: 200_000, input: 2, output: 1.5, cacheRead: 3, cacheWrite: 4 }],
  });
  expect(prices?.ModelRatio['m']).toBe(1);
  expect(prices?.CreateCacheRatio['m']).toBe(1.25);
});

test('spoken answers are a factor of spoken prompts, and these of the text of prompts (M21)', () => {
  const prices = withListed(defaults, { model: 'm', input: 2, output: 8, audioIn: 32, audioOut: 64 });
  expect([prices?.ModelRatio['m'], prices?.CompletionRatio['m']]).toEqual([1, 4]);
  expect([prices?.AudioRatio['m'], prices?.AudioCompletionRatio['m']]).toEqual([16, 2]);
});

test('spoken answers cost what the list says, also where it has no price of spoken prompts (M21)', () => {
  const spoken = (model: string, AudioRatio: Prices['AudioRatio']) => {
    const listed = { model, input: 2, audioOut: 64 };
    const prices = withListed({ ...defaults, AudioRatio }, listed);
    return prices === undefined ? undefined : dollarsOf(prices, model);
  };
  const dollarsOf = (prices: Prices, model: string) => {
    const price = resolvePrice({ ...prices, GroupRatio: { g: 1 } }, builtInPrice, model, 'g');
    if (typeof price !== 'object' || price.kind !== 'ratio') return expect.unreachable();
    return price.modelRatio * 2 * price.audioRatio * price.audioCompletionRatio;
  };
  expect(spoken('m', {})).toBe(64);
  expect(spoken('m', { m: 16 })).toBe(64);
  expect(builtInPrice('gpt-audio')).toMatchObject({ input: 2.5, audioIn: 32 });
  expect(spoken('gpt-audio', {})).toBe(64);
  expect(spoken('gpt-audio', { 'gpt-audio': 4 })).toBe(64);
});

test('a price of each call or second is a fixed price in its unit, and the rest stays as it is (M21)', () => {
  const before = { ...defaults, ModelPrice: { other: 3 }, PriceUnit: { other: 'call' as const } };
  const fixed = (listed: object) => {
    const prices = withListed(before, { model: 'm', ...listed });
    return [prices?.ModelPrice, prices?.PriceUnit, prices?.ModelRatio];
  };
  const ratios = before.ModelRatio;
  expect(fixed({ perCall: 0.04, input: 2 })).toEqual([
    { other: 3, m: 0.04 },
    { other: 'call', m: 'call' },
    ratios,
  ]);
  expect(fixed({ perSecond: 0.3 })).toEqual([{ other: 3, m: 0.3 }, { other: 'call', m: 'second' }, ratios]);
  expect(fixed({ perSecond: 0.3, perCall: 0.04 })[0]).toEqual({ other: 3, m: 0.3 });
  expect(fixed({ perCall: 0 })[0]).toEqual({ other: 3, m: 0 });
});

test('prices by tokens replace a fixed price; a paid class beside a free prompt cannot be said (M21)', () => {
  const before = { ...defaults, ModelPrice: { m: 3, other: 4 } };
  expect(withListed(before, { model: 'm', input: 3 })).toMatchObject({
    ModelPrice: { other: 4 },
    ModelRatio: { m: 1.5 },
  });
  expect(withListed(before, { model: 'm', input: 3 })?.ModelPrice).toEqual({ other: 4 });
  expect(withListed(before, { model: 'm', output: 3 })).toBeUndefined();
  expect(withListed(before, { model: 'm', input: 0, output: 3 })).toBeUndefined();
  // The name of a model may look like a number.
  const free = withListed(before, { model: '7', input: 0, output: 0 });
  expect(free?.ModelRatio['7']).toBe(0);
  expect(free?.CompletionRatio).toStrictEqual(before.CompletionRatio);
});

test('each class has its own ratio, and a class that the list lacks keeps its old one (M21)', () => {
  const before = { ...defaults, CacheRatio: { m: 0.7 }, AudioRatio: { m: 16 } };
  const classes = { cacheWrite5m: 2.5, cacheWrite1h: 4, image: 6, reasoning: 10 };
  const prices = withListed(before, { model: 'm', input: 2, ...classes });
  expect([prices?.CreateCacheRatio['m'], prices?.CreateCache1hRatio['m']]).toEqual([1.25, 2]);
  expect([prices?.ImageRatio['m'], prices?.ReasoningRatio['m']]).toEqual([3, 5]);
  expect([prices?.CacheRatio, prices?.AudioRatio]).toStrictEqual([{ m: 0.7 }, { m: 16 }]);
  expect(prices?.AudioCompletionRatio).toStrictEqual(before.AudioCompletionRatio);
});

test('rules change where the list says something about them (M21)', () => {
  const rule = {
    fee: 0.5,
    search: 0.01,
    tiers: [{ above: 5, input: 3 }],
    classes: { flex: 0.6, batch: 0.5 },
  };
  const before = { ...defaults, PriceRules: { m: rule } };
  const ruleAfter = (listed: object, prices: Prices = before) =>
    withListed(prices, { model: 'm', input: 2, ...listed })?.PriceRules;
  expect(ruleAfter({})).toBe(before.PriceRules);
  expect(ruleAfter({}, defaults)).toStrictEqual(defaults.PriceRules);
  expect(ruleAfter({ search: 0.02 })).toStrictEqual({ m: { ...rule, search: 0.02 } });
  expect(ruleAfter({ classes: { batch: 0.4 } })).toStrictEqual({
    m: { ...rule, classes: { flex: 0.6, batch: 0.4 } },
  });
  expect(ruleAfter({ search: 0.02 }, defaults)).toStrictEqual({ m: { search: 0.02 } });
  // Without a usual price, or with a free one, a class of long prompts has no factor.
  const tiers = [{ above: 9, input: 4, output: 5, cacheRead: 6 }];
  expect(ruleAfter({ tiers, cacheRead: 0 })).toStrictEqual({
    m: { ...rule, tiers: [{ above: 9, input: 2 }] },
  });
});
