import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pagesOf } from './source.ts';
import { openSqliteSource } from './sqlite-source.ts';

test('ids past 2^53 and ids that are text are refused; they would skip rows or never end', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-source-test-'));
  const file = path.join(folder, 'source.db');
  const db = new Database(file);
  db.run('create table good (id integer)');
  db.run('insert into good values (1), (2), (3)');
  db.run('create table huge (id integer)');
  db.run('insert into huge values (9007199254740993), (9007199254740995)');
  db.run('create table texts (id)');
  db.run("insert into texts values ('2'), ('1')");
  db.close();
  const source = openSqliteSource(file);
  const read = async (table: string) => {
    let rows = 0;
    for await (const page of pagesOf(source, table, 0, 1)) {
      rows += page.length;
      if (rows > 10) throw new Error('it never ends');
    }
    return rows;
  };
  expect(await read('good')).toBe(3);
  expect(read('huge')).rejects.toThrow('The table huge');
  expect(read('texts')).rejects.toThrow('The table texts');
  await source.close();
  rmSync(folder, { recursive: true });
});
