// What tests of `kill -9` share: a store that is opened between two processes, a caller who is there before the first start,
// and the process itself.
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { applicationWriter, type TemporaryPlace } from './databases.ts';
import { startGateway, type Gateway } from './gateway.ts';

const SECRET = 'k'.repeat(48);
/** The caller's key. */
export const KEY = `sk-${SECRET}`;

type Place = Pick<TemporaryPlace, 'dataDir' | 'databaseUrl'>;

/** The store while no process runs. */
export async function inStore<T>(place: Place, use: (store: Store) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = place;
  const address = databaseUrl === undefined ? { dataDir } : { dataDir, databaseUrl };
  const store = await openStore({ ...address, writerEntry: applicationWriter });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A user with this quota and a key, and what `more` adds, before the first start. Resolves with the user's id. */
export const prepareCaller = (
  place: Place,
  quota: number,
  more: (store: Store) => Promise<unknown>,
): Promise<number> =>
  inStore(place, async (store) => {
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id } = await store.db
      .insertInto('users')
      .values({ username: 'caller', aff_code: 'caller', created_at: 1, group: 'default' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const credit = { idem: 'test', userId: id, amount: quota, kind: 'test', reference: '' };
    await ledger.credit({ ...credit, from: 'world:admin' });
    const key_digest = store.vault.digest('token', SECRET);
    await store.db
      .insertInto('tokens')
      .values({ user_id: id, name: 'key', key_digest, unlimited_quota: 1, deleted_at: null })
      .execute();
    await more(store);
    await ledger.close();
    return id;
  });

export const startNode = ({ dataDir, databaseUrl }: Place): Promise<Gateway> =>
  startGateway({
    dataDir,
    environment: {
      INITIAL_ROOT_PASSWORD: 'crash-root-password',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      TASK_POLL_SECONDS: '1',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  });

/** Opens the ledger as a start does: it releases no hold that a task still needs. Resolves with the number of ended holds. */
export async function recoveredHolds(store: Store, { dataDir }: Place): Promise<number> {
  const ledger = await openLedger({ store, nodeId: 'between', dataDir, version: 'test' });
  const count = await ledger.recover();
  await ledger.close();
  return count;
}

/** The user's money, the state of every task, open holds and charges. */
export async function booksAfter(store: Store, userId: number) {
  const user = await store.db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const tasks = await store.db
    .selectFrom('tasks')
    .select(['status', 'money', 'quota'])
    .orderBy('id')
    .execute();
  const holds = await store.db.selectFrom('holds').select('id').execute();
  const charges = await store.db.selectFrom('ledger').select('idem').where('kind', '=', 'use').execute();
  return {
    ...user,
    tasks: tasks.map(({ status, money, quota }) => `${status} ${money} ${quota}`),
    holds: holds.length,
    charges: charges.length,
  };
}

/** Advances the clock: a submission that was cut has exceeded its longest duration, and every claim has ended. */
export const endClaims = (store: Store) => store.db.updateTable('tasks').set({ next_poll_at: 0 }).execute();
