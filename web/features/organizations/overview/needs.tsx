/** What needs somebody of the organization, each with the page where it is done; only what the reader may see and do. */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { hasRight, type OrganizationRight } from '#contract/admin/organization-rights.ts';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { attentionQuery, balanceQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { SeverityMark } from '#web/ui/attention/severity.tsx';
import { useItemWords } from '#web/ui/attention/use-item.ts';
import layout from '#web/ui/input/form.module.css';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { organizationQueries } from '#web/features/organizations/queries.ts';
import classes from '#web/features/organizations/organizations.module.css';

interface Need {
  id: string;
  severity: 'stop' | 'act' | 'wait';
  text: string;
  detail?: string;
  go?: { label: string; to?: LinkProps['to']; search?: LinkProps['search'] };
}

export function Needs({ organization }: { organization: OrganizationView }) {
  const { t } = useTranslation('organizations');
  const needs = useNeeds(organization);
  return (
    <ThingPanel title={t('overview.needs')}>
      {needs.length === 0 ? (
        <p className="caption">{t('overview.nothing')}</p>
      ) : (
        <ul className={classes.needs}>
          {needs.map(({ id, severity, text, detail, go }) => (
            <li key={id} className="row8">
              <SeverityMark severity={severity} />
              <span className="grow anywhere">
                {text}
                {detail ? <small className="block caption">{detail}</small> : null}
              </span>
              {go ? (
                <Link to={go.to} search={go.search} className={layout.link}>
                  {go.label}
                </Link>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </ThingPanel>
  );
}

function useNeeds({ role, suspended, ownership_offer: offer }: OrganizationView): Need[] {
  const { t } = useTranslation('organizations');
  const user = useUser();
  const may = (right: OrganizationRight) => hasRight(role, right);
  const seesKeys = may('tokens.read_all');
  const words = useItemWords(false);
  // Read again with each visit: the reader may come from where something of it was done.
  const items = useQuery({ ...attentionQuery, staleTime: 0 }).data?.items ?? [];
  const wallet = useQuery({ ...balanceQuery, enabled: may('billing.read') }).data;
  const isEmpty = wallet !== undefined && wallet.quota + wallet.plan_quota <= 0;
  const topUp = may('billing.manage')
    ? { go: { label: t('overview.go.wallet'), to: '/topup' as const } }
    : {};
  const exhausted = useQuery({
    ...organizationQueries.tokens(TOKEN_STATUS.exhausted),
    enabled: seesKeys,
  }).data;
  const expired = useQuery({ ...organizationQueries.tokens(TOKEN_STATUS.expired), enabled: seesKeys }).data;
  const needs: (Need | false | undefined)[] = [
    suspended && { id: 'suspended', severity: 'stop', text: t('overview.need.suspended') },
    isEmpty && !suspended && { id: 'money', severity: 'stop', text: t('overview.need.empty'), ...topUp },
    ...items.flatMap((item): Need[] => {
      if (isEmpty && item.kind === 'balance_low') return [];
      const { id, title, detail, action, place } = words(item);
      // Who may not pay can only say so.
      const isDone = item.kind !== 'balance_low' || may('billing.manage');
      return [
        {
          id,
          severity: item.severity,
          text: title,
          detail,
          ...(isDone ? { go: { label: action, ...place } } : {}),
        },
      ];
    }),
    offer !== null &&
      (offer.user_id === user?.id
        ? {
            id: 'offer',
            severity: 'act',
            text: t('overview.need.offered', { name: offer.offered_by_name }),
            go: { label: t('overview.go.answer'), to: '/invitation' },
          }
        : { id: 'offer', severity: 'wait', text: t('overview.need.waiting', { name: offer.username }) }),
    exhausted &&
      exhausted.total > 0 && {
        id: 'exhausted',
        severity: 'act',
        text: t('overview.need.exhausted', { count: exhausted.total }),
        go: { label: t('overview.go.keys'), to: '/token', search: { status: TOKEN_STATUS.exhausted } },
      },
    expired &&
      expired.total > 0 && {
        id: 'expired',
        severity: 'wait',
        text: t('overview.need.expired', { count: expired.total }),
        go: { label: t('overview.go.keys'), to: '/token', search: { status: TOKEN_STATUS.expired } },
      },
  ];
  return needs.filter((need): need is Need => typeof need === 'object');
}
