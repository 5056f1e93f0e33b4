// Calls that found no channel, and calls that the gateway itself could not take, from the counts of refused calls. Their rows
// grow within their minute, so the hours of the last two are counted again, and the count replaces the one before.
import { sql } from 'kysely';
import { HOUR_SECONDS, MINUTE_SECONDS, unixSeconds } from '#contract/time.ts';
import { isOffered, NO_CHANNEL } from '#server/admin/no-channel.ts';
import type { PeriodSum } from '#server/money/sums/engine.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { RelayErrorCode } from '#server/relay/errors/relay-error.ts';
import { cellAt, MINUTES_KEPT_SECONDS, writeCells, type Cell } from './cells.ts';

const GATEWAY = ['draining', 'overloaded', 'unavailable', 'internal'] as const satisfies RelayErrorCode[];

export const refusedCalls = (now: () => number = unixSeconds): PeriodSum => ({
  name: 'refusals',
  source: ['refused_calls', 'minute'],
  periodSeconds: HOUR_SECONDS,
  closedAfterSeconds: -HOUR_SECONDS,
  againSeconds: 2 * HOUR_SECONDS,
  async sum(store, hour) {
    await sumHour(store, hour, now() - MINUTES_KEPT_SECONDS);
    return true;
  },
});

async function sumHour({ db }: Store, hour: number, minutesFrom: number): Promise<void> {
  const { rows } = await sql<{ minute: number; model: string; calls: number }>`
    select minute, model, cast(sum(count) as bigint) as calls from (
      select minute, count, case when code in (${sql.join([...GATEWAY])}) then '' else model_name end as model
      from refused_calls where minute >= ${hour} and minute < ${hour + HOUR_SECONDS}
        and (code in (${sql.join([...GATEWAY])})
          or (code in (${sql.join([...NO_CHANNEL])}) and model_name <> '' and ${isOffered}))) as refused
    group by minute, model`.execute(db);
  const cells = new Map<string, Cell>();
  for (const { minute, model: model_name, calls } of rows)
    for (const seconds of [MINUTE_SECONDS, HOUR_SECONDS]) {
      if (seconds === MINUTE_SECONDS && minute < minutesFrom) continue;
      const { counts } = cellAt(cells, { seconds, start: minute - (minute % seconds), model_name });
      counts['refused'] = (counts['refused'] ?? 0) + calls;
    }
  if (cells.size === 0) return;
  await db
    .transaction()
    .execute((transaction) =>
      writeCells(transaction, [...cells.values()], () => sql`refused = excluded.refused`, ['refused']),
    );
}
