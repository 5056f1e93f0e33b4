// The other enabled channels that serve a model of this one in one of its groups: its place among them, and who else serves what.
import { sql } from 'kysely';
import type { Named } from '#contract/admin/thing-parts.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface Neighbours {
  all: readonly (Named & { priority: number; weight: number })[];
  of(model: string): Named[];
  /** Models that no other channel serves in one of this channel's groups. */
  only: readonly string[];
}

interface Shared extends Named {
  priority: number;
  weight: number;
  model: string;
  group: string;
}

export async function readNeighbours({ db }: Store, id: number): Promise<Neighbours> {
  const [shared, own] = await Promise.all([
    sql<Shared>`select channels.id, channels.name, other.priority, other.weight, other.model, other."group"
      from abilities own join abilities other on other.model = own.model and other."group" = own."group"
        join channels on channels.id = other.channel_id
      where own.channel_id = ${id} and other.channel_id <> ${id} and other.enabled = 1
        and channels.status = ${CHANNEL_STATUS.enabled} and channels.deleted_at is null
      order by other.priority desc, channels.id`.execute(db),
    db.selectFrom('abilities').select(['model', 'group']).where('channel_id', '=', id).execute(),
  ]);
  const byModel = Map.groupBy(shared.rows, ({ model }) => model);
  const served = new Set(shared.rows.map(({ model, group }) => `${group} ${model}`));
  const lost = own.filter(({ model, group }) => !served.has(`${group} ${model}`));
  return {
    all: distinct(shared.rows),
    of: (model) => distinct(byModel.get(model) ?? []).map(({ id: other, name }) => ({ id: other, name })),
    only: [...new Set(lost.map(({ model }) => model))].sort(),
  };
}

const distinct = (rows: readonly Shared[]) => [...new Map(rows.map((row) => [row.id, row])).values()];

export function placeOf(
  { priority, weight }: Pick<Row<'channels'>, 'priority' | 'weight'>,
  { all }: Neighbours,
): { priority_place: { place: number; of: number }; weight_share: number | null } {
  const priorities = [...new Set([priority, ...all.map((each) => each.priority)])].toSorted(
    (left, right) => right - left,
  );
  const beside = all.filter((each) => each.priority === priority);
  const weights = beside.reduce((sum, each) => sum + each.weight, weight);
  // Without weights all share evenly.
  const share = weights === 0 ? 1 / (beside.length + 1) : weight / weights;
  return {
    priority_place: { place: priorities.indexOf(priority) + 1, of: priorities.length },
    weight_share: beside.length === 0 ? null : share,
  };
}
