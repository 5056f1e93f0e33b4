// The text kept with a hold. Thousands of calls share one price snapshot, so its half of the text is made once.
import type { HoldSnapshot, LogRow } from './ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';

const priceTexts = new WeakMap<PriceSnapshot, string>();

export function holdSnapshotText(snapshot: HoldSnapshot): string {
  return `{"price":${priceText(snapshot.price)},"log":${JSON.stringify(snapshot.log())}}`;
}

/** Empty for a hold that was written without one. */
export function readHoldSnapshot(text: string): { price?: PriceSnapshot; log?: LogRow } {
  return text === '' ? {} : (JSON.parse(text) as { price: PriceSnapshot; log: LogRow });
}

/** The price as JSON; also the part of a log row's `other` by which a charge can be recomputed. */
export function priceText(price: PriceSnapshot): string {
  let text = priceTexts.get(price);
  if (text === undefined) {
    text = JSON.stringify(price);
    priceTexts.set(price, text);
  }
  return text;
}
