// Sums over slices of the ledger. The ledger is append-only, so what was summed once stays summed.
import { sql, type RawBuilder } from 'kysely';
import { LATE_REFERENCE } from '#server/money/ledger/engine/late.ts';
import { RERATE_CREDIT_KIND, RERATE_DEBIT_KIND } from '#server/money/ledger/idempotency.ts';
import type { AuditSource, Slice } from './breach.ts';

/** The sums of one user in one month of a slice. */
export interface SliceSum {
  user_id: number;
  /** YYYYMM, UTC. */
  month: number;
  entries: number;
  balance: number;
  /** Charges less refunds, with what re-rating changed. */
  used: number;
  aff: number;
  /** Of the accounts of the user's subscriptions. */
  plan: number;
  dividend: number;
  /** What the hourly figures count: charges, what late settlements gave back, and what re-rating changed. */
  charged: number;
}

/** The sums of several slices. */
export class SumsByUser {
  readonly #sums = new Map<string, SliceSum>();

  add(sums: readonly SliceSum[]): void {
    for (const sum of sums) {
      const key = `${sum.user_id} ${sum.month}`;
      const known = this.#sums.get(key);
      if (known === undefined) this.#sums.set(key, { ...sum });
      else
        for (const name of ['entries', 'balance', 'used', 'aff', 'plan', 'dividend', 'charged'] as const)
          known[name] += sum[name];
    }
  }

  /** By user and month. */
  sorted(): SliceSum[] {
    return [...this.#sums.values()].toSorted(
      (one, other) => one.user_id - other.user_id || one.month - other.month,
    );
  }
}

/** Σ in − Σ out of the user's account of this name. */
const moved = (prefix: 'user' | 'aff' | 'agent'): RawBuilder<number> => sql`case
  when credit_account = ${sql.lit(`${prefix}:`)} || user_id then amount
  when debit_account = ${sql.lit(`${prefix}:`)} || user_id then -amount else 0 end`;

/** What a ledger row adds to each sum. */
export const effects = {
  balance: moved('user'),
  used: sql<number>`case kind when 'use' then amount when 'refund' then -amount
    when ${sql.lit(RERATE_DEBIT_KIND)} then amount when ${sql.lit(RERATE_CREDIT_KIND)} then -amount else 0 end`,
  aff: moved('aff'),
  plan: sql<number>`case when credit_account like 'plan:%' then amount
    when debit_account like 'plan:%' then -amount else 0 end`,
  dividend: moved('agent'),
  charged: sql<number>`case when kind = 'use' then amount
    when kind = 'refund' and reference = ${sql.lit(LATE_REFERENCE)} then -amount
    when kind = ${sql.lit(RERATE_DEBIT_KIND)} then amount when kind = ${sql.lit(RERATE_CREDIT_KIND)} then -amount else 0 end`,
};

/** A row with an impossible date is counted in the first or last month there is. */
const monthOf = ({ dialect }: AuditSource) =>
  dialect === 'sqlite'
    ? sql<number>`cast(strftime('%Y%m', min(max(created_at, 0), 253402300799), 'unixepoch') as integer)`
    : sql<number>`cast(to_char(to_timestamp(least(greatest(created_at, 0), 253402300799)) at time zone 'UTC', 'YYYYMM') as bigint)`;

/** One statement; `userIds` limits it to these users. */
export async function readSums(
  source: AuditSource,
  { from, through }: Slice,
  userIds?: readonly number[],
): Promise<SliceSum[]> {
  const ofUsers =
    userIds === undefined
      ? sql`user_id > 0`
      : sql`user_id in (${sql.join(userIds.map((id) => sql.lit(id)))})`;
  const { rows } = await sql<SliceSum>`
    select user_id, ${monthOf(source)} as month, count(*) as entries, sum(${effects.balance}) as balance,
      sum(${effects.used}) as used, sum(${effects.aff}) as aff, sum(${effects.plan}) as plan,
      sum(${effects.dividend}) as dividend, sum(${effects.charged}) as charged
    from ledger where id > ${from} and id <= ${through} and ${ofUsers}
    group by user_id, 2 order by user_id, 2`.execute(source.db);
  return rows;
}

/**
 * Up to which id every row is committed. SQLite has one writer, so ids appear in order. On PostgreSQL a transaction may
 * commit after one with higher ids, but it has the ledger's lock for writing before it draws an id and keeps it until it
 * ends: the highest visible row is safe once every transaction that has that lock afterwards has ended. When one runs for long
 * the answer is 0, and what can be summed is summed next time. The same holds for the log.
 */
export async function readSettledTop(
  source: AuditSource,
  table: 'ledger' | 'logs' = 'ledger',
): Promise<number> {
  const { rows } = await sql<{ top: number | null }>`select max(id) as top from ${sql.table(table)}`.execute(
    source.db,
  );
  const top = rows[0]?.top ?? 0;
  if (source.dialect === 'sqlite' || top === 0) return top;
  let writers = await writersOf(source, table);
  for (let round = 0; writers.length > 0; round += 1) {
    if (round === PATIENCE_ROUNDS) return 0;
    await Bun.sleep(PATIENCE_MS);
    const living = new Set(await writersOf(source, table));
    writers = writers.filter((writer) => living.has(writer));
  }
  return top;
}

/** Transactions that have written, or are about to write, to the table. */
async function writersOf({ db }: AuditSource, table: string): Promise<string[]> {
  const { rows } = await sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where relation = ${sql.lit(table)}::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows.map(({ writer }) => writer);
}

const PATIENCE_MS = 20;
/** Fifteen seconds: a transaction of the product is ended after ten. */
const PATIENCE_ROUNDS = 750;
