// A scope as SQL conditions on the log rows, and on the hourly figures where they have the column.
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { isPattern, likePattern } from './model-patterns.ts';
import type { Scope } from './scope.ts';

export type Condition = RawBuilder<SqlBool>;

/** The exact text of the partial index's condition; with another text the database would not use the index. */
export const isRareType = sql<SqlBool>`type not in (2, 5)`;
export const isFailed = sql<SqlBool>`type = 5`;
export const isNamedGroup = sql<SqlBool>`"group" <> 'default'`;

/**
 * Forces an index on SQLite, which has no statistics about how few rows a partial index holds; PostgreSQL chooses by
 * itself.
 */
export function logsBy(
  index: 'logs_rare' | 'logs_group' | 'logs_failed',
  { dialect }: Pick<Store, 'dialect'>,
): RawBuilder<unknown> {
  return dialect === 'sqlite' ? sql`logs indexed by ${sql.ref(index)}` : sql`logs`;
}

export function isRare(type: number): boolean {
  return type !== LOG_TYPE.all && type !== LOG_TYPE.consumption && type !== LOG_TYPE.error;
}

export function all(conditions: readonly Expression<SqlBool>[]): Condition {
  return conditions.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
}

export function any(conditions: readonly Expression<SqlBool>[]): Condition {
  return conditions.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;
}

function numbers(values: readonly number[]): RawBuilder<unknown> {
  return sql`(${sql.join(values)})`;
}

export function modelCondition(models: readonly string[]): Condition {
  const exact = models.filter((name) => !isPattern(name));
  const patterns = models.filter(isPattern);
  return any([
    ...(exact.length > 0 ? [sql<SqlBool>`model_name in (${sql.join(exact)})`] : []),
    ...patterns.map(
      (pattern) => sql<SqlBool>`lower(model_name) like lower(${likePattern(pattern)}) escape '\\'`,
    ),
  ]);
}

/** Conditions on columns that rows and hourly figures both have. */
function cellConditions(scope: Scope, models: readonly string[] | undefined): Condition[] {
  const conditions: Condition[] = [];
  if (scope.userId !== undefined) conditions.push(sql`user_id = ${scope.userId}`);
  if (scope.tokenIds) conditions.push(sql`token_id in ${numbers(scope.tokenIds)}`);
  if (models) conditions.push(modelCondition(models));
  if (scope.channelId !== undefined) conditions.push(sql`channel_id = ${scope.channelId}`);
  return conditions;
}

/** All conditions except the time. */
export function rowConditions(scope: Scope): Condition[] {
  const conditions = cellConditions(scope, scope.models);
  if (scope.requestId !== undefined) conditions.push(sql`request_id = ${scope.requestId}`);
  if (scope.type !== LOG_TYPE.all) conditions.push(sql`type = ${scope.type}`);
  if (isRare(scope.type)) conditions.push(isRareType);
  for (const [column, value] of holderColumns(scope)) conditions.push(sql`${sql.ref(column)} = ${value}`);
  // Case counts; LIKE compares without it on SQLite.
  if (scope.tagText !== undefined) conditions.push(sql`replace(tags, ${scope.tagText}, '') <> tags`);
  if (scope.username !== undefined) conditions.push(sql`username = ${scope.username}`);
  if (scope.tokenName !== undefined) conditions.push(sql`token_name = ${scope.tokenName}`);
  if (scope.group !== undefined) {
    conditions.push(sql`"group" = ${scope.group}`);
    if (scope.group !== 'default') conditions.push(isNamedGroup);
  }
  if (scope.contents) {
    conditions.push(isFailed);
    conditions.push(scope.contents.length > 0 ? sql`content in (${sql.join(scope.contents)})` : sql`1 = 0`);
  }
  return conditions;
}

/** The columns of rows and of tokens that say whose a call was, and the values that are asked for. */
export function holderColumns(scope: Scope): (readonly [string, number])[] {
  const { memberId, serviceAccountId, projectId } = scope;
  const asked = { member_id: memberId, service_account_id: serviceAccountId, project_id: projectId };
  return Object.entries(asked).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  );
}

export function timeCondition(from: number, to: number): Condition {
  return sql`created_at >= ${from} and created_at <= ${to}`;
}

export function rowCondition(scope: Scope): Condition {
  return all([timeCondition(scope.from, scope.to), ...rowConditions(scope)]);
}

/** On `usage_hours`: every hour that holds a match, and perhaps others. */
export function hourCondition(scope: Scope): Condition {
  const first = scope.from - (scope.from % HOUR_SECONDS);
  return all([
    sql`hour >= ${first} and hour <= ${scope.to}`,
    ...cellConditions(scope, scope.modelNames ?? scope.models),
  ]);
}
