// Prices that a new version of the price options moved, for the models and the group of one customer. Versions never change, so
// what was read of them is kept until there is a newer one.
import type { OverviewChange } from '#contract/admin/overview.ts';
import { createPriceCache, type PriceCache } from '#server/money/prices/price-cache.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import { pricesOf, versionsSince, type PriceVersion } from '#server/money/price-book/versions.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { OverviewDependencies } from './dependencies.ts';

/** Ratio 1 = 2 dollars per million tokens. */
const DOLLARS_AT_RATIO_ONE = 2;
/** More versions in these days are compared as one: the oldest of them with the newest. */
const MOST_VERSIONS = 8;

interface Step {
  at: number;
  before: PriceCache;
  after: PriceCache;
}

interface Kept {
  newest: number;
  since: number;
  steps: readonly Step[];
}

const kept = new WeakMap<Store, Kept>();
/** The oldest kept version may be out of the days by so much before they are read again. */
const KEPT_SECONDS = 3600;

type Moved = Extract<OverviewChange, { kind: 'price_moved' }>;

export async function readMovedPrices(
  { store }: OverviewDependencies,
  models: readonly string[],
  group: string,
  since: number,
): Promise<OverviewChange[]> {
  const steps = await stepsSince(store, since);
  return steps.flatMap(({ at, before, after }) =>
    at < since
      ? []
      : models.flatMap((model) => {
          const moved = between(before.resolve(model, group), after.resolve(model, group));
          return moved === undefined ? [] : [{ kind: 'price_moved' as const, at, model, group, ...moved }];
        }),
  );
}

async function stepsSince(store: Store, since: number): Promise<readonly Step[]> {
  const newest = await store.db
    .selectFrom('price_versions')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const known = kept.get(store);
  if (known !== undefined && known.newest === newest?.id && since - known.since < KEPT_SECONDS)
    return known.steps;
  const versions = await versionsSince(store.db, since, MOST_VERSIONS);
  const steps = versions.slice(1).map((version, index): Step => {
    const cacheOf = (one: PriceVersion) => createPriceCache(pricesOf(one), builtInPrice);
    return { at: version.effective_at, before: cacheOf(versions[index] ?? version), after: cacheOf(version) };
  });
  kept.set(store, { newest: newest?.id ?? 0, since, steps });
  return steps;
}

function between(
  before: PriceSnapshot | PriceRefusal,
  after: PriceSnapshot | PriceRefusal,
): Pick<Moved, 'unit' | 'before' | 'after'> | undefined {
  if (typeof before === 'string' || typeof after === 'string') return undefined;
  const [old, next] = [dollarsOf(before), dollarsOf(after)];
  if (old.unit !== next.unit) return undefined;
  const isSame = old.input === next.input && old.output === next.output;
  return isSame
    ? undefined
    : {
        unit: next.unit,
        before: { input: old.input, output: old.output },
        after: { input: next.input, output: next.output },
      };
}

function dollarsOf(price: PriceSnapshot): { unit: Moved['unit']; input: number; output: number } {
  if (price.kind === 'price') {
    const each = rounded(price.modelPrice * price.groupRatio);
    return { unit: price.unit ?? 'call', input: each, output: each };
  }
  const input = price.modelRatio * price.groupRatio * DOLLARS_AT_RATIO_ONE;
  return { unit: 'tokens', input: rounded(input), output: rounded(input * price.completionRatio) };
}

/** Ratios such as 8.333333333 of a round price give it back. */
const rounded = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;
