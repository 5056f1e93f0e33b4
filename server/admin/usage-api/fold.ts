// Adds new log rows to the cells of the reports.
import { sql, type SqlBool, type Transaction } from 'kysely';
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { inPieces, logSlices, startOf, type FollowingSum } from '#server/money/sums/engine.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { cellsOfRows, DIMENSIONS, FIGURES } from './cells.ts';

/** Log rows at a time: their cells are one short transaction of the writer. */
const ROWS_PER_SLICE = 2000;
/** Rows of one statement, below the limit of parameters. */
const CELLS_PER_STATEMENT = 200;

/** Rows become cells before retention deletes them: reports reach back further than the log. */
export const usageCells = (
  store: Pick<Store, 'dialect'>,
  rowsPerSlice = ROWS_PER_SLICE,
): FollowingSum<NewRow<'usage_cells'>[]> => ({
  name: 'cells',
  source: 'logs',
  endOfSlice: logSlices(rowsPerSlice),
  async read(db, { from, through }) {
    const condition = sql<SqlBool>`id > ${from} and id <= ${through}`;
    const { rows } = await cellsOfRows(store, HOUR_SECONDS, condition).execute(db);
    return rows.map((row) => ({ ...row, seconds: HOUR_SECONDS })) as NewRow<'usage_cells'>[];
  },
  async add(transaction, hours) {
    await addCells(transaction, hours);
    await addCells(transaction, daysOf(hours));
  },
});

/** The same calls by day. */
function daysOf(hours: readonly NewRow<'usage_cells'>[]): NewRow<'usage_cells'>[] {
  const days = new Map<string, NewRow<'usage_cells'>>();
  for (const hour of hours) {
    const start = startOf(hour.start, DAY_SECONDS);
    const key = JSON.stringify([start, ...DIMENSIONS.map((name) => hour[name])]);
    const day = days.get(key);
    if (day === undefined) days.set(key, { ...hour, start, seconds: DAY_SECONDS });
    else for (const name of FIGURES) day[name] += hour[name];
  }
  return [...days.values()];
}

async function addCells(
  transaction: Transaction<Schema>,
  cells: readonly NewRow<'usage_cells'>[],
): Promise<void> {
  const sums = FIGURES.map((name) => [name, sql`usage_cells.${sql.ref(name)} + excluded.${sql.ref(name)}`]);
  await inPieces(cells, CELLS_PER_STATEMENT, (piece) =>
    transaction
      .insertInto('usage_cells')
      .values(piece)
      .onConflict((conflict) =>
        conflict.columns(['seconds', 'start', ...DIMENSIONS]).doUpdateSet(Object.fromEntries(sums)),
      )
      .execute(),
  );
}
