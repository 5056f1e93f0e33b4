// The few entries of charges that their holds did not cover are found by their time, however long the ledger is.
import { onlineIndex, type Migration } from './migration.ts';

export const holdExcess: Migration = {
  name: '0087-hold-excess',
  isOnline: true,
  async up(db, dialect) {
    await onlineIndex(db, dialect, {
      table: 'ledger',
      name: 'ledger_hold_excess',
      on: `("created_at", "id") where kind in ('suspense', 'above_hold')`,
    });
  },
};
