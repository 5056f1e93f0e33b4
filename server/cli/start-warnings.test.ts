import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEnvironment } from '#server/platform/env.ts';
import { addressWarning, startWarnings } from './start-warnings.ts';

const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-warnings-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const warnings = (variables: Record<string, string> = {}) =>
  startWarnings(readEnvironment({ DATA_DIR: dataDir, ...variables }));
const postgres = { DATABASE_URL: 'postgres://localhost/gate' };

test('N9: a SQLite installation with users beside DATABASE_URL is named, an empty one is not', () => {
  const database = new Database(path.join(dataDir, 'tollgate.db'));
  database.run('create table users (id integer)');
  expect(warnings(postgres)).toEqual([]);
  database.run('insert into users values (1), (2)');
  database.close();
  expect(warnings(postgres)).toEqual([expect.stringContaining('with its 2 users')]);
  expect(warnings()).toEqual([]);
});

test('N9: a file that is no database does not end the start', () => {
  writeFileSync(path.join(dataDir, 'tollgate.db'), 'x'.repeat(2000));
  expect(warnings(postgres)).toEqual([]);
});

test('N4: the place of a first password that was not changed is named at every start', () => {
  const file = path.join(dataDir, 'initial-root-password.txt');
  writeFileSync(file, 'secret');
  expect(warnings()).toEqual([expect.stringContaining(file)]);
  expect(warnings().join()).not.toContain('secret');
});

test('O35: an address that works on this machine only is named', () => {
  expect(addressWarning('http://localhost:8080')).toContain('http://localhost:8080');
  expect(addressWarning('')).toContain('no address');
  expect(addressWarning('https://gate.example.com')).toBeUndefined();
});
