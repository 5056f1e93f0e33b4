// Virtual models as the console reads them: who can call them, which targets no channel has, and the page of one.
import { sql } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type {
  VirtualModelFields,
  VirtualModelPage,
  VirtualModelView,
} from '#contract/relay/virtual-models.ts';
import { unixSeconds } from '#contract/time.ts';
import { targetEvents } from '#server/admin/target-events.ts';
import { unitPriceOf } from '#server/admin/unit-price.ts';
import type { PriceRefusal, PriceSnapshot } from '#server/money/prices/price.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { fieldsOf, virtualModelTarget } from './write.ts';

export interface ViewParts {
  store: Store;
  /** The price of a call, or why the relay would refuse it. */
  priceOf: (model: string, group: string) => PriceSnapshot | PriceRefusal;
}

interface Offer {
  model: string;
  group: string;
  channel_id: number;
  status: number;
}

/** By model: the channels that name it, each once for every group. */
type Offers = ReadonlyMap<string, readonly Offer[]>;

async function readOffers({ db }: Store, models: readonly string[]): Promise<Offers> {
  if (models.length === 0) return new Map();
  const names = sql.join([...new Set(models)]);
  const { rows } = await sql<Offer>`
    select abilities.model, abilities."group", abilities.channel_id, channels.status
    from abilities join channels on channels.id = abilities.channel_id
    where channels.deleted_at is null and abilities.model in (${names})`.execute(db);
  return Map.groupBy(rows, ({ model }) => model);
}

const namesOf = ({ name, targets }: VirtualModelFields): string[] => [
  name,
  ...targets.map(({ model }) => model),
];

const isOn = ({ status }: Offer): boolean => status === CHANNEL_STATUS.enabled;

const groupsOf = (offers: readonly Offer[]): string[] =>
  [...new Set(offers.filter(isOn).map(({ group }) => group))].sort();

/** As `isReachable` of the relay, and only the groups that the target's condition names. */
function callableGroups({ priceOf }: ViewParts, fields: VirtualModelFields, offers: Offers): string[] {
  const groups = fields.targets.flatMap(({ model, when }) =>
    groupsOf(offers.get(model) ?? []).filter(
      (group) =>
        (when.groups === undefined || when.groups.includes(group)) &&
        typeof priceOf(fields.price === 'own' ? fields.name : model, group) === 'object',
    ),
  );
  return [...new Set(groups)].sort();
}

function viewOf(parts: ViewParts, row: Row<'virtual_models'>, offers: Offers): VirtualModelView {
  const fields = fieldsOf(row);
  const { id, created_at, updated_at } = row;
  return {
    ...fields,
    id,
    created_at,
    updated_at,
    groups: callableGroups(parts, fields, offers),
    unserved: [...new Set(fields.targets.map(({ model }) => model))].filter((model) => !offers.has(model)),
    is_shadowing: offers.has(fields.name),
  };
}

export async function viewsOf(
  parts: ViewParts,
  rows: readonly Row<'virtual_models'>[],
): Promise<VirtualModelView[]> {
  const offers = await readOffers(
    parts.store,
    rows.flatMap((row) => namesOf(fieldsOf(row))),
  );
  return rows.map((row) => viewOf(parts, row, offers));
}

export async function readPage(parts: ViewParts, name: string): Promise<VirtualModelPage> {
  const { store, priceOf } = parts;
  const row = await store.db
    .selectFrom('virtual_models')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  const [offers, events] = await Promise.all([
    readOffers(store, namesOf(fieldsOf(row))),
    targetEvents(store, [virtualModelTarget(row.id)]),
  ]);
  const model = viewOf(parts, row, offers);
  const pricesOf = (priced: string, groups: readonly string[]) =>
    groups.map((group) => ({ group, price: unitPriceOf(priceOf(priced, group)) }));
  return {
    now: unixSeconds(),
    model,
    targets: [...new Set(model.targets.map((target) => target.model))].map((target) => {
      const all = offers.get(target) ?? [];
      const groups = groupsOf(all);
      return {
        model: target,
        channels: new Set(all.filter(isOn).map(({ channel_id }) => channel_id)).size,
        all_channels: new Set(all.map(({ channel_id }) => channel_id)).size,
        groups,
        prices: pricesOf(target, groups),
      };
    }),
    own_prices: pricesOf(name, model.groups.length === 0 ? ['default'] : model.groups),
    events,
  };
}
