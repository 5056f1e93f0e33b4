// Codes are listed by batch, and the sums of each state are read from the index alone.
import { index, type Migration } from './migration.ts';

export const redemptionIndexes: Migration = {
  name: '0043-redemption-indexes',
  async up(db) {
    await index(db, 'redemptions', ['batch']);
    await index(db, 'redemptions', ['deleted_at', 'status', 'expired_time', 'quota']);
  },
};
