// Kysely over the SQLite threads. Outside a transaction a SELECT goes to a reader and any other statement joins the
// writer's next group commit; a transaction leases the writer. Inside `db.transaction()` use only the given `trx`:
// a write through `db` would wait for the transaction that waits for it, until the time limit ends both.
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type RootOperationNode,
  type TableNode,
} from 'kysely';
import type { StatementResult } from './protocol.ts';
import type { Readers } from './readers.ts';
import type { Lease } from './lease.ts';
import type { WriterThread } from './writer.ts';

export interface Threads {
  writer: Pick<WriterThread, 'statement' | 'lease'>;
  readers: Readers;
}

export function sqliteDialect(threads: Threads): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ThreadDriver(threads),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class ThreadConnection implements DatabaseConnection {
  lease: Lease | undefined;
  readonly #threads: Threads;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters.map(bindable);
    const result = await this.#run(query, parameters);
    const affected = changesRows(query.query) ? { numAffectedRows: BigInt(result.changes) } : {};
    const inserted = result.lastInsertRowid > 0 ? { insertId: BigInt(result.lastInsertRowid) } : {};
    return { rows: result.rows as R[], ...affected, ...inserted };
  }

  #run(query: CompiledQuery, parameters: readonly unknown[]): Promise<StatementResult> {
    if (this.lease !== undefined) return this.lease.query(query.sql, parameters);
    if (onlyReads(query)) return this.#threads.readers.query(query.sql, parameters);
    return this.#threads.writer.statement({ sql: query.sql, parameters }, tablesIn(query.query));
  }

  // oxlint-disable-next-line require-yield -- Kysely's interface asks for a generator; an open cursor would hold a snapshot.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported on SQLite: read pages by id.');
  }
}

class ThreadDriver implements Driver {
  readonly #threads: Threads;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#threads);
  }

  async beginTransaction(connection: ThreadConnection): Promise<void> {
    connection.lease = await this.#threads.writer.lease();
  }

  async commitTransaction(connection: ThreadConnection): Promise<void> {
    const lease = connection.lease;
    connection.lease = undefined;
    await lease?.commit();
  }

  async rollbackTransaction(connection: ThreadConnection): Promise<void> {
    const lease = connection.lease;
    connection.lease = undefined;
    await lease?.rollback();
  }

  async savepoint(connection: ThreadConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint ${quoted(name)}`));
  }

  async rollbackToSavepoint(connection: ThreadConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to ${quoted(name)}`));
  }

  async releaseSavepoint(connection: ThreadConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release ${quoted(name)}`));
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function onlyReads(query: CompiledQuery): boolean {
  if (query.query.kind === 'SelectQueryNode') return true;
  return query.query.kind === 'RawNode' && /^\s*(select|values|explain)\b/i.test(query.sql);
}

/** Every table the statement names; undefined when a part of it is raw SQL. */
function tablesIn(root: RootOperationNode): ReadonlySet<string> | undefined {
  const tables = new Set<string>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (typeof node !== 'object' || node === null) continue;
    const kind = 'kind' in node ? node.kind : undefined;
    if (kind === 'RawNode') return undefined;
    if (kind === 'ValueNode' || kind === 'PrimitiveValueListNode') continue;
    if (kind === 'TableNode') tables.add((node as TableNode).table.identifier.name);
    else waiting.push(...Object.values(node));
  }
  return tables;
}

function changesRows(node: RootOperationNode): boolean {
  return node.kind !== 'SelectQueryNode';
}

/** What SQLite can bind and a message can carry. */
function bindable(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is beyond the safe integers`);
    return number;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError(`${value} cannot be stored`);
  if (typeof value === 'object' && value !== null)
    throw new TypeError('JSON columns take text: JSON.stringify the value');
  return value;
}
