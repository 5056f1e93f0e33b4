// What needs a user: a balance that lasts less than three days, and keys that will be refused soon. Always the reader's own, or those
// of the organization that the reader acts for (organization-account.ts).
import { sql } from 'kysely';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { readBalancePace, type BalancePace } from '#server/admin/balance-pace.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, type Found } from './found.ts';

const BALANCE_DAYS = 3;
const KEY_PERCENT = 90;
const KEY_DAYS = 3;
const MOST_KEYS = 20;

export type AccountDependencies = Pick<AttentionDependencies, 'store' | 'now'>;

export async function checkAccount(dependencies: AccountDependencies, userId: number): Promise<Found[]> {
  return [...(await checkBalance(dependencies, userId)), ...(await checkKeys(dependencies, userId))];
}

/** Balance and subscriptions against what calls used in the last seven days. */
export async function checkBalance(dependencies: AccountDependencies, userId: number): Promise<Found[]> {
  return lowBalance(await readBalancePace(dependencies.store, userId, nowSeconds(dependencies)), userId);
}

export function lowBalance({ quota, plans, per_day, days_left }: BalancePace, userId: number): Found[] {
  if (days_left === null || days_left >= BALANCE_DAYS) return [];
  return [
    found('balance_low', {
      mark: String(days_left),
      since: 0,
      subjects: [{ kind: 'user', id: String(userId), name: '' }],
      users: 1,
      values: { days: days_left, left_quota: quota + plans, day_quota: per_day },
      address: '/topup',
    }),
  ];
}

/** Of an organization all, or those of one member. */
export async function checkKeys(
  dependencies: AccountDependencies,
  userId: number,
  memberId?: number,
): Promise<Found[]> {
  const now = nowSeconds(dependencies);
  const soon = now + KEY_DAYS * DAY_SECONDS;
  const rows = await dependencies.store.db
    .selectFrom('tokens')
    .select(['id', 'name', 'remain_quota', 'used_quota', 'unlimited_quota', 'expired_time', 'accessed_time'])
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .where('status', '=', TOKEN_STATUS.enabled)
    .$if(memberId !== undefined, (query) => query.where('member_id', '=', memberId ?? 0))
    .where((where) =>
      where.or([
        where.and([where('expired_time', '>', now), where('expired_time', '<=', soon)]),
        where.and([
          where('unlimited_quota', '=', 0),
          where('used_quota', '>', 0),
          sql<boolean>`used_quota * 100 >= (used_quota + remain_quota) * ${sql.lit(KEY_PERCENT)}`,
        ]),
      ]),
    )
    .orderBy('accessed_time', 'desc')
    .orderBy('id')
    .limit(MOST_KEYS)
    .execute();
  return rows.flatMap((row) => {
    const subjects = [{ kind: 'token' as const, id: String(row.id), name: row.name }];
    const base = { of: row.id, subjects, users: 1, address: `/token/${row.id}` };
    const limit = row.used_quota + row.remain_quota;
    const isEnding = row.expired_time > now && row.expired_time <= soon;
    const isUsed =
      row.unlimited_quota === 0 && row.used_quota > 0 && row.used_quota * 100 >= limit * KEY_PERCENT;
    return [
      ...(isUsed && (row.expired_time <= 0 || row.expired_time > now)
        ? [
            found('key_limit', {
              ...base,
              mark: row.remain_quota <= 0 ? `${limit} empty` : String(limit),
              since: 0,
              values: {
                left_quota: row.remain_quota,
                used_quota: row.used_quota,
                limit_quota: limit,
                percent: Math.floor((row.used_quota * 100) / limit),
              },
            }),
          ]
        : []),
      ...(isEnding
        ? [
            found('key_ending', {
              ...base,
              mark: String(row.expired_time),
              since: row.expired_time - KEY_DAYS * DAY_SECONDS,
              values: { ends_at: row.expired_time },
            }),
          ]
        : []),
    ];
  });
}
