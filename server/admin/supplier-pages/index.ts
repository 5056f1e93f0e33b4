// The page of a supplier in one answer: what its channels brought and cost, how they answered, and how long their balances last.
import { sql } from 'kysely';
import { MOST_EVENTS, type ThingMoney } from '#contract/admin/thing-parts.ts';
import { AppError } from '#contract/errors.ts';
import { CHANNEL_STATUS, type ChannelType } from '#contract/relay/channel-fields.ts';
import type { Settings } from '#contract/settings.ts';
import type { SupplierChannel, SupplierPage, supplierPages } from '#contract/suppliers/supplier-page.ts';
import { windowSpan, type WindowSpan } from '#contract/thing-window.ts';
import { auditEvents, type AuditedFields } from '#server/admin/audit-events.ts';
import { balanceDays, paceCosts } from '#server/admin/balance-days.ts';
import { billEvents } from '#server/admin/bill-events.ts';
import { readChannelCalls } from '#server/admin/channel-calls.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import type { Handlers } from '#server/admin/context.ts';
import { readFailures } from '#server/admin/failed-attempts.ts';
import type { RecentMargins } from '#server/admin/recent-margins.ts';
import { switchEvents } from '#server/admin/switch-events.ts';
import { moneyDaysOf, reportMoneyOf, thingMoneyOf } from '#server/admin/thing-money.ts';
import { buyPriceOf } from '#server/money/costs/index.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SupplierPageDependencies extends Clock {
  store: Store;
  settings: { readonly current: Pick<Settings, 'QuotaPerUnit' | 'Price'> };
  types: readonly ChannelType[];
  /** From the kept sums of margins. */
  margins: RecentMargins;
}

const FIELDS: AuditedFields = { shown: new Set(['name']), named: new Set(['buy_price']) };
/** As the attention item about balances has it. */
const LEAST_DAYS = 4;

const NOTHING: ThingMoney = {
  used: 0,
  cost: 0,
  fees: 0,
  margin: 0,
  unknown: 0,
  calls: 0,
  unknown_calls: 0,
  cache: null,
};

export function createSupplierPageHandlers(
  dependencies: SupplierPageDependencies,
): Handlers<typeof supplierPages> {
  return {
    async read({ params: { id }, query: { window } }) {
      const { store, margins } = dependencies;
      const now = nowSeconds(dependencies);
      const span = windowSpan(window, now);
      const supplier = await store.db
        .selectFrom('suppliers')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (supplier === undefined) throw new AppError('not_found');
      const [rows, report, costs] = await Promise.all([
        store.db.selectFrom('channels').selectAll().where('supplier_id', '=', id).execute(),
        margins({ by: 'channel', supplier: id, days: moneyDaysOf(window), at: now }),
        paceCosts(margins, { supplier: id }, now),
      ]);
      const ids = rows.map((channel) => channel.id);
      const [calls, scores, hours, audited, switched, bills] = await Promise.all([
        readChannelCalls(store, ids, span),
        scoresOf(store, ids),
        readFailedHours(store, ids, span),
        auditEvents(store, `supplier:${id}`, FIELDS),
        switchEvents(store, ids),
        billEvents(store, ids),
      ]);
      const moneyOf = new Map(report.rows.map((row) => [Number(row.key), thingMoneyOf(row)]));
      const channels = rows
        .filter((channel) => channel.deleted_at === null || moneyOf.has(channel.id))
        .map((channel): SupplierChannel => ({
          ...balanceOf(dependencies, channel, supplier, costs.get(channel.id) ?? 0),
          score: scores.get(channel.id) ?? null,
          ...(moneyOf.get(channel.id) ?? NOTHING),
        }))
        .toSorted((left, right) => right.used - left.used || left.id - right.id);
      const all = calls.all(ids);
      return {
        now,
        window,
        start: span.start,
        end: span.end,
        step: span.step,
        id,
        name: supplier.name,
        buy_price: supplier.buy_price,
        created_at: supplier.created_at,
        alert: alertOf(channels),
        calls: all,
        money: reportMoneyOf(report),
        channels,
        failures: await readFailures(store, span, { channels: ids, hours, total: all.failed }),
        events: [...audited, ...switched, ...bills]
          .toSorted((left, right) => right.at - left.at)
          .slice(0, MOST_EVENTS),
      };
    },
  };
}

function balanceOf(
  { settings, types }: SupplierPageDependencies,
  channel: Row<'channels'>,
  supplier: Row<'suppliers'>,
  cost: number,
): Omit<SupplierChannel, 'score' | keyof ThingMoney> {
  const currency = types.find(({ type }) => type === channel.type)?.balance_currency ?? 'USD';
  const { QuotaPerUnit: quotaPerUnit, Price: yuan } = settings.current;
  const rechargeRate = buyPriceOf(channel, supplier)?.recharge_rate ?? 1;
  return {
    id: channel.id,
    name: channel.name,
    type: channel.type,
    status: channel.deleted_at === null ? channel.status : 0,
    balance: channel.balance_updated_time === 0 ? null : channel.balance,
    currency,
    balance_days: balanceDays(channel, cost, { currency, rechargeRate, quotaPerUnit, yuan }),
    has_own_price: channel.buy_price !== '',
  };
}

function alertOf(channels: readonly SupplierChannel[]): SupplierPage['alert'] {
  const named = ({ id, name }: SupplierChannel) => ({ id, name });
  const off = channels.filter(({ status }) => status === CHANNEL_STATUS.autoDisabled);
  if (off.length > 0) return { kind: 'off', channels: off.map(named), days: 0 };
  const short = channels
    .filter(
      ({ status, balance_days: days }) =>
        status === CHANNEL_STATUS.enabled && days !== null && days < LEAST_DAYS,
    )
    .toSorted((left, right) => (left.balance_days ?? 0) - (right.balance_days ?? 0));
  if (short.length === 0) return null;
  return { kind: 'balance', channels: short.map(named), days: Math.floor(short[0]?.balance_days ?? 0) };
}

async function scoresOf({ db }: Store, ids: readonly number[]): Promise<ReadonlyMap<number, number | null>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('supplier_scores')
    .select(['channel_id', 'score'])
    .where('channel_id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ channel_id, score }) => [channel_id, score]));
}

/** First seconds of the hours with a failed attempt, newest first. */
async function readFailedHours(
  { db }: Store,
  ids: readonly number[],
  { start, end }: WindowSpan,
): Promise<number[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ hour: number }>`
    select distinct hour from channel_hours
    where channel_id in (${sql.join(ids)}) and hour >= ${start} and hour < ${end} and failures > 0
    order by 1 desc`.execute(db);
  return rows.map(({ hour }) => hour);
}
