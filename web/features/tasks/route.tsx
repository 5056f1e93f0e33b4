/** What an address below `/task` shows: the list, or the page of one task. */
import { lazy, Suspense } from 'react';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { useThingId } from '#web/ui/thing/use-thing-id.ts';
import { TaskPage } from './page.tsx';

const OneTaskPage = lazy(() =>
  import('./task-page/page.tsx').then((file) => ({ default: file.OneTaskPage })),
);

export function TasksRoute() {
  const id = useThingId('/task');
  if (id === undefined) return <TaskPage />;
  return (
    <Suspense fallback={<Loading page />}>
      <OneTaskPage key={id} id={id} />
    </Suspense>
  );
}
