// Prices of an outside list in the gateway's own options.
import { expect, test } from 'bun:test';
import { PRICE_KEYS, type Prices } from '#contract/money/price-keys.ts';
import { SETTINGS } from '#contract/settings.ts';
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
