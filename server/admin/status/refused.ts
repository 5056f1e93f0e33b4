// How many calls of an incident's models found no channel while it lasted. Whole hours come from the kept sums; only the first
// and the last hour are counted by the minute.
import { sql } from 'kysely';
import { HOUR_SECONDS, MINUTE_SECONDS } from '#contract/time.ts';
import { isOffered, NO_CHANNEL } from '#server/admin/no-channel.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface Lasting {
  models: readonly string[];
  begun_at: number;
  /** 0: it is not over. */
  ended_at: number;
}

export async function sumRefused(
  { db }: Pick<Store, 'db'>,
  { models, begun_at, ended_at }: Lasting,
  now: number,
): Promise<number> {
  if (models.length === 0) return 0;
  const from = begun_at - (begun_at % MINUTE_SECONDS);
  const to = Math.max(from, ended_at === 0 ? now : ended_at);
  const [hourAfter, hourOfEnd] = [from - (from % HOUR_SECONDS) + HOUR_SECONDS, to - (to % HOUR_SECONDS)];
  const names = sql.join([...models]);
  const minutes = sql`(minute >= ${from} and minute < ${Math.min(hourAfter, to + 1)})
    or (minute >= ${Math.max(hourAfter, hourOfEnd)} and minute <= ${to})`;
  const { rows } = await sql<{ calls: number }>`
    select cast((select coalesce(sum(count), 0) from refused_calls where (${minutes})
        and code in (${sql.join([...NO_CHANNEL])}) and model_name in (${names}) and ${isOffered}) +
      (select coalesce(sum(refused), 0) from measured_cells where model_name in (${names})
        and seconds = ${sql.lit(HOUR_SECONDS)} and start >= ${hourAfter} and start < ${hourOfEnd}) as bigint) as calls`.execute(
    db,
  );
  return rows[0]?.calls ?? 0;
}
