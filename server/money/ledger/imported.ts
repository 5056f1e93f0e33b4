// Money of another gateway. It passes through one account: payments and codes of the past go into `world:import`, balances
// and past charges come out of it. So a payment of the past has its ledger row and changes no balance, and the balance of a
// user is exactly the opening entry. Every entry has a key: a second import finds it and books nothing.
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import { importIdem, OPENING_KIND } from './idempotency.ts';
import { requireAmount } from '#server/money/quota-units.ts';
import { applyTransfer, insertEntry } from './transfer.ts';

const IMPORT_ACCOUNT = 'world:import';

export interface OpeningBalance {
  importId: number;
  userId: number;
  /** The user's id at the source. */
  sourceId: string;
  quota: number;
  affQuota: number;
  affHistoryQuota: number;
}

export async function bookOpeningBalance(
  transaction: Transaction<Schema>,
  dialect: 'sqlite' | 'postgres',
  { importId, userId, sourceId, quota, affQuota, affHistoryQuota }: OpeningBalance,
): Promise<void> {
  const parts = [
    { to: 'user', amount: quota, part: `user:${sourceId}` },
    { to: 'aff', amount: affQuota, part: `aff:${sourceId}` },
  ] as const;
  for (const { to, amount, part } of parts) {
    if (amount === 0) continue;
    const booked = await applyTransfer(transaction, dialect, {
      idem: importIdem(importId, part),
      userId,
      amount,
      from: IMPORT_ACCOUNT,
      to,
      kind: OPENING_KIND,
      reference: `import:${importId}`,
    });
    if (!booked.ok)
      throw new Error(`the opening balance of user ${userId} could not be booked: ${booked.reason}`);
  }
  await transaction
    .updateTable('users')
    .set({ aff_history_quota: Math.max(affQuota, requireAmount(affHistoryQuota, 'invite earnings')) })
    .where('id', '=', userId)
    .execute();
}

export interface PastEntry {
  /** The key that the order or code has in the ledger. */
  idem: string;
  userId: number;
  amount: number;
  kind: string;
  from: string;
  reference: string;
  /** Unix seconds. */
  at: number;
}

/** A paid order or a redeemed code of the source. What it brought is part of the opening balance. */
export async function bookPastEntry(
  transaction: Transaction<Schema>,
  { idem, userId, amount, kind, from, reference, at }: PastEntry,
): Promise<void> {
  const accounts = { debit: from, credit: IMPORT_ACCOUNT };
  const entry = { idem, at, userId, ...accounts, amount: requireAmount(amount, kind), kind, reference };
  await insertEntry(transaction, entry);
}

export interface PastUsage {
  idem: string;
  userId: number;
  amount: number;
  at: number;
}

/** Charges of the source: in the used total and the hourly figures, paid before the balance was brought over. */
export async function bookPastUsage(
  transaction: Transaction<Schema>,
  { idem, userId, amount, at }: PastUsage,
): Promise<void> {
  if (requireAmount(amount, 'past usage') === 0) return;
  const accounts = { debit: IMPORT_ACCOUNT, credit: 'revenue' };
  await insertEntry(transaction, { idem, at, userId, ...accounts, amount, kind: 'use', reference: 'import' });
  await transaction
    .updateTable('users')
    .set({ used_quota: sql<number>`used_quota + ${amount}` })
    .where('id', '=', userId)
    .execute();
}

/** What each user was charged by the log rows of this import. */
export async function readImportedUsage(db: Kysely<Schema>, importId: number): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('ledger')
    .select(['user_id', ({ fn }) => fn.sum<number | string>('amount').as('amount')])
    .where('kind', '=', 'use')
    .where('debit_account', '=', IMPORT_ACCOUNT)
    .where('idem', 'like', `${importIdem(importId, 'logs:')}%`)
    .groupBy('user_id')
    .execute();
  return new Map(rows.map(({ user_id, amount }) => [user_id, Number(amount)]));
}
