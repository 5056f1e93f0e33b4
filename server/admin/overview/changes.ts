// What changed for a customer and cannot be cured by them: models that are off, prices that moved, new models, announcements.
// Nothing here names a channel.
import { sql } from 'kysely';
import { CHANGE_DAYS, type OverviewChange } from '#contract/admin/overview.ts';
import { CHANNEL_STATUS, channelOtherInfo } from '#contract/relay/channel-fields.ts';
import type { Caller } from '#contract/context.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import { familyName } from '#server/relay/channel-choice/catalog.ts';
import type { OverviewDependencies } from './dependencies.ts';
import { readMovedPrices } from './price-moves.ts';

const USED_DAYS = 30;
const MOST_CHANGES = 20;
const MOST_MODELS = 200;

export interface UsedModel {
  model: string;
  calls: number;
}

export async function readChanges(
  dependencies: OverviewDependencies,
  caller: Caller,
): Promise<OverviewChange[]> {
  const now = nowSeconds(dependencies);
  const since = now - CHANGE_DAYS * DAY_SECONDS;
  const [used, offered] = await Promise.all([
    readUsedModels(dependencies, caller.id, now - USED_DAYS * DAY_SECONDS),
    readOfferedModels(dependencies.store),
  ]);
  const groups = usableGroups(dependencies, caller);
  const mine = new Set(offered.filter(({ group }) => groups.has(group)).map(({ model }) => model));
  const isOn = (model: string): boolean => mine.has(model) || mine.has(familyName(model));
  const changes = await Promise.all([
    offModels(
      dependencies,
      used.filter(({ model }) => !isOn(model)),
      groups,
    ),
    readMovedPrices(dependencies, used.map(({ model }) => model).filter(isOn), caller.group, since),
    newModels(dependencies, groups, since),
    announcements(dependencies, since, now),
  ]);
  return changes
    .flat()
    .toSorted((left, right) => right.at - left.at)
    .slice(0, MOST_CHANGES);
}

async function readUsedModels(
  { store: { db } }: OverviewDependencies,
  userId: number,
  since: number,
): Promise<UsedModel[]> {
  const { rows } = await sql<UsedModel>`
    select model_name as model, cast(sum(count) as bigint) as calls from usage_hours
    where user_id = ${userId} and hour >= ${since} group by model_name having sum(count) > 0
    order by sum(count) desc, model_name limit ${MOST_MODELS}`.execute(db);
  return rows;
}

/** The caller's own and those open to users; a group without a ratio cannot be called. */
function usableGroups({ settings }: OverviewDependencies, { group }: Caller): Set<string> {
  const { UserUsableGroups, GroupRatio } = settings.current;
  return new Set([group, ...Object.keys(UserUsableGroups)].filter((name) => Object.hasOwn(GroupRatio, name)));
}

/** Since the last channel that offered it switched itself off. */
async function offModels(
  { store: { db } }: OverviewDependencies,
  off: readonly UsedModel[],
  groups: ReadonlySet<string>,
): Promise<OverviewChange[]> {
  if (off.length === 0 || groups.size === 0) return [];
  const rows = await db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select(['abilities.model', 'channels.other_info'])
    .where('channels.status', '=', CHANNEL_STATUS.autoDisabled)
    .where('channels.deleted_at', 'is', null)
    .where('abilities.group', 'in', [...groups])
    .execute();
  const sinceOf = new Map<string, number>();
  for (const { model, other_info } of rows)
    sinceOf.set(model, Math.max(sinceOf.get(model) ?? 0, channelOtherInfo(other_info).status_time ?? 0));
  return off.map(({ model, calls }) => ({
    kind: 'model_off',
    at: sinceOf.get(model) ?? sinceOf.get(familyName(model)) ?? 0,
    model,
    calls,
  }));
}

/** Offered only by channels that were added lately, where the site itself is older. */
async function newModels(
  { store: { db } }: OverviewDependencies,
  groups: ReadonlySet<string>,
  since: number,
): Promise<OverviewChange[]> {
  if (groups.size === 0) return [];
  const { rows } = await sql<{ model: string; group: string; at: number }>`
    select abilities.model, min(abilities."group") as "group", min(channels.created_time) as at
    from abilities join channels on channels.id = abilities.channel_id
    where abilities.enabled = 1 and channels.status = ${CHANNEL_STATUS.enabled} and channels.deleted_at is null
      and abilities."group" in (${sql.join([...groups])})
    group by abilities.model having min(channels.created_time) >= ${since}
      and exists (select 1 from channels as older where older.created_time < ${since} and older.deleted_at is null)
    order by at desc, abilities.model limit 5`.execute(db);
  return rows.map(({ model, group, at }) => ({ kind: 'model_new', at, model, group }));
}

async function announcements(
  { store: { db } }: OverviewDependencies,
  since: number,
  now: number,
): Promise<OverviewChange[]> {
  const rows = await db
    .selectFrom('announcements')
    .select(['id', 'title', 'title_en', 'level', 'created_at', 'from_at'])
    .where('from_at', '<=', now)
    .where((where) => where.or([where('until_at', '=', 0), where('until_at', '>', now)]))
    .where((where) => where.or([where('created_at', '>=', since), where('from_at', '>=', since)]))
    .orderBy('id', 'desc')
    .limit(5)
    .execute();
  return rows.map(({ id, title, title_en, level, created_at, from_at }) => ({
    kind: 'announcement',
    at: Math.max(created_at, from_at),
    id,
    title,
    title_en,
    level,
  }));
}
