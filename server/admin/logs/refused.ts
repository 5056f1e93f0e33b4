// Calls that were refused before any attempt, as rows of the log. They are counted by minute, user, token, model and reason
// (server/relay/caller/refusals.ts): a row stands for `count` calls and lists the ids of the first of them.
import type { Language } from '#contract/language.ts';
import { LOG_TYPE, type LogView } from '#contract/admin/logs.ts';
import { requestIdSeconds } from '#contract/request-id.ts';
import { sql } from 'kysely';
import { MINUTE_SECONDS } from '#contract/time.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { withHolders } from './attribution.ts';
import { all, holderColumns, modelCondition, type Condition } from './conditions.ts';
import type { LogDependencies } from './dependencies.ts';
import type { HourFigures } from './hour-figures.ts';
import type { Scope } from './scope.ts';

/** A flooded minute has more rows than a reader can use. */
const MOST_CANDIDATES = 20;

type RefusedRow = Row<'refused_calls'>;

/** Filters that name what a refused call does not have (a channel) match nothing. */
function conditionOf(scope: Scope): Condition {
  const { from, to, userId, tokenIds, models, group } = scope;
  const conditions: Condition[] = [sql`minute > ${from - MINUTE_SECONDS} and minute <= ${to}`];
  if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
  if (tokenIds) conditions.push(sql`token_id in (${sql.join(tokenIds)})`);
  for (const [column, value] of holderColumns(scope)) conditions.push(sql`${sql.ref(column)} = ${value}`);
  if (models) conditions.push(modelCondition(models));
  if (group !== undefined) conditions.push(sql`"group" = ${group}`);
  const matchesNothing = [scope.channelId, scope.username, scope.tokenName, scope.tagText].some(
    (value) => value !== undefined,
  );
  if (matchesNothing) conditions.push(sql`1 = 0`);
  return all(conditions);
}

export interface RefusedPage {
  limit: number;
  offset: number;
  beforeId?: number | undefined;
  afterId?: number | undefined;
}

export async function readRefusedRows(
  { store }: LogDependencies,
  scope: Scope,
  { limit, offset, beforeId, afterId }: RefusedPage,
): Promise<RefusedRow[]> {
  if (scope.requestId !== undefined) return offset > 0 ? [] : await readRefusedByRequest(store.db, scope);
  const conditions = [conditionOf(scope)];
  if (beforeId !== undefined) conditions.push(sql`id < ${beforeId}`);
  if (afterId !== undefined) conditions.push(sql`id > ${afterId}`);
  const rows = store.db.selectFrom('refused_calls').selectAll().where(all(conditions));
  // A cursor is an id; numbered pages are in the order of time, which rows of another node may not have by id.
  const isNumbered = beforeId === undefined && afterId === undefined;
  return await (isNumbered ? rows.orderBy('minute', 'desc') : rows)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

/**
 * The row that lists the id. The id of a flood is not listed, but it holds its time: then the rows of that minute which
 * stand for more calls than they list.
 */
async function readRefusedByRequest(db: LogDependencies['store']['db'], scope: Scope): Promise<RefusedRow[]> {
  const id = scope.requestId ?? '';
  const seconds = requestIdSeconds(id);
  if (seconds === undefined) return [];
  const minute = seconds - (seconds % MINUTE_SECONDS);
  const rows = await db
    .selectFrom('refused_calls')
    .selectAll()
    .where('minute', '=', minute)
    .where(conditionOf({ ...scope, from: minute, to: minute }))
    .orderBy('count', 'desc')
    .execute();
  const listed = rows.filter(({ request_ids }) => request_ids.includes(id));
  if (listed.length > 0) return listed;
  return rows.filter((row) => row.count > listedIds(row).length).slice(0, MOST_CANDIDATES);
}

const listedIds = ({ request_ids }: RefusedRow): string[] => request_ids.split(',').filter(Boolean);

export async function countRefused(
  { store }: LogDependencies,
  scope: Scope,
): Promise<{ rows: number; calls: number }> {
  if (scope.requestId !== undefined) {
    const { length } = await readRefusedByRequest(store.db, scope);
    return { rows: length, calls: Math.min(length, 1) };
  }
  const { rows } = await sql<{ rows: number; calls: number }>`
    select count(*) as rows, cast(coalesce(sum(count), 0) as bigint) as calls
    from refused_calls where ${conditionOf(scope)}`.execute(store.db);
  return rows[0] ?? { rows: 0, calls: 0 };
}

/** Refused calls by hour, or by a shorter step, as failures. */
export async function readRefusedFigures(
  { store }: LogDependencies,
  scope: Scope,
  stepSeconds: number,
): Promise<Pick<HourFigures, 'hour' | 'errors'>[]> {
  const { rows } = await sql<{ hour: number; errors: number }>`
    select minute - minute % ${sql.lit(stepSeconds)} as hour, cast(sum(count) as bigint) as errors
    from refused_calls where ${conditionOf(scope)} group by 1 order by 1 desc`.execute(store.db);
  return rows;
}

export async function readRefusedViews(
  dependencies: LogDependencies,
  rows: readonly RefusedRow[],
  language: Language,
  wantedId?: string,
): Promise<LogView[]> {
  const [users, tokens] = await Promise.all([
    namesOf(dependencies, 'users', new Set(rows.map(({ user_id }) => user_id))),
    namesOf(dependencies, 'tokens', new Set(rows.map(({ token_id }) => token_id))),
  ]);
  const views = rows.map((row): LogView => {
    const ids = listedIds(row);
    const isListed = wantedId === undefined || ids.includes(wantedId);
    const { code, group, model_name, count } = row;
    return {
      id: row.id,
      created_at: row.minute,
      request_id: wantedId ?? ids[0] ?? '',
      type: LOG_TYPE.refused,
      user_id: row.user_id,
      username: users.get(row.user_id) ?? '',
      token_id: row.token_id,
      token_name: tokens.get(row.token_id) ?? '',
      model_name,
      upstream_model: '',
      channel: 0,
      channel_name: '',
      group,
      prompt_tokens: 0,
      completion_tokens: 0,
      quota: 0,
      use_time: 0,
      is_stream: false,
      estimated: false,
      ip: row.ip,
      content: dependencies.describeRefusal?.(code, language, { model: model_name, group }) ?? code,
      code,
      other: JSON.stringify({ refused: { code, count, request_ids: ids, is_listed: isListed } }),
    };
  });
  const attributed = rows.map((row) => ({ ...row, tags: '' }));
  return await withHolders(dependencies.store, attributed, views);
}

async function namesOf(
  { store }: LogDependencies,
  table: 'users' | 'tokens',
  ids: ReadonlySet<number>,
): Promise<Map<number, string>> {
  if (ids.size === 0) return new Map();
  const name = table === 'users' ? 'username' : 'name';
  const { rows } = await sql<{ id: number; name: string }>`
    select id, ${sql.ref(name)} as name from ${sql.table(table)} where id in (${sql.join([...ids])})`.execute(
    store.db,
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
