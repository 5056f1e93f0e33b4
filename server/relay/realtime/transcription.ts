// The transcription of the user's audio beside a conversation: another model's work, at that model's price.
import { cappedChargeOf, unitsPerDollar } from '#server/money/prices/charge.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Surcharge, Usage } from '#server/money/prices/usage.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { resolvePrice, type Pricing } from '#server/relay/money/admission.ts';

export type PriceTranscription = (model: string, usage: Usage) => Surcharge;

/** A model without a price costs as much as the session's own. Prices are fixed at the first use, as with every hold. */
export function transcriptionPrices(
  pricing: Pricing,
  session: PriceSnapshot,
  group: string,
): PriceTranscription {
  const known = new Map<string, PriceSnapshot>();
  const priceOf = (model: string): PriceSnapshot => {
    try {
      return resolvePrice(pricing, model, group);
    } catch (error) {
      if (error instanceof RelayError) return session;
      throw error;
    }
  };
  return (model, usage) => {
    const price = known.get(model) ?? priceOf(model);
    known.set(model, price);
    const perDollar = unitsPerDollar(session);
    const dollarsEach = perDollar === 0 ? 0 : cappedChargeOf(price, usage) / perDollar;
    return { name: `transcription ${model}`, count: 1, dollarsEach };
  };
}
