/** What users have bought, for administrators. */
import { Button, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/plans.end';
import { SUBSCRIPTION_STATES, type ManagedSubscription } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { gridError } from '#web/api/errors.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { csvTime, menuColumn } from '#web/ui/grid/columns.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { Page } from '#web/ui/page/page.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { boughtNameOf } from './plan-text.ts';
import { SubscriptionBadge } from './own.tsx';
import { PLANS_KEY, planQueries } from './queries.ts';
import { usePlanSearch, type ChangeSearch, type PlanSearch } from './search.ts';
import { usePlanWords } from './words.ts';
import classes from './plans.module.css';

const STATES = [...SUBSCRIPTION_STATES, 'expiring'] as const;
const NO_FILTER = { q: undefined, state: undefined, plan: undefined, page: undefined };

export function SubscriptionsPage({ tabs }: { tabs: ReactNode }) {
  const { t } = useTranslation('plans');
  const [search, change] = usePlanSearch();
  const query = gridQuery(search);
  const list = useQuery(planQueries.subscriptions(search, query));
  const facets = useFacets(search, change);
  const columns = useColumns((subscription) => <EndButton subscription={subscription} />);
  const { data } = list;
  const card = (subscription: ManagedSubscription) => <SubscriptionCard subscription={subscription} />;
  return (
    <Page title={t('title')} tabs={tabs}>
      <DataGrid
        name="subscriptions"
        label={t('subscriptions.list')}
        columns={columns}
        rows={data?.items}
        total={data?.total ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ id, username }) => `#${id} ${username}`}
        query={query}
        {...addressProps(search, change, t('subscriptions.search'))}
        facets={facets}
        onClearFilters={() => change(NO_FILTER)}
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('subscriptions.empty')} text={t('subscriptions.emptyText')} />}
        totals={
          data && (
            <span>
              <b>{groupDigits(data.total)}</b> {t('subscriptions.totals', { count: data.total })}
            </span>
          )
        }
        isMuted={({ state }) => state === 'ended'}
        card={card}
      />
    </Page>
  );
}

/** A subscription on the phone. */
function SubscriptionCard({ subscription }: { subscription: ManagedSubscription }) {
  const { t } = useTranslation('plans');
  return (
    <>
      <CardHead name={<User subscription={subscription} />}>
        <SubscriptionBadge state={subscription.state} />
      </CardHead>
      <CardLine>
        <span>{boughtNameOf(subscription)}</span>
        <Used subscription={subscription} />
      </CardLine>
      <CardLine>
        <span>
          {t('subscriptions.column.ends')} <Moment timestamp={subscription.ends_at} />
        </span>
        <EndButton subscription={subscription} />
      </CardLine>
    </>
  );
}

function useFacets(search: PlanSearch, change: ChangeSearch): Facet[] {
  const { t } = useTranslation('plans');
  const { data } = useQuery(planQueries.manage());
  return [
    {
      id: 'state',
      label: t('subscriptions.state.label'),
      options: STATES.map((value) => ({ value, label: t(`subscriptions.state.${value}`) })),
      value: search.state === undefined ? [] : [search.state],
      onChange: ([value]) => change({ page: undefined, state: STATES.find((state) => state === value) }),
    },
    {
      id: 'plan',
      label: t('subscriptions.plan'),
      options: (data?.plans ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
      value: search.plan === undefined ? [] : [String(search.plan)],
      onChange: ([value]) =>
        change({ page: undefined, plan: value === undefined ? undefined : Number(value) }),
    },
  ];
}

function User({ subscription: { user_id, username } }: { subscription: ManagedSubscription }) {
  return (
    <Link to="/user/$id" params={{ id: String(user_id) }} className="quiet-link">
      {username}
    </Link>
  );
}

function Used({ subscription: { state, period_quota, left } }: { subscription: ManagedSubscription }) {
  const { t } = useTranslation('plans');
  const { quotaOf } = usePlanWords();
  const used = state === 'active' ? period_quota - left : 0;
  return <>{t('own.used', { used: quotaOf(used), quota: quotaOf(period_quota) })}</>;
}

function Paid({ subscription }: { subscription: ManagedSubscription }) {
  const { t } = useTranslation('plans');
  const words = usePlanWords();
  const { source, price_quota } = subscription;
  const price =
    source === 'grant' ? '' : source === 'order' ? words.moneyOf(subscription) : words.quotaOf(price_quota);
  return (
    <>
      {price} <span className="muted">{t(`subscriptions.source.${source}`)}</span>
    </>
  );
}

function useColumns(menu: (row: ManagedSubscription) => ReactNode): GridColumn<ManagedSubscription>[] {
  const { t } = useTranslation('plans');
  const time = (id: string, header: string, of: (row: ManagedSubscription) => number, leaves?: number) => ({
    id,
    header,
    width: 142,
    ...(leaves === undefined ? {} : { leaves }),
    cell: (row: ManagedSubscription) => <Moment timestamp={of(row)} absolute />,
    csv: (row: ManagedSubscription) => csvTime(of(row)),
    skeleton: 'text' as const,
  });
  return [
    {
      id: 'id',
      header: t('subscriptions.column.id'),
      width: 60,
      leaves: 3,
      cell: ({ id }) => id,
      csv: ({ id }) => id,
      skeleton: 'number',
    },
    {
      id: 'user',
      header: t('subscriptions.column.user'),
      width: 130,
      fixed: true,
      cell: (row) => <User subscription={row} />,
      csv: ({ username }) => username,
      skeleton: 'text',
    },
    {
      id: 'plan',
      header: t('subscriptions.column.plan'),
      minWidth: 120,
      cell: boughtNameOf,
      csv: boughtNameOf,
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('subscriptions.column.state'),
      width: 110,
      cell: ({ state }) => <SubscriptionBadge state={state} />,
      csv: ({ state }) => t(`own.state.${state}`),
      skeleton: 'status',
    },
    {
      id: 'used',
      header: t('subscriptions.column.used'),
      width: 170,
      leaves: 4,
      cell: (row) => <Used subscription={row} />,
      csv: ({ period_quota, left }) => period_quota - left,
      skeleton: 'bar',
    },
    time('period', t('subscriptions.column.period'), ({ period_ends_at }) => period_ends_at, 1),
    time('ends', t('subscriptions.column.ends'), ({ ends_at }) => ends_at),
    {
      id: 'paid',
      header: t('subscriptions.column.paid'),
      width: 140,
      leaves: 2,
      cell: (row) => <Paid subscription={row} />,
      csv: ({ source }) => source,
      skeleton: 'text',
    },
    { ...menuColumn(t('subscriptions.column.actions'), menu), width: 118 },
  ];
}

function EndButton({ subscription }: { subscription: ManagedSubscription }) {
  const { t } = useTranslation('plans');
  const [isOpen, setOpen] = useState(false);
  if (subscription.state === 'ended') return null;
  return (
    <>
      <Button variant="default" size="compact-xs" onClick={() => setOpen(true)}>
        {t('subscriptions.end')}
      </Button>
      {isOpen ? <EndDialog subscription={subscription} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function EndDialog({ subscription, onClose }: { subscription: ManagedSubscription; onClose: () => void }) {
  const { t } = useTranslation('plans');
  const form = useForm({
    begin: () => ({ reason: '' }),
    limits,
    send: ({ reason }) => api.plans.end({ params: { id: subscription.id }, body: { reason: reason.trim() } }),
    onSent: () => {
      toast.success(t('subscriptions.endDone'));
      onClose();
    },
    refresh: [PLANS_KEY],
  });
  return (
    <FormDialog
      title={t('subscriptions.endTitle', { name: subscription.username })}
      submitLabel={t('subscriptions.end')}
      danger
      disabled={!form.isReady}
      className={`stack12 ${classes.form}`}
      buttons="buttons"
      form={form}
      onClose={onClose}
    >
      <p className="caption">{t('subscriptions.endText')}</p>
      <TextInput {...form.field('reason')} label={t('subscriptions.reason')} data-autofocus />
    </FormDialog>
  );
}
