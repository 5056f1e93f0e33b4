// Values of a sign-in of several steps, in the browser's session row: each with a name and an expiry. A value is removed
// under a lock, so that of two concurrent calls one gets it.
import type { Kysely, Transaction } from 'kysely';
import type { Flow } from '#contract/context.ts';
import { unixSeconds } from '#contract/time.ts';
import { forUpdate } from '#server/platform/store/locks.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { digestOf } from './sessions.ts';

interface Kept {
  value: unknown;
  until: number;
}

/** The oldest value is dropped beyond this number. */
const MOST_VALUES = 20;

/** `sessionId` is what the browser sent, valid or not; `startVisitor` makes a session and sets its cookie. */
export function createFlow(
  { db, dialect }: Pick<Store, 'db' | 'dialect'>,
  sessionId: string | null,
  startVisitor: () => Promise<string>,
): Flow {
  let id = sessionId;

  async function load(from: Kysely<Schema> | Transaction<Schema>, lock: boolean) {
    if (id === null) return null;
    const row = await from
      .selectFrom('sessions')
      .select('flow')
      .where('id_digest', '=', digestOf(id))
      .where('expires_at', '>', unixSeconds())
      .$if(lock, forUpdate({ dialect }))
      .executeTakeFirst();
    return row ? unexpired(row.flow) : null;
  }

  async function save(transaction: Transaction<Schema>, kept: Map<string, Kept>): Promise<void> {
    await transaction
      .updateTable('sessions')
      .set({ flow: JSON.stringify(Object.fromEntries(kept)) })
      .where('id_digest', '=', digestOf(id ?? ''))
      .execute();
  }

  /** False when there is no session to store it in. */
  async function keep(name: string, value: unknown, until: number): Promise<boolean> {
    return await db.transaction().execute(async (transaction) => {
      const kept = await load(transaction, true);
      if (!kept) return false;
      kept.delete(name);
      const [oldest] = kept.keys();
      if (kept.size >= MOST_VALUES && oldest !== undefined) kept.delete(oldest);
      await save(transaction, kept.set(name, { value, until }));
      return true;
    });
  }

  return {
    read: async (name) => (await load(db, false))?.get(name)?.value ?? null,
    async keep(name, value, seconds) {
      const until = unixSeconds() + seconds;
      if (await keep(name, value, until)) return;
      id = await startVisitor();
      await keep(name, value, until);
    },
    take: (name) =>
      db.transaction().execute(async (transaction) => {
        const kept = await load(transaction, true);
        const found = kept?.get(name);
        if (!kept || !found) return null;
        kept.delete(name);
        await save(transaction, kept);
        return found.value;
      }),
  };
}

function unexpired(text: string): Map<string, Kept> {
  const now = unixSeconds();
  const all = Object.entries(JSON.parse(text) as Record<string, Kept>);
  return new Map(all.filter(([, { until }]) => until > now));
}
