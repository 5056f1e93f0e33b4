// The audit trail for the super admin: read, filter, verify, export; and that of an organization for those who manage it. Only the
// export writes a row.
import type { audit } from '#contract/admin/audit.ts';
import type { organizationAudit } from '#contract/admin/organization-audit.ts';
import type { Handlers } from '#server/admin/context.ts';
import type { AuditDependencies } from './dependencies.ts';
import { exportAudit } from './export.ts';
import { listActions, listAudit } from './list.ts';
import { verifyAudit } from './verify.ts';

export type { AuditDependencies } from './dependencies.ts';

export function createAuditHandlers(dependencies: AuditDependencies): Handlers<typeof audit> {
  return {
    list: listAudit(dependencies),
    actions: listActions(dependencies),
    verify: verifyAudit(dependencies),
    export: exportAudit(dependencies),
  };
}

export function createOrganizationAuditHandlers(
  dependencies: Pick<AuditDependencies, 'store'>,
): Handlers<typeof organizationAudit> {
  return { list: listAudit(dependencies), export: exportAudit(dependencies) };
}
