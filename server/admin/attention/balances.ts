// Balances at upstreams that last less than four days at the pace of the last week.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { sql } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import { balanceReading } from '#server/models/providers/facts/balance.ts';
import { channelTypes } from '#server/models/providers/facts/channel-types.ts';
import { buyPriceOf } from '#server/money/costs/index.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, type Found } from './found.ts';

const PACE_DAYS = 7;
const LEAST_DAYS = 4;
/** A balance that was read longer ago says nothing about now. */
const READ_WITHIN_SECONDS = 3 * DAY_SECONDS;

export async function checkBalances(dependencies: AttentionDependencies): Promise<Found[]> {
  const { store } = dependencies;
  const now = nowSeconds(dependencies);
  const channels = await store.db
    .selectFrom('channels')
    .selectAll()
    .where('status', '=', CHANNEL_STATUS.enabled)
    .where('deleted_at', 'is', null)
    .where('balance_updated_time', '>=', now - READ_WITHIN_SECONDS)
    .orderBy('id')
    .execute();
  if (channels.length === 0) return [];
  const [report, suppliers] = await Promise.all([
    dependencies.margins({ by: 'channel', days: PACE_DAYS, back: 1, at: now }),
    store.db.selectFrom('suppliers').selectAll().execute(),
  ]);
  const costOf = new Map(report.rows.map(({ key, cost }) => [Number(key), cost]));
  const supplierOf = new Map(suppliers.map((supplier) => [supplier.id, supplier]));
  const readAt = Map.groupBy(channels, ({ supplier_id }) => supplier_id);
  const items: Found[] = [];
  for (const channel of channels) {
    const supplier = supplierOf.get(channel.supplier_id);
    const isOneOfSeveral = (readAt.get(channel.supplier_id)?.length ?? 0) > 1;
    const pace = paceOf(dependencies, channel, supplier, costOf.get(channel.id) ?? 0);
    const days = Math.floor(Math.max(0, channel.balance) / pace.perDay);
    if (pace.perDay <= 0 || days >= LEAST_DAYS) continue;
    items.push(
      found('supplier_balance', {
        of: channel.id,
        mark: String(days),
        since: channel.balance_updated_time,
        subjects: [
          supplier === undefined
            ? { kind: 'channel', id: String(channel.id), name: channel.name }
            : { kind: 'supplier', id: String(supplier.id), name: supplier.name },
          { kind: 'channel', id: String(channel.id), name: channel.name },
        ],
        count: 1,
        values: {
          ...(supplier !== undefined && isOneOfSeveral && { name: `${supplier.name} · ${channel.name}` }),
          days,
          left_amount: channel.balance,
          day_amount: pace.perDay,
          currency: pace.currency,
          read_at: channel.balance_updated_time,
          model: await onlyHere(store, channel.id),
        },
        address: supplier === undefined ? `/channel/${channel.id}` : `/suppliers/${supplier.id}`,
      }),
    );
  }
  return items;
}

/** In the currency of the balance. A cost is what the operator paid, so it is turned back into credit at the supplier. */
function paceOf(
  { settings }: AttentionDependencies,
  channel: Row<'channels'>,
  supplier: Row<'suppliers'> | undefined,
  cost: number,
): { perDay: number; currency: 'USD' | 'CNY' } {
  const { QuotaPerUnit, Price } = settings.current;
  const balance = channelTypes.find(({ type }) => type === channel.type)?.balance;
  const currency = balance === undefined ? 'USD' : balanceReading(balance).currency;
  const rate = buyPriceOf(channel, supplier)?.recharge_rate ?? 1;
  // The operator's own yuan for a dollar is the only rate that the gateway knows.
  const perDollar = currency === 'CNY' ? Price : 1;
  return { perDay: (cost / QuotaPerUnit / rate / PACE_DAYS) * perDollar, currency };
}

/** A model that no other enabled channel offers; empty: none. */
async function onlyHere({ db }: Store, channelId: number): Promise<string> {
  const { rows } = await sql<{ model: string }>`
    select own.model from abilities own where own.channel_id = ${channelId} and own.enabled = 1
      and not exists (select 1 from abilities other join channels on channels.id = other.channel_id
        where other."group" = own."group" and other.model = own.model and other.channel_id <> ${channelId}
          and other.enabled = 1 and channels.status = 1 and channels.deleted_at is null)
    order by own.model limit 1`.execute(db);
  return rows[0]?.model ?? '';
}
