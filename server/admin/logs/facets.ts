// Suggestions for the filters, from the hourly figures of the range, most used first.
import { HOUR_SECONDS } from '#contract/time.ts';
import { accountOf, type Handler } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { LogFacets, logs } from '#contract/admin/logs.ts';
import { sql, type RawBuilder } from 'kysely';
import type { LogDependencies } from './dependencies.ts';
import { ownerOf, type LogOwner } from './resolve-scope.ts';

const MOST = 200;
/** All of them, as far as a list can be used: the operator looks for one by its name. */
const MOST_CHANNELS = 1000;
/** Suggestions cover at most a month. */
const MOST_SECONDS = 31 * 86_400;

export function facetsOfLogs(
  dependencies: LogDependencies,
  whose: 'all' | 'self',
): Handler<typeof logs.facets> {
  return async ({ query }, context) => {
    const { db } = dependencies.store;
    const account = accountOf(context);
    const owner = ownerOf(context, whose);
    const to = Math.min(query.end_timestamp ?? Number.MAX_SAFE_INTEGER, nowSeconds(dependencies));
    const from = Math.max((query.start_timestamp ?? 0) - HOUR_SECONDS, to - MOST_SECONDS);
    const range = sql`hour > ${from} and hour <= ${to}`;
    const { used, hours } = sourceOf(owner, range);
    const weight = sql`sum(count + error_count)`;
    const models = sql<{ name: string }>`
      select model_name as name from ${hours} where ${used} and model_name <> ''
      group by model_name order by ${weight} desc limit ${MOST}`.execute(db);
    const tokens = sql<{ name: string }>`
      select t.name from (select token_id, ${weight} as weight from ${hours} where ${used} group by token_id) u
      join tokens t on t.id = u.token_id group by t.name order by sum(u.weight) desc limit ${MOST}`.execute(
      db,
    );
    const { GroupRatio, UserUsableGroups } = dependencies.settings.current;
    const groups =
      whose === 'all'
        ? Object.keys(GroupRatio)
        : [...new Set([account.group, ...Object.keys(UserUsableGroups)])];
    return {
      models: (await models).rows.map(({ name }) => name),
      tokens: (await tokens).rows.map(({ name }) => name),
      groups,
      channels: whose === 'all' ? await channelsOf(dependencies) : [],
      tags:
        owner === undefined || context.organization === undefined
          ? []
          : await tagsOf(dependencies, owner, range),
    };
  };
}

/** Of one member: what they called with the keys that they had then. */
function sourceOf(owner: LogOwner | undefined, range: RawBuilder<unknown>) {
  if (owner === undefined) return { hours: sql`usage_hours`, used: range };
  const { userId, memberId } = owner;
  if (memberId === undefined) return { hours: sql`usage_hours`, used: sql`${range} and user_id = ${userId}` };
  const own = sql`${range} and user_id = ${userId} and tag_key = '' and member_id = ${memberId}`;
  return { hours: sql`holder_hours`, used: own };
}

async function tagsOf(
  { store }: LogDependencies,
  { userId, memberId }: LogOwner,
  range: RawBuilder<unknown>,
): Promise<string[]> {
  const ofMember = memberId === undefined ? sql`` : sql`and member_id = ${memberId}`;
  const { rows } = await sql<{ tag: string }>`
    select tag_key || '=' || tag_value as tag from holder_hours
    where user_id = ${userId} and tag_key > '' and ${range} ${ofMember}
    group by tag_key, tag_value order by sum(count + error_count) desc, tag_key, tag_value limit ${MOST}`.execute(
    store.db,
  );
  return rows.map(({ tag }) => tag);
}

async function channelsOf({ store }: LogDependencies): Promise<LogFacets['channels']> {
  return await store.db
    .selectFrom('channels')
    .select(['id', 'name'])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(MOST_CHANNELS)
    .execute();
}
