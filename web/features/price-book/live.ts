/** What typed prices mean for the use of the last 30 days: what it would have been charged, and the margin on its known cost. */
import type { MarginRow } from '#contract/money/margins.ts';
import type { PricedModel } from '#contract/options.ts';
import { recentFactor } from '#web/ui/sheet/dollars.ts';
import { rowOf, type RatioMaps } from '#web/ui/sheet/ratios.ts';

export interface LiveFigures {
  model: string;
  /** Of the last 30 days, in quota; undefined: nothing to compare with. */
  used: { before: number; after: number } | undefined;
  /** Of the part whose cost is known; undefined: none is. */
  share: { before: number; after: number } | undefined;
}

export function liveFigures(
  model: string,
  maps: { saved: RatioMaps; typed: RatioMaps },
  facts: PricedModel | undefined,
  margin: MarginRow | undefined,
): LiveFigures {
  const factor = recentFactor(rowOf(maps.saved, model, facts), rowOf(maps.typed, model, facts));
  const quota = facts?.recent_quota ?? 0;
  if (factor === undefined || quota === 0) return { model, used: undefined, share: undefined };
  const known = margin === undefined ? 0 : margin.revenue - margin.unknown_revenue;
  const shareOf = (revenue: number) => (revenue - (margin?.cost ?? 0)) / revenue;
  return {
    model,
    used: { before: quota, after: Math.round(quota * factor) },
    share:
      known <= 0 || factor === 0 ? undefined : { before: shareOf(known), after: shareOf(known * factor) },
  };
}

/** Models whose numbers differ. */
export function changedModels(saved: RatioMaps, typed: RatioMaps): string[] {
  const keys = Object.keys(saved) as (keyof RatioMaps)[];
  const names = new Set(keys.flatMap((key) => [...Object.keys(saved[key]), ...Object.keys(typed[key])]));
  return [...names]
    .filter((model) =>
      keys.some((key) => JSON.stringify(saved[key][model]) !== JSON.stringify(typed[key][model])),
    )
    .toSorted();
}
