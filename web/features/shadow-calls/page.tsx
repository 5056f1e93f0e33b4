/** Comparisons of shadow calls: their list, or the page of the one that the path names. */
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { NotAllowed } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { ShadowList } from './list.tsx';
import { ShadowOfOne } from './shadow-page.tsx';

export function ShadowCallsPage() {
  const { t } = useTranslation('shadow-calls');
  const user = useUser();
  const { _splat: id = '' } = useParams({ strict: false });
  if (!user || !isAdmin(user.role))
    return (
      <Page title={t('title')}>
        <NotAllowed />
      </Page>
    );
  return id === '' ? <ShadowList /> : <ShadowOfOne key={id} id={Number(id)} />;
}
