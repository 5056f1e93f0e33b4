/** The tour of the demo; nothing of it loads anywhere else. */
import { lazy, Suspense } from 'react';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Tour = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([import('#web/features/tour/tour.tsx'), loadMessages('tour')]);
    return { default: part.Tour };
  }),
);

export function DemoTour() {
  const user = useUser();
  const status = useStatus();
  if (!user || !status?.demo_accounts) return null;
  return (
    <Suspense>
      <Tour role={user.role} />
    </Suspense>
  );
}
