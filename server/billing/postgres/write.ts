// Writes all changes of a batch in one statement, if every row the batch has read is still as it was read; otherwise
// nothing. One parameter per column, and only the tables that a batch changes are named: a plan costs what it contains.
import type { ClientBase } from 'pg';
import { numberArray, textArray } from './arrays.ts';
import type { Part, Source } from './part.ts';
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
}

const statements = new Map<string, Statement>();

/** Nothing to write and nothing to verify = undefined. `isSynced`: on the disk when this (or its transaction) returns. */
export async function writeChanges(
  client: ClientBase,
  changes: BatchChanges,
  isSynced: boolean,
): Promise<Written | undefined> {
  const values: string[] = [];
  let key = isSynced ? 's' : 'f';
  for (const part of parts) {
    const rows = part.rowsOf(changes);
    if (rows.length === 0) continue;
    key += part.letter;
    for (const { type, of } of part.columns) {
      const column = rows.map(of);
      values.push(type === 'text' ? textArray(column) : numberArray(column));
    }
  }
  if (values.length === 0) return undefined;
  let statement = statements.get(key);
  if (statement === undefined) {
    statement = compose(key, isSynced);
    statements.set(key, statement);
  }
  const { rows } = await client.query<Written>({ ...statement, values });
  return rows[0];
}

function compose(key: string, isSynced: boolean): Statement {
  const used = parts.filter((part) => key.slice(1).includes(part.letter));
  const checks = used.filter((part) => part.isCheck);
  let parameter = 0;
  const sourceOf = (part: Part): Source => {
    const ids = `$${parameter + 1}::${part.columns[0]?.type}[]`;
    const names = part.columns.map(({ name }) => `"${name}"`).join(', ');
    const arrays = part.columns.map(({ type }) => `$${(parameter += 1)}::${type}[]`).join(', ');
    return { rows: `unnest(${arrays}) as x(${names})`, ids };
  };
  const clauses: string[] = [];
  let before = 'true';
  for (const part of checks) {
    const source = sourceOf(part);
    const found = part.sql(source, before);
    clauses.push(
      `${part.name} as materialized (select count(*) = cardinality(${source.ids}) as yes from (${found}) as f)`,
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
    text: `with ${clauses.join(',\n')}
      select (select yes from verdict) as "isCurrent", pg_current_xact_id()::xid::text::bigint as version,
        (extract(epoch from clock_timestamp()) * 1000)::bigint as now
        ${isSynced ? '' : `, set_config('synchronous_commit', 'off', true)`}`,
  };
}
