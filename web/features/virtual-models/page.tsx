/** Virtual models: their list, or the page of the one that the path names. */
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { NotAllowed } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { VirtualModelList } from './list.tsx';
import { VirtualModelOfOne } from './page-of-one/virtual-model-page.tsx';

export function VirtualModelsPage() {
  const { t } = useTranslation('virtual-models');
  const user = useUser();
  const { _splat: name = '' } = useParams({ strict: false });
  if (!user || !isAdmin(user.role))
    return (
      <Page title={t('title')}>
        <NotAllowed />
      </Page>
    );
  return name === '' ? <VirtualModelList /> : <VirtualModelOfOne key={name} name={name} />;
}
