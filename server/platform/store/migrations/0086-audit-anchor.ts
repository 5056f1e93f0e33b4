// How many rows the audit trail has and the hash of its last one, proven with the master key. Without a row: not proven yet.
import { TableMaker, type Migration } from './migration.ts';

export const auditAnchor: Migration = {
  name: '0086-audit-anchor',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'audit_anchor')
      .requiredIntegers('id')
      .amounts('rows', 'head_id')
      .requiredText('head', 'digest')
      .primaryKey('id')
      .check('one_row', 'id = 1')
      .create();
  },
};
