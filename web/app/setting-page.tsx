/** /setting joins two features that do not import each other: the settings and, as their first tab, the user's account. */
import { lazy, Suspense } from 'react';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const SettingsPage = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/settings/page.tsx')).SettingsPage })),
);

const Personal = lazy(() =>
  loadPart(async () => {
    const [{ PersonalTab }, { HumanCheck }] = await Promise.all([
      import('#web/features/personal/personal-tab.tsx'),
      import('#web/features/account/human-check.tsx'),
      loadMessages('personal', 'account'),
    ]);
    return { default: () => <PersonalTab HumanCheck={HumanCheck} /> };
  }),
);

export function SettingPage() {
  return (
    <Suspense>
      <SettingsPage
        personal={
          <Suspense>
            <Personal />
          </Suspense>
        }
      />
    </Suspense>
  );
}
