/** The keys and the orders of a user, each a link to its own page. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { PageKey, PageOrder } from '#contract/admin/user-page.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';

const KEY_STATES = {
  [TOKEN_STATUS.enabled]: 'enabled',
  [TOKEN_STATUS.disabled]: 'disabled',
  [TOKEN_STATUS.expired]: 'expired',
  [TOKEN_STATUS.exhausted]: 'exhausted',
} as const;

const stateOf = ({ status }: PageKey) =>
  KEY_STATES[status as keyof typeof KEY_STATES] ?? KEY_STATES[TOKEN_STATUS.disabled];

export function Keys({ keys, count }: { keys: readonly PageKey[]; count: number }) {
  const { t } = useTranslation('users');
  const { t: token } = useTranslation('tokens');
  return (
    <ThingPanel title={t('page.keys')} hint={t('page.keysHint', { count })} isFlush={keys.length > 0}>
      {keys.length === 0 ? <p className="caption">{t('page.noKeys')}</p> : null}
      {keys.length > 0 ? (
        <ThingTable
          label={t('page.keys')}
          rows={keys}
          rowKey={({ id }) => id}
          columns={keyColumns(t, token)}
        />
      ) : null}
    </ThingPanel>
  );
}

const ORDER_KINDS = { pending: 'queued', paid: 'enabled', expired: 'expired', refunded: 'disabled' } as const;

interface OrdersProps {
  orders: readonly PageOrder[];
  count: number;
  username: string;
}

export function Orders({ orders, count, username }: OrdersProps) {
  const { t } = useTranslation('users');
  const { t: order } = useTranslation('orders');
  const money = useMoneyText();
  if (orders.length === 0) return null;
  return (
    <ThingPanel
      title={t('page.orders')}
      more={
        <Link to="/order" search={{ q: username }}>
          {t('page.ordersAll', { count })}
        </Link>
      }
      isFlush
    >
      <ThingTable
        label={t('page.orders')}
        rows={orders}
        rowKey={({ id }) => id}
        columns={orderColumns(t, order, money)}
      />
    </ThingPanel>
  );
}

function keyColumns(
  t: ReturnType<typeof useTranslation<'users'>>['t'],
  token: ReturnType<typeof useTranslation<'tokens'>>['t'],
): ThingColumn<PageKey>[] {
  return [
    {
      key: 'name',
      head: t('page.key'),
      cell: ({ id, name }) => (
        <Link to="/token/$id" params={{ id: String(id) }}>
          {name || `#${id}`}
        </Link>
      ),
    },
    {
      key: 'status',
      head: t('page.status'),
      cell: (key) => <StatusBadge kind={stateOf(key)}>{token(`status.${stateOf(key)}`)}</StatusBadge>,
    },
    {
      key: 'used',
      head: t('page.keyUsed'),
      isNumber: true,
      cell: ({ used_quota }) => <Quota quota={used_quota} />,
    },
    {
      key: 'left',
      head: t('page.keyLeft'),
      isNumber: true,
      cell: ({ remain_quota }) =>
        remain_quota === null ? (
          <span className="muted">{t('page.unlimited')}</span>
        ) : (
          <Quota quota={remain_quota} />
        ),
    },
    {
      key: 'last',
      head: t('page.lastUsed'),
      isNumber: true,
      cell: ({ accessed_time }) => <Moment timestamp={accessed_time} />,
    },
  ];
}

function orderColumns(
  t: ReturnType<typeof useTranslation<'users'>>['t'],
  order: ReturnType<typeof useTranslation<'orders'>>['t'],
  money: ReturnType<typeof useMoneyText>,
): ThingColumn<PageOrder>[] {
  return [
    {
      key: 'order',
      head: t('page.order'),
      cell: ({ id, trade_no }) => (
        <Link to="/order/$id" params={{ id: String(id) }} className="code anywhere">
          {trade_no}
        </Link>
      ),
    },
    {
      key: 'status',
      head: t('page.status'),
      cell: ({ status }) => <StatusBadge kind={ORDER_KINDS[status]}>{order(`status.${status}`)}</StatusBadge>,
    },
    { key: 'price', head: t('page.price'), isNumber: true, cell: money },
    {
      key: 'got',
      head: t('page.got'),
      isNumber: true,
      cell: ({ plan_id, plan_name, quota }) =>
        plan_id > 0 ? <Tag>{plan_name}</Tag> : <Quota quota={quota} />,
    },
    {
      key: 'time',
      head: t('page.time'),
      isNumber: true,
      cell: ({ created_at }) => <Moment timestamp={created_at} />,
    },
  ];
}
