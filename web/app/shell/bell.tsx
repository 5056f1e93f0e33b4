/** The bell of the announcements, loaded after the page. */
import { lazy, Suspense } from 'react';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Announcements = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/announcements/bell.tsx'),
      loadMessages('announcements'),
    ]);
    return { default: part.Bell };
  }),
);

export function Bell() {
  return (
    <Suspense>
      <Announcements />
    </Suspense>
  );
}
