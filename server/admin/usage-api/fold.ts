// Adds new log rows to the cells of the reports: of all calls, and of organizations once more by holder.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { inPieces, logSlices, startOf, type FollowingSum } from '#server/money/sums/engine.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { cellsOfRows, DIMENSIONS, FIGURES, HOLDERS } from './cells.ts';

/** Log rows at a time: their cells are one short transaction of the writer. */
const ROWS_PER_SLICE = 5000;
/** Rows of one statement, below the limit of parameters. */
const CELLS_PER_STATEMENT = 200;

type Cell = NewRow<'usage_cells'>;
type HolderCell = NewRow<'holder_cells'>;

const CELL_KEYS = ['seconds', 'start', ...DIMENSIONS] as const;
const HOLDER_KEYS = [...CELL_KEYS, ...HOLDERS] as const;

/** Rows become cells before retention deletes them: reports reach back further than the log. */
export const usageCells = (
  store: Pick<Store, 'dialect'>,
  rowsPerSlice = ROWS_PER_SLICE,
): FollowingSum<Cell[]> => ({
  name: 'cells',
  source: 'logs',
  endOfSlice: logSlices(rowsPerSlice),
  async read(db, { from, through }) {
    const condition = sql<SqlBool>`id > ${from} and id <= ${through}`;
    const { rows } = await cellsOfRows(store, HOUR_SECONDS, condition).execute(db);
    return rows.map((row) => ({ ...row, seconds: HOUR_SECONDS })) as Cell[];
  },
  add: (transaction, hours) =>
    addHours(hours, CELL_KEYS, (piece) =>
      transaction
        .insertInto('usage_cells')
        .values(piece)
        .onConflict((conflict) => conflict.columns(CELL_KEYS).doUpdateSet(sumsIn('usage_cells')))
        .execute(),
    ),
});

/** Calls of people are not in it, and nobody reads them for it where there is no organization. */
export const holderCells = (
  store: Pick<Store, 'dialect'>,
  rowsPerSlice = ROWS_PER_SLICE,
): FollowingSum<HolderCell[]> => ({
  name: 'holder_cells',
  source: 'logs',
  async endOfSlice(db, from, top) {
    const one = await db.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
    return one === undefined ? top : await logSlices(rowsPerSlice)(db, from, top);
  },
  async read(db, { from, through }) {
    const condition = sql<SqlBool>`id > ${from} and id <= ${through} and user_id in (select id from organizations)`;
    const { rows } = await cellsOfRows(store, HOUR_SECONDS, condition, true).execute(db);
    return rows.map((row) => ({ ...row, seconds: HOUR_SECONDS })) as unknown as HolderCell[];
  },
  add: (transaction, hours) =>
    addHours(hours, HOLDER_KEYS, (piece) =>
      transaction
        .insertInto('holder_cells')
        .values(piece)
        .onConflict((conflict) => conflict.columns(HOLDER_KEYS).doUpdateSet(sumsIn('holder_cells')))
        .execute(),
    ),
});

/** Also the same calls by day. */
async function addHours<Found extends Cell>(
  hours: readonly Found[],
  keys: readonly (keyof Found)[],
  insert: (piece: Found[]) => Promise<unknown>,
): Promise<void> {
  const days = new Map<string, Found>();
  for (const hour of hours) {
    const cell = { ...hour, start: startOf(hour.start, DAY_SECONDS), seconds: DAY_SECONDS };
    const key = JSON.stringify(keys.map((name) => cell[name]));
    const day = days.get(key);
    if (day === undefined) days.set(key, cell);
    else for (const name of FIGURES) day[name] += hour[name];
  }
  await inPieces(hours, CELLS_PER_STATEMENT, insert);
  await inPieces([...days.values()], CELLS_PER_STATEMENT, insert);
}

const sumsIn = (table: 'usage_cells' | 'holder_cells'): Record<string, RawBuilder<number>> =>
  Object.fromEntries(
    FIGURES.map((name) => [
      name,
      sql<number>`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ]),
  );
