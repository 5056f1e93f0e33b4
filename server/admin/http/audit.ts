// The audit trail: append-only rows, each with the hash of the row before it, so that a removed or altered row breaks the
// chain (docs/adr/0031). The anchor says where the chain ends, so that it cannot be cut short (docs/adr/0086).
import type { AuditAction } from '#contract/admin/audit.ts';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { takeLock } from '#server/platform/store/locks.ts';
import type { NewRow, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { anchorDigest, readAnchor, saveAnchor, type Anchor } from './audit-anchor.ts';

export interface AuditEntry {
  actorId: number;
  actorName: string;
  address: string;
  action: AuditAction;
  target: AuditTarget;
  before?: unknown;
  after?: unknown;
  requestId: string;
  /** The one that the actor acted for; one that the target names counts too. */
  organizationId?: number | undefined;
}

type TrailStore = Pick<Store, 'dialect' | 'vault'>;
type AuditRow = Omit<NewRow<'audit'>, 'id' | 'hash'>;

/** The row that says that an older installation's trail was anchored. */
export const ANCHOR_ACTION = 'audit.anchor';

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
    // Rows of before organizations, and of people, keep their hash.
    ...(row.organization_id ? [row.organization_id] : []),
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/**
 * Adds a row in the transaction of the change it describes: both commit or neither. It must be the last statement of
 * that transaction that takes a lock. On PostgreSQL the chain is locked until the commit, so that two nodes cannot link
 * to the same row; on SQLite a transaction is the only writer anyway.
 */
export async function writeAudit(
  store: TrailStore,
  transaction: Transaction<Schema>,
  entry: AuditEntry,
): Promise<void> {
  await takeLock(store, transaction, 'auditTrail');
  await anchorIfNone(store, transaction);
  await appendRow(store, transaction, entry);
}

/**
 * Anchors the trail of an installation that an older version made. Called at each start. A row of the trail says so: when an
 * anchor is removed later, the second such row shows it.
 */
export async function anchorTrail(store: TrailStore & Pick<Store, 'db'>): Promise<void> {
  if ((await readAnchor(store.db)) !== undefined) return;
  await store.db.transaction().execute(async (transaction) => {
    await takeLock(store, transaction, 'auditTrail');
    await anchorIfNone(store, transaction);
  });
}

async function anchorIfNone(store: TrailStore, transaction: Transaction<Schema>): Promise<void> {
  if ((await readAnchor(transaction)) !== undefined) return;
  const { rows } = await transaction
    .selectFrom('audit')
    .select((builder) => builder.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow();
  const last = await lastRow(transaction);
  const anchor = { rows, headId: last?.id ?? 0, head: last?.hash ?? '' };
  await saveAnchor(store, transaction, anchor);
  const user = await transaction.selectFrom('users').select('id').limit(1).executeTakeFirst();
  // A new installation has no users before its first start: nothing could have been cut from its trail.
  if (user === undefined) return;
  await appendRow(store, transaction, {
    actorId: 0,
    actorName: 'system',
    address: '',
    requestId: '',
    action: ANCHOR_ACTION,
    target: 'audit',
    after: { rows, last: anchor.head },
  });
}

async function appendRow(
  store: TrailStore,
  transaction: Transaction<Schema>,
  entry: AuditEntry,
): Promise<void> {
  const anchor = await readAnchor(transaction);
  const last = await lastRow(transaction);
  const row = {
    created_at: unixSeconds(),
    actor_id: entry.actorId,
    actor_name: entry.actorName,
    ip: entry.address,
    action: entry.action,
    target: entry.target,
    before: asText(entry.before),
    after: asText(entry.after),
    request_id: entry.requestId,
    organization_id: entry.organizationId ?? organizationIn(entry.target),
    previous_hash: last?.hash ?? '',
  };
  const hash = auditHash(row);
  const { id } = await transaction
    .insertInto('audit')
    .values({ ...row, hash })
    .returning('id')
    .executeTakeFirstOrThrow();
  const newRows = anchor && (await rowsSince(store, transaction, anchor));
  // An anchor that does not fit the trail stays as it is: moved on, it would hide what was cut.
  if (anchor && newRows !== undefined)
    await saveAnchor(store, transaction, { rows: anchor.rows + newRows, headId: id, head: hash });
}

/**
 * How many rows follow the anchored one; undefined when that one is gone or the anchor is not ours. More than the new row
 * itself follow while nodes of an older version, which know no anchor, write beside this one.
 */
async function rowsSince(
  { vault }: TrailStore,
  transaction: Transaction<Schema>,
  anchor: Anchor & { digest: string },
): Promise<number | undefined> {
  if (anchor.digest !== anchorDigest(vault, anchor)) return undefined;
  const rows = await transaction
    .selectFrom('audit')
    .select(['id', 'hash'])
    .where('id', '>=', anchor.headId)
    .orderBy('id')
    .execute();
  if (anchor.rows === 0) return rows.length;
  const [head, ...newer] = rows;
  return head?.id === anchor.headId && head.hash === anchor.head ? newer.length : undefined;
}

/** What an administrator of the site does with an organization stands in its own trail too. */
function organizationIn(target: AuditTarget): number {
  return Number(/^organization:(\d+)$/.exec(target)?.[1] ?? 0);
}

async function lastRow(transaction: Transaction<Schema>): Promise<{ id: number; hash: string } | undefined> {
  return await transaction
    .selectFrom('audit')
    .select(['id', 'hash'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

function asText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}
