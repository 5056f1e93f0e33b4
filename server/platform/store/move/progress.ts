// How far a move has come: a table of the target that exists only while the move is not finished. A server does not start on
// such a database.
import { sql, type Kysely } from 'kysely';
import type { Schema } from '#server/platform/store/schema.ts';

/** The last key of a table that was copied; null: the table is copied whole. */
export type LastKey = readonly (string | number)[] | null;

export async function isMoving(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass('move_progress')::text as found`.execute(db);
  return rows[0]?.found !== null;
}

/** `source` identifies the installation that is moved; another one must not be mixed into the same database. */
export async function beginMove(db: Kysely<Schema>, source: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`create table move_progress (table_name text primary key, last_key text not null)`.execute(
      transaction,
    );
    await sql`insert into move_progress values ('', ${source})`.execute(transaction);
  });
}

export async function readProgress(
  db: Kysely<Schema>,
): Promise<{ source: string; keys: Map<string, LastKey> }> {
  const { rows } = await sql<{ table_name: string; last_key: string }>`select * from move_progress`.execute(
    db,
  );
  const keys = rows
    .filter(({ table_name }) => table_name !== '')
    .map(({ table_name, last_key }) => [table_name, JSON.parse(last_key) as LastKey] as const);
  return { source: rows.find(({ table_name }) => table_name === '')?.last_key ?? '', keys: new Map(keys) };
}

/** In the transaction that inserts the rows. */
export async function noteProgress(transaction: Kysely<Schema>, table: string, key: LastKey): Promise<void> {
  await sql`insert into move_progress values (${table}, ${JSON.stringify(key)})
    on conflict (table_name) do update set last_key = excluded.last_key`.execute(transaction);
}

export async function endMove(db: Kysely<Schema>): Promise<void> {
  await sql`drop table move_progress`.execute(db);
}
