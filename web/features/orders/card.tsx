/** An order on the phone. */
import type { AdminOrderView } from '#contract/money/orders.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { OrderGoods, OrderMethod, OrderPrice, OrderState, OrderUser } from './cells.tsx';

export function OrderCard({ order }: { order: AdminOrderView }) {
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
    </>
  );
}
