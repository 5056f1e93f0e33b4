/** What an address below `/plan` shows: the offers and lists, or the page of one plan. */
import { lazy, Suspense } from 'react';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { useThingId } from '#web/ui/thing/use-thing-id.ts';
import { PlansPage } from './page.tsx';

const PlanPage = lazy(() => import('./plan-page/page.tsx').then((file) => ({ default: file.PlanPage })));

export function PlansRoute() {
  const id = useThingId('/plan');
  if (id === undefined) return <PlansPage />;
  return (
    <Suspense fallback={<Loading page />}>
      <PlanPage key={id} id={id} />
    </Suspense>
  );
}
