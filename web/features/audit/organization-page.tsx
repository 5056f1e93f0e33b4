/** What the members of an organization changed in it, for those who manage it. */
import { useTranslation } from 'react-i18next';
import { AUDIT_ACTIONS, type AuditKind } from '#contract/admin/audit.ts';
import { type AuditTargetKind } from '#contract/admin/audit-targets.ts';
import { AuditTrail } from './trail.tsx';

/** What can be done in an organization. */
const KINDS = [
  'organization',
  'project',
  'service_account',
  'budget',
  'token',
  'admin_key',
  'order',
  'plan',
  'redemption',
  'statement',
  'log',
  'audit',
] as const satisfies readonly AuditKind[];
const TARGETS = [
  'organization',
  'project',
  'service_account',
  'budget',
  'token',
  'admin_key',
  'order',
  'plan',
  'user',
] as const satisfies readonly AuditTargetKind[];
const ACTIONS = KINDS.flatMap((kind) => AUDIT_ACTIONS[kind].map((action) => `${kind}.${action}`));

export function OrganizationAuditPage() {
  const { t } = useTranslation('audit');
  return (
    <AuditTrail
      scope="organization"
      offered={{ actions: ACTIONS, targets: TARGETS }}
      emptyText={t('empty.organization')}
    />
  );
}
