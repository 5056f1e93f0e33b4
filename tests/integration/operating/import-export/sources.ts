// Makes the databases of family-schema.ts: a SQLite file, a database on the PostgreSQL server of the tests, or a dump.
import { SQL } from 'bun';
import { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { NEW_API_TABLES, statements, type FamilyRows } from './family-schema.ts';

type Tables = typeof NEW_API_TABLES;

export function sqliteSource(folder: string, tables: Tables, rows: FamilyRows, name = 'source.db'): string {
  const file = path.join(folder, name);
  const db = new Database(file, { create: true });
  db.transaction(() => {
    for (const statement of statements(tables, rows, 'sqlite')) db.run(statement);
  })();
  db.close();
  return file;
}

export async function postgresSource(url: string, tables: Tables, rows: FamilyRows): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements(tables, rows, 'postgres')) await client.query(statement);
  await client.end();
  return url;
}

export async function mysqlSource(
  server: string,
  tables: Tables,
  rows: FamilyRows,
): Promise<{ url: string; remove(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const administer = async (...texts: string[]) => {
    const sql = new SQL({ url: server, max: 1 });
    for (const text of texts) await sql.unsafe(text);
    await sql.close();
  };
  const made = statements(tables, rows, 'mysql');
  await administer(`create database ${name} character set utf8mb4`, `use ${name}`, ...made);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return { url, remove: () => administer(`drop database ${name}`) };
}

/** As `mysqldump` writes it: several rows in one statement, without the names of columns. */
export function mysqlDump(folder: string, tables: Tables, rows: FamilyRows): string {
  const made = statements(tables, rows, 'mysql').map((statement) => `${statement};`);
  const file = path.join(folder, 'dump.sql');
  writeFileSync(
    file,
    `-- MySQL dump 10.13  Distrib 8.0.36\n\n/*!40101 SET NAMES utf8mb4 */;\n${made.join('\n')}\n/*!40000 ALTER TABLE users ENABLE KEYS */;\n`,
  );
  return file;
}
