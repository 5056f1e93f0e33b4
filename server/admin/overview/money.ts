// The money of the chosen day and of the month, from the sums of margins.
import type { OperatorOverview, OverviewDay, OverviewMoney } from '#contract/admin/overview.ts';
import type { MarginFigures, MarginReport } from '#contract/money/margins.ts';
import { addDays, daysBetween, daysFrom, daySpan, siteDay, type DaySpan } from '#contract/site-day.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { OverviewDependencies } from './dependencies.ts';
import { largestPayment, readPaid, readRefunded, type Paid } from './paid.ts';

export interface ChosenDays extends DaySpan {
  from: string;
  to: string;
}

export function chosenDays(zone: string, day: OverviewDay, now: number): ChosenDays {
  const today = siteDay(zone, now);
  const to = day === 'yesterday' ? addDays(today, -1) : today;
  const from = day === 'month' ? `${today.slice(0, 7)}-01` : to;
  return { from, to, ...daySpan(zone, from, to) };
}

const lastDays = ({ from, to }: ChosenDays, today: string, at: number) => ({
  days: daysBetween(from, to) + 1,
  back: daysBetween(to, today),
  at,
});

/** used = cost + margin + unknown: the margin of a report is without the fees. */
export const moneyOf = ({ revenue, cost, fees, margin, unknown_revenue }: MarginFigures): OverviewMoney => ({
  used: revenue,
  cost: cost + fees,
  fees,
  margin,
  unknown: unknown_revenue,
});

type MoneyPart = Pick<
  OperatorOverview,
  'from' | 'to' | 'start' | 'end' | 'money' | 'margin_channels' | 'unknown_channels' | 'month'
>;

export async function readMoney(dependencies: OverviewDependencies, day: OverviewDay): Promise<MoneyPart> {
  const { store, margins } = dependencies;
  const now = nowSeconds(dependencies);
  const zone = dependencies.settings.current.SiteTimeZone;
  const chosen = chosenDays(zone, day, now);
  const month = chosenDays(zone, 'month', now);
  // Yesterday may be of the month before.
  const paidSpan = { start: Math.min(chosen.start, month.start), end: month.end };
  const [report, byDay, paid, refunded, largest, version] = await Promise.all([
    margins({ by: 'channel', ...lastDays(chosen, month.to, now) }),
    margins({ by: 'day', ...lastDays(month, month.to, now) }),
    readPaid(store, paidSpan),
    readRefunded(store, chosen),
    largestPayment(store, month),
    store.db.selectFrom('price_versions').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst(),
  ]);
  const { total } = report;
  return {
    ...chosen,
    money: {
      ...moneyOf(total),
      calls: total.calls,
      unknown_calls: total.unknown_calls,
      came_in: paid.in(chosen),
      refunded,
      price_version: version?.id ?? 0,
    },
    ...channelsOf(report),
    month: { from: month.from, ...monthOf(byDay, paid, month, zone), largest },
  };
}

function channelsOf({ rows }: MarginReport): Pick<OperatorOverview, 'margin_channels' | 'unknown_channels'> {
  const named = rows.map((row) => ({
    ...row,
    id: Number(row.key),
    known: row.revenue - row.unknown_revenue,
  }));
  return {
    margin_channels: named
      .filter(({ calls, unknown_calls, cost, fees }) => calls > unknown_calls || cost !== 0 || fees !== 0)
      .map(({ id, name, known, cost, fees, margin }) => ({
        id,
        name,
        used: known,
        cost: cost + fees,
        margin,
      }))
      .toSorted((left, right) => right.margin - left.margin || left.id - right.id),
    unknown_channels: named
      .filter(({ unknown_revenue }) => unknown_revenue !== 0)
      .map(({ id, name, unknown_revenue }) => ({ id, name, used: unknown_revenue }))
      .toSorted((left, right) => right.used - left.used || left.id - right.id),
  };
}

const NOTHING: OverviewMoney = { used: 0, cost: 0, fees: 0, margin: 0, unknown: 0 };

function monthOf(
  { rows, total }: MarginReport,
  paid: Paid,
  month: ChosenDays,
  zone: string,
): Pick<OperatorOverview['month'], 'days' | 'total'> {
  const figuresOf = new Map(rows.map((row) => [row.key, row]));
  const paidOn = paid.byDay(zone, month.from, month.to);
  return {
    days: daysFrom(month.from, month.to).map((day) => {
      const figures = figuresOf.get(day);
      return { day, came_in: paidOn.get(day) ?? [], ...(figures === undefined ? NOTHING : moneyOf(figures)) };
    }),
    total: { ...moneyOf(total), came_in: paid.in(month) },
  };
}
