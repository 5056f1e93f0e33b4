/** The name of a ledger entry in the user's card. */

/** Longer names come before shorter ones that they begin with. */
const KINDS = [
  'signup',
  'invitee',
  'inviter',
  'transfer',
  'dividend',
  'withdrawal',
  'admin',
  'topup_refund_reversed',
  'topup_refund',
  'topup',
  'dispute_freeze',
  'dispute_return',
  'redeem',
  'refund',
  'checkin',
  'import',
  'rerate_credit',
  'rerate_debit',
] as const;

export function kindOf(kind: string): (typeof KINDS)[number] | 'other' {
  return KINDS.find((known) => kind.startsWith(known)) ?? 'other';
}
