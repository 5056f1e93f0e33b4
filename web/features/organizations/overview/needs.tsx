/** What needs somebody of the organization, each with the page where it is done; only what the reader may see and do. */
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { hasRight, type OrganizationRight } from '#contract/admin/organization-rights.ts';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { WalletView } from '#contract/money/wallet.ts';
import { balanceQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { SeverityMark } from '#web/ui/attention/severity.tsx';
import layout from '#web/ui/input/form.module.css';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { budgetQueries } from '#web/features/organizations/budgets/queries.ts';
import { movesQuery } from '#web/features/organizations/moves/queries.ts';
import { organizationQueries } from '#web/features/organizations/queries.ts';
import classes from '#web/features/organizations/organizations.module.css';

const SOON_DAYS = 3;

interface Need {
  id: string;
  severity: 'stop' | 'act' | 'wait';
  text: string;
  go?: { label: string; to: NonNullable<LinkProps['to']>; search?: LinkProps['search'] };
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
          {needs.map(({ id, severity, text, go }) => (
            <li key={id} className="row8">
              <SeverityMark severity={severity} />
              <span className="grow">{text}</span>
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
  const wallet = useQuery({ ...balanceQuery, enabled: may('billing.read') }).data;
  const exhausted = useQuery({
    ...organizationQueries.tokens(TOKEN_STATUS.exhausted),
    enabled: seesKeys,
  }).data;
  const expired = useQuery({ ...organizationQueries.tokens(TOKEN_STATUS.expired), enabled: seesKeys }).data;
  const invited = useQuery({ ...organizationQueries.openInvitations(), enabled: may('members.manage') }).data;
  const budgetNeeds = useBudgetNeeds(may);
  const needs: (Need | false | undefined)[] = [
    suspended && { id: 'suspended', severity: 'stop', text: t('overview.need.suspended') },
    wallet && moneyNeed(wallet, may('billing.manage'), t),
    ...budgetNeeds,
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
    invited &&
      invited.total > 0 && {
        id: 'invitations',
        severity: 'wait',
        text: t('overview.need.invitations', { count: invited.total }),
        go: { label: t('overview.go.members'), to: '/members', search: { view: 'invitations' } },
      },
  ];
  return needs.filter((need): need is Need => typeof need === 'object');
}

/** What waits for those who manage budgets, and for the owners whom money out waits for. */
function useBudgetNeeds(may: (right: OrganizationRight) => boolean): (Need | false)[] {
  const { t } = useTranslation('organizations');
  const asked = useQuery({ ...budgetQueries.requests(), enabled: may('budgets.manage') }).data;
  const budgets = useQuery({ ...budgetQueries.list(), enabled: may('budgets.read') }).data;
  const moves = useQuery({ ...movesQuery, enabled: may('billing.release') }).data;
  const waiting = asked?.filter(({ status }) => status === 'open').length ?? 0;
  const reached = budgets?.filter(isReached) ?? [];
  const leaving = moves?.filter((move) => move.may_accept).length ?? 0;
  return [
    reached.length > 0 && {
      id: 'budgets',
      severity: reached.some(({ is_hard }) => is_hard) ? 'stop' : 'wait',
      text: t('overview.need.budgets', { count: reached.length, name: reached[0]?.name ?? '' }),
      go: { label: t('overview.go.keys'), to: '/budgets' },
    },
    waiting > 0 && {
      id: 'asked',
      severity: 'act',
      text: t('overview.need.asked', { count: waiting }),
      go: { label: t('overview.go.answer'), to: '/budgets' },
    },
    leaving > 0 && {
      id: 'moves',
      severity: 'wait',
      text: t('overview.need.moves', { count: leaving }),
      go: { label: t('overview.go.answer'), to: '/topup' },
    },
  ];
}

/** Nothing is left of it until it resets. */
const isReached = ({ ended, left }: BudgetView): boolean => !ended && left === 0;

function moneyNeed(
  { quota, plan_quota, runway_days: days }: Pick<WalletView, 'quota' | 'plan_quota' | 'runway_days'>,
  mayPay: boolean,
  t: ReturnType<typeof useTranslation<'organizations'>>['t'],
): Need | undefined {
  const isEmpty = quota + plan_quota <= 0;
  if (!isEmpty && (days === null || days >= SOON_DAYS)) return undefined;
  return {
    id: 'money',
    severity: isEmpty ? 'stop' : 'act',
    text: t(isEmpty ? 'overview.need.empty' : 'overview.need.low'),
    ...(mayPay ? { go: { label: t('overview.go.wallet'), to: '/topup' } } : {}),
  };
}
