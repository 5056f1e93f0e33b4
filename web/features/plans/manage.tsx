/** The table of plans for administrators: active, expiring, revenue. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedPlan } from '#contract/money/plans.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { nameOf } from './plan-text.ts';
import { planColumns, PlanStatus, RevenueText } from './columns.tsx';
import { GrantDialog } from './grant-dialog.tsx';
import { PlanMenu } from './plan-menu.tsx';
import { planQueries } from './queries.ts';
import { NO_DRAWER, usePlanSearch } from './search.ts';
import { usePlanWords } from './words.ts';

const PlanForm = lazy(() => import('./plan-form.tsx').then((file) => ({ default: file.PlanForm })));

export function ManagePage({ tabs }: { tabs: ReactNode }) {
  const { t } = useTranslation('plans');
  const words = usePlanWords();
  const money = useMoneyText();
  const [search, change] = usePlanSearch();
  const { data, error, isFetching, refetch } = useQuery(planQueries.manage());
  const [granted, setGranted] = useState<ManagedPlan>();
  const navigate = useNavigate();
  const openNew = () => change({ ...NO_DRAWER, new: 1 });
  const openEdit = ({ id }: ManagedPlan) => change({ ...NO_DRAWER, edit: id });
  const close = () => change(NO_DRAWER);
  const wanted = search.q?.toLowerCase() ?? '';
  const rows = data?.plans.filter(({ name }) => name.toLowerCase().includes(wanted));
  const edited = data?.plans.find(({ id }) => id === search.edit);
  const menu = (plan: ManagedPlan) => (
    <PlanMenu
      plan={plan}
      onEdit={openEdit}
      onGrant={setGranted}
      onSubscriptions={({ id }) => change({ view: 'subscriptions', plan: id })}
    />
  );
  const card = (plan: ManagedPlan) => <PlanCard plan={plan} menu={menu(plan)} />;
  const revenueText = (
    sums: readonly { currency: string; currency_digits: number; amount_minor: number }[],
    quota: number,
  ) => [...sums.map(money), ...(quota > 0 || sums.length === 0 ? [words.quotaOf(quota)] : [])].join(' + ');
  return (
    <Page
      title={t('title')}
      tabs={tabs}
      summary={
        data && [
          { value: groupDigits(data.active), label: t('manage.summary.active') },
          { value: groupDigits(data.expiring), label: t('manage.summary.expiring') },
          { value: revenueText(data.revenue, data.revenue_quota), label: t('manage.summary.revenue') },
          {
            value: revenueText(data.recent_revenue, data.recent_revenue_quota),
            label: t('manage.summary.recent'),
          },
        ]
      }
      actions={<AddButton label={t('manage.add')} onClick={openNew} />}
      phoneAction={<AddIcon label={t('manage.add')} onClick={openNew} />}
      drawer={
        data && (search.new || edited) ? (
          <Suspense>
            <PlanForm key={edited?.id ?? 'new'} plan={edited} list={data} onClose={close} />
          </Suspense>
        ) : undefined
      }
    >
      <DataGrid
        name="plans"
        label={t('manage.list')}
        columns={planColumns(t, menu)}
        rows={rows}
        total={rows?.length ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        query={{ ...gridQuery(search), page: 1, pageSize: Math.max(10, rows?.length ?? 0) }}
        {...addressProps(search, change, t('manage.search'))}
        onClearFilters={() => change({ q: undefined })}
        refreshing={isFetching && data !== undefined}
        error={gridError(error)}
        onRefresh={() => void refetch()}
        empty={
          <EmptyState
            title={t('manage.empty')}
            text={t('manage.emptyText')}
            action={<AddButton label={t('manage.add')} onClick={openNew} />}
          />
        }
        totals={
          data && (
            <span>
              <b>{groupDigits(data.plans.length)}</b> {t('manage.totals', { count: data.plans.length })}
            </span>
          )
        }
        onOpen={({ id }) => void navigate({ to: '/plan/$id', params: { id: String(id) } })}
        onEdit={openEdit}
        openRowId={String(search.edit ?? '')}
        isMuted={({ on_sale }) => !on_sale}
        card={card}
      />
      {granted ? <GrantDialog plan={granted} onClose={() => setGranted(undefined)} /> : null}
    </Page>
  );
}

/** A plan on the phone. */
function PlanCard({ plan, menu }: { plan: ManagedPlan; menu: ReactNode }) {
  const { t } = useTranslation('plans');
  const words = usePlanWords();
  return (
    <>
      <CardHead name={nameOf(plan)}>
        <PlanStatus plan={plan} />
        {menu}
      </CardHead>
      <CardLine>
        <span>{words.quota(plan)}</span>
        <b>{words.prices(plan).join(' / ')}</b>
      </CardLine>
      <CardLine>
        <span>
          {t('manage.column.active')} {groupDigits(plan.active)} · {t('manage.column.expiring')}{' '}
          {groupDigits(plan.expiring)}
        </span>
        <RevenueText plan={plan} />
      </CardLine>
    </>
  );
}
