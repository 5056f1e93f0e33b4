/** Parts of an order, shared by rows, cards and the detail. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PAYMENT_METHODS, type AdminOrderView, type OrderStatus } from '#contract/money/orders.ts';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';

const KINDS: Record<OrderStatus, StatusKind> = {
  pending: 'queued',
  paid: 'enabled',
  expired: 'expired',
  refunded: 'disabled',
};

export function OrderState({ order }: { order: AdminOrderView }) {
  const { t } = useTranslation('orders');
  if (order.dispute_status === 'open')
    return <StatusBadge kind="restricted">{t('status.disputed')}</StatusBadge>;
  const isPart = order.status === 'paid' && order.refunded_minor > 0;
  const isChargedBack = order.status === 'refunded' && order.dispute_status === 'lost';
  return (
    <StatusBadge kind={KINDS[order.status]}>
      {t(isChargedBack ? 'status.chargedBack' : isPart ? 'status.partlyRefunded' : `status.${order.status}`)}
    </StatusBadge>
  );
}

export function OrderPrice({ order }: { order: AdminOrderView }) {
  return <span className="tabular">{useMoneyText()(order)}</span>;
}

/** The plan that is bought, or the quota. */
export function OrderGoods({ order }: { order: AdminOrderView }) {
  return order.plan_id > 0 ? <Tag>{order.plan_name}</Tag> : <Quota quota={order.quota} />;
}

export function OrderMethod({ order }: { order: AdminOrderView }) {
  const { t } = useTranslation('orders');
  const known = PAYMENT_METHODS.find((name) => name === order.payment_method);
  return <>{known ? t(`method.${known}`) : order.payment_method}</>;
}

export function OrderUser({ order }: { order: AdminOrderView }) {
  return (
    <Link
      to="/user/$id"
      params={{ id: String(order.user_id) }}
      className="quiet-link"
      onClick={(event) => event.stopPropagation()}
    >
      {order.username || `#${order.user_id}`}
    </Link>
  );
}
