/** A notice in full: its text, and how each delivery went. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { NoticeView } from '#contract/admin/notices.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DeliveryState, DeliveryStates, useWayName } from './cells.tsx';
import { useEventName } from './events.ts';
import classes from './notices.module.css';

export function NoticeDetail({ notice }: { notice: NoticeView }) {
  const { t } = useTranslation('notices');
  const wayName = useWayName();
  return (
    <div className={`stack10 ${classes.detail}`}>
      <p className={classes.text}>{notice.text}</p>
      {notice.is_dispatched && notice.deliveries.length === 0 ? (
        <p className={classes.dim}>{t('detail.none')}</p>
      ) : null}
      <ul className={`stack4 size12 ${classes.deliveries}`}>
        {notice.deliveries.map((delivery) => (
          <li key={delivery.id}>
            <b>{wayName(delivery)}</b>
            <DeliveryState delivery={delivery} />
            <span>
              {t('detail.tries', { count: delivery.tries })}
              {delivery.sent_at > 0 ? (
                <>
                  {' · '}
                  <Moment timestamp={delivery.sent_at} absolute />
                </>
              ) : null}
              {delivery.status === 'pending' && delivery.tries > 0 ? (
                <>
                  {' · '}
                  {t('detail.next')} <Moment timestamp={delivery.next_try_at} />
                </>
              ) : null}
              {delivery.error ? ` · ${delivery.error}` : ''}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A notice on the phone. */
export function NoticeCard({ notice, children }: { notice: NoticeView; children: ReactNode }) {
  const eventName = useEventName();
  return (
    <>
      <CardHead name={notice.title}>
        <DeliveryStates notice={notice} />
      </CardHead>
      <CardLine>
        <span className={classes.dim}>{eventName(notice.event)}</span>
        <Moment timestamp={notice.created_at} />
      </CardLine>
      {children}
    </>
  );
}
