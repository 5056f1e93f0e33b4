// Virtual models in the price list and the public catalogue: their names, the models among which they choose, and how a call is priced.
// What a reader could not call is not named.
import { costOfCall, type PricingEntry } from '#contract/money/pricing.ts';
import type { VirtualTarget } from '#contract/relay/virtual-models.ts';
import type { PublicModel, PublicPrice } from '#server/admin/public-model.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Offers } from './offers.ts';
import { pathsOf } from './paths.ts';

interface VirtualRow {
  name: string;
  /** `answered`: priced as the model that answered; `own`: as the name itself. */
  basis: 'answered' | 'own';
  targets: VirtualTarget[];
}

async function readVirtual({ db }: Store): Promise<VirtualRow[]> {
  const rows = await db
    .selectFrom('virtual_models')
    .select(['name', 'price', 'targets'])
    .where('enabled', '=', 1)
    .orderBy('name')
    .execute();
  return rows.map(({ name, price, targets }) => ({
    name,
    basis: price,
    targets: JSON.parse(targets) as VirtualTarget[],
  }));
}

interface Reach {
  groups: readonly string[];
  offers: Offers;
  isPriced: (model: string, group: string) => boolean;
}

/** The groups in which some target has a channel and the call a price. */
const reachedBy = ({ name, basis, targets }: VirtualRow, { groups, offers, isPriced }: Reach): string[] =>
  groups.filter((group) =>
    targets.some(
      ({ model, when }) =>
        offers.get(model)?.has(group) === true &&
        (when.groups === undefined || when.groups.includes(group)) &&
        isPriced(basis === 'own' ? name : model, group),
    ),
  );

const shownTargets = ({ targets }: VirtualRow, listed: ReadonlySet<string>): string[] =>
  [...new Set(targets.map(({ model }) => model))].filter((model) => listed.has(model));

interface VirtualParts {
  store: Store;
  /** By group of the catalogue; undefined: calls are refused there. */
  priceIn: (model: string, group: string) => PublicPrice | undefined;
  groups: readonly string[];
  offers: Offers;
  /** Those of the catalogue that are plain. */
  plain: readonly PublicModel[];
}

export async function publicVirtualModels({
  store,
  priceIn,
  groups,
  offers,
  plain,
}: VirtualParts): Promise<PublicModel[]> {
  const listed = new Set(plain.map(({ name }) => name));
  const isPriced = (model: string, group: string) => priceIn(model, group) !== undefined;
  return (await readVirtual(store)).flatMap((row): PublicModel[] => {
    const { name, basis } = row;
    const reached = reachedBy(row, { groups, offers, isPriced });
    if (reached.length === 0) return [];
    const shown = shownTargets(row, listed);
    const model = shown[0] ?? row.targets[0]?.model ?? name;
    const prices = basis === 'own' ? reached.map((group) => [group, priceIn(name, group)] as const) : [];
    return [
      {
        name,
        vendor: '',
        kind: builtInPrice(model)?.kind ?? '',
        context: 0,
        maxOutput: 0,
        endpoints: pathsOf(model),
        position: -1,
        prices: Object.fromEntries(prices.flatMap(([group, price]) => (price ? [[group, price]] : []))),
        hasRules: false,
        virtual: { basis, targets: shown },
      },
    ];
  });
}

interface EntryParts extends Reach {
  store: Store;
  /** Undefined: calls are refused there. */
  entryOf: (model: string, groups: readonly string[]) => PricingEntry | undefined;
  /** Those of the list that are plain. */
  plain: readonly PricingEntry[];
}

/** A call by which targets are compared. */
const USUAL_CALL = { prompt: 3000, completion: 1000 };

/** A name that is priced as the model that answers has the figures of its dearest target: programs that know ratios only see no less. */
export async function virtualEntries({
  store,
  entryOf,
  plain,
  ...reach
}: EntryParts): Promise<PricingEntry[]> {
  const byName = new Map(plain.map((entry) => [entry.model_name, entry]));
  return (await readVirtual(store)).flatMap((row): PricingEntry[] => {
    const { name, basis } = row;
    const reached = reachedBy(row, reach);
    const targets = shownTargets(row, new Set(byName.keys()));
    const entries = targets.flatMap((target) => byName.get(target) ?? []);
    const dearest = entries.toSorted(
      (left, right) => costOfCall(right, 1, USUAL_CALL) - costOfCall(left, 1, USUAL_CALL),
    )[0];
    const priced = basis === 'own' ? entryOf(name, reached) : dearest;
    if (reached.length === 0 || priced === undefined) return [];
    const first = entries[0] ?? priced;
    return [
      {
        ...priced,
        model_name: name,
        enable_groups: reached,
        owner_by: '',
        kind: first.kind,
        context: 0,
        endpoints: first.endpoints,
        list_position: -1,
        virtual: { basis, targets },
      },
    ];
  });
}
