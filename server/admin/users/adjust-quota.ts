// An administrator's correction of a balance: one ledger row and one log row of type "manage". The user can read the log
// row, but not the administrator's name in it.
import { randomUUID } from 'node:crypto';
import type { Caller } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import { invalidField } from '#contract/problem-words.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { Transaction } from 'kysely';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { ManagementDependencies } from './management-dependencies.ts';

interface QuotaRequest {
  quota_change?: number | undefined;
  quota_reason?: string | undefined;
  quota_key?: string | undefined;
  quota?: number | undefined;
  loaded_quota?: number | undefined;
}

interface Correction {
  caller: Caller;
  /** A locked row. */
  user: Row<'users'>;
  request: QuotaRequest;
  difference: number;
}

export interface Adjustment {
  difference: number;
  /** The balance after it. */
  quota: number;
  reason: string;
}

/** What to book. A requested balance is compared with the balance the caller had loaded, else with the current one. */
export function quotaDifference(request: QuotaRequest, current: number): number {
  if (request.quota_change !== undefined) return request.quota_change;
  return request.quota === undefined ? 0 : request.quota - (request.loaded_quota ?? current);
}

export async function adjustQuota(
  { ledger }: Pick<ManagementDependencies, 'ledger'>,
  transaction: Transaction<Schema>,
  { caller, user, request, difference }: Correction,
): Promise<Adjustment | undefined> {
  if (difference === 0) return undefined;
  const amount = Math.abs(difference);
  const reason = request.quota_reason ?? '';
  const isAdded = difference > 0;
  const result = await ledger.transferWithin(transaction, {
    // The difference is part of the key: the same key with another amount is another booking.
    idem: `admin:${caller.id}:${user.id}:${difference}:${request.quota_key || randomUUID()}`,
    userId: user.id,
    amount,
    from: isAdded ? 'world:admin' : 'user',
    to: isAdded ? 'user' : 'world:admin',
    kind: 'admin',
    reference: `admin:${caller.id} ${reason}`.trim(),
    log: {
      type: LOG_TYPE.manage,
      user_id: user.id,
      username: user.username,
      quota: amount,
      content: factText(isAdded ? 'quotaAdded' : 'quotaTaken', { quota: amount, reason }),
      other: JSON.stringify({ admin_info: { admin_id: caller.id, admin_username: caller.username } }),
    },
  });
  if (result.ok) return result.duplicate ? undefined : { difference, quota: result.quota, reason };
  if (result.reason === 'user_missing') throw new AppError('user_unavailable');
  if (result.reason === 'over_limit') throw invalidField('quota', 'too_large');
  throw new AppError('user_quota_short', { available: user.quota - user.held_quota }, { field: 'quota' });
}
