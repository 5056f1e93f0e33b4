/** The names of the ledger's kinds of movements. */
import { useTranslation } from 'react-i18next';

const KINDS = [
  'use',
  'redeem',
  'topup',
  'signup',
  'invitee',
  'aff_transfer',
  'dividend_transfer',
  'checkin',
  'admin',
  'move_in',
  'move_out',
  'refund',
  'plan_purchase',
  'rerate_credit',
  'rerate_debit',
  'topup_refund',
  'dispute_freeze',
  'dispute_return',
  'topup_refund_reversed',
  'import',
] as const;

/** `unknown` is the name of a kind without one. */
export function useKindName(): (kind: string, unknown?: string) => string {
  const { t } = useTranslation('wallet');
  return (kind, unknown = t('history.kind.other')) => {
    const known = KINDS.find((name) => name === kind);
    return known ? t(`history.kind.${known}`) : unknown;
  };
}
