// Who spent most in a span: the caller's tokens, and for administrators the users.
import type { Handler } from '#server/admin/context.ts';
import { RANKED, type dashboard, type RankedRow } from '#contract/admin/dashboard.ts';
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
