// Who spent most in a span: the caller's tokens, the holders of an organization's tokens, and for administrators the users.
import type { Handler, RequestContext } from '#server/admin/context.ts';
import {
  readHolderSums,
  type HolderFigures,
  type HolderGroup,
  type HolderQuestion,
  type HolderSum,
} from '#server/money/sums/holders.ts';
import { RANKED, type dashboard, type RankedRow } from '#contract/admin/dashboard.ts';
import { AppError } from '#contract/errors.ts';
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { hoursTable, ownerIn, ownsHour, type FigureOwner } from './owner.ts';
import { anySpan, ownSpan, type Span } from './span.ts';

const total = (expression: string) => sql<number>`cast(sum(${sql.raw(expression)}) as bigint)`;

async function readRanking(
  store: Store,
  by: 'token_id' | 'user_id',
  { from, to }: Span,
  owner: FigureOwner | undefined,
): Promise<Omit<RankedRow, 'name'>[]> {
  let query = store.db
    .selectFrom(hoursTable(owner))
    .select([
      `${by} as id`,
      total('count').as('count'),
      total('quota').as('quota'),
      total('prompt_tokens + completion_tokens').as('token_used'),
      total('error_count').as('error_count'),
    ])
    .where('hour', '>=', from)
    .where('hour', '<=', to)
    .groupBy(by)
    .orderBy(sql`sum(quota)`, 'desc')
    .orderBy(by)
    .limit(RANKED);
  if (owner !== undefined) query = query.where(ownsHour(owner));
  return await query.execute();
}

/** Calls of the playground have no token: id 0, no name. */
export function rankTokens(store: Store): Handler<typeof dashboard.tokens> {
  return async ({ query }, context) => {
    const owner = ownerIn(context);
    const rows = await readRanking(store, 'token_id', ownSpan(query), owner);
    const names = await namesOf(store, 'tokens', rows, 'name', owner.userId);
    return rows.map((row) => ({ ...row, name: names.get(row.id) ?? '' }));
  };
}

const HOLDERS = { members: 'member', service_accounts: 'service_account', projects: 'project' } as const;

/** By whom and what the calls were made for, also those who have left. */
export function rankHolders(store: Store): Handler<typeof dashboard.holders> {
  return async ({ query }, context) => {
    const rank = async (by: HolderGroup): Promise<RankedRow[]> => {
      const { rows } = await readHolderSums(store, questionOf(query, context, { by, limit: RANKED }));
      return rows.map(rankedOf);
    };
    const [members, service_accounts, projects] = await Promise.all([
      rank(HOLDERS.members),
      rank(HOLDERS.service_accounts),
      rank(HOLDERS.projects),
    ]);
    return { members, service_accounts, projects };
  };
}

/** With what is not listed, so that the rows add up to what was charged. */
export function groupUsage(store: Store): Handler<typeof dashboard.groups> {
  return async ({ query }, context) => {
    const { by, tag, limit } = query;
    if (by === 'tag' && tag === '') throw new AppError('tag_key_not_allowed', { key: '' }, { field: 'tag' });
    const asked = { by, tagKey: tag, limit };
    const { rows, others, none, total: sum } = await readHolderSums(store, questionOf(query, context, asked));
    const rest = (figures: HolderFigures) => rankedOf({ id: 0, name: '', ...figures });
    return { rows: rows.map(rankedOf), others: rest(others), none: rest(none), total: rest(sum) };
  };
}

function questionOf(
  query: Parameters<typeof ownSpan>[0],
  context: RequestContext,
  asked: Pick<HolderQuestion, 'by' | 'tagKey' | 'limit'>,
): HolderQuestion {
  const { from, to } = ownSpan(query);
  return { ...ownerIn(context), ...asked, from, to: to + 1 };
}

const rankedOf = ({ id, name, count, quota, error_count, ...tokens }: HolderSum): RankedRow => ({
  id,
  name,
  count,
  quota,
  token_used: tokens.prompt_tokens + tokens.completion_tokens,
  error_count,
});

export function rankUsers(store: Store): Handler<typeof dashboard.users> {
  return async ({ query }) => {
    const rows = await readRanking(store, 'user_id', anySpan(query), undefined);
    const names = await namesOf(store, 'users', rows, 'username', undefined);
    return rows.map((row) => ({ ...row, name: names.get(row.id) ?? '' }));
  };
}

async function namesOf(
  store: Store,
  table: 'tokens' | 'users',
  rows: readonly { id: number }[],
  column: 'name' | 'username',
  ownerId: number | undefined,
): Promise<Map<number, string>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map((row) => row.id);
  const owned = ownerId === undefined ? sql`` : sql` and user_id = ${ownerId}`;
  const found = await sql<{ id: number; name: string }>`
    select id, ${sql.ref(column)} as name from ${sql.table(table)} where id in (${sql.join(ids)})${owned}`.execute(
    store.db,
  );
  return new Map(found.rows.map((row) => [row.id, row.name]));
}
