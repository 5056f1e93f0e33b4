// The sums that jobs keep, so that reports need not read every row. Each sum is a declaration: its source, its steps and its
// SQL; how far it has got is its row of `usage_positions`. Two kinds: a sum that follows a growing table counts each row once; a sum
// of periods that are over is made again while rows may come late, and its source is read where it does not reach.
import { sql, type Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Slice } from '#server/money/audit/breach.ts';
import { readSettledTop } from '#server/money/audit/sums.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

export type SumName =
  | 'cells'
  | 'holder_cells'
  | 'dividends'
  | 'rollup'
  | 'costs'
  | 'measured'
  | 'refusals'
  | 'cache';

/** Between two steps; false: stop. */
export type Pause = () => Promise<boolean>;

type Database = Store['db'];

const goOn: Pause = async () => true;

export interface FollowingSum<Found> {
  name: SumName;
  source: 'ledger' | 'logs';
  /** The last id of the slice after `from`, at most `top`. */
  endOfSlice(db: Database, from: number, top: number): Promise<number> | number;
  /** Rows of a slice are committed and never change, so they are read before the transaction. */
  read(db: Database, slice: Slice): Promise<Found>;
  add(transaction: Transaction<Schema>, found: Found): Promise<void>;
}

/** Slices of so many rows of the log. Gaps of deleted rows are passed at once. */
export const logSlices =
  (rows: number): FollowingSum<unknown>['endOfSlice'] =>
  async (db, from, top) => {
    const row = await db
      .selectFrom('logs')
      .select('id')
      .where('id', '>', from)
      .where('id', '<=', top)
      .orderBy('id')
      .offset(rows - 1)
      .limit(1)
      .executeTakeFirst();
    return row?.id ?? top;
  };

/** The position moves in the transaction that adds, so a row is counted once however often a run is cut. Returns the ids passed. */
export async function follow<Found>(
  store: Store,
  sum: FollowingSum<Found>,
  pause: Pause = goOn,
): Promise<number> {
  const reader = await store.openReader();
  let passed = 0;
  try {
    const top = await readSettledTop(reader, sum.source);
    for (let from = await positionOf(store, sum.name); from < top;) {
      const through = await sum.endOfSlice(reader.db, from, top);
      const found = await sum.read(reader.db, { from, through });
      const isAdded = await store.db.transaction().execute(async (transaction) => {
        if (!(await movePosition(transaction, sum.name, from, through))) return false;
        await sum.add(transaction, found);
        return true;
      });
      if (!isAdded) break;
      passed += through - from;
      from = through;
      if (!(await pause())) break;
    }
  } finally {
    await reader.close();
  }
  return passed;
}

type PeriodSource = ['usage_hours', 'hour'] | ['margin_days', 'day'] | ['refused_calls', 'minute'];

export interface PeriodSum {
  name: SumName;
  /** The table whose periods are summed, and its time; `usage_hours` when it is left out. */
  source?: PeriodSource;
  periodSeconds: number;
  /** Calls have ended and are settled long before a period is over for so long. Negative: the running period is summed too. */
  closedAfterSeconds: number;
  /** So much before its position is summed again, in case a settlement was late. */
  againSeconds: number;
  /** Replaces the sums of a period; false: the pause stopped it. */
  sum(store: Store, start: number, pause: Pause): Promise<boolean>;
}

export const startOf = (second: number, seconds: number): number => second - (second % seconds);

/** Returns how many periods were summed. */
export async function sumPeriods(
  { store, now }: { store: Store; now?: () => number },
  sum: PeriodSum,
  pause: Pause = goOn,
): Promise<number> {
  const { name, periodSeconds } = sum;
  const seconds = now?.() ?? unixSeconds();
  const end = startOf(seconds - sum.closedAfterSeconds, periodSeconds);
  let position = await positionOf(store, name);
  let count = 0;
  const from = Math.max(0, position - sum.againSeconds);
  for await (const start of periodsWithRows(store.db, sum.source ?? ['usage_hours', 'hour'], periodSeconds, {
    from,
    end,
  })) {
    if (!(await sum.sum(store, start, pause))) break;
    count += 1;
    const next = start + periodSeconds;
    if (next > position) {
      // Another node was faster, or the sums were forgotten meanwhile.
      if (!(await movePosition(store.db, name, position, next))) break;
      position = next;
    }
    if (!(await pause())) break;
  }
  return count;
}

/** Sums the periods of these times again, whose rows were corrected; later ones are summed by the next run. */
export async function sumAgain(
  store: Store,
  sum: PeriodSum,
  times: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const until = await positionOf(store, sum.name);
  for (const start of new Set(times.map((time) => startOf(time, sum.periodSeconds))))
    if (start < until && !signal.aborted) await sum.sum(store, start, async () => !signal.aborted);
}

/** For past rows that were brought in: every period is summed again, and read from its source until then. */
export async function forgetSums(db: Database, names: readonly SumName[]): Promise<void> {
  await db.updateTable('usage_positions').set({ position: 0 }).where('name', 'in', names).execute();
}

export async function positionOf({ db }: Pick<Store, 'db'>, name: SumName): Promise<number> {
  const row = await db
    .selectFrom('usage_positions')
    .select('position')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.position;
}

/** False when it was moved meanwhile. */
async function movePosition(db: Database, name: SumName, from: number, position: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('usage_positions')
    .set({ position })
    .where('name', '=', name)
    .where('position', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** One by one: a list of all periods would read every row. */
export async function* periodsWithRows(
  db: Database,
  [table, column]: PeriodSource,
  periodSeconds: number,
  { from, end }: { from: number; end: number },
): AsyncGenerator<number> {
  for (let next = from; ;) {
    const { rows } = await sql<{ first: number | null }>`
      select min(${sql.ref(column)}) as first from ${sql.table(table)}
      where ${sql.ref(column)} >= ${next} and ${sql.ref(column)} < ${end}`.execute(db);
    const first = rows[0]?.first ?? undefined;
    if (first === undefined) return;
    const start = startOf(first, periodSeconds);
    yield start;
    next = start + periodSeconds;
  }
}

/** So many rows at a time: below the limit of parameters, and a large sum does not hold up the charges of calls. */
export async function inPieces<Row>(
  rows: readonly Row[],
  size: number,
  write: (piece: Row[]) => Promise<unknown>,
  pause: Pause = goOn,
): Promise<boolean> {
  for (let at = 0; at < rows.length; at += size) {
    await write(rows.slice(at, at + size));
    if (!(await pause())) return false;
  }
  return true;
}
