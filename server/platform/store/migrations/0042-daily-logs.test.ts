// An existing PostgreSQL log becomes a log of days: rows, ids, indexes and the next id stay.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool } from 'pg';
import { logPartitions, makeLogPartitions } from '#server/platform/store/postgres/log-partitions.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { migrations } from './index.ts';
import { migrate } from './migrate.ts';

setDefaultTimeout(60_000);

const daySeconds = 86_400;

async function migratedLog(rows: readonly { created_at: number; request_id: string }[]) {
  const place = await temporaryPlace('postgres', { bare: true });
  const pool = new Pool({ connectionString: place.databaseUrl, max: 1 });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  await migrate(db, 'postgres', { migrations: migrations.filter(({ name }) => name < '0042') });
  const indexesOf = async () => {
    const { rows: found } = await sql<{ definition: string }>`
      select replace(indexdef, ' ONLY ', ' ') as definition from pg_indexes
      where tablename = 'logs' and indexname <> 'logs_pkey' order by indexname`.execute(db);
    return found.map(({ definition }) => definition);
  };
  if (rows.length > 0) await db.insertInto('logs').values(rows).execute();
  const indexes = await indexesOf();
  await migrate(db, 'postgres');
  return {
    db,
    indexes,
    indexesOf,
    close: async () => {
      await db.destroy();
      await place.remove();
    },
  };
}

test('rows, ids and indexes stay, new rows go on counting, and each day has its partition', async () => {
  const now = Math.floor(Date.now() / 1000);
  const tomorrow = now - (now % daySeconds) + daySeconds;
  const { db, indexes, indexesOf, close } = await migratedLog([
    { created_at: 1, request_id: 'clock of a booting machine' },
    { created_at: now - 40 * daySeconds, request_id: 'old' },
    { created_at: now, request_id: 'today' },
    { created_at: tomorrow + 5, request_id: 'a clock that is fast' },
    { created_at: tomorrow + 90 * daySeconds, request_id: 'far away' },
  ]);
  try {
    expect(indexes.length).toBeGreaterThan(5);
    expect(await indexesOf()).toEqual(indexes);
    await makeLogPartitions(db);
    await makeLogPartitions(db);
    const place = async () => {
      const { rows } = await sql<{ id: string; request_id: string; place: string }>`
        select id, request_id, tableoid::regclass::text as place from logs order by id`.execute(db);
      return rows.map((row) => [Number(row.id), row.request_id, row.place]);
    };
    const dayName = (seconds: number) =>
      `logs_${new Date(seconds * 1000).toISOString().slice(0, 10).replaceAll('-', '')}`;
    const old = [
      [1, 'clock of a booting machine', 'logs_before'],
      [2, 'old', 'logs_before'],
      [3, 'today', 'logs_before'],
      [4, 'a clock that is fast', dayName(tomorrow)],
      [5, 'far away', 'logs_other'],
    ];
    expect(await place()).toEqual(old);
    await db
      .insertInto('logs')
      .values([
        { created_at: tomorrow + daySeconds, request_id: 'next' },
        { created_at: now, request_id: 'now' },
      ])
      .execute();
    expect(await place()).toEqual([
      ...old,
      [6, 'next', dayName(tomorrow + daySeconds)],
      [7, 'now', 'logs_before'],
    ]);
    expect(await logPartitions(db)).toEqual([
      { name: 'logs_before', from: -Infinity, end: tomorrow },
      ...[0, 1, 2].map((day) => ({
        name: dayName(tomorrow + day * daySeconds),
        from: tomorrow + day * daySeconds,
        end: tomorrow + (day + 1) * daySeconds,
      })),
    ]);
  } finally {
    await close();
  }
});

test('an empty log has the partitions of today and the next days, and makes the next ones in time', async () => {
  const { db, close } = await migratedLog([]);
  try {
    const now = Date.now() / 1000;
    await makeLogPartitions(db, now);
    expect(await logPartitions(db)).toHaveLength(4);
    const nodes = [0, 1, 2].map(() => makeLogPartitions(db, now + 2 * daySeconds));
    await Promise.all(nodes);
    expect(await logPartitions(db)).toHaveLength(6);
  } finally {
    await close();
  }
});
