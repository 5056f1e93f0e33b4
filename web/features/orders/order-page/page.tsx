/** The page of one order: what was bought and paid, how it went, what was paid back, and what an administrator can do. */
import { useQuery } from '@tanstack/react-query';
import { IconCheck, IconReceipt, IconReceiptRefund } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OrderPageView } from '#contract/admin/order-page.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { OrderState } from '#web/features/orders/cells.tsx';
import { CompleteDialog } from '#web/features/orders/complete-dialog.tsx';
import { orderQueries } from '#web/features/orders/queries.ts';
import { Refunds } from '#web/features/orders/refunds.tsx';
import { RefundDialog } from '#web/features/orders/refund-dialog.tsx';
import { useOrderSearch, type OrderSearch } from '#web/features/orders/search.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { Events } from '#web/ui/thing/events.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage, type ThingAction } from '#web/ui/thing/thing-page.tsx';
import { ThingWaiting } from '#web/ui/thing/waiting.tsx';
import { OrderFacts } from './facts.tsx';
import { EventWords, isBad } from './trail.tsx';

export function OrderPage({ id }: { id: number }) {
  const { t } = useTranslation('orders');
  const [search, change] = useOrderSearch();
  const page = useQuery(orderQueries.page(id));
  const { data, error } = page;
  const back =
    data?.can_manage === false ? (
      <Link to="/topup">{t('page.wallet')}</Link>
    ) : (
      <Link to="/order">{t('title')}</Link>
    );
  const isMissing = error instanceof ApiError && error.status === 404;
  if (!data || isMissing)
    return (
      <ThingWaiting
        title={t('page.title')}
        back={back}
        error={error ? errorMessage(error) : undefined}
        isMissing={isMissing}
        onRetry={() => void page.refetch()}
      />
    );
  const { order, refunds } = data;
  const open = (action: OrderSearch['do']) => change({ do: action }, { replace: true });
  const close = () => open(undefined);
  return (
    <ThingPage
      back={back}
      name={order.trade_no}
      tag={`#${order.id}`}
      state={<OrderState order={order} />}
      since={order.paid_at || order.created_at}
      actions={actionsOf(data, t, open)}
      alert={<Alert data={data} />}
    >
      <ThingColumns kind="facts">
        <OrderFacts data={data} />
        <Trail data={data} />
      </ThingColumns>
      {refunds.length === 0 ? null : (
        <ThingPanel title={t('refunds')}>
          <Refunds order={order} refunds={refunds} />
        </ThingPanel>
      )}
      {search.do === 'complete' && isOpen(data) ? <CompleteDialog order={order} onClose={close} /> : null}
      {search.do === 'refund' && isRefundable(data) ? (
        <RefundDialog order={{ ...order, refundable_quota: data.refundable_quota }} onClose={close} />
      ) : null}
    </ThingPage>
  );
}

const isOpen = ({ can_manage, order: { status } }: OrderPageView) =>
  can_manage && (status === 'pending' || status === 'expired');

const isRefundable = ({ can_manage, order: { status } }: OrderPageView) => can_manage && status === 'paid';

function actionsOf(
  data: OrderPageView,
  t: ReturnType<typeof useTranslation<'orders'>>['t'],
  open: (action: OrderSearch['do']) => void,
): ThingAction[] {
  const { order, can_manage } = data;
  const actions: ThingAction[] = [];
  if (order.paid_at > 0)
    actions.push({
      label: t('action.receipt'),
      icon: IconReceipt,
      renderRoot: (props) => (
        <Link {...props} to="/receipt" search={can_manage ? { id: order.id } : { order: order.trade_no }} />
      ),
    });
  if (isRefundable(data))
    actions.push({ label: t('action.refund'), icon: IconReceiptRefund, onClick: () => open('refund') });
  if (isOpen(data))
    actions.push({ label: t('action.complete'), icon: IconCheck, onClick: () => open('complete') });
  return actions;
}

/** Only when a person has to act. */
function Alert({ data: { order, refunds, can_manage } }: { data: OrderPageView }) {
  const { t } = useTranslation('orders');
  const money = useMoneyText();
  if (!can_manage) return null;
  if (order.dispute_status === 'open')
    return (
      <ThingAlert>
        {t('page.disputed', { amount: money({ ...order, amount_minor: order.disputed_minor }) })}
      </ThingAlert>
    );
  const unknown = refunds.filter(({ can_end }) => can_end);
  if (unknown.length === 0) return null;
  return <ThingAlert tone="warning">{t('page.unknownRefund', { count: unknown.length })}</ThingAlert>;
}

function Trail({ data: { order, events } }: { data: OrderPageView }) {
  const { t } = useTranslation('orders');
  const money = useMoneyText();
  const shown = (amount_minor: number) => <b>{money({ ...order, amount_minor })}</b>;
  return (
    <ThingPanel
      title={t('page.trail')}
      isFlush
      hint={t('page.trailHint')}
      more={
        order.paid_at === 0 ? null : (
          <span className="small soft tabular">
            {t('page.paid')} {shown(order.amount_minor)} − {t('page.refunded')} {shown(order.refunded_minor)}{' '}
            = {t('page.kept')} {shown(order.amount_minor - order.refunded_minor)}
          </span>
        )
      }
    >
      <Events
        isExact
        events={events
          .map((event, index) => ({
            key: String(index),
            at: event.created_at,
            text: <EventWords event={event} />,
            tone: isBad(event.kind) ? ('danger' as const) : undefined,
          }))
          .toReversed()}
      />
    </ThingPanel>
  );
}
