// What public pages say of the two months before: their log rows are removed, as a site does that keeps a month of them, and the
// sums by the hour have stayed. Made of the hours of the last month, with fewer calls the longer ago.
import { sql } from 'kysely';
import { DAY_SECONDS } from '#contract/time.ts';
import { measuredCalls, refusedCalls, sumDays } from '#server/admin/measured/index.ts';
import { follow, sumPeriods } from '#server/money/sums/engine.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Whole weeks, so that weekends stay weekends; and how many of the calls there were. */
const EARLIER = [
  { days: 28, tenths: 8 },
  { days: 56, tenths: 7 },
  { days: 84, tenths: 6 },
] as const;

export async function bookMeasured(store: Store, zone: string, now: number): Promise<void> {
  await follow(store, measuredCalls({ store, isLogged: () => true }));
  await sumPeriods({ store }, refusedCalls());
  const from = now - (now % DAY_SECONDS) - 28 * DAY_SECONDS;
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info('measured_cells')`.execute(
    store.db,
  );
  const counts = rows
    .map(({ name }) => name)
    .filter((name) => !['seconds', 'start', 'model_name'].includes(name));
  for (const { days, tenths } of EARLIER) {
    const part = (name: string) => sql`(${sql.ref(name)} * ${sql.lit(tenths)} + 5) / 10`;
    const parts = counts.map((name) => {
      // Outages happened once: a copy of one would be a bad day without an incident.
      if (name === 'refused') return sql`0`;
      return name === 'failed'
        ? sql`case when failed * 10 < answered then ${part(name)} else 0 end`
        : part(name);
    });
    await sql`insert into measured_cells (seconds, start, model_name, ${sql.join(counts.map((name) => sql.ref(name)))})
      select seconds, start - ${sql.lit(days * DAY_SECONDS)}, model_name, ${sql.join(parts)} from measured_cells
      where seconds = 3600 and start >= ${from} and start < ${from + 28 * DAY_SECONDS}
      on conflict do nothing`.execute(store.db);
  }
  await sumDays({ store, zone, now }, async () => true);
}
