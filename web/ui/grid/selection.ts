/** The selection of a list, kept across pages: the ids for the table, the rows for the actions. */
import { useState } from 'react';
import type { GridSelection } from './types.ts';

/** The rows from the one clicked before to this one, both included; only this one when the other is not on the page. */
export function rangeOf<Row>(
  rows: readonly Row[],
  rowId: (row: Row) => string,
  before: string | undefined,
  clicked: Row,
): readonly Row[] {
  const from = rows.findIndex((row) => rowId(row) === before);
  const to = rows.indexOf(clicked);
  return from < 0 ? [clicked] : rows.slice(Math.min(from, to), Math.max(from, to) + 1);
}

export interface SelectionState<Row> extends GridSelection<Row> {
  ids: ReadonlySet<string>;
  set: (rows: readonly Row[], selected: boolean) => void;
  replace: (rows: readonly Row[]) => void;
}

export function useSelection<Row>(rowId: (row: Row) => string): SelectionState<Row> {
  const [known, setKnown] = useState<ReadonlyMap<string, Row>>(new Map());
  return {
    ids: new Set(known.keys()),
    rows: [...known.values()],
    clear: () => setKnown(new Map()),
    replace: (rows) => setKnown(new Map(rows.map((row) => [rowId(row), row]))),
    set: (rows, selected) =>
      setKnown((before) => {
        const next = new Map(before);
        for (const row of rows) {
          if (selected) next.set(rowId(row), row);
          else next.delete(rowId(row));
        }
        return next;
      }),
  };
}
