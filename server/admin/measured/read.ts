// Reads the cells: posts of hours or of the site's days, and the figures over all of them. The database adds the cells up, so that
// few rows pass through the thread that relays calls.
import { sql, type RawBuilder } from 'kysely';
import {
  answeredShare,
  callsOf,
  LEAST_CALLS,
  type Measured,
  type MeasuredFigures,
  type MeasuredPost,
  type Outcome,
  type Spread,
} from '#contract/admin/measured.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import { FIRST_COLUMNS, SPEED_COLUMNS } from './cells.ts';
import { FIRST_LIMITS, shareOf, SPEED_LIMITS, total, type Counts } from './histogram.ts';

export type CountRow = Outcome & { [column: string]: number };

export const NOTHING: CountRow = { answered: 0, failed: 0, refused: 0 };

const summed = (names: readonly string[]): RawBuilder<unknown> =>
  sql.join(names.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`));

const outcome = sql`cast(sum(answered) as bigint) as answered,
  cast(sum(failed + refused) as bigint) as failed, cast(sum(refused) as bigint) as refused`;
const SPEEDS = summed([...FIRST_COLUMNS, ...SPEED_COLUMNS]);

const inSpan = (seconds: number, from: number, to: number): RawBuilder<boolean> =>
  sql`seconds = ${sql.lit(seconds)} and start >= ${from} and start < ${to}`;

/** Of each model in the span; the blank one is the gateway itself. */
export async function readModels(
  { db }: Pick<Store, 'db'>,
  { seconds, from, to, withSpeeds }: { seconds: number; from: number; to: number; withSpeeds: boolean },
): Promise<Map<string, CountRow>> {
  const { rows } = await sql<Outcome & { model_name: string }>`
    select model_name, ${outcome}${withSpeeds ? sql`, ${SPEEDS}` : sql``} from measured_cells
    where ${inSpan(seconds, from, to)} group by model_name`.execute(db);
  return new Map(rows.map(({ model_name, ...counts }) => [model_name, counts as CountRow]));
}

/** Of all these models together, by steps of so many seconds. */
export async function readSteps(
  { db }: Pick<Store, 'db'>,
  models: readonly string[],
  { seconds, step, from, to }: { seconds: number; step: number; from: number; to: number },
): Promise<Map<number, CountRow>> {
  if (models.length === 0) return new Map();
  const { rows } = await sql<CountRow & { step: number }>`
    select start - start % ${sql.lit(step)} as step, ${outcome} from measured_cells
    where ${inSpan(seconds, from, to)} and model_name in (${sql.join([...models])}) group by 1`.execute(db);
  return new Map(rows.map((row) => [row.step, row]));
}

/** One model by hours or days: `starts` are the first seconds of the posts, `to` the end of the last one. */
export async function readMeasured(
  { db }: Pick<Store, 'db'>,
  model: string,
  starts: readonly number[],
  to: number,
): Promise<Measured> {
  const from = starts[0] ?? to;
  const cases = starts.map((_, at) => sql`when start < ${starts[at + 1] ?? to} then ${sql.lit(at)}`);
  const { rows } = await sql<CountRow & { post: number }>`
    select case ${sql.join(cases, sql` `)} end as post, ${outcome}, ${SPEEDS} from measured_cells
    where model_name = ${model} and ${inSpan(HOUR_SECONDS, from, to)} group by 1`.execute(db);
  const found = new Map(rows.map((row) => [row.post, row]));
  return {
    from,
    to,
    figures: figuresOf(rows),
    posts: starts.map((start, at) => postOf(start, starts[at + 1] ?? to, found.get(at) ?? NOTHING)),
  };
}

const countsOf = (rows: readonly CountRow[], columns: readonly string[]): Counts =>
  columns.map((name) => rows.reduce((sum, row) => sum + (row[name] ?? 0), 0));

export function figuresOf(rows: readonly CountRow[]): MeasuredFigures {
  const sum = (name: keyof Outcome) => rows.reduce((value, row) => value + (row[name] ?? 0), 0);
  const counts = { answered: sum('answered'), failed: sum('failed'), refused: sum('refused') };
  return {
    ...counts,
    share: answeredShare(counts, LEAST_CALLS.figure),
    firstToken: spreadOf(countsOf(rows, FIRST_COLUMNS), FIRST_LIMITS, 0.95),
    speed: spreadOf(countsOf(rows, SPEED_COLUMNS), SPEED_LIMITS, 0.05),
  };
}

function spreadOf(counts: Counts, limits: readonly number[], slowShare: number): Spread | undefined {
  const calls = total(counts);
  const [median, slow] = [shareOf(counts, limits, 0.5), shareOf(counts, limits, slowShare)];
  return calls < LEAST_CALLS.figure || median === undefined || slow === undefined
    ? undefined
    : { median, slow, calls };
}

function postOf(start: number, end: number, row: CountRow): MeasuredPost {
  const median = (columns: readonly string[], limits: readonly number[]) => {
    const counts = countsOf([row], columns);
    return total(counts) < LEAST_CALLS.post ? undefined : shareOf(counts, limits, 0.5);
  };
  const { answered, failed, refused } = row;
  return {
    start,
    end,
    answered,
    failed,
    refused,
    isEnough: callsOf(row) >= LEAST_CALLS.post,
    firstToken: median(FIRST_COLUMNS, FIRST_LIMITS),
    speed: median(SPEED_COLUMNS, SPEED_LIMITS),
  };
}
