// A part of a batch: the rows of one table that are verified or written, and its statement.
import type { Column } from './columns.ts';
import type { BatchChanges } from './rows.ts';

/** What a statement may name of its part. Only what it names is sent. */
export interface Source {
  /** The rows as a table `x`. */
  readonly rows: string;
  /** How many they are. */
  readonly count: string;
  /** The list of the first column, by which rows are found even before there are statistics. */
  readonly ids: string;
}

export interface Part {
  /** Names the part in the name of a prepared statement. */
  letter: string;
  name: string;
  isCheck: boolean;
  rowsOf: (changes: BatchChanges) => readonly never[];
  columns: readonly [Column<never>, ...Column<never>[]];
  /** `gate`: the condition under which anything happens at all. */
  sql: (source: Source, gate: string) => string;
}

interface PartOf<Row> extends Omit<Part, 'isCheck' | 'rowsOf' | 'columns'> {
  rowsOf: (changes: BatchChanges) => readonly Row[];
  columns: readonly Column<Row>[];
}

export const part = <Row>(definition: PartOf<Row>): Part =>
  ({ ...definition, isCheck: false }) as unknown as Part;
export const check = <Row>(definition: PartOf<Row>): Part =>
  ({ ...definition, isCheck: true }) as unknown as Part;

export const found = (table: string, lock: string) => (source: Source, gate: string) =>
  `select 1 from (select * from ${source.rows} order by 1) as x, lateral (select 1 from ${table} t
    where t.id = x.id and t.xmin = x.version ${lock}) as l where ${gate}`;

export const byId = ({ rows, ids }: Source) => `from ${rows} where t.id = any(${ids}) and t.id = x.id`;

export const rowType = ({ name }: Pick<Part, 'name'>) => `pg_temp.ledger_${name}`;

/**
 * Makes the types of the rows. They belong to the connection, so that nodes of two versions with different columns work side by
 * side; a new connection does not wait for the disk or a standby because of them.
 */
export function typesOf(parts: readonly Part[]): string {
  const types = parts.map((each) => {
    const columns = each.columns.map(({ name, type }) => `"${name}" ${type}`).join(', ');
    return `create type ${rowType(each)} as (${columns});`;
  });
  return ['begin;', 'set local synchronous_commit = off;', ...types, 'commit'].join('\n');
}
