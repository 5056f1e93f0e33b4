// Sums made straight from the rows of the log, the ledger, the orders and the fees, in plain loops: what pages are compared with.
import type { MarginDimension } from '#contract/money/margins.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** The date of a second on the clocks of a zone. */
export function dayOf(zone: string, second: number): string {
  let format = formats.get(zone);
  if (format === undefined) {
    const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    formats.set(zone, (format = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...digits })));
  }
  const parts = format.formatToParts(second * 1000);
  const of = (name: string) => parts.find(({ type }) => type === name)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}`;
}

export interface Books {
  calls: Row<'logs'>[];
  failures: Row<'logs'>[];
  ledger: Row<'ledger'>[];
  orders: Row<'orders'>[];
  refunds: Row<'refunds'>[];
  /** `day` is a date, whatever the zone. */
  fees: (Row<'channel_fees'> & { date: string })[];
  users: Row<'users'>[];
  channels: Row<'channels'>[];
}

export async function readBooks({ db }: Store): Promise<Books> {
  const logs = await db.selectFrom('logs').selectAll().execute();
  const fees = await db.selectFrom('channel_fees').selectAll().execute();
  return {
    calls: logs.filter(({ type }) => type === 2),
    failures: logs.filter(({ type }) => type === 5),
    ledger: await db.selectFrom('ledger').selectAll().execute(),
    orders: await db.selectFrom('orders').selectAll().execute(),
    refunds: await db.selectFrom('refunds').selectAll().execute(),
    fees: fees.map((fee) => ({ ...fee, date: new Date(fee.day * 1000).toISOString().slice(0, 10) })),
    users: await db.selectFrom('users').selectAll().execute(),
    channels: await db.selectFrom('channels').selectAll().execute(),
  };
}

/** The first and the last day of the site. */
export interface Days {
  zone: string;
  from: string;
  to: string;
}

export const isIn = ({ zone, from, to }: Days, second: number): boolean =>
  dayOf(zone, second) >= from && dayOf(zone, second) <= to;

export interface Money {
  calls: number;
  used: number;
  /** Of calls, without the fees. */
  cost: number;
  fees: number;
  margin: number;
  unknown: number;
  unknownCalls: number;
}

export function moneyOf(calls: readonly Row<'logs'>[], fees: readonly { fee: number }[]): Money {
  const sum: Money = { calls: 0, used: 0, cost: 0, fees: 0, margin: 0, unknown: 0, unknownCalls: 0 };
  for (const { quota, cost } of calls) {
    sum.calls += 1;
    sum.used += quota;
    if (cost === null) {
      sum.unknown += quota;
      sum.unknownCalls += 1;
    } else {
      sum.cost += cost;
      sum.margin += quota - cost;
    }
  }
  for (const { fee } of fees) {
    sum.fees += fee;
    sum.margin -= fee;
  }
  return sum;
}

export const moneyIn = ({ calls, fees }: Books, days: Days): Money =>
  moneyOf(
    calls.filter(({ created_at }) => isIn(days, created_at)),
    fees.filter(({ date }) => date >= days.from && date <= days.to),
  );

/** By the key of a row of the margins. Fees belong to channels, suppliers and days only. */
export function moneyBy(books: Books, days: Days, by: MarginDimension): Map<string, Money> {
  const supplierOf = new Map(books.channels.map(({ id, supplier_id }) => [id, String(supplier_id)]));
  const keyOf = {
    channel: ({ channel_id }: Row<'logs'>) => String(channel_id),
    supplier: ({ channel_id }: Row<'logs'>) => supplierOf.get(channel_id) ?? '',
    model: ({ model_name }: Row<'logs'>) => model_name,
    group: ({ group }: Row<'logs'>) => group,
    user: ({ user_id }: Row<'logs'>) => String(user_id),
    day: ({ created_at }: Row<'logs'>) => dayOf(days.zone, created_at),
  }[by];
  const feeKeyOf = {
    channel: ({ channel_id }: Row<'channel_fees'>) => String(channel_id),
    supplier: ({ channel_id }: Row<'channel_fees'>) => supplierOf.get(channel_id) ?? '',
    day: ({ date }: { date: string }) => date,
  };
  const feeKey = by === 'channel' || by === 'supplier' || by === 'day' ? feeKeyOf[by] : undefined;
  const calls = Map.groupBy(
    books.calls.filter(({ created_at }) => isIn(days, created_at)),
    keyOf,
  );
  const fees =
    feeKey === undefined
      ? new Map<string, Books['fees']>()
      : Map.groupBy(
          books.fees.filter(({ date }) => date >= days.from && date <= days.to),
          feeKey,
        );
  const keys = new Set([...calls.keys(), ...fees.keys()]);
  return new Map([...keys].map((key) => [key, moneyOf(calls.get(key) ?? [], fees.get(key) ?? [])]));
}

export const total = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

/** By currency, smallest units. */
export function cameIn({ orders }: Books, days: Days): { currency: string; minor: number; orders: number }[] {
  const paid = orders.filter(
    ({ status, paid_at }) => (status === 'paid' || status === 'refunded') && isIn(days, paid_at),
  );
  return [...Map.groupBy(paid, ({ currency }) => currency)].map(([currency, of]) => ({
    currency,
    minor: total(of, ({ amount_minor }) => amount_minor),
    orders: of.length,
  }));
}

/** The balance of a user after every row of the ledger before a second. */
export const balanceAt = ({ ledger }: Books, userId: number, before: number): number =>
  total(
    ledger.filter(({ created_at }) => created_at < before),
    ({ debit_account, credit_account, amount }) =>
      (credit_account === `user:${userId}` ? amount : 0) - (debit_account === `user:${userId}` ? amount : 0),
  );
