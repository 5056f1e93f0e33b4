// What a charge, or a correction of one, changes in the rows of the user and of the token.
import { exhaust, refill } from './reserve.ts';
import type { Rows, TokenState, UserState } from './rows.ts';

const LOW_BALANCE_NOTICE_SECONDS = 2 * 3600;

/** What the balance pays, and what the call costs with the part of a subscription; negative amounts are given back. */
export interface UserCharge {
  wallet: number;
  total: number;
}

export function chargeUser(rows: Rows, user: UserState, { wallet, total }: UserCharge, at: number): void {
  const before = user.quota;
  user.quota -= wallet;
  user.used = Math.max(0, user.used + total);
  user.dirty = true;
  if (wallet > 0) remindOfLowBalance(rows, user, before, at);
}

/** The token's quota is a limit: it stops at zero while the user pays in full. Returns the new status of the token or 0. */
export function chargeToken(token: TokenState, amount: number, at: number): number {
  if (!token.isUnlimited) token.remain = Math.max(0, token.remain - amount);
  token.used = Math.max(0, token.used + amount);
  token.accessedTime = Math.max(token.accessedTime, at);
  token.dirty = true;
  return amount < 0 ? refill(token) : exhaust(token);
}

/** Raises one notice when the balance falls through the threshold or reaches zero, at most one in two hours. */
function remindOfLowBalance(rows: Rows, user: UserState, before: number, at: number): void {
  const { lowBalanceThreshold: threshold } = rows;
  const crossed = (before > threshold && user.quota <= threshold) || (before > 0 && user.quota === 0);
  if (!crossed || threshold < 0 || at - user.lowBalanceNoticeAt < LOW_BALANCE_NOTICE_SECONDS) return;
  user.lowBalanceNoticeAt = at;
  rows.notice({
    event: 'low_balance',
    userId: user.id,
    details: JSON.stringify({ balance: user.quota }),
    onceKey: `low-balance:${user.id}:${at}`,
  });
}
