// What calls cost beyond their holds in a span of days: entries of the ledger, found by an index that contains nothing else.
import { sql } from 'kysely';
import { HOLD_EXCESS_MOST_CALLS, type HoldExcess, type MarginQuery } from '#contract/money/margins.ts';
import { ABOVE_HOLD_KIND, SUSPENSE_KIND } from '#server/money/ledger/idempotency.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Range } from './hours.ts';

type ExcessRow = Omit<HoldExcess['newest'][number], 'username'> & {
  calls: number;
  all_paid: number;
  all_unpaid: number;
};

/** Null: the ledger has no channel, supplier, model and group. */
export async function readHoldExcess(
  { db }: Store,
  { start, end }: Range,
  { channel, supplier, model, group, user }: MarginQuery,
): Promise<HoldExcess | null> {
  if ([channel, supplier, model, group].some((filter) => filter !== undefined)) return null;
  const { rows } = await excessOf({ first: start, end, user }).execute(db);
  const { calls = 0, all_paid: paid = 0, all_unpaid: unpaid = 0 } = rows[0] ?? {};
  const names = await namesOf(
    db,
    rows.map(({ user_id }) => user_id),
  );
  const newest = rows.map((row) => ({
    request_id: row.request_id,
    user_id: row.user_id,
    username: names.get(row.user_id) ?? '',
    created_at: row.created_at,
    paid: row.paid,
    unpaid: row.unpaid,
  }));
  return { calls, paid, unpaid, newest };
}

async function namesOf(db: Store['db'], ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const users = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(users.map(({ id, username }) => [id, username]));
}

/** A late settlement may have taken a part back: then the accounts are the other way round. */
const sumOf = (kind: string, account: string) => sql`cast(sum(case when kind <> ${kind} then 0
  when debit_account = ${account} then amount else -amount end) as bigint)`;

/** The kinds are written out: SQLite uses a partial index only for a condition without parameters. */
export const excessOf = ({ first, end, user }: { first: number; end: number; user: number | undefined }) =>
  sql<ExcessRow>`
    select request_id, user_id, created_at, paid, unpaid, count(*) over () as calls,
      cast(sum(paid) over () as bigint) as all_paid, cast(sum(unpaid) over () as bigint) as all_unpaid
    from (
      select reference as request_id, user_id, max(created_at) as created_at, max(id) as last_id,
        ${sumOf(ABOVE_HOLD_KIND, 'world:above-hold')} as paid, ${sumOf(SUSPENSE_KIND, 'suspense')} as unpaid
      from ledger
      where kind in (${sql.lit(SUSPENSE_KIND)}, ${sql.lit(ABOVE_HOLD_KIND)})
        and created_at >= ${first} and created_at < ${end}
        ${user === undefined ? sql`` : sql`and user_id = ${user}`}
      group by reference, user_id) as calls
    where paid <> 0 or unpaid <> 0
    order by last_id desc limit ${HOLD_EXCESS_MOST_CALLS}`;
