// What holds other writers back until a transaction ends. On SQLite a transaction is the only writer anyway: nothing is locked.
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Row, Schema, TableName } from './schema.ts';
import type { Store } from './types.ts';

type Engine = Pick<Store, 'dialect'>;

/** The numbers of the advisory locks, the same in every release. Those below 10,000 are for one user each. */
export const LOCKS = {
  tokens: 7_001,
  chats: 7_002,
  noticeDestinations: 7_003,
  adminKeys: 7_074,
  auditTrail: 7_420_001,
  prices: 7_420_067,
  migrations: 784_511_203,
  logPartitions: 784_511_204,
} as const;

/** A statement of its own: the next one reads with a snapshot that is taken after the lock was granted. */
export async function takeLock(
  { dialect }: Engine,
  transaction: Transaction<Schema>,
  name: keyof typeof LOCKS,
  userId?: number,
): Promise<void> {
  if (dialect === 'sqlite') return;
  const of = userId === undefined ? sql`${LOCKS[name]}` : sql`${LOCKS[name]}::int, ${userId}::int`;
  await sql`select pg_advisory_xact_lock(${of})`.execute(transaction);
}

/** `query.$call(forUpdate(store))`: its rows are locked. */
export const forUpdate =
  ({ dialect }: Engine) =>
  <Query extends { forUpdate(): Query }>(query: Query): Query =>
    dialect === 'postgres' ? query.forUpdate() : query;

/** As `forUpdate`; rows that refer to these may still be written. */
export const forNoKeyUpdate =
  ({ dialect }: Engine) =>
  <Query extends { forNoKeyUpdate(): Query }>(query: Query): Query =>
    dialect === 'postgres' ? query.forNoKeyUpdate() : query;

type Numbered = { [Name in TableName]: Row<Name> extends { id: number } ? Name : never }[TableName];

/** The row of that id, locked. */
export async function lockRow<Name extends Numbered>(
  engine: Engine,
  transaction: Transaction<Schema>,
  table: Name,
  id: number,
): Promise<Row<Name> | undefined> {
  const tables = transaction as unknown as Kysely<Record<Numbered, { id: number }>>;
  const query = tables.selectFrom<Numbered>(table).selectAll().where('id', '=', id).$call(forUpdate(engine));
  return (await query.executeTakeFirst()) as Row<Name> | undefined;
}
