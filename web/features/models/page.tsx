/** The models: their list, or the page of the one that the path names. */
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { NotAllowed } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { ModelList } from './list.tsx';
import { ModelOfOne } from './model-page.tsx';

export function ModelsPage() {
  const { t } = useTranslation('models');
  const user = useUser();
  const { _splat: name = '' } = useParams({ strict: false });
  if (!user || !isAdmin(user.role))
    return (
      <Page title={t('title')}>
        <NotAllowed />
      </Page>
    );
  return name === '' ? <ModelList /> : <ModelOfOne key={name} name={name} />;
}
