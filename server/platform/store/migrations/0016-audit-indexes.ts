// The audit trail is read by what was done and to what, newest first.
import { index, type Migration } from './migration.ts';

export const auditIndexes: Migration = {
  name: '0016-audit-indexes',
  async up(db) {
    await index(db, 'audit', ['action', 'id']);
    await index(db, 'audit', ['target', 'id']);
  },
};
