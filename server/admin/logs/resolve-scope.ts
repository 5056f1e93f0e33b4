// Resolves the names of a filter: a username to an account and a token name to tokens, because indexes and the hourly
// figures know ids. A name that no account or token has today is compared with the name in the rows.
import { failureCause, publicContent } from '#contract/relay/failure-cause.ts';
import type { FailureCause } from '#contract/relay/failures.ts';
import type { AdminLogFilter } from '#contract/admin/log-filter.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { accountOf, onlyMemberOf, type RequestContext } from '#server/admin/context.ts';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { isFailed, logsBy, timeCondition } from './conditions.ts';
import type { LogDependencies } from './dependencies.ts';
import { fitsPattern, isPattern, modelPatterns } from './model-patterns.ts';
import type { Scope } from './scope.ts';

const END_OF_TIME = 253_402_300_799;
/** Up to this many tokens of one name are compared by id, more by name. */
const MOST_TOKEN_IDS = 500;
/** A content is a status with a code, or a word; there are few different ones. */
const MOST_CONTENTS = 5000;

/** Only rows of this account, and of an organization perhaps only those of one member. */
export interface LogOwner {
  userId: number;
  memberId: number | undefined;
}

/** In a call of the verbs for all, of nobody. */
export function ownerOf(context: RequestContext, whose: 'all' | 'self'): LogOwner | undefined {
  return whose === 'all' ? undefined : { userId: accountOf(context).id, memberId: onlyMemberOf(context) };
}

export async function scopeOf(
  { store }: LogDependencies,
  filter: AdminLogFilter,
  owner?: LogOwner,
): Promise<Scope> {
  const { db } = store;
  const scope: Scope = {
    from: filter.start_timestamp ?? 0,
    to: filter.end_timestamp ?? END_OF_TIME,
    type: filter.type,
  };
  if (owner !== undefined) scope.userId = owner.userId;
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
  const memberId = owner?.memberId ?? filter.member_id;
  if (memberId !== undefined) scope.memberId = memberId;
  if (filter.service_account_id !== undefined) scope.serviceAccountId = filter.service_account_id;
  if (filter.project_id !== undefined) scope.projectId = filter.project_id;
  if (filter.tag !== undefined) scope.tagText = tagText(filter.tag);
  if (filter.channel !== undefined) scope.channelId = filter.channel;
  if (filter.group !== undefined) scope.group = filter.group;
  if (filter.request_id !== undefined) scope.requestId = filter.request_id;
  if (filter.cause === 'refused') {
    scope.type = LOG_TYPE.refused;
  } else if (filter.cause !== undefined) {
    if (scope.type === LOG_TYPE.all) scope.type = LOG_TYPE.error;
    scope.contents = await contentsOf(store, scope, filter.cause, owner !== undefined);
  }
  return scope;
}

/** As rows have it. JSON puts a backslash before a quote inside of a value, so no value contains this text. */
function tagText(tag: string): string {
  const [key = '', ...value] = tag.split('=');
  const name = `${JSON.stringify(key.trim().toLowerCase())}:`;
  return value.length === 0 ? name : name + JSON.stringify(value.join('=').trim());
}

/** The contents of failed calls in the range that have this cause. Only `failureCause` can classify a content, not SQL. */
async function contentsOf(
  store: Store,
  { from, to }: Scope,
  cause: FailureCause,
  isOwn: boolean,
): Promise<string[]> {
  const { rows } = await sql<{ content: string }>`
    select distinct content from ${logsBy('logs_failed', store)}
    where ${isFailed} and ${timeCondition(from, to)} limit ${MOST_CONTENTS}`.execute(store.db);
  const read = (content: string) => failureCause(isOwn ? publicContent(content) : content);
  return rows.map(({ content }) => content).filter((content) => read(content) === cause);
}

/** Every model name of the figures that matches a pattern; a loose index scan, one step per name. */
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
