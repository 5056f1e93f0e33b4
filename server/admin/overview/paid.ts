// What customers paid, and what was paid back, by currency and day.
import { sql } from 'kysely';
import type { OperatorOverview, PaidSum } from '#contract/admin/overview.ts';
import { dayFinder, type DaySpan } from '#contract/site-day.ts';
import { currencyDigits } from '#server/money/payments/index.ts';
import type { Store } from '#server/platform/store/store.ts';

interface PaidHour {
  hour: number;
  currency: string;
  amount_minor: number;
  orders: number;
}

export interface Paid {
  in(span: DaySpan): PaidSum[];
  byDay(zone: string, first: string, last: string): Map<string, PaidSum[]>;
}

/** One read of the index by time of payment. Sums by the quarter of an hour: every zone's day begins at one. */
export async function readPaid({ db }: Store, { start, end }: DaySpan): Promise<Paid> {
  const { rows } = await sql<PaidHour>`
    select paid_at - paid_at % 900 as hour, currency, cast(sum(amount_minor) as bigint) as amount_minor,
      count(*) as orders
    from orders where paid_at >= ${start} and paid_at < ${end} and status in ('paid', 'refunded')
    group by 1, currency`.execute(db);
  return {
    in: (span) => sumsOf(rows.filter(({ hour }) => hour >= span.start && hour < span.end)),
    byDay(zone, first, last) {
      const dayOf = dayFinder(zone, first, last);
      const days = Map.groupBy(rows, ({ hour }) => dayOf(hour) ?? '');
      return new Map([...days].map(([day, of]) => [day, sumsOf(of)]));
    },
  };
}

export function sumsOf(rows: readonly Omit<PaidHour, 'hour'>[]): PaidSum[] {
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .map(([currency, of]) => ({
      currency,
      digits: currencyDigits(currency),
      amount_minor: of.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
      orders: of.reduce((sum, { orders }) => sum + orders, 0),
    }))
    .toSorted((left, right) => (left.currency < right.currency ? -1 : 1));
}

export async function readRefunded({ db }: Store, { start, end }: DaySpan): Promise<PaidSum[]> {
  const { rows } = await sql<Omit<PaidHour, 'hour'>>`
    select orders.currency, cast(sum(refunds.amount_minor) as bigint) as amount_minor, count(*) as orders
    from refunds join orders on orders.id = refunds.order_id
    where refunds.status = 'done' and refunds.created_at >= ${start} and refunds.created_at < ${end}
    group by orders.currency`.execute(db);
  return sumsOf(rows);
}

export async function largestPayment(
  { db }: Store,
  { start, end }: DaySpan,
): Promise<OperatorOverview['month']['largest']> {
  const row = await db
    .selectFrom('orders')
    .leftJoin('users', 'users.id', 'orders.user_id')
    .select([
      'orders.id as order_id',
      'orders.currency',
      'orders.amount_minor',
      'orders.user_id',
      'users.username',
    ])
    .where('orders.paid_at', '>=', start)
    .where('orders.paid_at', '<', end)
    .where('orders.status', 'in', ['paid', 'refunded'])
    // Currencies are compared by the quota that was bought.
    .orderBy('orders.quota', 'desc')
    .orderBy('orders.id')
    .limit(1)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { ...row, username: row.username ?? '', digits: currencyDigits(row.currency) };
}
