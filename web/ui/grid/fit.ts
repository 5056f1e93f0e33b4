/** Which columns are shown: the user's choice first, then columns are hidden in a fixed order until the rest fits. */
import type { GridColumn } from './types.ts';

/** Columns the user switched on or off, by id; the others have their default. */
export type ColumnChoice = Record<string, boolean>;

type Measured = Pick<
  GridColumn<never>,
  'id' | 'width' | 'minWidth' | 'shares' | 'leaves' | 'fixed' | 'hidden' | 'headerHidden'
>;

const REST_MIN_WIDTH = 160;
/** Above every `leaves`. */
const MOST_LEAVES = 100;
export const SELECT_COLUMN_WIDTH = 44;

export function columnMinWidth(column: Measured): number {
  return column.width ?? column.minWidth ?? REST_MIN_WIDTH;
}

export function isChosen(column: Measured, choice: ColumnChoice): boolean {
  if (column.fixed) return true;
  return choice[column.id] ?? !column.hidden;
}

export function fitColumns<Column extends Measured>(
  columns: readonly Column[],
  choice: ColumnChoice,
  availableWidth: number,
): { shown: Column[]; minWidth: number } {
  let shown = columns.filter((column) => isChosen(column, choice));
  const total = () => shown.reduce((sum, column) => sum + columnMinWidth(column), 0);
  // A column that the user switched on is hidden last: it would seem that the switch does nothing.
  const order = ({ id, leaves = 0 }: Column) => (choice[id] === true ? MOST_LEAVES : 0) + leaves;
  const leaving = shown
    .filter((column) => column.leaves !== undefined)
    .toSorted((left, right) => order(left) - order(right));
  // The width is unknown before the first measurement: hide nothing.
  for (const column of availableWidth > 0 ? leaving : []) {
    if (total() <= availableWidth) break;
    shown = shown.filter((other) => other !== column);
  }
  return { shown, minWidth: total() };
}

/** The cells of a row; one that spans takes the place of the columns after it, as long as they are named. */
export function cellsOf<Row, Column extends Pick<GridColumn<Row>, 'id' | 'spans'>>(
  shown: readonly Column[],
  row: Row,
): { column: Column; span: number }[] {
  const cells: { column: Column; span: number }[] = [];
  let left = 0;
  for (const [index, column] of shown.entries()) {
    if (left > 0) {
      left -= 1;
      continue;
    }
    const taken = column.spans?.(row) ?? [];
    while (taken.includes(shown[index + 1 + left]?.id ?? '')) left += 1;
    cells.push({ column, span: left + 1 });
  }
  return cells;
}

/** Columns become at most half again as wide as they must be. */
const MOST_GROWTH = 0.5;

/**
 * Widths on a screen with room to spare: half of it goes to the columns with a width, so that values are not cut beside an
 * empty half of the screen; the rest stays with the column without one, in equal parts with those that share it.
 */
export function spreadWidths(
  shown: readonly Measured[],
  availableWidth: number,
): Record<string, number | undefined> {
  const spare = availableWidth - shown.reduce((sum, column) => sum + columnMinWidth(column), 0);
  const growing = shown.filter(({ width, headerHidden }) => width !== undefined && !headerHidden);
  const total = growing.reduce((sum, column) => sum + (column.width ?? 0), 0);
  const growth = spare > 0 && total > 0 ? Math.min(MOST_GROWTH, spare / 2 / total) : 0;
  const part = Math.max(0, spare - growth * total) / (1 + growing.filter(({ shares }) => shares).length);
  return Object.fromEntries(
    shown.map((column) => [
      column.id,
      column.width !== undefined && growing.includes(column)
        ? Math.floor(column.width * (1 + growth) + (column.shares ? part : 0))
        : column.width,
    ]),
  );
}
