// Writes every kind as NDJSON: one JSON object for each row. All files show one moment, also beside the living server.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Schema, TableName } from '#server/platform/store/schema.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { EXPORT_KINDS } from './kinds.ts';

const ROWS_PER_PAGE = 2000;
const PRIVATE = 0o600;

/** The kinds without the type of each row, for code that treats all alike. */
interface Kind {
  key: readonly string[];
  without?: readonly string[];
  hides?: readonly string[];
  secrets?: Readonly<Record<string, (row: Record<string, unknown>, vault: Vault) => unknown>>;
  isSecret?: (row: Record<string, unknown>) => boolean;
}

export const exportedTables = (Object.keys(EXPORT_KINDS) as TableName[]).filter(
  (table) => !('leftOut' in EXPORT_KINDS[table]),
);

const kindOf = (table: TableName): Kind => EXPORT_KINDS[table] as unknown as Kind;

export interface ExportedFile {
  file: string;
  rows: number;
  sha256: string;
}

/** The folder exists already and is not empty. */
export class ExportFolderError extends Error {
  override name = 'ExportFolderError';
}

export interface ExportOptions {
  folder: string;
  /** Undefined: without secrets. */
  vault: Vault | undefined;
  version: string;
}

/** `db` must be a transaction that sees one moment. */
export async function writeExport(
  db: Kysely<Schema>,
  { folder, vault, version }: ExportOptions,
): Promise<ExportedFile[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new ExportFolderError(`${folder} is not empty.`);
  const files: ExportedFile[] = [];
  for (const table of exportedTables) files.push(await writeTable(db, table, { folder, vault }));
  const manifest = {
    format: 1,
    version,
    exported_at: unixSeconds(),
    with_secrets: vault !== undefined,
    files,
  };
  await writeFile(path.join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: PRIVATE,
  });
  return files;
}

async function writeTable(
  db: Kysely<Schema>,
  table: TableName,
  { folder, vault }: Pick<ExportOptions, 'folder' | 'vault'>,
): Promise<ExportedFile> {
  const file = `${table}.ndjson`;
  const stream = createWriteStream(path.join(folder, file), { mode: PRIVATE });
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of pages(db, table)) {
    const text = page.map((row) => `${JSON.stringify(exportedRow(table, row, vault))}\n`).join('');
    hash.update(text);
    rows += page.length;
    if (!stream.write(text)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return { file, rows, sha256: hash.digest('hex') };
}

export function exportedRow(
  table: TableName,
  row: Record<string, unknown>,
  vault: Vault | undefined,
): Record<string, unknown> {
  const { without = [], hides = [], secrets = {}, isSecret = () => true } = kindOf(table);
  const guarded = isSecret(row);
  const kept = Object.entries(row).filter(
    ([column]) => !without.includes(column) && !(guarded && hides.includes(column)),
  );
  const opened =
    vault === undefined || !guarded
      ? []
      : Object.entries(secrets).map(([name, open]) => [name, open(row, vault)]);
  return Object.fromEntries([...kept, ...opened]) as Record<string, unknown>;
}

async function* pages(db: Kysely<Schema>, table: TableName): AsyncGenerator<Record<string, unknown>[]> {
  const { key } = kindOf(table);
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let after: RawBuilder<unknown> = sql``;
  for (;;) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} ${after}
      order by ${columns} limit ${sql.lit(ROWS_PER_PAGE)}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  }
}
