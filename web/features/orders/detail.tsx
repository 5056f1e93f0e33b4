/** An order in full: what its price was made of, how it went, and what can be done. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '#contract/endpoint.ts';
import type { AdminOrderView, orders } from '#contract/money/orders.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { useMoneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import layout from '#web/ui/input/form.module.css';
import { OrderGoods, OrderMethod, OrderPrice, OrderState, OrderUser } from './cells.tsx';
import { CompleteDialog } from './complete-dialog.tsx';
import { orderQueries } from './queries.ts';
import { Refunds } from './refunds.tsx';
import { RefundDialog } from './refund-dialog.tsx';
import classes from './orders.module.css';

export function OrderDetail({ order }: { order: AdminOrderView }) {
  const { t } = useTranslation('orders');
  const { data, error } = useQuery(orderQueries.one(order.id));
  const [dialog, setDialog] = useState<'complete' | 'refund'>();
  const close = () => setDialog(undefined);
  const isOpen = order.status === 'pending' || order.status === 'expired';
  return (
    <div className={`stack12 ${classes.detail}`}>
      <Facts order={order} />
      {error ? (
        <p role="alert" className="paragraph">
          {errorMessage(error)}
        </p>
      ) : null}
      {!data && !error ? <Loading /> : null}
      <Events events={data?.events ?? []} />
      <Refunds order={order} refunds={data?.refunds ?? []} />
      <div className="wrap8">
        {isOpen ? (
          <Button variant="default" size="compact-sm" onClick={() => setDialog('complete')}>
            {t('action.complete')}
          </Button>
        ) : null}
        {order.status === 'paid' ? (
          <Button variant="default" size="compact-sm" disabled={!data} onClick={() => setDialog('refund')}>
            {t('action.refund')}
          </Button>
        ) : null}
        {order.paid_at > 0 ? (
          <Link to="/receipt" search={{ id: order.id }} className={layout.link}>
            {t('action.receipt')}
          </Link>
        ) : null}
      </div>
      {dialog === 'complete' ? <CompleteDialog order={order} onClose={close} /> : null}
      {dialog === 'refund' && data ? <RefundDialog order={data} onClose={close} /> : null}
    </div>
  );
}

function Facts({ order }: { order: AdminOrderView }) {
  const { t } = useTranslation('orders');
  const money = useMoneyText();
  const { terms } = order;
  return (
    <dl className={`stack4 small ${classes.facts}`}>
      <Fact name={t('detail.price')}>
        {order.plan_id > 0 ? money(order) : null}
        {order.plan_id > 0
          ? null
          : t('detail.equation', {
              dollars: terms.dollars,
              price: terms.price,
              ratio: terms.group_ratio,
              group: terms.group,
              discount: terms.discount,
              total: money(order),
            })}
        {terms.promotion ? ` (${terms.promotion})` : ''}
      </Fact>
      <Fact name={t(order.plan_id > 0 ? 'detail.plan' : 'column.quota')}>
        <OrderGoods order={order} />
      </Fact>
      <TakenBack order={order} />
    </dl>
  );
}

/** Who paid, and what was paid back, disputed or lost since. */
function TakenBack({ order }: { order: AdminOrderView }) {
  const { t } = useTranslation('orders');
  const money = useMoneyText();
  const display = useDisplay();
  return (
    <>
      {order.payer ? <Fact name={t('detail.payer')}>{order.payer}</Fact> : null}
      {order.refunded_minor > 0 ? (
        <Fact name={t('detail.refunded')}>
          {money({ ...order, amount_minor: order.refunded_minor })}
          {order.plan_id > 0 ? null : (
            <>
              {' '}
              · <Quota quota={order.refunded_quota} />
            </>
          )}
        </Fact>
      ) : null}
      {order.disputed_minor > 0 ? (
        <Fact name={t('detail.disputed')}>
          {money({ ...order, amount_minor: order.disputed_minor })}
          {order.plan_id > 0 ? null : (
            <> · {t('detail.frozen', { quota: renderQuota(order.frozen_quota, display) })}</>
          )}
        </Fact>
      ) : null}
      {order.lost_quota > 0 ? (
        <Fact name={t('detail.lost')}>
          <Quota quota={order.lost_quota} />
        </Fact>
      ) : null}
    </>
  );
}

function Events({ events }: { events: Output<typeof orders.read>['events'] }) {
  const { t } = useTranslation('orders');
  return (
    <ol className={`size12 stack2 ${classes.events}`}>
      {events.map((event, index) => (
        <li key={`${event.created_at}:${index}`}>
          <Moment timestamp={event.created_at} absolute />
          <b>{t(`event.${event.kind}`)}</b>
          {event.detail ? (
            <span>{event.kind === 'credited' ? <Quota quota={Number(event.detail)} /> : event.detail}</span>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** An order on the phone. */
export function OrderCard({ order, children }: { order: AdminOrderView; children: ReactNode }) {
  return (
    <>
      <CardHead name={<OrderUser order={order} />}>
        <OrderState order={order} />
      </CardHead>
      <CardLine>
        <span>
          <OrderPrice order={order} /> · <OrderMethod order={order} />
        </span>
        <b>
          <OrderGoods order={order} />
        </b>
      </CardLine>
      <CardLine>
        <code className="muted">{order.trade_no}</code>
        <Moment timestamp={order.created_at} />
      </CardLine>
      {children}
    </>
  );
}
