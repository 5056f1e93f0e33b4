// What a row of the ledger says to people: without the administrator's id and without internal references.
import type { Row } from '#server/platform/store/schema.ts';

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
  'move_in',
  'move_out',
  'rerate_credit',
  'rerate_debit',
];

export function noteOf({ kind, reference }: Pick<Row<'ledger'>, 'kind' | 'reference'>): string {
  if (kind === 'admin') return reference.replace(/^admin:\d+ ?/, '');
  return SHOWN_REFERENCES.includes(kind) ? reference : '';
}
