/** The overview of an organization: the balance, what needs attention, who and what spent most. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasRight, type OrganizationRight } from '#contract/admin/organization-rights.ts';
import { ROLE_WORDS } from '#contract/admin/organization-role-words.ts';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { languageOf } from '#contract/language.ts';
import { HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import { errorMessage } from '#web/api/errors.ts';
import { balanceQuery, organizationQuery } from '#web/api/queries.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { StatAmount } from '#web/ui/format/page-amounts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { Page } from '#web/ui/page/page.tsx';
import { Figures, type ThingFigure } from '#web/ui/thing/figures.tsx';
import { organizationQueries } from '#web/features/organizations/queries.ts';
import styles from '#web/features/organizations/organizations.module.css';
import { BudgetsPanel } from './budgets.tsx';
import { Needs } from './needs.tsx';
import { MostModels, MostSpent } from './most.tsx';

const WINDOW_SECONDS = 30 * 24 * HOUR_SECONDS;
const SOON_DAYS = 3;
const YEAR_DAYS = 365;

export function OrganizationPage() {
  const { t } = useTranslation('organizations');
  const { data, error, refetch } = useQuery(organizationQuery);
  if (data) return <Overview organization={data} />;
  return (
    <Page title={t('managed.column.name')}>
      {error ? (
        <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />
      ) : (
        <Loading shape="figures" />
      )}
    </Page>
  );
}

function Overview({ organization }: { organization: OrganizationView }) {
  const { t, i18n } = useTranslation('organizations');
  const { name, role, created_at } = organization;
  const may = (right: OrganizationRight) => hasRight(role, right);
  // Whole hours, as the figures are kept.
  const [span] = useState(() => {
    const to = Math.ceil(unixSeconds() / HOUR_SECONDS) * HOUR_SECONDS;
    return { from: to - WINDOW_SECONDS, to };
  });
  return (
    <Page
      title={name}
      summary={[
        { value: ROLE_WORDS[role][languageOf(i18n.language)], label: t('overview.role'), labelFirst: true },
        { value: absoluteTime(created_at).slice(0, 10), label: t('overview.since'), labelFirst: true },
      ]}
    >
      <div className="scroll">
        <TopFigures organization={organization} />
        <Needs isSuspended={organization.suspended} />
        <BudgetsPanel />
        {may('usage.all') ? null : <p className={`note ${styles.own}`}>{t('overview.own')}</p>}
        <MostSpent span={span} isAll={may('usage.all')} />
        <MostModels span={span} />
      </div>
    </Page>
  );
}

function lasts(days: number | null, t: ReturnType<typeof useTranslation<'organizations'>>['t']): string {
  if (days === null) return t('overview.idle');
  return days > YEAR_DAYS ? t('overview.lastsLong') : t('overview.lasts', { count: days });
}

/** Each only for those who may read it. */
function TopFigures({ organization }: { organization: OrganizationView }) {
  const { t } = useTranslation('organizations');
  const display = useDisplay();
  const may = (right: OrganizationRight) => hasRight(organization.role, right);
  const wallet = useQuery({ ...balanceQuery, enabled: may('billing.read') }).data;
  const keys = useQuery({
    ...organizationQueries.tokens(),
    enabled: may('tokens.own') || may('tokens.read_all'),
  }).data;
  const invited = useQuery({ ...organizationQueries.openInvitations(), enabled: may('members.manage') }).data;
  const figures: ThingFigure[] = [];
  if (wallet) {
    const { quota, plan_quota, burn, runway_days: days } = wallet;
    const isLow = quota + plan_quota <= 0 || (days !== null && days < SOON_DAYS);
    figures.push(
      {
        label: t('overview.balance'),
        value: <StatAmount quota={quota} />,
        ...(isLow ? { tone: 'warning' } : {}),
        basis: lasts(days, t),
      },
      {
        label: t('overview.spent'),
        value: <StatAmount quota={burn.reduce((sum, day) => sum + day, 0)} />,
        basis: t('overview.today', { amount: renderQuota(burn.at(-1) ?? 0, display) }),
      },
    );
  }
  figures.push({
    label: t('overview.members'),
    value: groupDigits(organization.members),
    basis: invited && invited.total > 0 ? t('overview.invited', { count: invited.total }) : undefined,
  });
  if (keys)
    figures.push({
      label: t('overview.keys'),
      value: groupDigits(keys.total),
      basis: t('overview.usable', { count: keys.usable }),
    });
  return (
    <div className={styles.figures}>
      <Figures figures={figures} />
    </div>
  );
}
