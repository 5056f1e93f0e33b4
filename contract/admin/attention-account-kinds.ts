// What needs the account that the reader acts for: their own or an organization's, as attention-kinds.ts lists it.
import { KEY_READERS, MONEY_READERS } from './attention-organization-kinds.ts';

export const ACCOUNT_KINDS = {
  balance_low: {
    access: 'user',
    severities: ['act'],
    check: 'account',
    action: 'top_up',
    menu: '/topup',
    notice: 'low_balance',
    readers: MONEY_READERS,
  },
  key_limit: {
    access: 'user',
    severities: ['act'],
    check: 'account',
    action: 'raise_limit',
    menu: '/token',
    notice: 'budget_reached',
    readers: KEY_READERS,
  },
  key_ending: {
    access: 'user',
    severities: ['act'],
    check: 'account',
    action: 'extend',
    menu: '/token',
    notice: 'token_expiring',
    readers: KEY_READERS,
  },
} as const;
