// The caller's wallet: balance, pace of spending, and every change of the balance but the charges of calls.
import { unixSeconds } from '#contract/time.ts';
import { accountOf, type RequestContext } from '#server/admin/context.ts';
import type { Handlers, Input, Output } from '#contract/endpoint.ts';
import { pageSizeOf } from '#contract/lists.ts';
import type { wallet, WalletView } from '#contract/money/wallet.ts';
import { heldByCalls } from '#server/money/ledger/held-by-calls.ts';
import { readBalancePace } from '#server/admin/balance-pace.ts';
import { readUsedPerDay } from '#server/admin/used-per-day.ts';
import type { Store } from '#server/platform/store/store.ts';
import { entryOf } from './entry.ts';

export interface WalletDependencies {
  store: Store;
  settings: { readonly current: { readonly SiteTimeZone: string } };
  /** Unix seconds; tests set it. */
  now?: () => number;
}

export function createWalletHandlers(
  dependencies: WalletDependencies,
): Handlers<typeof wallet, RequestContext> {
  return { overview: overview(dependencies), history: history(dependencies) };
}

function overview({ store, settings, now = unixSeconds }: WalletDependencies) {
  return async (_: unknown, context: RequestContext): Promise<WalletView> => {
    const { id } = accountOf(context);
    const at = now();
    const [held, days, pace] = await Promise.all([
      store.db
        .selectFrom('users')
        .select(heldByCalls.as('held_quota'))
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
      readUsedPerDay(store, id, { zone: settings.current.SiteTimeZone, now: at }),
      readBalancePace(store, id, at),
    ]);
    const { quota, plans, days_left } = pace;
    return {
      quota,
      held_quota: held.held_quota,
      plan_quota: plans,
      burn: days.map((day) => day.quota),
      runway_days: days_left,
    };
  };
}

function history({ store }: WalletDependencies) {
  return async (
    { query }: Input<typeof wallet.history>,
    context: RequestContext,
  ): Promise<Output<typeof wallet.history>> => {
    const { id } = accountOf(context);
    const pageSize = pageSizeOf(query);
    const entries = store.db
      .selectFrom('ledger')
      .where('user_id', '=', id)
      .where('kind', '<>', 'use')
      // A reward for an invitation is not in the balance before it is transferred.
      .where(({ eb }) => eb('debit_account', '=', `user:${id}`).or('credit_account', '=', `user:${id}`));
    const [rows, { total }] = await Promise.all([
      entries
        .select(['id', 'created_at', 'kind', 'amount', 'debit_account', 'reference'])
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset((query.p - 1) * pageSize)
        .execute(),
      entries.select((builder) => builder.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ]);
    const orders = await ordersOf(
      store,
      id,
      rows.map(({ reference }) => reference),
    );
    return {
      items: rows.map((row) => entryOf(row, id, orders)),
      total,
      page: query.p,
      page_size: pageSize,
    };
  };
}

async function ordersOf(
  { db }: Store,
  userId: number,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const named = [...new Set(numbers)].filter(Boolean);
  if (named.length === 0) return new Map();
  const rows = await db
    .selectFrom('orders')
    .select(['id', 'trade_no'])
    .where('user_id', '=', userId)
    .where('trade_no', 'in', named)
    .execute();
  return new Map(rows.map(({ id, trade_no }) => [trade_no, id]));
}
