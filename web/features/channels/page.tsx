/** The channels: their list, or the page of the one that the path names. */
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { NotAllowed } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { ChannelList } from './list-page.tsx';
import { usePageOfPath } from './use-channel-search.ts';

const ChannelOfOne = lazy(() =>
  import('./page-of-one/channel-page.tsx').then((file) => ({ default: file.ChannelOfOne })),
);

export function ChannelsPage() {
  const { t } = useTranslation('channels');
  const user = useUser();
  const one = usePageOfPath();
  if (!user || !isAdmin(user.role))
    return (
      <Page title={t('title')}>
        <NotAllowed />
      </Page>
    );
  return one === undefined ? (
    <ChannelList />
  ) : (
    <Suspense fallback={<Loading page />}>
      <ChannelOfOne key={one} id={one} />
    </Suspense>
  );
}
