// The caller's wallet: how fast the balance is spent, and what came in.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { itemList, pageFromOne } from '#contract/lists.ts';
import { USAGE_DAYS } from '#contract/admin/user-management.ts';

export const BURN_DAYS = USAGE_DAYS;
/** The pace of spending is that of the last days up to now. */
export const PACE_DAYS = 7;

export const walletEntry = z.object({
  id: z.number(),
  created_at: z.number(),
  /** `topup`, `redeem`, `signup`, `invitee`, `aff_transfer`, `admin`, `refund` and others to come. */
  kind: z.string(),
  /** Negative: taken from the balance. */
  amount: z.number(),
  /** The name of a redeemed code, the number of an order, an administrator's reason; may be empty. */
  note: z.string(),
  /** The order that the note names; 0: none. */
  order_id: z.number(),
});
export type WalletEntry = z.output<typeof walletEntry>;

export const walletView = z.object({
  quota: z.number(),
  /** Part of `quota` that running calls hold. */
  held_quota: z.number(),
  /** Quota spent per day of the site, oldest first, today last; always BURN_DAYS of them. */
  burn: z.array(z.number()),
  /** What subscriptions have left; beside `quota`. */
  plan_quota: z.number(),
  /** Days that balance and subscriptions last at the pace of the last PACE_DAYS; null when nothing was spent. */
  runway_days: z.number().nullable(),
});
export type WalletView = z.output<typeof walletView>;

export const wallet = {
  overview: endpoint({
    method: 'GET',
    path: '/api/user/wallet',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '余额与消耗速度', en: 'Your balance and how fast it is spent' },
    returns: walletView,
  }),
  /** Every change of the balance but the charges of calls, newest first. */
  history: endpoint({
    method: 'GET',
    path: '/api/user/wallet/history',
    access: 'user',
    organization: 'billing.read',
    summary: { zh: '充值与兑换记录', en: 'Your top-ups and redemptions' },
    query: pageFromOne,
    returns: itemList(walletEntry),
  }),
};
