/** The columns of the table of plans. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedPlan } from '#contract/money/plans.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { Count } from '#web/ui/format/amount.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { descriptionOf, nameOf } from './plan-text.ts';
import { usePlanWords } from './words.ts';

type Translate = ReturnType<typeof useTranslation<'plans'>>['t'];

export function PlanStatus({ plan }: { plan: ManagedPlan }) {
  const { t } = useTranslation('plans');
  return (
    <StatusBadge kind={plan.on_sale ? 'enabled' : 'disabled'}>
      {t(plan.on_sale ? 'manage.onSale' : 'manage.offSale')}
    </StatusBadge>
  );
}

function PriceText({ plan }: { plan: ManagedPlan }) {
  const prices = usePlanWords().prices(plan);
  return prices.length === 0 ? <Empty /> : <>{prices.join(' / ')}</>;
}

function DurationText({ plan }: { plan: ManagedPlan }) {
  return <>{usePlanWords().duration(plan)}</>;
}

function QuotaText({ plan }: { plan: ManagedPlan }) {
  return <>{usePlanWords().quota(plan)}</>;
}

/** Money by currency, then what balances paid. */
export function RevenueText({ plan }: { plan: ManagedPlan }) {
  const money = useMoneyText();
  const { quotaOf } = usePlanWords();
  const parts = [
    ...plan.revenue.map(money),
    ...(plan.revenue_quota > 0 ? [quotaOf(plan.revenue_quota)] : []),
  ];
  return parts.length === 0 ? <Empty /> : <>{parts.join(' + ')}</>;
}

const revenueCsv = ({ revenue, revenue_quota }: ManagedPlan) =>
  [
    ...revenue.map(
      ({ currency, amount_minor, currency_digits }) => `${currency} ${amount_minor / 10 ** currency_digits}`,
    ),
    ...(revenue_quota > 0 ? [String(revenue_quota)] : []),
  ].join(' + ');

export function planColumns(t: Translate, menu: (plan: ManagedPlan) => ReactNode): GridColumn<ManagedPlan>[] {
  return [
    {
      id: 'name',
      header: t('manage.column.name'),
      minWidth: 140,
      fixed: true,
      cell: (plan) => <span title={descriptionOf(plan)}>{nameOf(plan)}</span>,
      csv: nameOf,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('manage.column.status'),
      width: 110,
      cell: (plan) => <PlanStatus plan={plan} />,
      csv: (plan) => t(plan.on_sale ? 'manage.onSale' : 'manage.offSale'),
      skeleton: 'status',
    },
    {
      id: 'price',
      header: t('manage.column.price'),
      width: 190,
      cell: (plan) => <PriceText plan={plan} />,
      csv: (plan) =>
        `${plan.currency} ${plan.price_minor / 10 ** plan.currency_digits} / ${plan.price_quota}`,
      skeleton: 'text',
    },
    {
      id: 'duration',
      header: t('manage.column.duration'),
      width: 90,
      leaves: 2,
      cell: (plan) => <DurationText plan={plan} />,
      csv: (plan) => `${plan.duration_count} ${plan.duration_unit}`,
      skeleton: 'text',
    },
    {
      id: 'quota',
      header: t('manage.column.quota'),
      width: 140,
      cell: (plan) => <QuotaText plan={plan} />,
      csv: (plan) => `${plan.quota} ${plan.reset}`,
      skeleton: 'text',
    },
    {
      id: 'group',
      header: t('manage.column.group'),
      width: 90,
      leaves: 1,
      cell: (plan) => (plan.group ? <GroupTag group={plan.group} /> : <Empty />),
      csv: (plan) => plan.group,
      skeleton: 'text',
    },
    {
      id: 'active',
      header: t('manage.column.active'),
      width: 80,
      align: 'right',
      cell: (plan) => <Count value={plan.active} />,
      csv: (plan) => plan.active,
      skeleton: 'number',
    },
    {
      id: 'expiring',
      header: t('manage.column.expiring'),
      width: 86,
      leaves: 5,
      align: 'right',
      cell: (plan) => <Count value={plan.expiring} />,
      csv: (plan) => plan.expiring,
      skeleton: 'number',
    },
    {
      id: 'sold',
      header: t('manage.column.sold'),
      width: 70,
      align: 'right',
      leaves: 3,
      cell: (plan) => <Count value={plan.sold} />,
      csv: (plan) => plan.sold,
      skeleton: 'number',
    },
    {
      id: 'revenue',
      header: t('manage.column.revenue'),
      width: 150,
      leaves: 4,
      align: 'right',
      cell: (plan) => <RevenueText plan={plan} />,
      csv: revenueCsv,
      skeleton: 'number',
    },
    menuColumn(t('manage.column.actions'), menu),
  ];
}
