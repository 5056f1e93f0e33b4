/** One event of an order in words. */
import { useTranslation } from 'react-i18next';
import type { OrderPageView } from '#contract/admin/order-page.ts';
import type { OrderEventKind } from '#contract/money/orders.ts';
import { Quota } from '#web/ui/format/amount.tsx';

const BAD: readonly OrderEventKind[] = ['refused', 'refund_failed', 'dispute_opened', 'dispute_lost'];

export const isBad = (kind: OrderEventKind): boolean => BAD.includes(kind);

/** Amounts of quota are kept as numbers; everything else is said as stored. */
export function EventWords({ event }: { event: OrderPageView['events'][number] }) {
  const { t } = useTranslation('orders');
  return (
    <>
      <b>{t(`event.${event.kind}`)}</b>
      {event.detail === '' ? null : (
        <> · {event.kind === 'credited' ? <Quota quota={Number(event.detail)} /> : event.detail}</>
      )}
    </>
  );
}
