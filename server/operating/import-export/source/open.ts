// Opens what the operator named: an address of a server, a SQLite file or a dump.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { openDumpSource } from './dump-source.ts';
import { isServerAddress, openServerSource } from './server-source.ts';
import { SourceError, type Source } from './source.ts';
import { openSqliteSource } from './sqlite-source.ts';

const SQLITE_HEAD = 'SQLite format 3\0';

export async function openSource(place: string, tables: readonly string[]): Promise<Source> {
  if (isServerAddress(place)) return await openServerSource(place);
  const file = path.resolve(place);
  if (!existsSync(file)) throw new SourceError(`there is no file ${file}.`);
  const head = await Bun.file(file).slice(0, SQLITE_HEAD.length).text();
  return head === SQLITE_HEAD ? openSqliteSource(file) : await openDumpSource(file, tables);
}
