// The state that the steps of an import share. A row that was brought is remembered under the id it has at the source, in
// the transaction that brings it: an import that is killed goes on where it was, and a second one changes nothing.
import type { Transaction } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';
import type { CommandStore } from '#server/platform/store/store.ts';
import { Fields, CellError } from '#server/operating/import-export/source/fields.ts';
import { pagesOf, type Source } from '#server/operating/import-export/source/source.ts';
import type { Kind, Report } from './report.ts';
import type { Scale } from './scale.ts';

export type Family = 'one-api' | 'new-api';

export interface Job {
  readonly source: Source;
  readonly family: Family;
  readonly store: Pick<CommandStore, 'db' | 'dialect' | 'vault' | 'changes'>;
  readonly isDry: boolean;
  /** 0 in a dry run of a source that was never imported. */
  readonly importId: number;
  readonly ids: ImportedIds;
  readonly report: Report;
  readonly scale: Scale;
  /** Settings of the source, as text. */
  readonly options: ReadonlyMap<string, string>;
  /** True: no user exists here yet, so the super admin of the source becomes the one of this installation. */
  readonly isEmpty: boolean;
  /** The import came to its end before: only rows that are new at the source are brought. */
  readonly isFinished: boolean;
  /** Settings that were saved here are replaced. */
  readonly overwrites: boolean;
}

/** In a dry run, the id of a row that would be made. */
const NOT_MADE = -1;

export class ImportedIds {
  readonly #known = new Map<string, Map<string, number>>();
  readonly #importId: number;

  private constructor(importId: number) {
    this.#importId = importId;
  }

  static async load(db: CommandStore['db'], importId: number): Promise<ImportedIds> {
    const ids = new ImportedIds(importId);
    const rows = await db
      .selectFrom('imported_rows')
      .select(['kind', 'source_id', 'row_id'])
      .where('import_id', '=', importId)
      .execute();
    for (const { kind, source_id, row_id } of rows) ids.#of(kind).set(source_id, row_id);
    return ids;
  }

  #of(kind: string): Map<string, number> {
    const known = this.#known.get(kind) ?? new Map<string, number>();
    this.#known.set(kind, known);
    return known;
  }

  find(kind: string, sourceId: string | number): number | undefined {
    return this.#of(kind).get(String(sourceId));
  }

  entries(kind: string): Iterable<[string, number]> {
    return this.#of(kind);
  }

  async add(transaction: Transaction<Schema>, kind: string, sourceId: string, rowId: number): Promise<void> {
    await transaction
      .insertInto('imported_rows')
      .values({ import_id: this.#importId, kind, source_id: sourceId, row_id: rowId })
      .execute();
    this.#of(kind).set(sourceId, rowId);
  }

  /** For a dry run: later steps find the row. */
  expect(kind: string, sourceId: string): void {
    this.#of(kind).set(sourceId, NOT_MADE);
  }
}

/** One row that can be brought: writes it and returns its id here. */
export type Writing = (transaction: Transaction<Schema>) => Promise<number>;

/**
 * Brings a table page by page, each page in one transaction. `plan` reads a row: what writes it, or undefined after it has
 * reported why the row is left behind.
 */
export async function bringTable(
  job: Job,
  kind: Kind,
  table: string,
  plan: (fields: Fields, sourceId: string) => Promise<Writing | undefined>,
): Promise<void> {
  const { report, ids } = job;
  for await (const rows of pagesOf(job.source, table)) {
    const planned: { sourceId: string; write: Writing }[] = [];
    for (const row of rows) {
      report.count(report.found, kind);
      const fields = new Fields(row);
      const sourceId = fields.text('id');
      if (ids.find(kind, sourceId) !== undefined) {
        report.count(report.already, kind);
        continue;
      }
      const write = await readable(job, kind, rowName(fields, sourceId), () => plan(fields, sourceId));
      if (write === undefined) continue;
      report.count(report.brought, kind);
      if (job.isDry) ids.expect(kind, sourceId);
      else planned.push({ sourceId, write });
    }
    if (planned.length === 0) continue;
    await job.store.db.transaction().execute(async (transaction) => {
      for (const { sourceId, write } of planned)
        await ids.add(transaction, kind, sourceId, await write(transaction));
    });
  }
}

/** A row with a cell that cannot be read is left behind with the reason, which names the cell. */
export async function readable<Result>(
  { report }: Pick<Job, 'report'>,
  kind: Kind,
  row: string,
  read: () => Promise<Result> | Result,
): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CellError)) throw error;
    report.leave(kind, error.message, row);
    return undefined;
  }
}

const rowName = (fields: Fields, sourceId: string): string => {
  const name = fields.text('name');
  return name === '' ? `id ${sourceId}` : `${name} (id ${sourceId})`;
};

type Amounts = Pick<Job, 'scale'>;

/** Units of the source in units of this installation. */
export const amountOf = ({ scale }: Amounts, fields: Fields, name: string): number =>
  withinCap(name, () => scale.amount(fields.integer(name)));

/** Dollars of the source in units of this installation. */
export const dollarsOf = ({ scale }: Amounts, fields: Fields, name: string): number =>
  withinCap(name, () => scale.ofDollars(fields.decimal(name)));

/** An amount past the cap is a fault of its cell. */
export function withinCap(name: string, read: () => number): number {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new CellError(`${name} is past the cap`, { cause: error });
    throw error;
  }
}
