// An audit row as it is shown. No writer puts secrets into a row; fields with a name of a secret are masked here as well.
import type { AuditView } from '#contract/admin/audit.ts';
import { withoutSecrets } from '#server/admin/without-secrets.ts';
import type { Row } from '#server/platform/store/schema.ts';

export function auditViewOf(row: Row<'audit'>): AuditView {
  return {
    id: row.id,
    created_at: row.created_at,
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    ip: row.ip,
    action: row.action,
    target: row.target,
    before: withoutSecrets(row.before),
    after: withoutSecrets(row.after),
    request_id: row.request_id,
    hash: row.hash,
  };
}
