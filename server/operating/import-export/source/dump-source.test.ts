// Rows read from the three kinds of dump equal the rows of the database, also when texts contain quotes or line ends.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openDumpSource } from './dump-source.ts';
import { Fields } from './fields.ts';
import { SourceError } from './source.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-dump-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function rowsOf(name: string, text: string, tables = ['users']) {
  const file = path.join(folder, `${name}.sql`);
  writeFileSync(file, text);
  const source = await openDumpSource(file, tables);
  try {
    return (await source.page('users', 0, 10)).map((row) => {
      const fields = new Fields(row);
      return [
        fields.integer('id'),
        fields.text('name'),
        fields.integer('quota'),
        fields.flag('ok'),
        fields.isSet('deleted_at'),
      ];
    });
  } finally {
    await source.close();
  }
}

const NAME = `O'Neil; "a" \\ back\nline -- no comment /* nor this */ 爱`;
const EXPECTED = [
  [2, NAME, 9_007_199_254_740_991, 1, false],
  [10, '', -5, 0, true],
];

test('mysqldump: rows in one statement without names, escapes, client comments', async () => {
  const escaped = NAME.replaceAll('\\', String.raw`\\`)
    .replaceAll("'", String.raw`\'`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('"', String.raw`\"`);
  const text = `-- MySQL dump 10.13
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
DROP TABLE IF EXISTS \`users\`;
CREATE TABLE \`users\` (
  \`id\` bigint NOT NULL AUTO_INCREMENT,
  \`name\` varchar(191) DEFAULT 'a, (b)',
  \`quota\` decimal(10,2) DEFAULT '0',
  \`ok\` tinyint(1) DEFAULT NULL,
  \`deleted_at\` datetime(3) DEFAULT NULL,
  PRIMARY KEY (\`id\`),
  KEY \`idx_name\` (\`name\`,\`ok\`)
) ENGINE=InnoDB;
LOCK TABLES \`users\` WRITE;
INSERT INTO \`users\` VALUES (10,'',-5,0,'2025-01-01 00:00:00.000'),(2,'${escaped}',9007199254740991,1,NULL);
INSERT INTO \`other\` VALUES (1,'ignored');
UNLOCK TABLES;
`;
  expect(await rowsOf('mysql', text)).toEqual(EXPECTED);
});

test('pg_dump: COPY with tabs, and statements with names', async () => {
  const cell = NAME.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
  const copy = `--
-- PostgreSQL database dump
--
\\restrict abc
SET standard_conforming_strings = on;
CREATE TABLE public.users (
    id bigint NOT NULL,
    name text DEFAULT ''::text,
    quota bigint,
    ok boolean,
    deleted_at timestamp with time zone,
    CONSTRAINT positive CHECK ((id > 0))
);
COPY public.users (id, name, quota, ok, deleted_at) FROM stdin;
10\t\t-5\tf\t2025-01-01 00:00:00+00
2\t${cell}\t9007199254740991\tt\t\\N
\\.
COPY public.other (id, note) FROM stdin;
1\t'; INSERT INTO
\\.
SELECT pg_catalog.setval('public.users_id_seq', 10, true);
`;
  expect(await rowsOf('postgres', copy)).toEqual(EXPECTED);
  const inserts = `-- PostgreSQL database dump\nINSERT INTO public.users (id, name, quota, ok, deleted_at) VALUES (10, '', -5, false, '2025-01-01'), (2, '${NAME.replaceAll("'", "''")}', 9007199254740991, true, NULL);\n`;
  expect(await rowsOf('inserts', inserts)).toEqual(EXPECTED);
});

test('.dump of SQLite: line breaks by functions', async () => {
  const [before = '', after = ''] = NAME.replaceAll("'", "''").split('\n');
  const text = `PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE \`users\` (\`id\` integer PRIMARY KEY AUTOINCREMENT,\`name\` text,\`quota\` bigint DEFAULT 0,\`ok\` numeric,\`deleted_at\` datetime,CONSTRAINT \`uni\` UNIQUE (\`name\`));
INSERT INTO users VALUES(2,replace('${before}\\n${after}','\\n',char(10)),9007199254740991,1,NULL);
INSERT INTO users VALUES(10,unistr(''),-5,0,'2025-01-01 00:00:00+00:00');
COMMIT;
`;
  expect(await rowsOf('sqlite', text)).toEqual(EXPECTED);
});

test('a statement that is cut off is refused with the name of its table and without its values', async () => {
  const text = "PRAGMA foreign_keys=OFF;\nINSERT INTO users VALUES(1,'secret' 2);\n";
  const failure = await rowsOf('broken', text).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SourceError);
  expect(String(failure)).toContain('INSERT INTO users');
  expect(String(failure)).not.toContain('secret');
});
