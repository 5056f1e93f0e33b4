// Fills a database with log rows and the hourly figures that belong to them: in bulk, indexes built afterwards.
import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { join } from 'node:path';
import { Client } from 'pg';
import { DAYS, HOUR_SECONDS, seedRows, seedUsers, type SeedRow, type SeedUser } from './rows.ts';

type Value = string | number;

/** The differences between the two databases. */
interface Target {
  run(sql: string): Promise<void>;
  insert(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void>;
  /** Index name → the statement that makes it. */
  indexesOf(table: string): Promise<Map<string, string>>;
  finish(): Promise<void>;
}

const ROWS_PER_PIECE = 4000;

export async function seedSqlite(dataDir: string, count: number, until: number): Promise<void> {
  await seed(sqliteTarget(join(dataDir, 'tollgate.db')), count, until);
}

export async function seedPostgres(databaseUrl: string, count: number, until: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await makeDays(client, until);
  await seed(postgresTarget(client), count, until);
}

/** The partitions that an installation of this age has. */
async function makeDays(client: Client, until: number): Promise<void> {
  const daySeconds = 24 * HOUR_SECONDS;
  const today = until - (until % daySeconds);
  for (let day = today - (DAYS + 1) * daySeconds; day < today; day += daySeconds) {
    const name = `logs_${new Date(day * 1000).toISOString().slice(0, 10).replaceAll('-', '')}`;
    await client.query(
      `create table if not exists ${name} partition of logs for values from (${day}) to (${day + daySeconds})`,
    );
  }
}

async function seed(target: Target, count: number, until: number): Promise<void> {
  const users = seedUsers();
  await seedPeople(target, users);
  const indexes = await target.indexesOf('logs');
  for (const name of indexes.keys()) await target.run(`drop index ${name}`);
  let piece: SeedRow[] = [];
  let columns: string[] = [];
  let hours = new Map<string, Value[]>();
  let currentHour = 0;
  const flush = async () => {
    if (piece.length === 0) return;
    columns = Object.keys(piece[0] as SeedRow);
    await target.insert(
      'logs',
      columns,
      piece.map((row) => Object.values(row) as Value[]),
    );
    piece = [];
  };
  const flushHours = async () => {
    await target.insert('usage_hours', USAGE_COLUMNS, [...hours.values()]);
    hours = new Map();
  };
  for (const row of seedRows(count, until, users)) {
    piece.push(row);
    if (piece.length === ROWS_PER_PIECE) await flush();
    if (row.type !== 2 && row.type !== 5) continue;
    const hour = row.created_at - (row.created_at % HOUR_SECONDS);
    if (hour !== currentHour) {
      await flushHours();
      currentHour = hour;
    }
    countUsage(hours, hour, row);
  }
  await flush();
  await flushHours();
  for (const statement of indexes.values()) await target.run(statement);
  await target.finish();
}

const USAGE_COLUMNS = [
  'hour',
  'user_id',
  'token_id',
  'channel_id',
  'model_name',
  'count',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'error_count',
];

function countUsage(hours: Map<string, Value[]>, hour: number, row: SeedRow): void {
  const key = `${row.user_id} ${row.token_id} ${row.channel_id} ${row.model_name}`;
  const cell = hours.get(key) ?? [
    hour,
    row.user_id,
    row.token_id,
    row.channel_id,
    row.model_name,
    0,
    0,
    0,
    0,
    0,
  ];
  const add = (index: number, amount: number) => {
    cell[index] = (cell[index] as number) + amount;
  };
  if (row.type === 5) add(9, 1);
  else {
    add(5, 1);
    add(6, row.quota);
    add(7, row.prompt_tokens);
    add(8, row.completion_tokens);
  }
  hours.set(key, cell);
}

async function seedPeople(target: Target, users: readonly SeedUser[]): Promise<void> {
  await target.insert(
    'users',
    ['id', 'username', 'aff_code', 'group'],
    users.map(({ id, username, group }) => [id, username, username, group]),
  );
  await target.insert(
    'tokens',
    ['id', 'user_id', 'name', 'key_digest'],
    users.flatMap(({ id, tokens }) =>
      tokens.map((token) => [token.id, id, token.name, `digest ${token.id}`]),
    ),
  );
}

function sqliteTarget(file: string): Target {
  const database = new Database(file, { readwrite: true });
  // A bench database is deleted afterwards; it need not survive a power cut.
  database.run('PRAGMA synchronous = OFF');
  database.run('PRAGMA cache_size = -262144');
  return {
    run: async (sql) => {
      database.run(sql);
    },
    async insert(table, columns, rows) {
      const places = columns.map(() => '?').join(', ');
      const names = columns.map((name) => `"${name}"`).join(', ');
      const statement = database.query<unknown, SQLQueryBindings[]>(
        `insert into ${table} (${names}) values (${places})`,
      );
      database.transaction(() => {
        for (const row of rows) statement.run(...row);
      })();
    },
    async indexesOf(table) {
      const rows = database
        .query<{ name: string; sql: string }, [string]>(
          `select name, sql from sqlite_master where type = 'index' and tbl_name = ? and sql is not null`,
        )
        .all(table);
      return new Map(rows.map(({ name, sql }) => [`"${name}"`, sql]));
    },
    async finish() {
      database.run('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
}

function postgresTarget(client: Client): Target {
  return {
    run: async (sql) => {
      await client.query(sql);
    },
    async insert(table, columns, rows) {
      if (rows.length === 0) return;
      const names = columns.map((name) => `"${name}"`).join(', ');
      // One array per column: five thousand rows are one statement with few parameters.
      const arrays = columns.map((_, index) => rows.map((row) => row[index]));
      const places = arrays.map(
        (values, index) => `$${index + 1}::${typeof values[0] === 'number' ? 'bigint' : 'text'}[]`,
      );
      await client.query(
        `insert into ${table} (${names}) select * from unnest(${places.join(', ')})`,
        arrays,
      );
    },
    async indexesOf(table) {
      const { rows } = await client.query<{ name: string; sql: string }>(
        `select indexname as name, replace(indexdef, ' ONLY ', ' ') as sql from pg_indexes
         where tablename = $1 and indexname not like '%_pkey'`,
        [table],
      );
      return new Map(rows.map(({ name, sql }) => [`"${name}"`, sql]));
    },
    async finish() {
      await client.query('vacuum analyze');
      await client.end();
    },
  };
}
