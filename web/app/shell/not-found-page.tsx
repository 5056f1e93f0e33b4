/** Loads the page of an unknown URL only when it is needed. */
import { lazy, Suspense } from 'react';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Page = lazy(() =>
  loadPart(() => import('./not-found.tsx')).then((file) => ({ default: file.NotFound })),
);

export function NotFound() {
  return (
    <Suspense>
      <Page />
    </Suspense>
  );
}
