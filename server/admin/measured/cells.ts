// Adds new log rows to the cells of their models. Only paid calls are rows of these types: tests and probes have another one.
// A call that another channel answered is one row, so it is an answer.
import { sql, type RawBuilder, type Transaction } from 'kysely';
import { factText } from '#contract/facts.ts';
import type { FailureCause } from '#contract/relay/failures.ts';
import { failureCause } from '#contract/relay/failure-cause.ts';
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, unixSeconds } from '#contract/time.ts';
import type { Slice } from '#server/money/audit/breach.ts';
import { inPieces, logSlices, type FollowingSum } from '#server/money/sums/engine.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { CLASS_COUNT, FIRST_LIMITS, SPEED_LIMITS } from './histogram.ts';

/** Cells by the minute say how it is now. */
export const MINUTES_KEPT_SECONDS = 6 * HOUR_SECONDS;
export const HOURS_KEPT_SECONDS = 100 * DAY_SECONDS;

const ROWS_PER_SLICE = 5000;
/** Of 54 parameters each. */
const CELLS_PER_STATEMENT = 100;
/** The speed of shorter answers is that of one packet. */
const FEWEST_TOKENS = 10;
const SHORTEST_MILLISECONDS = 100;

const classNames = (name: 'first' | 'speed') =>
  Array.from({ length: CLASS_COUNT }, (_, at) => `${name}_${at}`);
export const FIRST_COLUMNS = classNames('first');
export const SPEED_COLUMNS = classNames('speed');
const COUNTS = ['answered', 'failed', 'refused', ...FIRST_COLUMNS, ...SPEED_COLUMNS];

export interface Cell {
  seconds: number;
  start: number;
  model_name: string;
  counts: Record<string, number>;
}

export interface MeasuringParts {
  store: Pick<Store, 'dialect'>;
  /** False: answered calls leave no row, and the failed ones alone would be no measure. */
  isLogged: () => boolean;
  now?: () => number;
  rowsPerSlice?: number;
}

export const measuredCalls = ({
  store,
  isLogged,
  now = unixSeconds,
  rowsPerSlice = ROWS_PER_SLICE,
}: MeasuringParts): FollowingSum<Cell[]> => ({
  name: 'measured',
  source: 'logs',
  endOfSlice: logSlices(rowsPerSlice),
  async read(db, slice) {
    if (!isLogged()) return [];
    const oldest = now() - HOURS_KEPT_SECONDS;
    const groups = [
      ...(await readSettled(store, db, slice, oldest)),
      ...(await readFailures(db, slice, oldest)),
    ];
    return cellsOf(groups, now() - MINUTES_KEPT_SECONDS);
  },
  add: (transaction, cells) => writeCells(transaction, cells, (name) => addTo(name)),
});

interface Group {
  /** The first second of its minute. */
  start: number;
  model_name: string;
  outcome: 'answered' | 'failed' | 'none';
  /** -1: not known. */
  first: number;
  speed: number;
  calls: number;
}

interface Reading {
  number(name: string): RawBuilder<number>;
  word(name: string): RawBuilder<string>;
}

const sqliteReading: Reading = {
  number: (path) => sql`coalesce(cast(json_extract(detail, ${sql.lit(`$.${path}`)}) as integer), -1)`,
  word: (name) => sql`coalesce(json_extract(detail, ${sql.lit(`$.${name}`)}), '')`,
};

/** By splitting the text: JSON functions fail for the whole statement on text that JSON allows and PostgreSQL does not. */
const postgresReading: Reading = {
  number: (path) => {
    const name = sql.lit(`"${path.replace(/^.*\./, '')}":`);
    return sql`coalesce(substring(left(split_part(detail, ${name}, 2), 14) from '^-?[0-9]{1,12}')::bigint, -1)`;
  },
  word: (name) => sql`split_part(left(split_part(detail, ${sql.lit(`"${name}":"`)}, 2), 40), '"', 1)`,
};

const classOf = (value: RawBuilder<number>, limits: readonly number[]): RawBuilder<number> => {
  const cases = limits.map((limit, at) => sql`when ${value} <= ${sql.lit(limit)} then ${sql.lit(at)}`);
  return sql`case ${sql.join(cases, sql` `)} else ${sql.lit(limits.length)} end`;
};

/**
 * A stream that its upstream broke off has failed, also when its part was charged. A caller who left, or whose balance ended, before
 * the first token says nothing of the upstream; nor does a call that recovery charged after a crash of this server.
 * The speed is known of answers without reasoning: hidden reasoning is counted with the answer, but not sent after the first token.
 */
async function readSettled(
  { dialect }: MeasuringParts['store'],
  db: Store['db'],
  { from, through }: Slice,
  oldest: number,
): Promise<Group[]> {
  const read = dialect === 'sqlite' ? sqliteReading : postgresReading;
  const detail =
    dialect === 'sqlite' ? sql`case when json_valid(other) then other else '{}' end` : sql`other`;
  const found = sql`select created_at - created_at % ${sql.lit(MINUTE_SECONDS)} as start, model_name,
      completion_tokens, ${detail} as detail
    from logs where type = 2 and id > ${from} and id <= ${through} and created_at >= ${oldest}
      and content <> ${factText('recovered')}`;
  const calls = sql`select start, model_name, completion_tokens, ${read.word('ending')} as ending,
      ${read.number('frt')} as first_ms, ${read.number('use_ms')} as use_ms,
      ${read.number('usage.reasoning')} as reasoning
    from (${found}) as found`;
  const rest = sql`(use_ms - first_ms)`;
  const { rows } = await sql<Group>`
    select start, model_name,
      case when ending in ('broken', 'timeout', 'error') then 'failed'
        when ending in ('client_left', 'quota') and first_ms < 0 then 'none' else 'answered' end as outcome,
      case when first_ms < 0 then -1 else ${classOf(sql`first_ms`, FIRST_LIMITS)} end as first,
      case when first_ms < 0 or reasoning > 0 or completion_tokens < ${sql.lit(FEWEST_TOKENS)}
          or ${rest} < ${sql.lit(SHORTEST_MILLISECONDS)} then -1
        else ${classOf(sql`(completion_tokens * 1000.0 / ${rest})`, SPEED_LIMITS)} end as speed,
      count(*) as calls
    from (${calls}) as calls group by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/** Failures that do not count against a model: faults of the request, and task errors whose text cannot be classified. */
const CALLERS: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'badRequest',
  'tooLarge',
  'refused',
  'other',
]);

async function readFailures(db: Store['db'], { from, through }: Slice, oldest: number): Promise<Group[]> {
  const { rows } = await sql<{ start: number; model_name: string; content: string; calls: number }>`
    select created_at - created_at % ${sql.lit(MINUTE_SECONDS)} as start, model_name, content, count(*) as calls
    from logs where type = 5 and id > ${from} and id <= ${through} and created_at >= ${oldest}
    group by 1, 2, 3`.execute(db);
  return rows
    .filter(({ content }) => !CALLERS.has(failureCause(content)))
    .map(({ start, model_name, calls }) => ({
      start,
      model_name,
      outcome: 'failed',
      first: -1,
      speed: -1,
      calls,
    }));
}

/** The same calls by hour, and by minute where they are recent. */
function cellsOf(groups: readonly Group[], minutesFrom: number): Cell[] {
  const cells = new Map<string, Cell>();
  for (const { start, model_name, outcome, first, speed, calls } of groups) {
    if (outcome === 'none') continue;
    for (const seconds of [MINUTE_SECONDS, HOUR_SECONDS]) {
      if (seconds === MINUTE_SECONDS && start < minutesFrom) continue;
      const { counts } = cellAt(cells, { seconds, start: start - (start % seconds), model_name });
      const names = [
        outcome,
        // How long a broken stream took says nothing of answers.
        ...(outcome === 'answered' ? [FIRST_COLUMNS[first], SPEED_COLUMNS[speed]] : []),
      ];
      for (const name of names) if (name !== undefined) counts[name] = (counts[name] ?? 0) + calls;
    }
  }
  return [...cells.values()];
}

export function cellAt(cells: Map<string, Cell>, place: Omit<Cell, 'counts'>): Cell {
  const key = `${place.seconds} ${place.start} ${place.model_name}`;
  let cell = cells.get(key);
  if (cell === undefined) cells.set(key, (cell = { ...place, counts: {} }));
  return cell;
}

const addTo = (name: string): RawBuilder<unknown> =>
  sql`${sql.ref(name)} = ${sql.ref(`measured_cells.${name}`)} + ${sql.ref(`excluded.${name}`)}`;

/** Always in the order of the key: two jobs that write the same cells wait for each other instead of deadlocking. */
export async function writeCells(
  transaction: Transaction<Schema>,
  cells: readonly Cell[],
  change: (name: string) => RawBuilder<unknown>,
  names: readonly string[] = COUNTS,
): Promise<void> {
  const sorted = cells.toSorted(
    (left, right) =>
      left.seconds - right.seconds ||
      left.start - right.start ||
      (left.model_name < right.model_name ? -1 : 1),
  );
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const changes = sql.join(names.map(change));
  await inPieces(sorted, CELLS_PER_STATEMENT, (piece) => {
    const values = piece.map(
      ({ seconds, start, model_name, counts }) =>
        sql`(${sql.join([seconds, start, model_name, ...names.map((name) => counts[name] ?? 0)])})`,
    );
    return sql`insert into measured_cells (seconds, start, model_name, ${columns}) values ${sql.join(values)}
      on conflict (seconds, start, model_name) do update set ${changes}`.execute(transaction);
  });
}

export async function removeOldCells({ db }: Store): Promise<void> {
  const now = unixSeconds();
  for (const [seconds, kept] of [
    [MINUTE_SECONDS, MINUTES_KEPT_SECONDS],
    [HOUR_SECONDS, HOURS_KEPT_SECONDS],
    [DAY_SECONDS, HOURS_KEPT_SECONDS],
  ] as const)
    await db
      .deleteFrom('measured_cells')
      .where('seconds', '=', seconds)
      .where('start', '<', now - kept)
      .execute();
}
