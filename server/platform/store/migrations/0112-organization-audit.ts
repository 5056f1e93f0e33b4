// The audit trail of an organization is read newest first, beside the much longer one of the site.
import { index, type Migration } from './migration.ts';

export const organizationAudit: Migration = {
  name: '0112-organization-audit',
  async up(db) {
    await index(db, 'audit', ['organization_id', 'id']);
  },
};
