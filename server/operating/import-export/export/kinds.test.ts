// The guide lists every file and column of an export. UPDATE_DOCS=1 writes the lists anew.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import type { TableName } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { databaseSource } from '#tests/support/databases.ts';
import { EXPORT_KINDS } from './kinds.ts';
import { exportedRow, exportedTables } from './write.ts';

const guide = fileURLToPath(new URL('../../../../docs/guides/moving-out.md', import.meta.url));
const databases = databaseSource('sqlite');
let store: Store;
beforeAll(async () => {
  store = await databases.open();
});
afterAll(() => databases.closeAll());

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(
    store.db,
  );
  return rows.map(({ name }) => name);
}

test('every table of the database is exported or left out with a reason', async () => {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`.execute(store.db);
  const internal = ['migrations', 'vault_sentinel', 'moves', 'move_progress'];
  const unknown = rows
    .map(({ name }) => name)
    .filter((name) => !(name in EXPORT_KINDS) && !internal.includes(name));
  expect(unknown).toEqual([]);
});

test('the guide has the files and columns of an export', async () => {
  const lines = ['| file | rows | columns |', '| --- | --- | --- |'];
  for (const table of exportedTables) {
    const kind = EXPORT_KINDS[table] as { what: string };
    const row = Object.fromEntries((await columnsOf(table)).map((column) => [column, '']));
    const columns = Object.keys(exportedRow(table, row, undefined)).map((column) => `\`${column}\``);
    lines.push(`| \`${table}.ndjson\` | ${kind.what} | ${columns.join(', ')} |`);
  }
  const leftOut = (Object.keys(EXPORT_KINDS) as TableName[]).flatMap((table) => {
    const kind = EXPORT_KINDS[table];
    return 'leftOut' in kind ? [`| \`${table}\` | ${kind.leftOut} |`] : [];
  });
  const wanted = {
    files: lines.join('\n'),
    'left out': ['| table | why |', '| --- | --- |', ...leftOut].join('\n'),
  };
  let text = readFileSync(guide, 'utf8');
  for (const [name, table] of Object.entries(wanted)) {
    const place = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`);
    if (process.env['UPDATE_DOCS'] === '1')
      text = text.replace(place, () => `<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->`);
    else expect(squeezed(place.exec(text)?.[0] ?? '')).toContain(squeezed(table));
  }
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(guide, text);
});

/** Formatting aligns the columns of tables. */
const squeezed = (text: string): string => text.replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' ');
