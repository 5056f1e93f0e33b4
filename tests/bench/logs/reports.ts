// How long usage and cost reports and the margins page take with millions of log rows, on both databases.
//   npm run bench -- --reports [--rows 10000000] [--databases sqlite,postgres] [--runs 5]
// Also how fast log rows become cells, and past days sums. Exits with 1 when a report takes longer than 300 ms at the median.
import { cpus, loadavg } from 'node:os';
import { readArguments } from '#tests/bench/arguments.ts';
import { sumMarginSpans } from '#server/admin/margins/index.ts';
import { costDays, usageCells } from '#server/admin/usage-api/index.ts';
import { follow, sumPeriods } from '#server/money/sums/engine.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace, type DatabaseLabel } from '#tests/support/databases.ts';
import { marginQuestions, seedMargins } from './margins.ts';
import { seedPostgres, seedSqlite } from './seed.ts';
import { usageQuestions } from './usage.ts';

const { values: options } = readArguments({
  options: {
    rows: { type: 'string', default: '10000000' },
    databases: { type: 'string', default: 'sqlite,postgres' },
    runs: { type: 'string', default: '5' },
    /** Selects this bench in `npm run bench`; accepted here and ignored. */
    reports: { type: 'boolean' },
  },
});

const LIMIT_MILLISECONDS = 300;
/** Ten times what the job takes at once, because nothing waits here. */
const ROWS_PER_SLICE = 20_000;
const rows = Number(options.rows);
const slow: string[] = [];

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function bench(label: DatabaseLabel): Promise<void> {
  const place = await temporaryPlace(label);
  const open = () => openStore({ ...place, writerEntry: applicationWriter });
  const now = Math.floor(Date.now() / 1000);
  try {
    await (await open()).close();
    if (place.databaseUrl) await seedPostgres(place.databaseUrl, rows, now);
    else await seedSqlite(place.dataDir, rows, now);
    const store = await open();
    try {
      const folded = await timed(() => follow(store, usageCells(store, ROWS_PER_SLICE)));
      const summed = await timed(() => sumPeriods({ store, now: () => now }, costDays));
      const cells = await store.db
        .selectFrom('usage_cells')
        .select((builder) => builder.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      console.log(
        `${label}: ${rows} rows, ${Math.round((rows / folded) * 1000)} a second into ${cells.count} cells, days summed in ${Math.round(summed)} ms, ` +
          `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`,
      );
      const margins = await seedMargins(store, now);
      const spansSummed = await timed(() => sumMarginSpans({ store, now: () => now }));
      console.log(`  ${margins} sums of margins, days and weeks summed in ${Math.round(spansSummed)} ms`);
      for (const [what, ask] of [...usageQuestions(store, now), ...marginQuestions(store, now)]) {
        const once = () => timed(ask);
        const first = await once();
        const times: number[] = [];
        for (let run = 0; run < Number(options.runs); run += 1) times.push(await once());
        const median = times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0;
        if (median > LIMIT_MILLISECONDS) slow.push(`${label}: ${what}`);
        console.log(`  ${median.toFixed(1).padStart(7)} ms  first ${first.toFixed(1).padStart(7)}  ${what}`);
      }
    } finally {
      await store.close();
    }
  } finally {
    await place.remove();
  }
}

for (const label of options.databases.split(',') as DatabaseLabel[]) await bench(label);
console.log(slow.length === 0 ? `all under ${LIMIT_MILLISECONDS} ms` : `too slow: ${slow.join('; ')}`);
process.exit(slow.length === 0 ? 0 : 1);
