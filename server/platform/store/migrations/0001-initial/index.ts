// Every table of the first release.
import type { Migration } from '#server/platform/store/migrations/migration.ts';
import { createAccounts } from './accounts.ts';
import { createMoney } from './money.ts';
import { createOperations } from './operations.ts';
import { createRelay } from './relay.ts';

export const initial: Migration = {
  name: '0001-initial',
  async up(db, dialect) {
    await createAccounts(db, dialect);
    await createRelay(db, dialect);
    await createMoney(db, dialect);
    await createOperations(db, dialect);
  },
};
