// One row of the ledger as its user sees it: without the administrator's id and without internal references.
import type { WalletEntry } from '#contract/money/wallet.ts';
import type { Row } from '#server/platform/store/schema.ts';

type LedgerRow = Pick<Row<'ledger'>, 'id' | 'created_at' | 'kind' | 'amount' | 'debit_account' | 'reference'>;

/** Kinds whose reference is meant for the user: the name of a code or a plan, the number of an order, the day of a check-in. */
const SHOWN_REFERENCES: readonly string[] = [
  'redeem',
  'topup',
  'topup_refund',
  'topup_refund_reversed',
  'dispute_freeze',
  'dispute_return',
  'checkin',
  'plan_purchase',
  'rerate_credit',
  'rerate_debit',
];

export function entryOf(row: LedgerRow, userId: number): WalletEntry {
  return {
    id: row.id,
    created_at: row.created_at,
    kind: row.kind,
    amount: row.debit_account === `user:${userId}` ? -row.amount : row.amount,
    note: noteOf(row),
  };
}

export function noteOf({ kind, reference }: Pick<LedgerRow, 'kind' | 'reference'>): string {
  if (kind === 'admin') return reference.replace(/^admin:\d+ ?/, '');
  return SHOWN_REFERENCES.includes(kind) ? reference : '';
}
