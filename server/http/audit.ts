// The audit trail: append-only rows, each with the hash of the row before it, so that a removed or altered row breaks the
// chain (docs/adr/0031).
import { createHash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { NewRow, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';

export interface AuditEntry {
  actorId: number;
  actorName: string;
  address: string;
  action: string;
  target: string;
  before?: unknown;
  after?: unknown;
  requestId: string;
}

type AuditRow = Omit<NewRow<'audit'>, 'id' | 'hash'>;

/** The advisory lock of the chain; no other lock of the product uses this number. */
const CHAIN_LOCK = 7_420_001;
const ROWS_AT_ONCE = 5000;

export function auditHash(row: AuditRow): string {
  const fields = [
    row.previous_hash,
    row.created_at,
    row.actor_id,
    row.actor_name,
    row.ip,
    row.action,
    row.target,
    row.before,
    row.after,
    row.request_id,
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/**
 * Adds a row in the transaction of the change it describes: both commit or neither. It must be the last statement of
 * that transaction that takes a lock. On PostgreSQL the chain is locked until the commit, so that two nodes cannot link
 * to the same row; on SQLite a transaction is the only writer anyway.
 */
export async function writeAudit(
  { dialect }: Pick<Store, 'dialect'>,
  transaction: Transaction<Schema>,
  entry: AuditEntry,
): Promise<void> {
  // Its own statement: the next one reads with a snapshot that is taken after the lock was granted.
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(${CHAIN_LOCK})`.execute(transaction);
  const last = await transaction
    .selectFrom('audit')
    .select('hash')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const row = {
    created_at: Math.floor(Date.now() / 1000),
    actor_id: entry.actorId,
    actor_name: entry.actorName,
    ip: entry.address,
    action: entry.action,
    target: entry.target,
    before: asText(entry.before),
    after: asText(entry.after),
    request_id: entry.requestId,
    previous_hash: last?.hash ?? '',
  };
  await transaction
    .insertInto('audit')
    .values({ ...row, hash: auditHash(row) })
    .execute();
}

/** The id of the first row whose hash or link is wrong; null when the chain is whole. */
export async function brokenAuditRow(store: Pick<Store, 'db'>): Promise<number | null> {
  let previous = { id: 0, hash: '' };
  for (;;) {
    const rows = await store.db
      .selectFrom('audit')
      .selectAll()
      .where('id', '>', previous.id)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const row of rows) {
      if (row.previous_hash !== previous.hash || row.hash !== auditHash(row)) return row.id;
      previous = row;
    }
    if (rows.length < ROWS_AT_ONCE) return null;
  }
}

function asText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
