// A channel's key that changes when it is used, such as a login that is renewed: one node at a time stores the new key before
// any call uses it, because most providers accept the old key only once. No connection is held while the provider answers.
import type { Transaction } from 'kysely';
import { databaseSeconds, endLease, extendLease, takeLease } from '#server/platform/store/leases.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { keyColumns, openChannelKey } from './key.ts';
import { changeChannels } from './write.ts';

/** `renew` gets the stored key and returns it unchanged if another node renewed it first. Resolves with the stored key. */
export type RenewKey = (channelId: number, renew: (key: string) => Promise<string>) => Promise<string>;

/** A node that dies leaves the channel to the others after this time; a longer answer extends it. */
const LEASE_SECONDS = 30;
const EXTEND_MILLISECONDS = 10_000;
const ASK_AGAIN_MILLISECONDS = 100;

/** Writes the audit row of a renewal, in its transaction. */
type AuditRenewal = (transaction: Transaction<Schema>, channelId: number) => Promise<void>;

export function createKeyRenewal(store: Store, audit: AuditRenewal): RenewKey {
  const running = new Map<number, Promise<unknown>>();
  return async (channelId, renew) => {
    const before = running.get(channelId) ?? Promise.resolve();
    const act = () => oneNodeAtATime(store, channelId, () => renewKey(store, channelId, { renew, audit }));
    const turn = before.then(act, act);
    running.set(channelId, turn);
    try {
      const { key, isNew } = await turn;
      if (isNew) await store.changes.announce('channels', String(channelId));
      return key;
    } finally {
      if (running.get(channelId) === turn) running.delete(channelId);
    }
  };
}

/** SQLite serves one process. */
async function oneNodeAtATime<T>(store: Store, channelId: number, act: () => Promise<T>): Promise<T> {
  const { db, dialect } = store;
  if (dialect !== 'postgres') return await act();
  const lease = { name: `channel_key:${channelId}`, owner: crypto.randomUUID() };
  while (!(await takeLease(db, lease, { now: await databaseSeconds(store), seconds: LEASE_SECONDS })))
    await Bun.sleep(ASK_AGAIN_MILLISECONDS);
  // A lease that could not be extended or ended is over at its time; the write compares the old key.
  const extend = async () => await extendLease(db, lease, (await databaseSeconds(store)) + LEASE_SECONDS);
  const timer = setInterval(() => void extend().catch(() => {}), EXTEND_MILLISECONDS);
  try {
    return await act();
  } finally {
    clearInterval(timer);
    await endLease(db, lease).catch(() => {});
  }
}

async function renewKey(
  { db, vault }: Store,
  channelId: number,
  { renew, audit }: { renew: (key: string) => Promise<string>; audit: AuditRenewal },
): Promise<{ key: string; isNew: boolean }> {
  const row = await db
    .selectFrom('channels')
    .select(['id', 'key_sealed'])
    .where('id', '=', channelId)
    .executeTakeFirstOrThrow();
  const before = openChannelKey(vault, row);
  const key = await renew(before);
  if (key === before) return { key, isNew: false };
  const isNew = await db.transaction().execute(async (transaction) => {
    // A key that an operator saved meanwhile is kept. A deleted channel gets the new key too: it can be restored.
    const [changed] = await changeChannels(
      transaction,
      (builder) => builder.and({ id: channelId, key_sealed: row.key_sealed }),
      keyColumns(vault, channelId, key),
    );
    if (changed !== undefined) await audit(transaction, channelId);
    return changed !== undefined;
  });
  return { key, isNew };
}
