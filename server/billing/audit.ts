// Checks the money; server/jobs runs it. The regular check reads only what is new: the ledger is append-only, so what was
// summed once stays summed. A breach stops the user's spending and raises an alert; a person decides the rest.
import { sql } from 'kysely';
import type { Store } from '#server/store/store.ts';
import { loggedReference } from './engine/settle.ts';
import { checkInvariants, type Breach } from './invariants.ts';

const suspended = 3;

export interface MoneyAudit {
  /** Everything, from the first row on. */
  checkAll(): Promise<Breach[]>;
  /** What changed since the last check. */
  checkRecent(): Promise<Breach[]>;
}

export interface MoneyAuditOptions {
  store: Store;
  onBreach: (breach: Breach) => void;
}

interface Sums {
  balance: number;
  used: number;
}

interface RecentRow {
  id: number;
  quota: number;
  used_quota: number;
  balance: number;
  used: number;
  last_id: number;
}

export function createMoneyAudit({ store, onBreach }: MoneyAuditOptions): MoneyAudit {
  let verifiedThrough = 0;
  const verified = new Map<number, Sums>();

  async function act(breaches: Breach[]): Promise<Breach[]> {
    for (const breach of breaches) {
      if (breach.userId > 0) await suspend(store, breach);
      onBreach(breach);
    }
    return breaches;
  }

  async function checkAll(): Promise<Breach[]> {
    await learn();
    return act(await checkInvariants(store));
  }

  /** Remembers the sums so far; the full check that follows proves them. */
  async function learn(): Promise<void> {
    const rows = await readSums(store, 0);
    verified.clear();
    for (const row of rows) remember(row, { balance: 0, used: 0 });
  }

  function remember(row: RecentRow, before: Sums): void {
    verified.set(row.id, { balance: before.balance + row.balance, used: before.used + row.used });
    verifiedThrough = Math.max(verifiedThrough, row.last_id);
  }

  async function checkRecent(): Promise<Breach[]> {
    const from = verifiedThrough;
    const suspects: number[] = [];
    for (const row of await readSums(store, from)) {
      const before = verified.get(row.id) ?? { balance: 0, used: 0 };
      remember(row, before);
      const isRight = row.quota === before.balance + row.balance && row.used_quota === before.used + row.used;
      if (!isRight) suspects.push(row.id);
    }
    const hasNews = suspects.length > 0 || (await hasRecentFinding(store, from));
    if (!hasNews) return [];
    // On PostgreSQL a row may commit after one with a higher number; only the full check can distinguish that from a breach.
    return checkAll();
  }

  return { checkAll, checkRecent };
}

/** Users with ledger rows after `from`, their sums over those rows and their projected balance, at one moment. */
async function readSums(store: Store, from: number): Promise<RecentRow[]> {
  const { rows } = await sql<RecentRow>`
    select u.id, u.quota, u.used_quota, l.balance, l.used, l.last_id from users u join (
      select user_id, max(id) as last_id,
        sum(case when credit_account = 'user:' || user_id then amount
          when debit_account = 'user:' || user_id then -amount else 0 end) as balance,
        sum(case kind when 'use' then amount when 'refund' then -amount else 0 end) as used
      from ledger where id > ${from} and user_id > 0 group by user_id) l on l.user_id = u.id`.execute(
    store.db,
  );
  return rows;
}

/** Holds against held amounts, and new charges against their log rows: cheap enough to ask every time. */
async function hasRecentFinding(store: Store, from: number): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select 1 as found from users u
      left join (select user_id, sum(amount) as total from holds group by user_id) h on h.user_id = u.id
      where (u.held_quota > 0 or h.total > 0) and u.held_quota <> coalesce(h.total, 0)
    union all
    select 1 from ledger l left join logs g on g.request_id = l.idem and g.type = 2
      where l.id > ${from} and l.kind = 'use' and l.reference = ${loggedReference}
        and (g.id is null or g.quota <> l.amount)
    limit 1`.execute(store.db);
  return rows.length > 0;
}

/**
 * No new spending for this user. The super admin keeps access: only that account can lift the suspension.
 */
async function suspend(store: Store, breach: Breach): Promise<void> {
  const reason = `${breach.invariant}: ${breach.detail}`;
  const { numUpdatedRows } = await store.db
    .updateTable('users')
    .set({ status: suspended, suspended_reason: reason })
    .where('id', '=', breach.userId)
    .where('status', '=', 1)
    .where('role', '<', 100)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await store.changes.announce('users', String(breach.userId));
}
