/** The selection of a list, kept across pages: the ids for the table, the rows for the actions. */
import { useState } from 'react';
import type { GridSelection } from './types.ts';

export interface SelectionState<Row> extends GridSelection<Row> {
  /** In the format of the table library. */
  ids: Record<string, true>;
  set: (rows: readonly Row[], selected: boolean) => void;
  replace: (rows: readonly Row[]) => void;
}

export function useSelection<Row>(rowId: (row: Row) => string): SelectionState<Row> {
  const [known, setKnown] = useState<ReadonlyMap<string, Row>>(new Map());
  return {
    ids: Object.fromEntries([...known.keys()].map((id) => [id, true as const])),
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
