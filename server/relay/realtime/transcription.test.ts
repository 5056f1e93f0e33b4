// The price of a transcription beside a realtime conversation.
import { expect, test } from 'bun:test';
import { chargeOf } from '#server/money/prices/charge.ts';
import { createPriceCache } from '#server/money/prices/price-cache.ts';
import { noPrices, type PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import type { Pricing } from '#server/relay/money/admission.ts';
import { transcriptionPrices } from './transcription.ts';

const settings = {
  ...noPrices,
  GroupRatio: { usual: 1, dear: 3 },
  ModelRatio: { talk: 1, scribe: 2 },
};
const prices = createPriceCache(settings, () => undefined);
const pricing = { prices } as unknown as Pricing;

function charged(group: string, model: string): number {
  const session = prices.resolve('talk', group) as PriceSnapshot;
  const surcharge = transcriptionPrices(pricing, session, group)(model, usageOf({ input: 500 }));
  return chargeOf(session, usageOf({ surcharges: [surcharge] }));
}

test('the ratio of the group applies once to what a transcription costs (M21)', () => {
  expect(charged('usual', 'scribe')).toBe(1000);
  expect(charged('dear', 'scribe')).toBe(3000);
});

test('a model keeps the price of its first use, also where the prices change meanwhile', () => {
  const session = prices.resolve('talk', 'usual') as PriceSnapshot;
  let scribe = 2;
  const changing = {
    prices: {
      resolve: (model: string, group: string) =>
        createPriceCache(
          { ...settings, ModelRatio: { ...settings.ModelRatio, scribe } },
          () => undefined,
        ).resolve(model, group),
    },
  } as unknown as Pricing;
  const priceOf = transcriptionPrices(changing, session, 'usual');
  const before = priceOf('scribe', usageOf({ input: 500 }));
  scribe = 4;
  expect(priceOf('scribe', usageOf({ input: 500 }))).toEqual(before);
});

test('the group of the caller decides, and a session that costs nothing transcribes for nothing', () => {
  const free = { ...settings, GroupRatio: { ...settings.GroupRatio, gift: 0 } };
  const cache = createPriceCache(free, () => undefined);
  const gift = cache.resolve('talk', 'gift') as PriceSnapshot;
  const inGift = transcriptionPrices({ prices: cache } as unknown as Pricing, gift, 'gift');
  expect(inGift('scribe', usageOf({ input: 500 }))).toEqual({
    name: 'transcription scribe',
    count: 1,
    dollarsEach: 0,
  });
  const usual = cache.resolve('talk', 'usual') as PriceSnapshot;
  const dear = transcriptionPrices({ prices: cache } as unknown as Pricing, usual, 'dear');
  expect(chargeOf(usual, usageOf({ surcharges: [dear('scribe', usageOf({ input: 500 }))] }))).toBe(3000);
});
