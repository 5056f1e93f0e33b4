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
