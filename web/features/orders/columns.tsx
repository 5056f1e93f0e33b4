/** The columns of the list. On narrow screens the provider's number is hidden first, then the method. */
import { Link } from '@tanstack/react-router';
import type { useTranslation } from 'react-i18next';
import type { AdminOrderView } from '#contract/money/orders.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { csvTime } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { OrderGoods, OrderMethod, OrderPrice, OrderState, OrderUser } from './cells.tsx';
import classes from './orders.module.css';

export function orderColumns(
  t: ReturnType<typeof useTranslation<'orders'>>['t'],
): GridColumn<AdminOrderView>[] {
  return [
    {
      id: 'time',
      header: t('column.time'),
      width: 160,
      cell: (order) => <Moment timestamp={order.created_at} absolute />,
      csv: (order) => csvTime(order.created_at),
      skeleton: 'text',
    },
    {
      id: 'order',
      header: t('column.order'),
      minWidth: 170,
      fixed: true,
      cell: (order) => (
        <span className={`row4 shrink ${classes.id}`}>
          <Link
            to="/order/$id"
            params={{ id: String(order.id) }}
            className="quiet-link ellipsis"
            onClick={(event) => event.stopPropagation()}
          >
            <code title={order.trade_no}>{order.trade_no}</code>
          </Link>
          <CopyButton text={order.trade_no} />
        </span>
      ),
      csv: (order) => order.trade_no,
      skeleton: 'text',
    },
    {
      id: 'user',
      header: t('column.user'),
      width: 120,
      cell: (order) => <OrderUser order={order} />,
      csv: (order) => order.username,
      skeleton: 'text',
    },
    {
      id: 'method',
      header: t('column.method'),
      width: 116,
      leaves: 2,
      cell: (order) => <OrderMethod order={order} />,
      csv: (order) => order.payment_method,
      skeleton: 'text',
    },
    {
      id: 'price',
      header: t('column.price'),
      width: 104,
      align: 'right',
      cell: (order) => <OrderPrice order={order} />,
      csv: (order) => `${order.currency} ${order.amount_minor / 10 ** order.currency_digits}`,
      skeleton: 'number',
    },
    {
      id: 'quota',
      header: t('column.quota'),
      width: 104,
      leaves: 3,
      align: 'right',
      cell: (order) => <OrderGoods order={order} />,
      csv: (order) => order.plan_name || order.quota,
      skeleton: 'number',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 140,
      cell: (order) => <OrderState order={order} />,
      csv: (order) => t(`status.${order.status}`),
      skeleton: 'status',
    },
    {
      id: 'reference',
      header: t('column.reference'),
      width: 180,
      leaves: 1,
      cell: (order) =>
        order.provider_reference ? (
          <span className={`row4 shrink ${classes.id}`}>
            <code title={order.provider_reference}>{order.provider_reference}</code>
            <CopyButton text={order.provider_reference} />
          </span>
        ) : (
          <Empty />
        ),
      csv: (order) => order.provider_reference,
      skeleton: 'text',
    },
  ];
}
