// A channel's key that changes when it is used, such as a login that is renewed: one node at a time stores the new key before
// any call uses it, because most providers accept the old key only once.
import { sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';
import type { Store } from './types.ts';

/** `renew` gets the stored key and returns it unchanged if another node renewed it first. Resolves with the stored key. */
export type RenewKey = (channelId: number, renew: (key: string) => Promise<string>) => Promise<string>;

/** Any number that no other pair of locks of the product begins with. */
const renewalLock = 7_420_002;
const hintCharacters = 4;

/** As server/admin/channels and the relay seal and open it. */
const place = (channelId: number): string => `channels:${channelId}:key_sealed`;

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
function oneNodeAtATime<T>(store: Store, channelId: number, act: () => Promise<T>): Promise<T> {
  if (store.dialect !== 'postgres') return act();
  return store.db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${renewalLock}, ${channelId})`.execute(transaction);
    return await act();
  });
}

async function renewKey(
  { db, vault }: Store,
  channelId: number,
  { renew, audit }: { renew: (key: string) => Promise<string>; audit: AuditRenewal },
): Promise<{ key: string; isNew: boolean }> {
  const row = await db
    .selectFrom('channels')
    .select('key_sealed')
    .where('id', '=', channelId)
    .executeTakeFirstOrThrow();
  const before = vault.open(row.key_sealed, place(channelId));
  const key = await renew(before);
  if (key === before) return { key, isNew: false };
  const isNew = await db.transaction().execute(async (transaction) => {
    const result = await transaction
      .updateTable('channels')
      .set({
        key_sealed: vault.seal(key, place(channelId)),
        key_digest: vault.digest('channel', key),
        key_hint: key.slice(-hintCharacters),
      })
      .where('id', '=', channelId)
      // A key that an operator saved meanwhile is kept.
      .where('key_sealed', '=', row.key_sealed)
      .executeTakeFirst();
    const isChanged = result.numUpdatedRows > 0n;
    if (isChanged) await audit(transaction, channelId);
    return isChanged;
  });
  return { key, isNew };
}
