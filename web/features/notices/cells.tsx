/** Parts of a notice, shared by rows, cards and the detail. */
import { useTranslation } from 'react-i18next';
import type { NoticeDeliveryView, NoticeState, NoticeView } from '#contract/admin/notices.ts';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import classes from './notices.module.css';

const KINDS: Record<NoticeState, StatusKind> = {
  pending: 'queued',
  sending: 'running',
  sent: 'enabled',
  dead: 'failed',
  expired: 'expired',
};

export function DeliveryState({ delivery }: { delivery: NoticeDeliveryView }) {
  const { t } = useTranslation('notices');
  const isRepeated = delivery.status === 'pending' && delivery.tries > 0;
  return (
    <StatusBadge kind={KINDS[delivery.status]}>
      {t(isRepeated ? 'state.again' : `state.${delivery.status}`)}
    </StatusBadge>
  );
}

export function useWayName(): (delivery: NoticeDeliveryView) => string {
  const { t } = useTranslation('notices');
  return ({ kind, way_name }) => way_name || t(`kind.${kind}`);
}

export function DeliveryStates({ notice }: { notice: NoticeView }) {
  const { t } = useTranslation('notices');
  const wayName = useWayName();
  if (!notice.is_dispatched) return <StatusBadge kind="queued">{t('state.pending')}</StatusBadge>;
  if (notice.deliveries.length === 0) return <span className={classes.dim}>{t('state.none')}</span>;
  const [first, ...others] = notice.deliveries;
  // The worst state decides what a row shows.
  const shown = notice.deliveries.find(({ status }) => status === 'dead') ?? first;
  if (shown === undefined) return null;
  return (
    <span className={`row8 shrink ${classes.states}`}>
      <DeliveryState delivery={shown} />
      <span className={classes.dim}>
        {wayName(shown)}
        {others.length > 0 ? ` +${others.length}` : ''}
      </span>
    </span>
  );
}

export function NoticeReceiver({ notice }: { notice: NoticeView }) {
  const { t } = useTranslation('notices');
  if (notice.user_id === 0) return <>{t('scope.operators')}</>;
  return <>{notice.username || `#${notice.user_id}`}</>;
}
