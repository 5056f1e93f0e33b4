/** The list of the page: filtered and sorted in the browser, which has all of it. */
import {
  isPricedAsAnswered,
  pricePerMillion,
  QUOTA_TYPE,
  type PricingEntry,
} from '#contract/money/pricing.ts';
import type { GridSort } from '#web/ui/grid/types.ts';
import type { PricingSearch } from './search.ts';

export interface PricedModel extends PricingEntry {
  /** In the chosen group; false: the group has no channel for it. */
  isOpen: boolean;
  /** Dollars per million tokens in the chosen group; undefined for models paid by call, or as the model that answers. */
  perMillion: { input: number; cached: number; output: number } | undefined;
  /** Dollars per call in the chosen group. */
  perCall: number | undefined;
}

export const OTHER = 'other';

export const BILLINGS = ['usage', 'call', 'second', 'answered'] as const;

type Billed = Pick<PricingEntry, 'quota_type' | 'price_unit' | 'virtual'>;

export function billingOf(entry: Billed): (typeof BILLINGS)[number] {
  if (isPricedAsAnswered(entry)) return 'answered';
  return entry.quota_type === QUOTA_TYPE.call ? entry.price_unit : 'usage';
}

export const vendorOf = (entry: PricingEntry) => entry.owner_by || OTHER;

export function priceModels(data: readonly PricingEntry[], group: string, ratio: number): PricedModel[] {
  return data.map((entry) => {
    const byCall = entry.quota_type === QUOTA_TYPE.call;
    const isOpen = entry.enable_groups.includes(group);
    if (isPricedAsAnswered(entry)) return { ...entry, isOpen, perMillion: undefined, perCall: undefined };
    return {
      ...entry,
      isOpen,
      perMillion: byCall ? undefined : pricePerMillion(entry, ratio),
      perCall: byCall ? Number((entry.model_price * ratio).toPrecision(12)) : undefined,
    };
  });
}

export const listOf = (text: string | undefined): string[] => (text ? text.split(',') : []);

type Filter = Pick<PricingSearch, 'q' | 'vendor' | 'path' | 'kind' | 'billing'>;

export function filterModels<Entry extends PricingEntry>(models: readonly Entry[], filter: Filter): Entry[] {
  const words = filter.q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  const vendors = listOf(filter.vendor);
  const paths = listOf(filter.path);
  const kinds = listOf(filter.kind);
  return models.filter(
    (entry) =>
      words.every((word) => entry.model_name.toLowerCase().includes(word)) &&
      (vendors.length === 0 || vendors.includes(vendorOf(entry))) &&
      (kinds.length === 0 || kinds.includes(entry.kind || 'unknown')) &&
      (paths.length === 0 || paths.some((path) => entry.endpoints.includes(path))) &&
      (filter.billing === undefined || filter.billing === billingOf(entry)),
  );
}

const SORTS: Record<string, (model: PricedModel) => number | string | undefined> = {
  model: (model) => model.model_name,
  vendor: (model) => model.owner_by || undefined,
  input: (model) => model.perMillion?.input,
  output: (model) => model.perMillion?.output,
  call: (model) => model.perCall,
  context: (model) => model.context || undefined,
};

/** Rows without a value are last in both directions. */
export function sortModels(models: readonly PricedModel[], sort: GridSort | undefined): PricedModel[] {
  const valueOf = sort && SORTS[sort.key];
  if (!valueOf) return [...models];
  const direction = sort.order === 'desc' ? -1 : 1;
  return models.toSorted((left, right) => {
    const [first, second] = [valueOf(left), valueOf(right)];
    if (first === undefined || second === undefined)
      return first === second ? 0 : first === undefined ? 1 : -1;
    return first === second ? 0 : first < second ? -direction : direction;
  });
}

/** How many models carry each value, most first. */
export function countBy(
  models: readonly PricingEntry[],
  valuesOf: (entry: PricingEntry) => readonly string[],
): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const entry of models)
    for (const value of valuesOf(entry)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((left, right) => right.count - left.count || (left.value < right.value ? -1 : 1));
}
