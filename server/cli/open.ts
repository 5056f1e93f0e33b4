// Opens the database for one command and closes it.
import type { Environment } from '#server/env.ts';
import { openStore, type Store } from '#server/store/store.ts';

export async function withStore<Result>(
  { dataDir, databaseUrl, masterKey }: Environment,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const writerEntry = new URL('../writer.ts', import.meta.url);
  const store = await openStore({ dataDir, databaseUrl, masterKey, writerEntry });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
