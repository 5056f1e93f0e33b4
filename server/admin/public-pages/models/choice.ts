// What an address of the catalogue asks for, and the addresses that change one part of it.
import type { PublicCatalogue, PublicModel } from '#server/admin/public-model.ts';
import { linkTo, type Asked } from '#server/admin/public-pages/page.ts';

export const QUERY = ['q', 'vendor', 'kind', 'group', 'compare'] as const;
export const MOST_COMPARED = 5;

export interface Choice {
  readonly q: string;
  readonly vendor: string;
  readonly kind: string;
  readonly group: string;
  readonly compare: readonly string[];
}

/** A group that a visitor may not use is not chosen, whatever the address says. */
export function choiceOf({ query }: Asked, { groups, models }: PublicCatalogue): Choice {
  const group = query.get('group') ?? '';
  const known = new Set(models.map(({ name }) => name));
  const compare = (query.get('compare') ?? '').split(',').filter((name) => known.has(name));
  return {
    q: query.get('q')?.trim() ?? '',
    vendor: query.get('vendor') ?? '',
    kind: query.get('kind') ?? '',
    group: groups.some(({ name }) => name === group) ? group : (groups[0]?.name ?? ''),
    compare: [...new Set(compare)].slice(0, MOST_COMPARED),
  };
}

export function filtered(models: readonly PublicModel[], { q, vendor, kind }: Choice): PublicModel[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(
    (model) =>
      words.every((word) => `${model.name} ${model.vendor}`.toLowerCase().includes(word)) &&
      (vendor === '' || (model.vendor || 'other') === vendor) &&
      (kind === '' || (model.kind || 'other') === kind),
  );
}

/** The catalogue with one part of the choice changed; empty parts are left out of the address. */
export function catalogueLink(asked: Asked, choice: Choice, change: Partial<Choice>): string {
  const first = asked.query.get('group');
  const next = { ...choice, ...change };
  const parameters = new URLSearchParams();
  if (next.q) parameters.set('q', next.q);
  if (next.vendor) parameters.set('vendor', next.vendor);
  if (next.kind) parameters.set('kind', next.kind);
  if (change.group ?? first) parameters.set('group', next.group);
  const compare = next.compare.map(encodeURIComponent).join(',');
  const parts = [parameters.toString(), ...(compare ? [`compare=${compare}`] : [])].filter(Boolean);
  return linkTo(asked, parts.length === 0 ? '/models' : `/models?${parts.join('&')}`);
}

/** How many models have each value, most first. */
export function counted(
  models: readonly PublicModel[],
  valueOf: (model: PublicModel) => string,
): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const model of models) counts.set(valueOf(model), (counts.get(valueOf(model)) ?? 0) + 1);
  return Array.from(counts, ([value, count]) => ({ value, count })).sort(
    (left, right) => right.count - left.count || (left.value < right.value ? -1 : 1),
  );
}
