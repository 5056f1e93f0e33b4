// Opens the database for one command and closes it.
import type { Environment } from '#server/platform/env.ts';
import { WRITER_ENTRY } from '#server/app/writer-entry.ts';
import { openForCommand, openStore, type CommandStore, type Store } from '#server/platform/store/store.ts';

export async function withStore<Result>(
  environment: Environment,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  return await closing(await openStore(optionsOf(environment)), use);
}

/** Also while the server runs. */
export async function withCommandStore<Result>(
  environment: Environment,
  use: (store: CommandStore) => Promise<Result>,
): Promise<Result> {
  return await closing(await openForCommand(optionsOf(environment)), use);
}

function optionsOf({ dataDir, databaseUrl, masterKey }: Environment) {
  return { dataDir, databaseUrl, masterKey, writerEntry: WRITER_ENTRY };
}

async function closing<Opened extends { close(): Promise<void> }, Result>(
  store: Opened,
  use: (store: Opened) => Promise<Result>,
): Promise<Result> {
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
