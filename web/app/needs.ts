/** How many things need the reader at each entry of the menu, and in a space that one is not in. */
import type { AttentionView } from '#contract/admin/attention.ts';
import type { MenuEntry, Space } from './spaces.ts';

/** What has stopped for people, and what will stop or holds money. What only waits for a decision is not counted. */
export interface NeedCount {
  stop: number;
  act: number;
}

/** By address of the entry. */
export type NeedCounts = ReadonlyMap<string, NeedCount>;

const NOTHING: NeedCount = { stop: 0, act: 0 };
export const OVERVIEW = '/overview';
export const ORGANIZATION_OVERVIEW = '/organization';

export const sumOf = (counts: readonly (NeedCount | undefined)[]): NeedCount =>
  counts.reduce<NeedCount>(
    (sum, count = NOTHING) => ({ stop: sum.stop + count.stop, act: sum.act + count.act }),
    NOTHING,
  );

/** What has no entry in the reader's menus stands at the overview of the person or the organization, where it is listed. */
export function needCounts(
  counts: AttentionView['counts'],
  paths: ReadonlySet<string>,
  overview = OVERVIEW,
): NeedCounts {
  const placed = new Map<string, NeedCount>();
  for (const [menu, count] of Object.entries(counts)) {
    const path = paths.has(menu) ? menu : overview;
    placed.set(path, sumOf([placed.get(path), count]));
  }
  return placed;
}

/** The overview begins two spaces; of an operator it is counted in Run. */
export function needsOfSpace<Item extends { path: string }>(
  space: Space,
  menu: readonly MenuEntry<Item>[],
  counts: NeedCounts,
): NeedCount {
  const paths = new Set(menu.flatMap(({ item, holds }) => [item, ...holds].map(({ path }) => path)));
  if (space === 'use') paths.delete(OVERVIEW);
  return sumOf([...paths].map((path) => counts.get(path)));
}
