// Compares a bill with the hourly figures of the log, by day (UTC) and model. Dates and aliases of model names are no
// difference, and the channels' own mappings are followed.
import type { BillAmounts, BillRow, BillView } from '#contract/suppliers/supplier-bills.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import { billedModelName } from '#server/suppliers/model-names.ts';
import { mapModel, parseStringMap } from '#server/relay/channel-choice/mapping.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { BilledLine, ReadBill } from './read.ts';

export interface Comparison extends Pick<
  BillView,
  | 'first_day'
  | 'last_day'
  | 'rows'
  | 'unmatched_billed'
  | 'unmatched_recorded'
  | 'has'
  | 'billed'
  | 'recorded'
> {
  lines: BillRow[];
}

interface Pair {
  day: number;
  /** As the bill names it, else as the log does. */
  model: string;
  billed?: BillAmounts;
  recorded?: BillAmounts;
}

export async function compareBill(
  store: Store,
  channelIds: readonly number[],
  { lines, has }: ReadBill,
  quotaPerUnit: number,
): Promise<Comparison> {
  const days = lines.map(({ day }) => day);
  const first = Math.min(...days);
  const last = Math.max(...days);
  const pairs = new Map<string, Pair>();
  const pairOf = (day: number, model: string): Pair => {
    const key = `${day} ${billedModelName(model)}`;
    let pair = pairs.get(key);
    if (pair === undefined) pairs.set(key, (pair = { day, model }));
    return pair;
  };
  for (const line of lines) add((pairOf(line.day, line.model).billed ??= nothing()), line);
  for (const line of await readRecordedLines(store, channelIds, { first, last, quotaPerUnit }))
    add((pairOf(line.day, line.model).recorded ??= nothing()), line);
  const rows = [...pairs.values()]
    .toSorted((left, right) => left.day - right.day || left.model.localeCompare(right.model))
    .map(rowOf);
  const sum = (side: 'billed' | 'recorded'): BillAmounts => {
    const total = nothing();
    for (const row of rows) add(total, row[side]);
    return rounded(total);
  };
  return {
    first_day: dayText(first),
    last_day: dayText(last),
    rows: rows.length,
    unmatched_billed: rows.filter(({ match }) => match === 'billed').length,
    unmatched_recorded: rows.filter(({ match }) => match === 'recorded').length,
    has,
    billed: sum('billed'),
    recorded: sum('recorded'),
    lines: rows,
  };
}

function rowOf({ day, model, billed, recorded }: Pair): BillRow {
  return {
    day: dayText(day),
    model,
    match: billed === undefined ? 'recorded' : recorded === undefined ? 'billed' : 'both',
    billed: rounded(billed ?? nothing()),
    recorded: rounded(recorded ?? nothing()),
  };
}

/**
 * The cost that was recorded with the calls. Calls without one count at the vendors' list prices, without discounts for cached
 * prompts, which the hourly figures do not have.
 */
async function readRecordedLines(
  { db }: Store,
  channelIds: readonly number[],
  { first, last, quotaPerUnit }: { first: number; last: number; quotaPerUnit: number },
): Promise<BilledLine[]> {
  const channels = await db
    .selectFrom('channels')
    .select(['id', 'model_mapping'])
    .where('id', 'in', channelIds)
    .execute();
  const mappings = new Map(
    channels.map(({ id, model_mapping }) => [id, parseStringMap(model_mapping)] as const),
  );
  const found: BilledLine[] = [];
  for (let day = first; day <= last; day += 1) {
    const rows = await db
      .selectFrom('usage_hours')
      .select(['channel_id', 'model_name'])
      .select(({ fn }) => [
        fn.sum<number>('count').as('requests'),
        fn.sum<number>('prompt_tokens').as('input'),
        fn.sum<number>('completion_tokens').as('output'),
      ])
      .where('hour', '>=', day * DAY_SECONDS)
      .where('hour', '<', (day + 1) * DAY_SECONDS)
      .where('channel_id', 'in', channelIds)
      .groupBy(['channel_id', 'model_name'])
      .execute();
    const costs = await db
      .selectFrom('margin_days')
      .select(['channel_id', 'model_name'])
      .select(({ fn }) => [fn.sum<number>('cost').as('cost'), fn.sum<number>('costed_count').as('requests')])
      .where('day', '=', day * DAY_SECONDS)
      .where('channel_id', 'in', channelIds)
      .groupBy(['channel_id', 'model_name'])
      .execute();
    const costOf = new Map(costs.map((each) => [`${each.channel_id} ${each.model_name}`, each]));
    for (const { channel_id, model_name, requests, input, output } of rows) {
      const mapping = mappings.get(channel_id);
      const model = mapping === undefined ? model_name : mapModel(mapping, model_name);
      const tokens = { input_tokens: input, output_tokens: output };
      const known = costOf.get(`${channel_id} ${model_name}`) ?? { cost: 0, requests: 0 };
      const unknownPart = requests > known.requests ? (requests - known.requests) / requests : 0;
      const cost = known.cost / quotaPerUnit + unknownPart * listCost(model, tokens);
      found.push({ day, model, requests, ...tokens, cost });
    }
  }
  return found;
}

function listCost(model: string, tokens: { input_tokens: number; output_tokens: number }): number {
  const price = builtInPrice(model);
  if (price?.input === undefined) return 0;
  return (tokens.input_tokens * price.input + tokens.output_tokens * (price.output ?? 0)) / 1e6;
}

function nothing(): BillAmounts {
  return { requests: 0, input_tokens: 0, output_tokens: 0, cost: 0 };
}

function add(sum: BillAmounts, more: BillAmounts): void {
  sum.requests += more.requests;
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.cost += more.cost;
}

/** Sums of decimals, to a hundredth of a cent. */
function rounded(amounts: BillAmounts): BillAmounts {
  return { ...amounts, cost: Math.round(amounts.cost * 10_000) / 10_000 };
}

function dayText(day: number): string {
  return new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
}
