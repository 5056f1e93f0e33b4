/** The audit page: state of the hash chain, suspended users, and the trail of the site. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { AUDIT_TARGETS } from '#contract/admin/audit-targets.ts';
import { ChainLine } from './chain-line.tsx';
import { auditQueries } from './queries.ts';
import { Suspended } from './suspended.tsx';
import { AuditTrail } from './trail.tsx';

export function AuditPage() {
  const { t } = useTranslation('audit');
  const { data: actions = [] } = useQuery(auditQueries.actions());
  return (
    <AuditTrail
      scope="site"
      offered={{ actions, targets: AUDIT_TARGETS }}
      emptyText={t('empty.text')}
      before={<Suspended />}
      notice={<ChainLine />}
    />
  );
}
