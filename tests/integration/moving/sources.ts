// Makes the databases of family-schema.ts: a SQLite file, a database on the PostgreSQL server of the tests, or a dump.
import { Database } from 'bun:sqlite';
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
