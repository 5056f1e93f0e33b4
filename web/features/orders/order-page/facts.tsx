/** The facts of an order: what its price was made of, what was bought, by whom, how it was paid, what was taken back. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OrderPageView } from '#contract/admin/order-page.ts';
import { PAYMENT_PROVIDERS } from '#contract/money/orders.ts';
import { OrderMethod, OrderUser } from '#web/features/orders/cells.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { FactList, type Fact } from '#web/ui/thing/facts.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';

type Order = OrderPageView['order'];

export function OrderFacts({ data }: { data: OrderPageView }) {
  const { t } = useTranslation('orders');
  const { t: thing } = useTranslation('thing');
  const { order, subscription, can_manage } = data;
  const takenBack = useTakenBack(order);
  return (
    <ThingPanel title={thing('facts')} isFlush>
      <FactList
        facts={[
          { label: t('detail.price'), value: <Price order={order} /> },
          {
            label: t(order.plan_id > 0 ? 'detail.plan' : 'column.quota'),
            value: <Goods order={order} isLinked={can_manage} />,
            derived: subscription ? <Moment timestamp={subscription.ends_at} /> : undefined,
          },
          can_manage && { label: t('column.user'), value: <OrderUser order={order} /> },
          {
            label: t('column.method'),
            value: <OrderMethod order={order} />,
            derived: <Provider name={order.provider} />,
          },
          order.provider_reference !== '' && {
            label: t('column.reference'),
            value: <Number text={order.provider_reference} />,
          },
          order.payer !== '' && {
            label: t('detail.payer'),
            value: <span className="anywhere">{order.payer}</span>,
          },
          { label: t('column.order'), value: <Number text={order.trade_no} /> },
          { label: t('page.created'), value: <Moment timestamp={order.created_at} absolute /> },
          order.paid_at > 0 && {
            label: t('page.paidAt'),
            value: <Moment timestamp={order.paid_at} absolute />,
          },
          order.status === 'pending' && {
            label: t('page.expires'),
            value: <Moment timestamp={order.expires_at} />,
          },
          ...takenBack,
        ]}
      />
    </ThingPanel>
  );
}

function Provider({ name }: { name: string }) {
  const { t } = useTranslation('orders');
  const known = PAYMENT_PROVIDERS.find((each) => each === name);
  return <>{known ? t(`provider.${known}`) : name}</>;
}

function Number({ text }: { text: string }) {
  return (
    <span className="row4 shrink">
      <code className="code anywhere">{text}</code>
      <CopyButton text={text} />
    </span>
  );
}

function Price({ order }: { order: Order }) {
  const { t } = useTranslation('orders');
  const money = useMoneyText();
  const { terms } = order;
  if (order.plan_id > 0) return <>{money(order)}</>;
  return (
    <>
      {t('detail.equation', {
        dollars: terms.dollars,
        price: terms.price,
        ratio: terms.group_ratio,
        group: terms.group,
        discount: terms.discount,
        total: money(order),
      })}
      {terms.promotion ? ` (${terms.promotion})` : ''}
    </>
  );
}

function Goods({ order, isLinked }: { order: Order; isLinked: boolean }) {
  if (order.plan_id === 0) return <Quota quota={order.quota} />;
  if (!isLinked) return <>{order.plan_name}</>;
  return (
    <Link to="/plan/$id" params={{ id: String(order.plan_id) }}>
      {order.plan_name}
    </Link>
  );
}

/** What was paid back, disputed or lost since. */
function useTakenBack(order: Order): (Fact | false)[] {
  const { t } = useTranslation('orders');
  const money = useMoneyText();
  const display = useDisplay();
  const isPlan = order.plan_id > 0;
  return [
    order.refunded_minor > 0 && {
      label: t('detail.refunded'),
      value: money({ ...order, amount_minor: order.refunded_minor }),
      derived: isPlan ? undefined : <Quota quota={order.refunded_quota} />,
    },
    order.disputed_minor > 0 && {
      label: t('detail.disputed'),
      value: money({ ...order, amount_minor: order.disputed_minor }),
      derived: isPlan ? undefined : t('detail.frozen', { quota: renderQuota(order.frozen_quota, display) }),
      tone: 'warning',
    },
    order.lost_quota > 0 && {
      label: t('detail.lost'),
      value: <Quota quota={order.lost_quota} />,
      tone: 'danger',
    },
  ];
}
