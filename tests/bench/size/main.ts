// How the server behaves with millions of ledger and log rows, on both databases:
//   npm run bench -- --size [--rows 10000000] [--databases sqlite,postgres] [--seconds 20] [--parts audit,pages,boot]
//     [--seed-only directory]
// Start of the process, first log page, throughput of the ledger with and without the audit, the largest write-ahead log,
// the boot check and a whole audit. `--seed-only` fills a SQLite database in that directory and ends. Exits with 1 when a
// limit is missed.
import { mkdirSync, statSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '#tests/bench/arguments.ts';
import { logs } from '#contract/admin/logs.ts';
import { createMoneyAudit } from '#server/money/audit/audit.ts';
import { withoutPause } from '#server/money/audit/breach.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { createLogHandlers, usageRollup } from '#server/admin/logs/index.ts';
import { sumPeriods } from '#server/money/sums/engine.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { endedTasks } from '#server/relay/tasks/index.ts';
import {
  applicationWriter,
  temporaryPlace,
  type DatabaseLabel,
  type TemporaryPlace,
} from '#tests/support/databases.ts';
import { startGateway } from '#tests/support/gateway.ts';
import { startLoad } from './load.ts';
import { seedPostgres, seedSqlite } from './seed.ts';

const { values: options } = readArguments({
  options: {
    rows: { type: 'string', default: '10000000' },
    databases: { type: 'string', default: 'sqlite,postgres' },
    /**
     * Length of one measurement of the throughput. The audit begins each with a slice and then pauses for fifteen times as
     * long: a short measurement would see the slice and not the pause.
     */
    seconds: { type: 'string', default: '20' },
    /** What is measured; the audit takes longest. */
    parts: { type: 'string', default: 'audit,pages,boot' },
    'seed-only': { type: 'string' },
    /** Selects this bench in `npm run bench`; accepted here and ignored. */
    size: { type: 'boolean' },
  },
});

const rows = Number(options.rows);
const isMeasured = (part: string): boolean => options.parts.split(',').includes(part);
const ROUNDS = 5;
const PAGES = 9;
const missed: string[] = [];

function show(what: string, value: number, unit: string, limit?: { most?: number; least?: number }): void {
  const isMissed = (limit?.most ?? Infinity) < value || (limit?.least ?? -Infinity) > value;
  if (isMissed) missed.push(what);
  const bound = limit?.most ?? limit?.least;
  const asked =
    bound === undefined ? '' : `  (${limit?.most === undefined ? 'at least' : 'at most'} ${bound})`;
  console.log(`  ${isMissed ? '!' : ' '} ${value.toFixed(1).padStart(9)} ${unit.padEnd(7)} ${what}${asked}`);
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const started = performance.now();
  const result = await work();
  return { ms: performance.now() - started, result };
}

/** A new PostgreSQL database has no master key yet; the copied SQLite database brings its own. */
const keyOf = ({ databaseUrl }: TemporaryPlace) => (databaseUrl === undefined ? undefined : 'ab'.repeat(32));
const open = (place: TemporaryPlace) =>
  openStore({ ...place, masterKey: keyOf(place), writerEntry: applicationWriter });

async function measure(label: DatabaseLabel): Promise<void> {
  const place = await temporaryPlace(label);
  console.log(`${label}, ${rows} charges, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`);
  try {
    await (await open(place)).close();
    const seeded = await timed(() =>
      label === 'sqlite' ? seedSqlite(place.dataDir, rows) : seedPostgres(place.databaseUrl ?? '', rows),
    );
    show('seeding', seeded.ms / 1000, 's');
    const store = await open(place);
    try {
      if (isMeasured('audit')) await measureAudit(store, place);
      if (isMeasured('pages')) await measurePages(store);
    } finally {
      await store.close();
    }
    if (isMeasured('boot')) await measureBoot(place);
  } finally {
    await place.remove();
  }
}

/** Measures in turns, so that other work on the machine meets both sides. */
async function measureAudit(store: Store, place: TemporaryPlace): Promise<void> {
  const milliseconds = Number(options.seconds) * 1000;
  const load = await startLoad(store, place.dataDir);
  const without: number[] = [];
  const during: number[] = [];
  let wal = 0;
  const audit = createMoneyAudit({ store, onBreach: (breach) => missed.push(JSON.stringify(breach)) });
  const watch = setInterval(() => {
    if (store.dialect === 'sqlite')
      wal = Math.max(wal, statSync(join(place.dataDir, 'tollgate.db-wal')).size);
  }, 100);
  await load.during(milliseconds);
  for (let round = 0; round < ROUNDS; round += 1) {
    without.push(await load.during(milliseconds));
    const stop = new AbortController();
    const running = audit.check(stop.signal);
    during.push(await load.during(milliseconds));
    stop.abort();
    await running;
  }
  clearInterval(watch);
  await load.stop();
  show('calls without the audit', median(without), 'calls/s');
  show('calls during the audit', median(during), 'calls/s');
  show('during : without', (median(during) / median(without)) * 100, '%', { least: 90 });
  if (store.dialect === 'sqlite') show('largest write-ahead log', wal / 2 ** 20, 'MiB', { most: 64 });
  const quick = createMoneyAudit({
    store,
    onBreach: (breach) => missed.push(JSON.stringify(breach)),
    pause: withoutPause,
  });
  show('the rest of the first audit, without pauses', (await timed(() => quick.check())).ms / 1000, 's');
  show('boot check', (await timed(() => quick.check())).ms / 1000, 's', { most: 2 });
  const reader = await store.openReader();
  const whole = await timed(() => checkInvariants(reader));
  await reader.close();
  show('whole audit, without pauses', whole.ms / 1000, 's');
  show('breaches', whole.result.length, '', { most: 0 });
  await load.world.close();
}

async function measurePages(store: Store): Promise<void> {
  const display = { QuotaPerUnit: 500_000, DisplayInCurrencyEnabled: true };
  const settings = { current: { GroupRatio: {}, UserUsableGroups: {}, LogConsumeEnabled: true, ...display } };
  const handlers = createLogHandlers({ store, settings, endedTasks: endedTasks(store) });
  await sumPeriods({ store }, usageRollup);
  const context = { caller: { id: 1, role: 100 } } as unknown as RequestContext;
  const query = logs.list.query.parse({ page_size: 50 });
  const input = { query, params: undefined, body: undefined };
  const first = await timed(() => Promise.resolve(handlers.list(input, context)));
  const times: number[] = [];
  for (let each = 0; each < PAGES; each += 1)
    times.push((await timed(() => Promise.resolve(handlers.list(input, context)))).ms);
  show('first log page, cold', first.ms, 'ms');
  show('first log page, warm', median(times), 'ms', { most: 50 });
}

async function measureBoot(place: TemporaryPlace): Promise<void> {
  const environment: Record<string, string> =
    place.databaseUrl === undefined
      ? {}
      : { DATABASE_URL: place.databaseUrl, MASTER_KEY: keyOf(place) ?? '' };
  const gateway = await startGateway({ dataDir: place.dataDir, environment });
  await gateway.stop();
  const again = await startGateway({ dataDir: place.dataDir, environment });
  show('start of the process', again.startedInMs / 1000, 's', { most: 3 });
  await again.stop();
}

const median = (values: readonly number[]) =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

const directory = options['seed-only'];
if (directory === undefined) {
  for (const label of options.databases.split(',') as DatabaseLabel[]) await measure(label);
  console.log(missed.length === 0 ? 'all limits kept' : `missed: ${missed.join('; ')}`);
  process.exit(missed.length === 0 ? 0 : 1);
}
mkdirSync(directory, { recursive: true });
await (await open({ dataDir: directory, remove: async () => {} })).close();
await seedSqlite(directory, rows);
