// The one place that writes `leases`: a time-limited right to do something alone in the cluster, for work that is no job. No
// connection is held while it lasts.
import { sql, type Kysely } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Schema } from './schema.ts';
import type { Store } from './types.ts';

export interface Lease {
  name: string;
  /** Unique for each holder. */
  owner: string;
}

/** Until `now` is past its end, which is in unix seconds, or `endLease`. False: another owner has it. */
export async function takeLease(
  db: Kysely<Schema>,
  { name, owner }: Lease,
  { now, seconds }: { now: number; seconds: number },
): Promise<boolean> {
  const values = { node_id: owner, epoch: now, expires_at: now + seconds };
  const taken = await db
    .insertInto('leases')
    .values({ name, ...values })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(values).where('leases.expires_at', '<', now),
    )
    .returning('epoch')
    .executeTakeFirst();
  return taken !== undefined;
}

const STOPPED = 0;

/** False when it was stopped or another owner has it. */
export async function extendLease(
  db: Kysely<Schema>,
  { name, owner }: Lease,
  expires_at: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('leases')
    .set({ expires_at })
    .where('name', '=', name)
    .where('node_id', '=', owner)
    .where('expires_at', '>', STOPPED)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Takes it from its owner, who finds out by `extendLease`. False when it is over. */
export async function stopLease(db: Kysely<Schema>, name: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('leases')
    .set({ expires_at: STOPPED })
    .where('name', '=', name)
    .where('expires_at', '>=', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const isStopped = (lease: { expires_at: number } | undefined): boolean =>
  lease?.expires_at === STOPPED;

export async function endLease(db: Kysely<Schema>, { name, owner }: Lease): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('node_id', '=', owner).execute();
}

/** The same clock for all nodes. */
export async function databaseSeconds({ db, dialect }: Pick<Store, 'db' | 'dialect'>): Promise<number> {
  if (dialect === 'sqlite') return unixSeconds();
  const { rows } = await sql<{ now: number }>`
    select cast(floor(extract(epoch from clock_timestamp())) as bigint) as now`.execute(db);
  return rows[0]?.now ?? 0;
}
