// A filter with its names resolved. A username means an account and a token name means tokens, so that indexes and the
// hourly figures, which know ids, can be used; a name nobody has today is compared with what the rows say.
import { failureCause, type FailureCause } from '#contract/failures.ts';
import { LOG_TYPE, type AdminLogFilter } from '#contract/logs.ts';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';
import { isFailed, logsBy, timeCondition } from './conditions.ts';
import type { LogDependencies } from './dependencies.ts';
import { fitsPattern, isPattern, modelPatterns } from './model-patterns.ts';

export interface Scope {
  /** Inclusive unix seconds. */
  from: number;
  to: number;
  type: number;
  userId?: number;
  /** Only when no account has this name. */
  username?: string;
  tokenIds?: readonly number[];
  /** Only when no token has this name. */
  tokenName?: string;
  /** Exact names, or patterns with `%`. */
  models?: readonly string[];
  /** The same as names the hourly figures know; only when there are patterns. */
  modelNames?: readonly string[];
  channelId?: number;
  group?: string;
  requestId?: string;
  /** What failed calls of one cause say; such a scope holds nothing else. */
  contents?: readonly string[];
}

const END_OF_TIME = 253_402_300_799;
/** As many tokens of one name are looked up one by one; beyond that the name is compared. */
const MOST_TOKEN_IDS = 500;
/** Contents are a status with a code, or a word: there are never many. */
const MOST_CONTENTS = 5000;

/** `ownerId`: only rows of this user exist. */
export async function scopeOf(
  { store }: LogDependencies,
  filter: AdminLogFilter,
  ownerId?: number,
): Promise<Scope> {
  const { db } = store;
  const scope: Scope = {
    from: filter.start_timestamp ?? 0,
    to: filter.end_timestamp ?? END_OF_TIME,
    type: filter.type,
  };
  if (ownerId !== undefined) scope.userId = ownerId;
  else if (filter.username !== undefined) {
    const user = await db
      .selectFrom('users')
      .select('id')
      .where('username', '=', filter.username)
      .executeTakeFirst();
    if (user) scope.userId = user.id;
    else scope.username = filter.username;
  }
  if (filter.token_name !== undefined) {
    let query = db.selectFrom('tokens').select('id').where('name', '=', filter.token_name);
    if (scope.userId !== undefined) query = query.where('user_id', '=', scope.userId);
    const tokens = await query.limit(MOST_TOKEN_IDS + 1).execute();
    if (tokens.length > 0 && tokens.length <= MOST_TOKEN_IDS)
      scope.tokenIds = tokens.map(({ id }) => id).toSorted((left, right) => left - right);
    else scope.tokenName = filter.token_name;
  }
  if (filter.model_name !== undefined) {
    const models = modelPatterns(filter.model_name);
    if (models) scope.models = models;
    if (models?.some(isPattern)) scope.modelNames = await namesLike(db, models);
  }
  if (filter.channel !== undefined) scope.channelId = filter.channel;
  if (filter.group !== undefined) scope.group = filter.group;
  if (filter.request_id !== undefined) scope.requestId = filter.request_id;
  if (filter.cause !== undefined) {
    if (scope.type === LOG_TYPE.all) scope.type = LOG_TYPE.error;
    scope.contents = await contentsOf(store, scope, filter.cause);
  }
  return scope;
}

/** What failures of the range said, as far as it means this cause. The sentence decides, and only code can read it. */
async function contentsOf(store: Store, { from, to }: Scope, cause: FailureCause): Promise<string[]> {
  const { rows } = await sql<{ content: string }>`
    select distinct content from ${logsBy('logs_failed', store)}
    where ${isFailed} and ${timeCondition(from, to)} limit ${MOST_CONTENTS}`.execute(store.db);
  return rows.map(({ content }) => content).filter((content) => failureCause(content) === cause);
}

/** Every name that was ever called, found by one step of the index each, against the patterns. */
async function namesLike(db: Kysely<Schema>, models: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string | null }>`
    with recursive names(name) as (
      select min(model_name) from usage_hours
      union all
      select (select min(model_name) from usage_hours where model_name > names.name)
      from names where names.name is not null
    ) select name from names where name is not null limit 5000`.execute(db);
  return rows.flatMap(({ name }) =>
    name !== null && models.some((model) => fitsPattern(name, model)) ? [name] : [],
  );
}

/** Filters the hourly figures can answer as well as the rows. */
export function hasCellFilter(scope: Scope): boolean {
  return scope.tokenIds !== undefined || scope.models !== undefined || scope.channelId !== undefined;
}

/** Filters only the rows themselves can answer. */
export function hasNameFilter(scope: Scope): boolean {
  return scope.username !== undefined || scope.tokenName !== undefined;
}

export function withoutNames(scope: Scope): Scope {
  const { username: _, tokenName: __, ...others } = scope;
  return others;
}
