// The model that code for copying names: a sample whose model the site does not sell fails at once.
import { pricePerMillion, QUOTA_TYPE, type PricingEntry } from './pricing.ts';

/** Named in samples while the site's models are not known. */
export const PLACEHOLDER_MODEL = 'gpt-4o-mini';

/** The cheapest chat model that is paid by tokens and can be called. */
export function sampleModelOf(entries: readonly PricingEntry[]): string | undefined {
  const candidates = entries
    .filter(
      ({ endpoints, quota_type, enable_groups, virtual }) =>
        virtual === undefined &&
        endpoints.includes('/v1/chat/completions') &&
        quota_type !== QUOTA_TYPE.call &&
        enable_groups.length > 0,
    )
    .map((entry) => {
      const { input, output } = pricePerMillion(entry, 1);
      return { name: entry.model_name, price: input + output };
    })
    .filter(({ price }) => price > 0);
  return candidates.toSorted((a, b) => a.price - b.price || a.name.localeCompare(b.name))[0]?.name;
}
