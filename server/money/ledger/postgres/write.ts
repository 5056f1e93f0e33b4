// Writes all changes of a batch in one statement, if every row the batch has read is still as it was read; otherwise
// nothing. One parameter per table, and only the tables that a batch changes are named: a plan costs what it contains.
import type { ClientBase } from 'pg';
import { columnArray, rowArray } from './arrays.ts';
import { rowType, typesOf, type Part, type Source } from './part.ts';
import { parts } from './parts.ts';
import type { BatchChanges } from './rows.ts';

export interface Written {
  /** False: a row changed after it was read, and nothing was written. */
  isCurrent: boolean;
  /** What `xmin` of every row that was written is now. */
  version: number;
  /** Milliseconds, by the database's clock. */
  now: number;
}

interface Statement {
  name: string;
  text: string;
  parameters: readonly Parameter[];
}

interface Parameter {
  part: Part;
  of: (rows: readonly never[]) => string;
}

/** What a connection needs before its first batch. */
export const typesText = typesOf(parts);

const statements = new Map<string, Statement>();

/** Nothing to write and nothing to verify = undefined. `isSynced`: on the disk when this (or its transaction) returns. */
export async function writeChanges(
  client: ClientBase,
  changes: BatchChanges,
  isSynced: boolean,
): Promise<Written | undefined> {
  const used = new Map<Part, readonly never[]>();
  let key = isSynced ? 's' : 'f';
  for (const part of parts) {
    const rows = part.rowsOf(changes);
    if (rows.length === 0) continue;
    used.set(part, rows);
    key += part.letter;
  }
  if (used.size === 0) return undefined;
  let statement = statements.get(key);
  if (statement === undefined) {
    statement = compose(key, [...used.keys()], isSynced);
    statements.set(key, statement);
  }
  const { name, text, parameters } = statement;
  const values = parameters.map(({ part, of }) => of(used.get(part) ?? []));
  const { rows } = await client.query<Written>({ name, text, values });
  return rows[0];
}

function compose(key: string, used: readonly Part[], isSynced: boolean): Statement {
  const checks = used.filter((part) => part.isCheck);
  const parameters: Parameter[] = [];
  const sourceOf = (part: Part): Source => {
    const { columns } = part;
    const parameter = (type: string, of: Parameter['of']) => `$${parameters.push({ part, of })}::${type}[]`;
    let list: string | undefined;
    const all = () => (list ??= parameter(rowType(part), (rows) => rowArray(columns, rows)));
    return {
      get rows() {
        return `unnest(${all()}) as x`;
      },
      get count() {
        return `cardinality(${all()})`;
      },
      get ids() {
        const [first] = columns;
        return parameter(first.type, (rows) => columnArray(first, rows));
      },
    };
  };
  const clauses: string[] = [];
  let before = 'true';
  for (const part of checks) {
    const source = sourceOf(part);
    const found = part.sql(source, before);
    clauses.push(
      `${part.name} as materialized (select count(*) = ${source.count} as yes from (${found}) as f)`,
    );
    // One after the other, so that two batches that want the same rows lock them in the same order.
    before = `(select yes from ${part.name})`;
  }
  const all = checks.map((part) => `(select yes from ${part.name})`).join(' and ');
  clauses.push(`verdict as materialized (select ${all === '' ? 'true' : all} as yes)`);
  const gate = '(select yes from verdict)';
  for (const part of used) {
    if (!part.isCheck) clauses.push(`${part.name} as (${part.sql(sourceOf(part), gate)})`);
  }
  return {
    name: `ledger-${key}`,
    parameters,
    text: `with ${clauses.join(',\n')}
      select (select yes from verdict) as "isCurrent", pg_current_xact_id()::xid::text::bigint as version,
        (extract(epoch from clock_timestamp()) * 1000)::bigint as now
        ${isSynced ? '' : `, set_config('synchronous_commit', 'off', true)`}`,
  };
}
