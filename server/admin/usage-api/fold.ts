// Adds new log rows to the cells of the reports. The position moves in the transaction that adds them, so a row is counted
// once however often a run is cut. Rows become cells before retention deletes them: reports reach back further than the log.
import { sql } from 'kysely';
import { settledTop } from '#server/money/audit/sums.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Transaction } from 'kysely';
import { cellsOfRows, DIMENSIONS, FIGURES } from './cells.ts';

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;

/** Log rows at a time: their cells are one short transaction of the writer. */
const ROWS_PER_SLICE = 2000;
/** Rows of one statement, below the limit of parameters. */
const CELLS_PER_STATEMENT = 200;

/** Stops when `pause` gives false. Returns how many log rows were passed. */
export async function foldUsage(
  store: Store,
  pause: () => Promise<boolean> = async () => true,
  rowsPerSlice = ROWS_PER_SLICE,
): Promise<number> {
  const reader = await store.openReader();
  let passed = 0;
  try {
    const top = await settledTop(reader, 'logs');
    let from = await positionOf(store, 'cells');
    while (from < top) {
      const through = await endOfSlice(reader.db, from, top, rowsPerSlice);
      const { rows } = await cellsOfRows(store, HOUR_SECONDS, sql`id > ${from} and id <= ${through}`).execute(
        reader.db,
      );
      const hours = rows.map((row) => ({ ...row, seconds: HOUR_SECONDS })) as NewRow<'usage_cells'>[];
      if (!(await add(store, hours, { from, through }))) break;
      passed += through - from;
      from = through;
      if (!(await pause())) break;
    }
  } finally {
    await reader.close();
  }
  return passed;
}

export async function positionOf({ db }: Pick<Store, 'db'>, name: 'cells' | 'costs'): Promise<number> {
  const row = await db
    .selectFrom('usage_positions')
    .select('position')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.position;
}

/** The id of the last row of the next slice; gaps of deleted rows are passed at once. */
async function endOfSlice(db: Store['db'], from: number, top: number, rowsPerSlice: number): Promise<number> {
  const row = await db
    .selectFrom('logs')
    .select('id')
    .where('id', '>', from)
    .where('id', '<=', top)
    .orderBy('id')
    .offset(rowsPerSlice - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? top;
}

/** False when another node moved the position: then nothing is added. */
async function add(
  { db }: Store,
  hours: readonly NewRow<'usage_cells'>[],
  { from, through }: { from: number; through: number },
): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('usage_positions')
      .set({ position: through })
      .where('name', '=', 'cells')
      .where('position', '=', from)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await addCells(transaction, hours);
    await addCells(transaction, daysOf(hours));
    return true;
  });
}

/** The same calls by day. */
function daysOf(hours: readonly NewRow<'usage_cells'>[]): NewRow<'usage_cells'>[] {
  const days = new Map<string, NewRow<'usage_cells'>>();
  for (const hour of hours) {
    const start = hour.start - (hour.start % DAY_SECONDS);
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
  for (let at = 0; at < cells.length; at += CELLS_PER_STATEMENT) {
    await transaction
      .insertInto('usage_cells')
      .values(cells.slice(at, at + CELLS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict
          .columns(['seconds', 'start', ...DIMENSIONS])
          .doUpdateSet(
            Object.fromEntries(
              FIGURES.map((name) => [name, sql`usage_cells.${sql.ref(name)} + excluded.${sql.ref(name)}`]),
            ),
          ),
      )
      .execute();
  }
}
