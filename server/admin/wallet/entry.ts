// One row of the ledger as its user sees it: without the administrator's id and without internal references.
import type { WalletEntry } from '#contract/money/wallet.ts';
import { noteOf } from '#server/admin/ledger-note.ts';
import type { Row } from '#server/platform/store/schema.ts';

type LedgerRow = Pick<Row<'ledger'>, 'id' | 'created_at' | 'kind' | 'amount' | 'debit_account' | 'reference'>;

/** `orders`: ids by order numbers. */
export function entryOf(row: LedgerRow, userId: number, orders: ReadonlyMap<string, number>): WalletEntry {
  const note = noteOf(row);
  return {
    id: row.id,
    created_at: row.created_at,
    kind: row.kind,
    amount: row.debit_account === `user:${userId}` ? -row.amount : row.amount,
    note,
    order_id: orders.get(note) ?? 0,
  };
}
