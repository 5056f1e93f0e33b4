/**
 * Where toasts appear: at the top, because the foot of a page has the pager and the foot of a drawer its buttons. The number of
 * toasts is bounded by `toast.tsx`; the limit here is one more, because a toast that leaves still counts.
 */
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import { MOST_TOASTS } from './toast-room.ts';

export default function Toasts() {
  return (
    <Notifications
      position="top-center"
      containerWidth={360}
      limit={MOST_TOASTS + 1}
      pauseResetOnHover="notification"
    />
  );
}
