// Each table has one room that writes it, so that its rules stand once. A room is a folder of a wing (server/money/ledger) or the
// files beside these folders (server/admin). The writes are read from the sources: Kysely's calls and the texts of SQL.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Glob } from 'bun';
import { FLOORS } from '../oxlint.config.ts';

const root = path.join(import.meta.dir, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

interface Write {
  table: string;
  /** Undefined: a row is inserted or removed, or the source does not say which columns change. */
  columns: readonly string[] | undefined;
}

const tables = new Set(
  [
    ...(
      /export interface Schema \{([^}]*)\}/.exec(read('server/platform/store/schema.ts'))?.[1] ?? ''
    ).matchAll(/^ {2}(\w+):/gm),
  ].map(([, name = '']) => name),
);
const transpiler = new Bun.Transpiler({ loader: 'ts' });
const builderCall =
  /\b(insertInto|replaceInto|mergeInto|updateTable|deleteFrom)\(\s*"(\w+)(?: as \w+)?"\s*\)/g;
const statement =
  /\b(insert(?: or \w+)? into|replace into|update|delete from)\s+"?(\w+)"?(?:\s+(?:as\s+)?(?!set\b)\w+)?(\s+set\s)?/gi;
const namedAtRunTime =
  /\b(?:insertInto|updateTable|deleteFrom)\((?!\s*")|\b(?:insert(?: or \w+)? into|update|delete from)\s+"?\$\{/i;

/** What a source writes. Comments do not count: the transpiler leaves them out. */
function writesIn(source: string): { writes: Write[]; isNamedAtRunTime: boolean } {
  const code = transpiler.transformSync(source);
  const writes: Write[] = [];
  for (const { 0: text, 1: verb, 2: table = '', index } of code.matchAll(builderCall))
    writes.push({
      table,
      columns: verb === 'updateTable' ? setByBuilder(code.slice(index + text.length)) : undefined,
    });
  for (const { 0: text, 1: verb = '', 2: name = '', 3: set, index } of code.matchAll(statement)) {
    const table = name.toLowerCase();
    if (!tables.has(table) || (/update/i.test(verb) && set === undefined)) continue;
    const rest = code.slice(index + text.length);
    writes.push({ table, columns: set === undefined ? undefined : setByStatement(rest) });
  }
  return { writes, isNamedAtRunTime: namedAtRunTime.test(code) };
}

/** `.set({ a: 1, b })` or `.set((column) => ({ a: … }))`; undefined for anything whose names are not written there. */
function setByBuilder(rest: string): string[] | undefined {
  const start = /^\s*\.set\(\s*(?:\(?\w*\)?\s*=>\s*\(\s*)?\{/.exec(rest);
  if (start === null) return undefined;
  const names = partsOf(rest.slice(start[0].length)).map((part) => /^"?(\w+)"?\s*(?::|$)/.exec(part)?.[1]);
  return names.includes(undefined) ? undefined : (names as string[]);
}

/** `a = 1, "b" = 2 where …`; undefined where a name is filled in. */
function setByStatement(rest: string): string[] | undefined {
  const names = partsOf(rest.split(/\s(?:where|from|returning)\s|`/i)[0] ?? '').map(
    (part) => /^"?(\w+)"?\s*=/.exec(part)?.[1],
  );
  return names.includes(undefined) ? undefined : (names as string[]);
}

/** Separated by commas outside brackets, up to the bracket that closes the list. */
function partsOf(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth < 0) break;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

const roomOf = (file: string): string =>
  file
    .split('/')
    .slice(0, 3)
    .join('/')
    .replace(/\/[^/]*\.ts$/, '');

const sources = [...new Glob('server/**/*.ts').scanSync({ cwd: root })]
  .filter((file) => !/\.test\.ts$|\.d\.ts$|\/migrations\//.test(file))
  .toSorted();

/** A room that writes a table of another room: only these columns of its rows, or, without columns, rows too. */
interface Share {
  table: string;
  room: string;
  columns?: readonly string[];
  /** The file whose statements get the names of these columns at run time. */
  namesIn?: string;
  why: string;
}

const SHARED: readonly Share[] = [
  {
    table: 'users',
    room: 'server/money/ledger',
    columns: [
      'quota',
      'held_quota',
      'plan_held_quota',
      'used_quota',
      'request_count',
      'low_balance_mail_at',
      'aff_quota',
      'aff_history_quota',
      'dividend_quota',
      'wallet_first',
    ],
    // From its list `userFigures`, which names the columns of the statements on SQLite.
    namesIn: 'server/money/ledger/postgres/parts.ts',
    why: 'balances change only by the ledger',
  },
  {
    table: 'users',
    room: 'server/money/audit',
    columns: ['status', 'suspended_reason'],
    why: 'the check of the books suspends an account at once, and stands below the admin API',
  },
  {
    table: 'tokens',
    room: 'server/money/ledger',
    columns: ['status', 'remain_quota', 'held_quota', 'used_quota', 'accessed_time'],
    why: 'the budget of a token is a balance, and its status follows it',
  },
  {
    table: 'channels',
    room: 'server/money/ledger',
    columns: ['used_quota'],
    why: 'what a channel has used is booked with the call',
  },
  {
    table: 'margin_summed',
    room: 'server/money/ledger',
    why: 'the batch of a charge marks the days and weeks that it changes, without a round trip of its own',
  },
  {
    table: 'notices',
    room: 'server/money/ledger',
    why: 'the batch of a charge raises the notice of a low balance, without a round trip of its own',
  },
];

/** Files that write tables whose names they get at run time. */
const NAMED_AT_RUN_TIME: Record<string, string> = {
  'server/money/ledger/engine/sum-tables.ts': 'adds the sums of a batch to the two tables that it lists',
  'server/money/ledger/postgres/parts.ts': 'writes the parts of a batch, whose tables stand in the same file',
  'server/operating/import-export/source/dump-source.ts':
    'a database of its own, made of the dump that is imported',
  'server/operating/log-export/clickhouse.ts': 'a table of another server',
  'server/platform/notices/outbox.ts': 'the queue of mails or of deliveries: its columns of sending',
  'server/platform/store/move/copy.ts': 'copies every table to another database',
  'server/platform/store/postgres/log-partitions.ts': 'moves log rows between partitions and changes none',
};

const found = sources.map((file) => ({ file, room: roomOf(file), ...writesIn(read(file)) }));
const isShared = (file: string, room: string, { table, columns }: Write): boolean =>
  SHARED.some(
    (share) =>
      share.room === room &&
      share.table === table &&
      (share.columns === undefined ||
        (columns === undefined
          ? share.namesIn === file
          : columns.every((column) => share.columns?.includes(column)))),
  );

/** Table → room → its files that write the table, without what is shared. */
const writers: Record<string, Record<string, string[]>> = {};
for (const { file, room, writes } of found)
  for (const write of writes)
    if (!isShared(file, room, write)) ((writers[write.table] ??= {})[room] ??= []).push(file);

test('a table is written by one room; what else writes columns of it is listed with its reason (R2)', () => {
  const several = Object.entries(writers).filter(([, rooms]) => Object.keys(rooms).length > 1);
  expect(Object.fromEntries(several)).toEqual({});
});

test('the list of shared tables has nothing that the sources do not do (R2)', () => {
  const idle = SHARED.filter(
    ({ room, table, columns }) =>
      !found.some(
        (each) =>
          each.room === room &&
          each.writes.some(
            (write) => write.table === table && (columns === undefined || write.columns !== undefined),
          ),
      ),
  );
  expect(idle).toEqual([]);
  const written = new Set(
    found.flatMap(({ room, writes }) =>
      writes.flatMap(({ table, columns }) => columns?.map((column) => `${room} ${table}.${column}`) ?? []),
    ),
  );
  const unwritten = SHARED.flatMap(({ room, table, columns = [] }) =>
    columns.map((column) => `${room} ${table}.${column}`),
  ).filter((each) => !written.has(each));
  expect(unwritten).toEqual([]);
});

test.each(FLOORS.filter((wing) => wing.startsWith('server/')))(
  'the README of %s names the tables that its rooms write (R2)',
  (wing) => {
    const sentence = /\*\*Tables it writes:\*\*([^.;]*)/.exec(read(`${wing}/README.md`))?.[1] ?? '';
    const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, table]) => table);
    const written = Object.entries(writers).filter(([, rooms]) =>
      Object.keys(rooms).some((room) => room === wing || room.startsWith(`${wing}/`)),
    );
    expect(named.toSorted()).toEqual(written.map(([table]) => table).toSorted());
  },
);

test('only listed files write tables whose names they get at run time (R2)', () => {
  expect(found.filter(({ isNamedAtRunTime }) => isNamedAtRunTime).map(({ file }) => file)).toEqual(
    Object.keys(NAMED_AT_RUN_TIME),
  );
});

test.each<[string, Write[]]>([
  [`db.insertInto('users').values({ username })`, [{ table: 'users', columns: undefined }]],
  [
    `db.updateTable('users as u').set({ email, "group": x(1, 2) }).where('id', '=', 1)`,
    [{ table: 'users', columns: ['email', 'group'] }],
  ],
  [
    `db.updateTable('users').set((column) => ({ quota: column('quota', '+', 1) }))`,
    [{ table: 'users', columns: ['quota'] }],
  ],
  [`db.updateTable('users').set({ ...columns, email: '' })`, [{ table: 'users', columns: undefined }]],
  [`db.updateTable('users').set(columns)`, [{ table: 'users', columns: undefined }]],
  [
    'sql`update users u set quota = max(0, quota + ${x}), held_quota = 0 where id = 1`',
    [{ table: 'users', columns: ['quota', 'held_quota'] }],
  ],
  ['query(`update "users" set ${names} where id = ?`)', [{ table: 'users', columns: undefined }]],
  ['query(`insert or ignore into notices (a) values (?)`)', [{ table: 'notices', columns: undefined }]],
  ['sql`DELETE FROM logs where id = 1`', [{ table: 'logs', columns: undefined }]],
  [`// update users set quota = 1\nconst text = 'an update decides';`, []],
  [`db.selectFrom('users').forUpdate()`, []],
])('reads the writes of %s (R2)', (source, writes) => {
  expect(writesIn(source).writes).toEqual(writes);
});
