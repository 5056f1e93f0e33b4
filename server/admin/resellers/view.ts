// Withdrawals as the API shows them.
import type { AdminWithdrawalView, WithdrawalView } from '#contract/money/resellers.ts';
import type { Withdrawal } from '#server/money/resellers/index.ts';
import type { Caller } from '#server/admin/context.ts';

export function withdrawalViewOf(row: Withdrawal): WithdrawalView {
  const { id, created_at, method, account, quota, fee_quota, status, decided_at, paid_at, note } = row;
  return { id, created_at, method, account, quota, fee_quota, status, decided_at, paid_at, note };
}

export function adminWithdrawalViewOf(
  row: Withdrawal & { username: string; role: number },
  caller: Caller,
): AdminWithdrawalView {
  const { user_id, username, role } = row;
  return { ...withdrawalViewOf(row), user_id, username, decidable: role < caller.role };
}
