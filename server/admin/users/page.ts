// The page of one user: of a lower role, or oneself.
import { sql } from 'kysely';
import { readBalancePace } from '#server/admin/balance-pace.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import { AppError } from '#contract/errors.ts';
import { tokenStatusAt } from '#contract/admin/tokens.ts';
import type { userManagement } from '#contract/admin/user-management.ts';
import { USER_PAGE_ROWS, type UserMoney, type UserPageView } from '#contract/admin/user-page.ts';
import { currencyDigits, planOf } from '#server/money/payments/index.ts';
import { readBalance, sideOf } from '#server/money/sums/balance.ts';
import { noteOf } from '#server/admin/ledger-note.ts';
import { targetEvents } from '#server/admin/target-events.ts';
import { usagePosts } from '#server/admin/usage-posts.ts';
import type { Store } from '#server/platform/store/store.ts';
import { lastCallOf } from './usage.ts';
import { inviteFlags } from './invite-flags.ts';
import { maySee } from './levels.ts';
import { managedUsers, managedView } from './managed-view.ts';
import type { ManagementDependencies } from './management-dependencies.ts';

export function userPage({
  store,
  ...clock
}: Pick<ManagementDependencies, 'store'> & Clock): Handler<typeof userManagement.page> {
  return async ({ params: { id }, query }, context) => {
    const caller = callerOf(context);
    const row = await managedUsers(store.db).where('users.id', '=', id).executeTakeFirst();
    if (!row) throw new AppError('not_found');
    if (!maySee(caller, row)) throw new AppError('user_level_too_high');
    const user = managedView(caller, row);
    const now = nowSeconds(clock);
    const [money, use, entries, keys, orders, plans, last_call_at, invites, events] = await Promise.all([
      moneyOf(store, id, user.held_quota, now),
      usagePosts(store, { userId: id }, query.window, now),
      entriesOf(store, id),
      keysOf(store, id, now),
      ordersOf(store, id),
      plansOf(store, id, now),
      lastCallOf(store, id),
      inviteFlags(store, id),
      targetEvents(store, [`user:${id}`]),
    ]);
    return {
      now,
      user,
      money,
      use,
      entries,
      ...keys,
      ...orders,
      plans,
      last_call_at,
      invites,
      events,
    };
  };
}

async function moneyOf(store: Store, userId: number, held: number, now: number): Promise<UserMoney> {
  const [balance, pace] = await Promise.all([
    readBalance(store, userId),
    readBalancePace(store, userId, now),
  ]);
  return {
    came_in: balance.cameIn,
    used: balance.used,
    left: balance.left,
    held,
    used_of_plans: balance.usedOfPlans,
    lines: balance.lines,
    left_of_plans: pace.plans,
    week: pace.week,
    days_left: pace.days_left,
  };
}

const countAll = sql<number>`count(*)`.as('count');

/** Those used last. */
async function keysOf(
  { db }: Store,
  userId: number,
  now: number,
): Promise<Pick<UserPageView, 'keys' | 'key_count'>> {
  const own = db.selectFrom('tokens').where('user_id', '=', userId).where('deleted_at', 'is', null);
  const [rows, { count }] = await Promise.all([
    own
      .select([
        'id',
        'name',
        'status',
        'used_quota',
        'remain_quota',
        'unlimited_quota',
        'accessed_time',
        'expired_time',
      ])
      .orderBy('accessed_time', 'desc')
      .orderBy('id', 'desc')
      .limit(USER_PAGE_ROWS)
      .execute(),
    own.select(countAll).executeTakeFirstOrThrow(),
  ]);
  const keys = rows.map(({ unlimited_quota, ...row }) => ({
    ...row,
    status: tokenStatusAt({ ...row, unlimited_quota }, now),
    remain_quota: unlimited_quota === 1 ? null : row.remain_quota,
  }));
  return { keys, key_count: count };
}

async function ordersOf(
  { db }: Store,
  userId: number,
): Promise<Pick<UserPageView, 'orders' | 'order_count'>> {
  const own = db.selectFrom('orders').where('user_id', '=', userId);
  const [rows, { count }] = await Promise.all([
    own.selectAll().orderBy('id', 'desc').limit(USER_PAGE_ROWS).execute(),
    own.select(countAll).executeTakeFirstOrThrow(),
  ]);
  const orders = rows.map((order) => ({
    id: order.id,
    trade_no: order.trade_no,
    amount_minor: order.amount_minor,
    currency: order.currency,
    currency_digits: currencyDigits(order.currency),
    quota: order.quota,
    plan_id: order.plan_id,
    plan_name: order.plan_id === 0 ? '' : planOf(order).plan.plan_name,
    status: order.status,
    created_at: order.created_at,
  }));
  return { orders, order_count: count };
}

async function entriesOf({ db }: Store, userId: number): Promise<UserPageView['entries']> {
  const account = `user:${userId}`;
  const rows = await db
    .selectFrom('ledger')
    .select(['id', 'created_at', 'kind', 'amount', 'debit_account', 'credit_account', 'reference'])
    .where('user_id', '=', userId)
    .where('kind', '<>', 'use')
    .where(({ eb }) => eb('debit_account', '=', account).or('credit_account', '=', account))
    .orderBy('id', 'desc')
    .limit(USER_PAGE_ROWS)
    .execute();
  return rows.map(({ debit_account, credit_account, amount, reference, ...row }) => ({
    ...row,
    account: sideOf(debit_account === account ? credit_account : debit_account),
    amount: debit_account === account ? -amount : amount,
    note: noteOf({ kind: row.kind, reference }),
  }));
}

async function plansOf({ db }: Store, userId: number, now: number): Promise<UserPageView['plans']> {
  return await db
    .selectFrom('subscriptions')
    .select(['id', 'plan_id', 'plan_name', sql<number>`quota - held`.as('left'), 'ends_at'])
    .where('user_id', '=', userId)
    .where('status', '=', 'active')
    .where('started_at', '<=', now)
    .where('ends_at', '>', now)
    .orderBy('ends_at')
    .orderBy('id')
    .execute();
}
