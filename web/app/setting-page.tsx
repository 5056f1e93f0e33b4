/**
 * /setting joins features that do not import each other: the settings, as their first tab the user's account, the ways of
 * notices, and the announcements.
 */
import { lazy, Suspense } from 'react';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';

const SettingsPage = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/settings/page.tsx')).SettingsPage })),
);

const NoticeWays = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([import('#web/features/notices/ways.tsx'), loadMessages('notices')]);
    return { default: part.NoticeWays };
  }),
);

const Personal = lazy(() =>
  loadPart(async () => {
    const [{ PersonalTab }, { HumanCheck }] = await Promise.all([
      import('#web/features/personal/personal-tab.tsx'),
      import('#web/features/account/human-check.tsx'),
      loadMessages('personal', 'account'),
    ]);
    return {
      default: () => (
        <PersonalTab
          HumanCheck={HumanCheck}
          notices={
            <Suspense>
              <NoticeWays receiver="own" />
            </Suspense>
          }
        />
      ),
    };
  }),
);

const AnnouncementEditor = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/announcements/announcement-editor.tsx'),
      loadMessages('announcements'),
    ]);
    return { default: part.AnnouncementEditor };
  }),
);

const FaqEditor = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/announcements/faq-editor.tsx'),
      loadMessages('announcements'),
    ]);
    return { default: part.FaqEditor };
  }),
);

export function SettingPage() {
  return (
    <Suspense fallback={<Loading shape="form" />}>
      <SettingsPage
        personal={
          <Suspense fallback={<Loading shape="form" />}>
            <Personal />
          </Suspense>
        }
        parts={{
          notices: (
            <Suspense>
              <NoticeWays receiver="operators" />
            </Suspense>
          ),
          announcements: (
            <Suspense>
              <AnnouncementEditor />
            </Suspense>
          ),
          faq: (
            <Suspense>
              <FaqEditor />
            </Suspense>
          ),
        }}
      />
    </Suspense>
  );
}
