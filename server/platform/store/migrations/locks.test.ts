// Migrations beside nodes that serve calls (PostgreSQL): none rewrites a large table or builds an index under a lock, and one
// that has to wait lets the calls pass.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Kysely, PostgresDialect, sql, type LogEvent } from 'kysely';
import { Pool } from 'pg';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';
import { onlineIndex, type Migration, type MigrationDatabase } from './migration.ts';

setDefaultTimeout(60_000);

/** Tables with a row for each call or charge, or that each call changes. */
const LARGE = [
  'logs',
  'ledger',
  'usage_hours',
  'usage_rollup',
  'margin_days',
  'users',
  'tokens',
  'holds',
  'tasks',
];

/**
 * Migrations that hold a large table longer than a moment, with the reason. Released migrations cannot change; a new one uses
 * `onlineIndex`, or says here why its table is small wherever it runs.
 */
const REASONS: Readonly<Record<string, string>> = {
  '0001-initial': 'makes the tables',
  '0002-lean-money-indexes': 'first release: no installation is older',
  '0003-log-indexes': 'first release: no installation is older',
  '0011-email-index': 'first release: no installation is older',
  '0019-rare-log-index': 'first release: no installation is older',
  '0032-tasks': 'makes the table',
  '0035-failed-log-index': 'first release: no installation is older',
  '0037-checked-types': 'first release: no installation is older',
  '0042-daily-logs': 'first release: no installation is older',
  '0045-agents': 'first release: no installation is older',
  '0058-media': 'first release: no installation is older',
};

const blocks = new RegExp(
  [
    `create (?:unique )?index (?!concurrently)(?:if not exists )?\\S+\\s+on\\s+(?:only\\s+)?"?(?:${LARGE.join('|')})"?[\\s(]`,
    `alter table "?(?:${LARGE.join('|')})"? [^]*(?:alter column [^]* type |set not null|add (?:constraint|primary key|unique|check)(?![^]*not valid))`,
    `(?:update|delete from) "?(?:${LARGE.join('|')})"?[\\s(]`,
  ].join('|'),
  'i',
);

describe('migrations on PostgreSQL', () => {
  let place: TemporaryPlace;
  let pool: Pool;
  let db: MigrationDatabase;
  const statements: string[] = [];

  beforeAll(async () => {
    place = await temporaryPlace('postgres', { bare: true });
    pool = new Pool({ connectionString: place.databaseUrl, max: 4 });
    const dialect = new PostgresDialect({ pool });
    db = new Kysely({ dialect, log: ({ query }: LogEvent) => void statements.push(query.sql) });
  });
  afterAll(async () => {
    await db.destroy();
    await place.remove();
  });

  /** By table: the file that holds its rows. A rewrite makes a new one. */
  async function filesOf(): Promise<Record<string, string>> {
    const { rows } = await pool.query<{ name: string; file: string }>(
      `select relname as name, relfilenode::text as file from pg_class
       where relkind = 'r' and (relname = any($1) or relname like 'logs\\_%')`,
      [LARGE],
    );
    return Object.fromEntries(rows.map(({ name, file }) => [name, file]));
  }

  test('each leaves the files of large tables as they are, and locks none of them for long', async () => {
    const found: Record<string, string> = {};
    for (const [at, { name }] of migrations.entries()) {
      const before = await filesOf();
      statements.length = 0;
      await migrate(db, 'postgres', { migrations: migrations.slice(0, at + 1) });
      const after = await filesOf();
      const rewritten = Object.keys(before).filter(
        (table) => table in after && after[table] !== before[table],
      );
      const long = statements.filter((text) => blocks.test(text));
      if (rewritten.length > 0 || long.length > 0) found[name] = [...rewritten, ...long].join('; ');
    }
    const unexplained = Object.entries(found).filter(([name]) => REASONS[name] === undefined);
    expect(unexplained).toEqual([]);
    // A reason without a cause hides the next fault.
    expect(Object.keys(REASONS).filter((name) => found[name] === undefined)).toEqual([]);
  });

  const added: Migration = {
    name: '9001-added',
    up: async (database) =>
      void (await sql`alter table tokens add column extra bigint not null default 0`.execute(database)),
  };
  const withAdded = { migrations: [...migrations, added] };
  const insert = `insert into tokens (user_id, key_digest) values (1, gen_random_uuid()::text)`;

  test('one that waits behind a long transaction gives up and tries again, and calls pass meanwhile', async () => {
    const long = await pool.connect();
    await long.query('begin');
    await long.query('lock table tokens in access share mode');
    let isDone = false;
    const migrating = migrate(db, 'postgres', { ...withAdded, retry: { pauseMs: 50, tries: 1000 } }).then(
      (ran) => {
        isDone = true;
        return ran;
      },
    );
    const waits = async () => {
      const { rows } = await pool.query(
        `select 1 from pg_locks where not granted and relation = 'tokens'::regclass and mode = 'AccessExclusiveLock'`,
      );
      return rows.length > 0;
    };
    while (!(await waits())) await Bun.sleep(5);
    // Behind a migration that waits without an end this would wait for the long transaction, which waits for us.
    await pool.query(insert);
    expect(isDone).toBe(false);
    await long.query('commit');
    long.release();
    expect(await migrating).toEqual(['9001-added']);
  });

  test('one that never gets its lock fails in words and leaves nothing', async () => {
    const never: Migration = {
      ...added,
      name: '9002-never',
      up: async (database) => void (await sql`alter table tokens add column never bigint`.execute(database)),
    };
    const long = await pool.connect();
    await long.query('begin');
    await long.query('lock table tokens in access share mode');
    const list = { migrations: [...withAdded.migrations, never], retry: { pauseMs: 1, tries: 2 } };
    expect((await failure(migrate(db, 'postgres', list))).message).toContain('got no lock in 2 tries');
    await long.query('rollback');
    long.release();
    expect(await migrate(db, 'postgres', { ...list, retry: { pauseMs: 1, tries: 1 } })).toEqual([
      '9002-never',
    ]);
  });

  test('an index on the log is built beside writes, and again where a run was cut', async () => {
    const { rows } = await pool.query<{ part: string }>(
      `select inhrelid::regclass::text as part from pg_inherits where inhparent = 'logs'::regclass limit 1`,
    );
    const part = rows[0]?.part ?? '';
    await pool.query(`create index "${part}_logs_ip" on "${part}" (ip)`);
    await pool.query(`update pg_index set indisvalid = false where indexrelid = '${part}_logs_ip'::regclass`);
    const indexed: Migration = {
      name: '9003-indexed',
      isOnline: true,
      async up(database, dialect) {
        await onlineIndex(database, dialect, { table: 'logs', name: 'logs_ip', on: '(ip)' });
        await onlineIndex(database, dialect, {
          table: 'ledger',
          name: 'ledger_kind_time',
          on: '(kind, created_at)',
        });
      },
    };
    const applied = (await sql<{ name: string }>`select name from migrations`.execute(db)).rows.map(
      ({ name }) => name,
    );
    const known = applied.filter((name) => name > '9').map((name): Migration => ({ ...added, name }));
    expect(await migrate(db, 'postgres', { migrations: [...migrations, ...known, indexed] })).toEqual([
      '9003-indexed',
    ]);
    const valid = await pool.query(
      `select count(*)::int as count from pg_index where indisvalid and indexrelid::regclass::text ~ '(logs_ip|ledger_kind_time)$'`,
    );
    const parts = await pool.query(
      `select count(*)::int as count from pg_inherits where inhparent = 'logs'::regclass`,
    );
    expect(valid.rows[0].count).toBe(parts.rows[0].count + 2);
  });
});
