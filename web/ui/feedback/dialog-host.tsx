/** Loads the dialogs when the first one is opened. */
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { openDialog, subscribeDialog } from './dialog-store.ts';
import { loadPart } from './load-part.ts';

const Dialogs = lazy(() => loadPart(() => import('./dialogs.tsx')));

export function DialogHost() {
  const dialog = useSyncExternalStore(subscribeDialog, openDialog);
  if (!dialog) return null;
  return (
    <Suspense>
      <Dialogs dialog={dialog} />
    </Suspense>
  );
}
