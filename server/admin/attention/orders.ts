// Orders that were paid and not credited, and orders of which the provider does not say whether they were paid.
import { sql } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, markOf, type Found } from './found.ts';

/** People wait for their money: after so long nothing else is more urgent. */
const STOP_AFTER_SECONDS = 2 * HOUR_SECONDS;
/** Older ones were seen by somebody; they stay in the list of orders. */
const LOOKED_AT_SECONDS = 30 * 24 * HOUR_SECONDS;
/** An order ends at its time unless its provider could not be asked; this leaves the job time to ask. */
const UNANSWERED_AFTER_SECONDS = 600;
const MOST_ORDERS = 200;

interface OrderRow {
  id: number;
  trade_no: string;
  user_id: number;
  provider: string;
  amount_minor: number;
  currency: string;
  quota: number;
  since: number;
}

export async function checkOrders(dependencies: AttentionDependencies): Promise<Found[]> {
  const { db } = dependencies.store;
  const now = nowSeconds(dependencies);
  const columns = sql`orders.id, orders.trade_no, orders.user_id, orders.provider, orders.amount_minor,
    orders.currency, orders.quota`;
  const [refused, unanswered] = await Promise.all([
    sql<OrderRow>`select ${columns}, min(order_events.created_at) as since
      from orders join order_events on order_events.order_id = orders.id and order_events.kind = 'refused'
      where orders.status in ('pending', 'expired') and orders.created_at >= ${now - LOOKED_AT_SECONDS}
      group by ${columns} order by orders.id limit ${MOST_ORDERS}`.execute(db),
    sql<OrderRow>`select ${columns}, orders.expires_at as since from orders
      where orders.status = 'pending' and orders.expires_at > 0 and orders.created_at >= ${now - LOOKED_AT_SECONDS}
        and orders.expires_at < ${now - UNANSWERED_AFTER_SECONDS}
      order by orders.expires_at limit ${MOST_ORDERS}`.execute(db),
  ]);
  const uncredited = new Set(refused.rows.map(({ trade_no }) => trade_no));
  return [
    ...itemOf('order_uncredited', refused.rows, now),
    ...itemOf(
      'order_unanswered',
      unanswered.rows.filter(({ trade_no }) => !uncredited.has(trade_no)),
      now,
    ),
  ];
}

function itemOf(
  kind: 'order_uncredited' | 'order_unanswered',
  rows: readonly OrderRow[],
  now: number,
): Found[] {
  if (rows.length === 0) return [];
  const since = Math.min(...rows.map((row) => row.since));
  const isLate = kind === 'order_uncredited' && now - since >= STOP_AFTER_SECONDS;
  const held = new Map<string, number>();
  for (const { currency, amount_minor } of rows) held.set(currency, (held.get(currency) ?? 0) + amount_minor);
  return [
    found(kind, {
      severity: isLate ? 'stop' : 'act',
      mark: `${isLate ? 'stop' : 'act'} ${markOf(rows.map(({ trade_no }) => trade_no))}`,
      since,
      subjects: rows.map(({ id, trade_no }) => ({ kind: 'order', id: String(id), name: trade_no })),
      users: new Set(rows.map(({ user_id }) => user_id)).size,
      held_quota: rows.reduce((sum, { quota }) => sum + quota, 0),
      held: [...held].map(([currency, amount_minor]) => ({ currency, amount_minor })),
      values: { provider: rows[0]?.provider ?? '' },
      address: rows.length === 1 ? `/order/${rows[0]?.id}` : '/order',
    }),
  ];
}
