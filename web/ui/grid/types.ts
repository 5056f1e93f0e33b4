/** What a page hands to the grid: columns, rows and the state it keeps in the URL. */
import type { ReactNode } from 'react';

export type SkeletonShape = 'text' | 'status' | 'number' | 'bar' | 'posts' | 'none';

export interface GridColumn<Row> {
  id: string;
  /** Also the name in the column choice and in the export. */
  header: string;
  /** Pixels; the one column without a width takes the rest. */
  width?: number;
  /** Smallest width of the column that takes the rest. */
  minWidth?: number;
  /** Has long values: shares what is left of a wide screen with the column without a width. */
  shares?: boolean;
  align?: 'left' | 'right';
  cell: (row: Row) => ReactNode;
  /** Columns right of this one that are empty in this row: the cell takes their place. */
  spans?: (row: Row) => readonly string[];
  /** The server's name for this order; a column without one cannot be sorted. */
  sortKey?: string;
  /** On narrow screens the column with the smallest number is hidden first; columns without one stay. */
  leaves?: number;
  /** Cannot be hidden by choice (the name, the actions). */
  fixed?: boolean;
  /** Off until the user chooses it. */
  hidden?: boolean;
  /** The name of the head cell is for screen readers only (the actions). */
  headerHidden?: boolean;
  /** The value in the export; a column without it is left out. */
  csv?: (row: Row) => string | number | undefined;
  skeleton?: SkeletonShape;
}

export interface GridSort {
  key: string;
  order: 'asc' | 'desc';
}

/** Kept in the URL by the page. Pages start at 1 here, also where the API starts at 0. */
export interface GridQuery {
  page: number;
  pageSize: number;
  sort?: GridSort;
}

export interface GridError {
  message: string;
  requestId?: string;
  /** True for 403: the state names who can grant access instead of offering a retry. */
  notAllowed?: boolean;
}

export interface GridSelection<Row> {
  rows: readonly Row[];
  clear: () => void;
}
