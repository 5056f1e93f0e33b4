// What last week's calls would have cost under the prices of a draft, against the running ones. Rows are read on a connection
// of their own, a bounded number of each hour, and rated in a thread, so that relayed calls do not wait. Hours with more rows
// than that are scaled to their number of calls.
import type { ImpactPart, PriceImpact } from '#contract/money/price-book-views.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Store, StoreReader } from '#server/platform/store/store.ts';
import { startThread } from '#server/platform/store/sqlite/thread.ts';
import type { ImpactMessage } from './impact-thread.ts';
import type { ImpactRow, RatedRows } from './rate-rows.ts';

const WEEK_SECONDS = 7 * 24 * HOUR_SECONDS;
const USUAL_ROWS_PER_HOUR = 250;
const CONSUMED = 2;
const PARTS_SHOWN = 500;

export interface ImpactRange {
  /** End of the week, in unix seconds. */
  to: number;
  rowsPerHour?: number;
}

/** The two texts are as in price_versions. */
export async function impactOf(
  store: Pick<Store, 'openReader'>,
  prices: { running: string; draft: string },
  { to, rowsPerHour = USUAL_ROWS_PER_HOUR }: ImpactRange,
): Promise<PriceImpact> {
  const from = to - WEEK_SECONDS;
  const reader = await store.openReader();
  const thread = rater();
  const total = { read: 0, calls: 0, not_rated: 0 };
  const parts = new Map<string, ImpactPart>();
  try {
    await thread.ask(prices);
    const calls = await callsByHour(reader, from);
    for (let hour = from - (from % HOUR_SECONDS); hour < to; hour += HOUR_SECONDS) {
      const rows = await rowsOf(reader, Math.max(hour, from), Math.min(hour + HOUR_SECONDS, to), rowsPerHour);
      if (rows.length === 0) continue;
      const rated = await thread.ask({ rows });
      const isWhole = rows.length < rowsPerHour;
      const scale = isWhole ? 1 : Math.max(1, (calls.get(hour) ?? 0) / rows.length);
      total.read += rows.length;
      total.calls += rows.length * scale;
      total.not_rated += rated.notRated * scale;
      for (const sum of rated.sums) addPart(parts, sum, scale);
    }
  } finally {
    thread.close();
    await reader.close();
  }
  const list = [...parts.values()].map(rounded).toSorted((one, other) => change(other) - change(one));
  return {
    from,
    to,
    read: total.read,
    calls: Math.round(total.calls),
    not_rated: Math.round(total.not_rated),
    parts: list.slice(0, PARTS_SHOWN),
  };
}

const change = ({ running, draft }: ImpactPart): number => Math.abs(draft - running);

function addPart(parts: Map<string, ImpactPart>, sum: ImpactPart, scale: number): void {
  const { model, group } = sum;
  const key = JSON.stringify([model, group]);
  const part = parts.get(key) ?? { model, group, calls: 0, charged: 0, running: 0, draft: 0 };
  for (const name of ['calls', 'charged', 'running', 'draft'] as const) part[name] += sum[name] * scale;
  parts.set(key, part);
}

function rounded({ model, group, ...sums }: ImpactPart): ImpactPart {
  const { calls, charged, running, draft } = sums;
  return {
    model,
    group,
    calls: Math.round(calls),
    charged: Math.round(charged),
    running: Math.round(running),
    draft: Math.round(draft),
  };
}

async function callsByHour({ db }: StoreReader, from: number): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('usage_hours')
    .select(['hour', ({ fn }) => fn.sum<number>('count').as('calls')])
    .where('hour', '>=', from - (from % HOUR_SECONDS))
    .groupBy('hour')
    .execute();
  return new Map(rows.map(({ hour, calls }) => [hour, calls]));
}

async function rowsOf({ db }: StoreReader, from: number, to: number, limit: number): Promise<ImpactRow[]> {
  return await db
    .selectFrom('logs')
    .select(['type', 'created_at', 'model_name', 'group', 'other', 'quota'])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('type', '=', CONSUMED)
    .orderBy('created_at')
    .limit(limit)
    .execute();
}

/** The other end of impact-thread.ts; answers come in the order of the questions. */
function rater() {
  const waiting: PromiseWithResolvers<RatedRows>[] = [];
  const thread = startThread(new URL('./impact-thread.ts', import.meta.url), 'impact', {
    reply: (text) => waiting.shift()?.resolve(JSON.parse(text) as RatedRows),
    end: (error) => {
      for (const lost of waiting.splice(0)) lost.reject(error);
    },
  });
  return {
    ask(message: ImpactMessage): Promise<RatedRows> {
      const answer = Promise.withResolvers<RatedRows>();
      waiting.push(answer);
      thread.send(JSON.stringify(message));
      return answer.promise;
    },
    close: thread.terminate,
  };
}
