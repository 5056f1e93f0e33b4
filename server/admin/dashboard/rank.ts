// Who spent most in a span: the caller's tokens, the holders of an organization's tokens, and for administrators the users.
import type { Handler } from '#server/admin/context.ts';
import { RANKED, type dashboard, type RankedHolders, type RankedRow } from '#contract/admin/dashboard.ts';
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';
import { ownerIn, ownsCell, type FigureOwner } from './owner.ts';
import { anySpan, ownSpan, type Span } from './span.ts';

const total = (expression: string) => sql<number>`cast(sum(${sql.raw(expression)}) as bigint)`;

async function readRanking(
  store: Store,
  by: 'token_id' | 'user_id',
  { from, to }: Span,
  owner: FigureOwner | undefined,
): Promise<Omit<RankedRow, 'name'>[]> {
  let query = store.db
    .selectFrom('usage_hours')
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
  if (owner !== undefined) query = query.where(ownsCell(owner));
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

const HOLDERS = {
  members: ['member_id', 'users', 'username'],
  service_accounts: ['service_account_id', 'service_accounts', 'name'],
  projects: ['project_id', 'projects', 'name'],
} as const;

/** By the holders and projects that the tokens have today, also deleted tokens. */
export function rankHolders(store: Store): Handler<typeof dashboard.holders> {
  return async ({ query }, context) => {
    const owner = ownerIn(context);
    const { from, to } = ownSpan(query);
    const rank = async ([by, table, column]: (typeof HOLDERS)[keyof RankedHolders]) => {
      const found = await sql<RankedRow>`
        select named.id as id, named.${sql.ref(column)} as name, ${total('hours.count')} as count,
          ${total('hours.quota')} as quota,
          ${total('hours.prompt_tokens + hours.completion_tokens')} as token_used,
          ${total('hours.error_count')} as error_count
        from usage_hours as hours
        join tokens on tokens.id = hours.token_id and tokens.user_id = hours.user_id
        join ${sql.table(table)} as named on named.id = ${sql.ref(`tokens.${by}`)}
        where hours.user_id = ${owner.userId} and hours.hour >= ${from} and hours.hour <= ${to}
          ${owner.memberId === undefined ? sql`` : sql`and tokens.member_id = ${owner.memberId}`}
        group by named.id, named.${sql.ref(column)}
        order by sum(hours.quota) desc, named.id
        limit ${RANKED}`.execute(store.db);
      return found.rows;
    };
    const [members, service_accounts, projects] = await Promise.all([
      rank(HOLDERS.members),
      rank(HOLDERS.service_accounts),
      rank(HOLDERS.projects),
    ]);
    return { members, service_accounts, projects };
  };
}

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
