// Cells in the database: one row for each day, channel, model, group of users and node, so that nodes never wait for each
// other's rows.
import { DAY_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addCell, emptyCell, readCell, type Cell } from './cell.ts';
import type { CellKey, Collector } from './collector.ts';

/** The past that a channel is compared with. */
export const KEPT_DAYS = 28;
const ROWS_AT_ONCE = 200;

/** The last days up to `today`. */
export const lastDays = (today: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => today - index);

export const dayOf = (unixSeconds: number): number => Math.floor(unixSeconds / DAY_SECONDS);

/** Adds what the collector counted to the rows of today. What cannot be written stays with the collector. */
export async function writeCounts(
  store: Store,
  collector: Pick<Collector, 'take' | 'putBack'>,
  nodeId: string,
  now: number,
): Promise<void> {
  const taken = collector.take();
  for (let at = 0; at < taken.length; at += ROWS_AT_ONCE) {
    try {
      await writeSome(store, taken.slice(at, at + ROWS_AT_ONCE), nodeId, dayOf(now));
    } catch (error) {
      collector.putBack(taken.slice(at));
      throw error;
    }
  }
}

async function writeSome(
  { db }: Store,
  taken: readonly [CellKey, Cell][],
  nodeId: string,
  day: number,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const [{ channelId, model, userGroup }, cell] of taken) {
      const key = { day, channel_id: channelId, model, user_group: userGroup, node_id: nodeId };
      const stored = await transaction
        .selectFrom('supplier_counts')
        .select('counts')
        .where('day', '=', day)
        .where('channel_id', '=', channelId)
        .where('model', '=', model)
        .where('user_group', '=', userGroup)
        .where('node_id', '=', nodeId)
        .executeTakeFirst();
      const sum = stored === undefined ? emptyCell() : readCell(stored.counts);
      addCell(sum, cell);
      const counts = JSON.stringify(sum);
      await transaction
        .insertInto('supplier_counts')
        .values({ ...key, counts })
        .onConflict((conflict) =>
          conflict.columns(['day', 'channel_id', 'model', 'user_group', 'node_id']).doUpdateSet({ counts }),
        )
        .execute();
    }
  });
}

export interface DayCell {
  day: number;
  channelId: number;
  model: string;
  userGroup: number;
  cell: Cell;
}

/** Read in pages, with a pause after each: a large site has many rows, and the relay shares this thread. */
export async function readCounts(
  { db }: Store,
  days: readonly number[],
  channelId?: number,
): Promise<DayCell[]> {
  const found: DayCell[] = [];
  for (const day of days) {
    for (let offset = 0; ; offset += ROWS_AT_ONCE) {
      let query = db.selectFrom('supplier_counts').selectAll().where('day', '=', day);
      if (channelId !== undefined) query = query.where('channel_id', '=', channelId);
      const rows = await query
        .orderBy('channel_id')
        .orderBy('model')
        .orderBy('user_group')
        .orderBy('node_id')
        .limit(ROWS_AT_ONCE)
        .offset(offset)
        .execute();
      for (const { channel_id, model, user_group, counts } of rows)
        found.push({
          day,
          channelId: channel_id,
          model,
          userGroup: user_group,
          cell: readCell(counts),
        });
      if (rows.length < ROWS_AT_ONCE) break;
      await Bun.sleep(1);
    }
  }
  return found;
}

export async function removeOldCounts({ db }: Store): Promise<void> {
  const today = dayOf(Date.now() / 1000);
  await db
    .deleteFrom('supplier_counts')
    .where('day', '<', today - KEPT_DAYS)
    .execute();
  await db
    .deleteFrom('supplier_probes')
    .where('created_at', '<', (today - 90) * DAY_SECONDS)
    .execute();
}
