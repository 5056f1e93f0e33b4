// How long the log page takes with millions of rows, on both databases, and how long it blocks the relay's thread.
//   npm run bench -- --logs [--rows 5000000] [--databases sqlite,postgres] [--runs 7] [--json] [--keep directory]
// Each query is sent as the page sends it, through the handlers and the store of the server: once by a server that was
// just started, with empty caches, and then again. Exits with 1 when one of them takes longer than 200 ms, the first
// time or at the median. `--keep` leaves the SQLite database for another run.
import { existsSync, mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '#tests/bench/arguments.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { logs } from '#contract/admin/logs.ts';
import { createLogHandlers } from '#server/admin/logs/index.ts';
import { endedTasks } from '#server/relay/tasks/index.ts';
import { usageRollup } from '#server/admin/logs/index.ts';
import { sumPeriods } from '#server/money/sums/engine.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace, type DatabaseLabel } from '#tests/support/databases.ts';
import { DAYS, RARE_MODEL, seedUsers } from './rows.ts';
import { seedPostgres, seedSqlite } from './seed.ts';

const { values: options } = readArguments({
  options: {
    rows: { type: 'string', default: '5000000' },
    databases: { type: 'string', default: 'sqlite,postgres' },
    runs: { type: 'string', default: '7' },
    json: { type: 'boolean', default: false },
    keep: { type: 'string' },
    /** Selects this bench in `npm run bench`; accepted here and ignored. */
    logs: { type: 'boolean' },
  },
});

const LIMIT_MILLISECONDS = 200;
const rows = Number(options.rows);
const runs = Number(options.runs);
/** Progress; with --json standard output has the result alone. */
const say = (text: string): void => (options.json ? console.error(text) : console.log(text));
const DAY_SECONDS = 86_400;

type Name = 'list' | 'stat' | 'histogram' | 'listSelf' | 'statSelf';

interface Question {
  what: string;
  asks: { name: Name; query: Record<string, unknown> }[];
}

interface Figure {
  what: string;
  /** First time: cold pages, statements to compile, empty caches. */
  first: number;
  median: number;
  worst: number;
  /** Longest time the querying thread's event loop was blocked. */
  stall: number;
}

function questions(now: number): Question[] {
  const page = { start_timestamp: now - 3 * DAY_SECONDS - 40_000, end_timestamp: now + 3600, page_size: 50 };
  const all = { page_size: 50 };
  const heavy = seedUsers()[0];
  const list = (query: Record<string, unknown>) => [{ name: 'list' as const, query }];
  const stat = (query: Record<string, unknown>) => [{ name: 'stat' as const, query }];
  const whole = (query: Record<string, unknown>) => [
    ...list(query),
    ...stat(query),
    { name: 'histogram' as const, query },
  ];
  const model = { model_name: 'model-03' };
  const rare = { model_name: RARE_MODEL };
  return [
    { what: 'first page, 3 days', asks: list(page) },
    { what: 'stat, 3 days', asks: stat(page) },
    { what: 'histogram, 3 days', asks: [{ name: 'histogram', query: page }] },
    { what: 'page, stat and histogram at once, 3 days', asks: whole(page) },
    { what: 'first page, everything', asks: list(all) },
    { what: 'stat, everything', asks: stat(all) },
    { what: 'page 2,000, everything', asks: list({ ...all, p: 2000 }) },
    { what: 'page behind a row, everything', asks: list({ ...all, before_id: Math.floor(rows / 2) }) },
    { what: 'a model, 3 days', asks: list({ ...page, ...model }) },
    { what: 'a model, everything', asks: list({ ...all, ...model }) },
    { what: 'stat of a model, everything', asks: stat({ ...all, ...model }) },
    { what: 'a rare model, 3 days', asks: list({ ...page, ...rare }) },
    { what: 'a rare model, everything', asks: list({ ...all, ...rare }) },
    { what: 'a pattern of models, everything', asks: list({ ...all, model_name: 'model-1%' }) },
    { what: 'a channel, everything', asks: list({ ...all, channel: 7 }) },
    { what: 'stat of a channel, everything', asks: stat({ ...all, channel: 7 }) },
    { what: 'a user, everything', asks: list({ ...all, username: heavy?.username }) },
    { what: 'a quiet user, everything', asks: list({ ...all, username: 'user299' }) },
    { what: 'a token, everything', asks: list({ ...all, token_name: 'key-1-of-120' }) },
    { what: 'failures, 3 days', asks: list({ ...page, type: 5 }) },
    { what: 'failures, everything', asks: list({ ...all, type: 5 }) },
    { what: 'failures of a cause, 3 days', asks: whole({ ...page, cause: 'saturated' }) },
    { what: 'failures of a cause, everything', asks: whole({ ...all, cause: 'saturated' }) },
    { what: 'failures of a channel, everything', asks: list({ ...all, type: 5, channel: 7 }) },
    { what: 'top-ups, everything', asks: list({ ...all, type: 1 }) },
    { what: 'a group, 3 days', asks: list({ ...page, group: 'vip' }) },
    { what: 'stat of a group, 3 days', asks: stat({ ...page, group: 'vip' }) },
    { what: 'stat of the default group, 3 days', asks: stat({ ...page, group: 'default' }) },
    { what: 'a model in a group, 3 days', asks: list({ ...page, group: 'vip', ...model }) },
    {
      what: 'a request',
      asks: list({ ...all, request_id: `req_${(12_345).toString(36).padStart(14, '0')}` }),
    },
    { what: 'own first page, 3 days', asks: [{ name: 'listSelf', query: page }] },
    { what: 'own stat, everything', asks: [{ name: 'statSelf', query: all }] },
    { what: 'own page of a model, everything', asks: [{ name: 'listSelf', query: { ...all, ...model } }] },
  ];
}

const results: Record<string, Figure[]> = {};
for (const label of options.databases.split(',') as DatabaseLabel[]) results[label] = await bench(label);
report();

async function bench(label: DatabaseLabel): Promise<Figure[]> {
  const kept = label === 'sqlite' ? options.keep : undefined;
  const place = kept ? { dataDir: kept, remove: async () => {} } : await temporaryPlace(label);
  try {
    const open = () => openStore({ ...place, writerEntry: applicationWriter });
    const isSeeded = kept !== undefined && existsSync(join(kept, 'tollgate.db'));
    if (kept) mkdirSync(kept, { recursive: true });
    await (await open()).close();
    if (!isSeeded) await fill(label, place);
    const opened = await open();
    try {
      // A server that ran while the rows were written has summed the past hours.
      const now = await newestOf(opened);
      const startedAt = performance.now();
      const summed = await sumPeriods({ store: opened, now: () => now }, usageRollup);
      if (!options.json) {
        say(`${label}: ${await hoursOf(opened)} hourly figures`);
        say(`${label}: ${summed} hours summed in ${seconds(startedAt)}`);
      }
    } finally {
      await opened.close();
    }
    return await measure(open);
  } finally {
    await place.remove();
  }
}

async function fill(label: DatabaseLabel, place: { dataDir: string; databaseUrl?: string }): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const startedAt = performance.now();
  if (place.databaseUrl) await seedPostgres(place.databaseUrl, rows, now);
  else await seedSqlite(place.dataDir, rows, now);
  if (options.json) return;
  say(`${label}: ${rows.toLocaleString('en-US')} rows over ${DAYS} days, written in ${seconds(startedAt)}`);
}

/** The clock is set to the time of the newest row. */
async function newestOf(store: Store): Promise<number> {
  const { newest } = await store.db
    .selectFrom('logs')
    .select((builder) => builder.fn.max('created_at').as('newest'))
    .executeTakeFirstOrThrow();
  return newest;
}

async function hoursOf(store: Store): Promise<string> {
  const { count } = await store.db
    .selectFrom('usage_hours')
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count.toLocaleString('en-US');
}

/** A new server for each query, so that the first answer is one after a start. */
async function measure(open: () => Promise<Store>): Promise<Figure[]> {
  const figures: Figure[] = [];
  let store = await open();
  const now = await newestOf(store);
  for (const question of questions(now)) {
    await store.close();
    store = await open();
    const figure = await ask(store, now, question);
    figures.push(figure);
    if (!options.json) say(lineOf(figure));
  }
  await store.close();
  return figures;
}

async function ask(store: Store, now: number, { what, asks }: Question): Promise<Figure> {
  const reader = { id: seedUsers()[0]?.id ?? 0, username: '', role: 100, group: 'default' };
  const context = {
    user: reader,
    audit: async () => {},
    auditEvent: async () => {},
  } as unknown as RequestContext;
  const handlers = createLogHandlers({
    store,
    settings: {
      current: {
        GroupRatio: { default: 1 },
        UserUsableGroups: {},
        LogConsumeEnabled: true,
        QuotaPerUnit: 500_000,
        DisplayInCurrencyEnabled: true,
      },
    },
    endedTasks: endedTasks(store),
    now: () => now,
  });
  const once = async (): Promise<number> => {
    const startedAt = performance.now();
    await Promise.all(
      asks.map(({ name, query }) =>
        (handlers[name] as (input: unknown, context: RequestContext) => Promise<unknown>)(
          { query: logs[name].query.parse(query) },
          context,
        ),
      ),
    );
    return performance.now() - startedAt;
  };
  const stall = watchStalls();
  const first = await once();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await once());
  times.sort((left, right) => left - right);
  return {
    what,
    first,
    median: times[Math.floor(times.length / 2)] ?? 0,
    worst: times.at(-1) ?? 0,
    stall: stall(),
  };
}

function lineOf({ what, first, median, worst, stall }: Figure): string {
  const milliseconds = (value: number) => value.toFixed(1).padStart(7);
  const mark = Math.max(first, median) > LIMIT_MILLISECONDS ? '!' : ' ';
  return `  ${mark} ${milliseconds(median)} ms  worst ${milliseconds(worst)}  first ${milliseconds(first)}  stall ${milliseconds(stall)}  ${what}`;
}

/** The largest delay of a timer of the querying thread, until the result is read. */
function watchStalls(): () => number {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 2);
    last = now;
  }, 2);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
}

function report(): void {
  const slow = Object.entries(results).flatMap(([label, figures]) =>
    figures
      .filter(({ first, median }) => Math.max(first, median) > LIMIT_MILLISECONDS)
      .map(({ what }) => `${label}: ${what}`),
  );
  if (options.json) {
    console.log(
      JSON.stringify({
        rows,
        cpus: cpus().length,
        load: loadavg()[0],
        limit: LIMIT_MILLISECONDS,
        results,
        slow,
      }),
    );
  } else say(slow.length === 0 ? `all under ${LIMIT_MILLISECONDS} ms` : `too slow: ${slow.join('; ')}`);
  process.exit(slow.length === 0 ? 0 : 1);
}
