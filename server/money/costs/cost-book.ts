// What calls cost the operator, from the buy prices of channels and suppliers, in memory. A fault in a buy price makes the
// cost unknown: it never fails or delays the settlement of a call.
import type { Log } from '#contract/context.ts';
import { readBuyPrice, type BuyPrice } from '#contract/money/channel-costs.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import { reloadInTurn } from '#server/platform/store/reload.ts';
import type { Store } from '#server/platform/store/store.ts';
import { costSnapshot } from './snapshot.ts';

/** The channel and the model of a call. A supplier bills the model that it was sent, so its name is tried first. */
export interface BoughtCall {
  readonly channelId: number;
  readonly upstreamModel: string;
  readonly model: string;
}

export interface CostBook {
  /** Quota units; null: unknown. Surcharges do not count: their dollars are selling prices. Never throws. */
  costOf(call: BoughtCall, usage: Usage, isBatch?: boolean): number | null;
  /** Quota units of a usual call, as a fraction, for comparing channels; null: unknown. */
  usualCost(call: BoughtCall): number | null;
  /** Changes when any buy price may have changed. */
  readonly version: number;
  reload(): Promise<void>;
  close(): void;
}

/** The buy price that holds for a channel: its own, else the supplier's. */
export function buyPriceOf(
  channel: { buy_price: string },
  supplier: { buy_price: string } | undefined,
): BuyPrice | undefined {
  return readBuyPrice(channel.buy_price === '' ? (supplier?.buy_price ?? '') : channel.buy_price);
}

interface ChannelPrices {
  readonly buyPrice: BuyPrice;
  /** By the names of the model. */
  readonly snapshots: Map<string, PriceSnapshot | null>;
  readonly batchSnapshots: Map<string, PriceSnapshot | null>;
}

/** Names with suffixes and of custom assistants are chosen by callers: without a bound they could grow a map for ever. */
const MOST_NAMES = 1000;
/** A thousand calls of 3,000 tokens in and 1,000 out: prices far below a unit for one call still differ. */
const USUAL_CALLS = 1000;
const usualUsage = usageOf({ input: 3000 * USUAL_CALLS, output: 1000 * USUAL_CALLS, pieces: USUAL_CALLS });

interface Settings {
  readonly current: { readonly QuotaPerUnit: number };
}

export async function openCostBook(store: Store, settings: Settings, log: Log): Promise<CostBook> {
  let prices = await load(store);
  let quotaPerUnit = settings.current.QuotaPerUnit;
  let version = 0;
  const reload = reloadInTurn(async () => {
    prices = await load(store);
    version += 1;
  });
  const close = store.changes.subscribe('channels', async () => {
    await reload().catch((error: unknown) => log.error('buy prices could not be reloaded', { error }));
  });

  function snapshotOf(call: BoughtCall, isBatch: boolean): PriceSnapshot | null {
    if (settings.current.QuotaPerUnit !== quotaPerUnit) {
      ({ QuotaPerUnit: quotaPerUnit } = settings.current);
      for (const each of prices.values()) forget(each);
    }
    const channel = prices.get(call.channelId);
    if (channel === undefined) return null;
    const { upstreamModel, model } = call;
    const key = upstreamModel === model ? model : `${upstreamModel}\n${model}`;
    const known = isBatch ? channel.batchSnapshots : channel.snapshots;
    let snapshot = known.get(key);
    if (snapshot === undefined) {
      const { buyPrice } = channel;
      const usual = costSnapshot(buyPrice, [upstreamModel, model], builtInPrice, quotaPerUnit);
      snapshot = usual !== null && isBatch ? { ...usual, batchRatio: buyPrice.batch_ratio } : usual;
      if (known.size >= MOST_NAMES) known.clear();
      known.set(key, snapshot);
    }
    return snapshot;
  }

  function costOf(call: BoughtCall, usage: Usage, isBatch = false): number | null {
    try {
      const snapshot = snapshotOf(call, isBatch);
      if (snapshot === null) return null;
      const bought = usage.surcharges.length === 0 ? usage : { ...usage, surcharges: [] };
      let cost = cappedChargeOf(snapshot, bought);
      for (const { model, usage: used } of usage.otherModels ?? []) {
        const more = costOf({ channelId: call.channelId, upstreamModel: model, model }, used, isBatch);
        if (more === null) return null;
        cost += more;
      }
      return cost;
    } catch (error) {
      log.warn('the cost of a call is unknown', { channel_id: call.channelId, model: call.model, error });
      return null;
    }
  }

  return {
    costOf,
    usualCost(call) {
      const cost = costOf(call, usualUsage);
      return cost === null ? null : cost / USUAL_CALLS;
    },
    get version() {
      return version;
    },
    reload,
    close,
  };
}

function forget({ snapshots, batchSnapshots }: ChannelPrices): void {
  snapshots.clear();
  batchSnapshots.clear();
}

/** Also of deleted channels: their tasks end later. */
async function load({ db }: Store): Promise<Map<number, ChannelPrices>> {
  const [channels, suppliers] = await Promise.all([
    db.selectFrom('channels').select(['id', 'supplier_id', 'buy_price']).execute(),
    db.selectFrom('suppliers').select(['id', 'buy_price']).execute(),
  ]);
  const supplierOf = new Map(suppliers.map((supplier) => [supplier.id, supplier]));
  const prices = new Map<number, ChannelPrices>();
  for (const channel of channels) {
    const buyPrice = buyPriceOf(channel, supplierOf.get(channel.supplier_id));
    if (buyPrice === undefined) continue;
    prices.set(channel.id, { buyPrice, snapshots: new Map(), batchSnapshots: new Map() });
  }
  return prices;
}
