/** Columns that many lists have, and what exports write. */
import type { ReactNode } from 'react';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { GridColumn } from './types.ts';

/** The ⋯ menu at the end of a row. */
export function menuColumn<Row>(header: string, menu: (row: Row) => ReactNode): GridColumn<Row> {
  return {
    id: 'actions',
    header,
    headerHidden: true,
    width: 54,
    fixed: true,
    align: 'right',
    cell: menu,
    skeleton: 'none',
  };
}

/** A time in an export; empty for "never". */
export const csvTime = (timestamp: number): string => (timestamp > 0 ? absoluteTime(timestamp) : '');
