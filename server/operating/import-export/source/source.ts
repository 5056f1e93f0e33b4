// The database of another gateway, read only: a SQLite file, a MySQL or PostgreSQL server, or a dump of any of them.

export type SourceRow = Record<string, unknown>;

export interface Source {
  /** Shown in the report; without a password. */
  readonly label: string;
  /** Names of the columns; empty when there is no such table. */
  columns(table: string): Promise<ReadonlySet<string>>;
  count(table: string): Promise<number>;
  /** Rows with a larger `id`, in the order of ids. */
  page(table: string, after: number, limit: number): Promise<SourceRow[]>;
  /** For short tables. */
  all(table: string): Promise<SourceRow[]>;
  close(): Promise<void>;
}

/** The source cannot be read; the sentence is for the operator. */
export class SourceError extends Error {
  override name = 'SourceError';
}

const ROWS_PER_PAGE = 500;

/** Every row, page by page. */
export async function* pagesOf(
  source: Source,
  table: string,
  after = 0,
  limit = ROWS_PER_PAGE,
): AsyncGenerator<SourceRow[]> {
  if ((await source.columns(table)).size === 0) return;
  for (let last = after; ;) {
    const rows = await source.page(table, last, limit);
    const end = rows.at(-1);
    if (end === undefined) return;
    const next = Number(end['id']);
    // Rounded ids would skip rows or read the same ones for ever.
    if (!Number.isSafeInteger(next) || next <= last)
      throw new SourceError(
        `The table ${table} of ${source.label} has ids that are not whole numbers up to 2^53.`,
      );
    yield rows;
    last = next;
  }
}
