// What the catalogue shows, and what other pages say of it.
import type { MeasuredFigures } from '#contract/admin/measured.ts';
import type { PublicCatalogue } from '#server/admin/public-model.ts';
import type { Asked } from '#server/admin/public-pages/page.ts';
import type { Choice } from './choice.ts';

export interface Listed {
  readonly asked: Asked;
  readonly catalogue: PublicCatalogue;
  readonly choice: Choice;
  readonly measured: ReadonlyMap<string, MeasuredFigures> | undefined;
}

/** The lowest price of a million input tokens in the group that a new user is in. */
export function cheapestInput({ models, groups }: PublicCatalogue): number | undefined {
  const group = groups[0]?.name ?? '';
  const prices = models.flatMap(({ prices }) => {
    const price = prices[group];
    return price?.kind === 'usage' && price.input > 0 ? [price.input] : [];
  });
  return prices.length === 0 ? undefined : Math.min(...prices);
}

export function measuredShown({ site }: Asked): boolean {
  return site.settings.PublicMeasuredEnabled;
}
