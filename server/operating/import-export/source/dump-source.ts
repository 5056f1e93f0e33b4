// A dump as a source: mysqldump, pg_dump in plain text, or SQLite's `.dump`. The tables that are needed are read into a
// temporary SQLite file, one statement at a time, so that the dump may be larger than the memory.
import { Database } from 'bun:sqlite';
import { createReadStream, mkdtempSync, openSync, readSync, closeSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { columnsOf, copyValues, StatementReader, type DumpDialect, type DumpValue } from './dump-values.ts';
import { SourceError, type Source } from './source.ts';
import { openSqliteSource } from './sqlite-source.ts';

const ROWS_PER_COMMIT = 5000;
const HEAD_BYTES = 64_000;

function dialectOf(file: string): DumpDialect | undefined {
  const handle = openSync(file, 'r');
  const head = Buffer.alloc(HEAD_BYTES);
  const text = head.toString('utf8', 0, readSync(handle, head));
  closeSync(handle);
  if (/PostgreSQL database dump/.test(text)) return 'postgres';
  if (/^(-- MySQL dump|-- MariaDB dump|\/\*!4|\/\*M!)/m.test(text)) return 'mysql';
  return /^\s*(PRAGMA foreign_keys|BEGIN TRANSACTION|CREATE TABLE|INSERT INTO)/im.test(text)
    ? 'sqlite'
    : undefined;
}

export async function openDumpSource(file: string, tables: readonly string[]): Promise<Source> {
  const dialect = dialectOf(file);
  if (dialect === undefined)
    throw new SourceError(
      `${file} is neither a SQLite database nor a dump of mysqldump, pg_dump (plain text) or SQLite.`,
    );
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-import-'));
  const copy = path.join(folder, 'source.db');
  try {
    const loader = new Loader(copy, dialect, new Set(tables));
    try {
      for await (const piece of pieces(file, dialect)) loader.add(piece);
    } finally {
      loader.close();
    }
    const source = openSqliteSource(copy, file);
    return {
      ...source,
      async close() {
        await source.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A statement, or a line of the data that follows COPY. */
type Piece = { statement: string } | { copyLine: string };

async function* pieces(file: string, dialect: DumpDialect): AsyncGenerator<Piece> {
  let rest = '';
  let isCopying = false;
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    rest += chunk as string;
    for (let at = 0; ;) {
      const end: number = isCopying ? rest.indexOf('\n', at) : endOfStatement(rest, at, dialect);
      if (end < 0) {
        rest = rest.slice(at);
        break;
      }
      const text: string = rest.slice(at, end).replace(/\r$/, '');
      at = end + 1;
      if (isCopying) {
        isCopying = text !== String.raw`\.`;
        if (isCopying) yield { copyLine: text };
        continue;
      }
      const statement = withoutComments(text);
      isCopying = /^COPY\s.*FROM stdin$/is.test(statement);
      // The data begins on the next line.
      if (isCopying && rest[at] === '\r') at += 1;
      if (isCopying && rest[at] === '\n') at += 1;
      if (statement !== '') yield { statement };
    }
  }
}

/** Comments and client commands before the statement. */
function withoutComments(text: string): string {
  return text
    .replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/|\\(?:un)?restrict[^\n]*(?:\n|$))+/, '')
    .trimEnd();
}

/** The position of the semicolon that ends the statement; -1 when it is not in the text yet. */
function endOfStatement(text: string, from: number, dialect: DumpDialect): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === ';') return at;
    if (character === '-' && text[at + 1] === '-') at = endOr(text.indexOf('\n', at), text);
    else if (character === '/' && text[at + 1] === '*') at = endOr(text.indexOf('*/', at + 2), text) + 1;
    else if (character === "'" || character === '"' || character === '`') at = endOfQuote(text, at, dialect);
  }
  return -1;
}

const endOr = (found: number, text: string): number => (found < 0 ? text.length : found);

function endOfQuote(text: string, start: number, dialect: DumpDialect): number {
  const quote = text[start];
  const isEscaped = (dialect === 'mysql' && quote !== '`') || /[eE]/.test(text[start - 1] ?? '');
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\' && isEscaped) at += 1;
    // A doubled quote ends one text and begins the next.
    else if (text[at] === quote) return at;
  }
  return text.length;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

class Loader {
  readonly #db: Database;
  readonly #columns = new Map<string, string[]>();
  readonly #created = new Set<string>();
  #copying: { table: string; columns: string[] } | undefined;
  #rows = 0;
  readonly #dialect: DumpDialect;
  readonly #wanted: ReadonlySet<string>;

  constructor(file: string, dialect: DumpDialect, wanted: ReadonlySet<string>) {
    this.#dialect = dialect;
    this.#wanted = wanted;
    this.#db = new Database(file, { create: true });
    this.#db.run('pragma synchronous = off');
    this.#db.run('begin');
  }

  close(): void {
    if (this.#db.inTransaction) this.#db.run('commit');
    this.#db.close();
  }

  add(piece: Piece): void {
    try {
      if ('copyLine' in piece) this.#copyLine(piece.copyLine);
      else this.#statement(piece.statement);
    } catch (error) {
      const text = 'copyLine' in piece ? piece.copyLine : piece.statement;
      // The name of the table, never the values: they may be secrets.
      const where = /^\w+\s+\w+\s+\S+/.exec(text)?.[0] ?? 'a statement';
      throw new SourceError(`the dump could not be read at ${where}: ${String(error)}`, { cause: error });
    }
  }

  #statement(text: string): void {
    const reader = new StatementReader(text, this.#dialect);
    if (reader.take('create table')) {
      reader.take('if not exists');
      const table = reader.name();
      if (this.#wanted.has(table)) this.#columns.set(table, columnsOf(text, this.#dialect));
    } else if (reader.take('insert into')) {
      const table = reader.name();
      if (!this.#wanted.has(table)) return;
      const named = reader.names();
      const columns = named.length > 0 ? named : (this.#columns.get(table) ?? []);
      if (!reader.take('values')) throw new Error('VALUES was expected');
      do this.#insert(table, columns, reader.tuple());
      while (reader.take(','));
    } else if (reader.take('copy ')) {
      this.#copying = { table: reader.name(), columns: reader.names() };
    }
  }

  #create(table: string, columns: readonly string[], isNumbered: boolean): void {
    // Without a type a column keeps what the dump says; the id must be a number to be sorted as one.
    const types = columns.map((name) =>
      name === 'id' && isNumbered ? 'id integer primary key' : quoted(name),
    );
    this.#db.run(`create table ${quoted(table)} (${types.join(', ')})`);
    this.#created.add(table);
  }

  #copyLine(line: string): void {
    if (this.#copying === undefined || !this.#wanted.has(this.#copying.table)) return;
    this.#insert(this.#copying.table, this.#copying.columns, copyValues(line));
  }

  #insert(table: string, columns: readonly string[], values: readonly DumpValue[]): void {
    if (columns.length !== values.length)
      throw new Error(`${values.length} values for ${columns.length} columns`);
    const list = columns.map(quoted);
    if (!this.#created.has(table)) {
      const isNumbered = /^\d+$/.test(String(values[columns.indexOf('id')] ?? ''));
      this.#create(table, this.#columns.get(table) ?? columns, isNumbered);
    }
    this.#db
      .query(`insert into ${quoted(table)} (${list.join(', ')}) values (${list.map(() => '?').join(', ')})`)
      .run(...values);
    this.#rows += 1;
    if (this.#rows % ROWS_PER_COMMIT !== 0) return;
    this.#db.run('commit');
    this.#db.run('begin');
  }
}
