// `tollgate migrate`: opens the database, which migrates it.
import type { Environment } from '#server/env.ts';
import { withStore } from './open.ts';

export async function migrate(environment: Environment): Promise<number> {
  await withStore(environment, async () => {});
  console.log('the database is up to date');
  return 0;
}
