/** The facets of the price list: maker, billing, path, capability, each with how many models carry it. */
import type { useTranslation } from 'react-i18next';
import type { PricingEntry } from '#contract/money/pricing.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { BILLINGS, billingOf, countBy, listOf, OTHER, vendorOf } from './models.ts';
import type { PricingSearch } from './search.ts';
import type { ChangeSearch } from './use-pricing-search.ts';

type Words = ReturnType<typeof useTranslation<'pricing'>>['t'];

export interface CountedFacet extends Facet {
  counts: ReadonlyMap<string, number>;
}

const KINDS = [
  'chat',
  'responses',
  'completion',
  'realtime',
  'embedding',
  'rerank',
  'moderation',
  'image',
  'speech',
  'transcription',
  'task',
  'video',
] as const;

export function kindName(t: Words, kind: string): string {
  const known = KINDS.find((name) => name === kind);
  return t(`kind.${known ?? 'unknown'}`);
}

export function pricingFacets(
  t: Words,
  data: readonly PricingEntry[],
  search: PricingSearch,
  change: ChangeSearch,
): CountedFacet[] {
  const facet = (
    id: 'vendor' | 'path' | 'kind',
    valuesOf: (entry: PricingEntry) => readonly string[],
    nameOf: (value: string) => string,
  ): CountedFacet => {
    const counted = countBy(data, valuesOf);
    return {
      id,
      label: t(`facet.${id}`),
      multiple: true,
      options: counted.map(({ value }) => ({ value, label: nameOf(value) })),
      counts: new Map(counted.map(({ value, count }) => [value, count])),
      value: listOf(search[id]),
      onChange: (values) => change({ [id]: values.join(',') || undefined, page: undefined }),
    };
  };
  const billing = countBy(data, (entry) => [billingOf(entry)]);
  return [
    facet(
      'vendor',
      (entry) => [vendorOf(entry)],
      (value) => (value === OTHER ? t('facet.other') : value),
    ),
    {
      id: 'billing',
      label: t('facet.billing'),
      options: BILLINGS.map((value) => ({ value, label: t(`billing.${value}`) })),
      counts: new Map(billing.map(({ value, count }) => [value, count])),
      value: search.billing ? [search.billing] : [],
      onChange: ([value]) => change({ billing: BILLINGS.find((each) => each === value), page: undefined }),
    },
    facet(
      'path',
      (entry) => entry.endpoints,
      (value) => value,
    ),
    facet(
      'kind',
      (entry) => [entry.kind || 'unknown'],
      (value) => kindName(t, value),
    ),
  ];
}
