/** /setting joins two features that know nothing of each other: the settings and, as their first tab, one's own account. */
import { lazy, Suspense } from 'react';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const SettingsPage = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/settings/page.tsx')).SettingsPage })),
);

export function SettingPage() {
  return (
    <Suspense>
      <SettingsPage personal={null} />
    </Suspense>
  );
}
