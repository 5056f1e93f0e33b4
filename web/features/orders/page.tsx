/** The list of orders: every online payment and what became of it. A row opens the order's page. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { ORDER_STATUS, PAYMENT_PROVIDERS, type AdminOrderView } from '#contract/money/orders.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import { Page } from '#web/ui/page/page.tsx';
import { orderColumns } from './columns.tsx';
import { OrderCard } from './card.tsx';
import { orderQueries } from './queries.ts';
import { ORDER_RANGES, useOrderSearch, type ChangeSearch, type OrderSearch } from './search.ts';

/** The super admin is led to the payment providers. */
function NoOrders() {
  const { t } = useTranslation('orders');
  const user = useUser();
  const canSetUp = user !== undefined && isRoot(user.role);
  return (
    <EmptyState
      title={t('empty.title')}
      text={t('empty.text')}
      action={
        canSetUp ? (
          <Button
            renderRoot={(props) => (
              <Link {...props} to="/setting" search={{ tab: 'system', section: 'payment' }} />
            )}
          >
            {t('empty.action')}
          </Button>
        ) : undefined
      }
    />
  );
}

const NO_FILTER = { q: undefined, status: undefined, provider: undefined, range: undefined, page: undefined };

export function OrdersPage() {
  const { t } = useTranslation('orders');
  const display = useDisplay();
  const money = useMoneyText();
  const [search, change] = useOrderSearch();
  const query = gridQuery(search);
  const list = useQuery(orderQueries.list(search, query));
  const data = list.data;
  const facets = useFacets(search, change);
  const navigate = useNavigate();
  const open = ({ id }: AdminOrderView) => void navigate({ to: '/order/$id', params: { id: String(id) } });
  const card = (order: AdminOrderView) => <OrderCard order={order} />;
  return (
    <Page
      title={t('title')}
      summary={
        data && [
          ...data.paid.map((sum) => ({ value: money(sum), label: t('summary.paid') })),
          { value: renderQuota(data.paid_quota, display), label: t('summary.quota') },
        ]
      }
    >
      <DataGrid
        name="orders"
        label={t('list')}
        columns={orderColumns(t)}
        rows={data?.items}
        total={data?.total ?? 0}
        rowId={(order) => String(order.id)}
        rowName={(order) => `${order.trade_no} ${order.username}`}
        query={query}
        {...addressProps(search, change, t('search'))}
        facets={facets}
        onClearFilters={() => change(NO_FILTER)}
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<NoOrders />}
        totals={
          data && (
            <span>
              <b>{groupDigits(data.total)}</b> {t('totals', { count: data.total })}
            </span>
          )
        }
        onOpen={open}
        card={card}
      />
    </Page>
  );
}

function useFacets(search: OrderSearch, change: ChangeSearch): Facet[] {
  const { t } = useTranslation('orders');
  return [
    {
      id: 'status',
      label: t('column.status'),
      options: ORDER_STATUS.map((value) => ({ value, label: t(`status.${value}`) })),
      value: search.status === undefined ? [] : [search.status],
      onChange: ([value]) =>
        change({ page: undefined, status: ORDER_STATUS.find((status) => status === value) }),
    },
    {
      id: 'provider',
      label: t('column.provider'),
      options: PAYMENT_PROVIDERS.map((value) => ({ value, label: t(`provider.${value}`) })),
      value: search.provider === undefined ? [] : [search.provider],
      onChange: ([value]) =>
        change({ page: undefined, provider: PAYMENT_PROVIDERS.find((provider) => provider === value) }),
    },
    {
      id: 'range',
      label: t('range.label'),
      options: ORDER_RANGES.map((value) => ({ value, label: t(`range.${value}`) })),
      value: search.range === undefined ? [] : [search.range],
      onChange: ([value]) =>
        change({ page: undefined, range: ORDER_RANGES.find((range) => range === value) }),
    },
  ];
}
