/** Plans: cards for buyers; for administrators also the table of plans and the list of subscriptions. */
import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { Offers } from './offers.tsx';
import { Own } from './own.tsx';
import { PLAN_VIEWS, usePlanSearch } from './search.ts';
import classes from './plans.module.css';

const ManagePage = lazy(() => loadPart(async () => ({ default: (await import('./manage.tsx')).ManagePage })));
const SubscriptionsPage = lazy(() =>
  loadPart(async () => ({ default: (await import('./subscriptions.tsx')).SubscriptionsPage })),
);

export function PlansPage() {
  const { t } = useTranslation('plans');
  const [search, change] = usePlanSearch();
  const user = useUser();
  const view = search.view ?? 'offers';
  const tabs =
    user !== undefined && isAdmin(user.role) ? (
      <SegmentedControl
        size="xs"
        className={classes.views}
        aria-label={t('view.label')}
        value={view}
        data={PLAN_VIEWS.map((value) => ({ value, label: t(`view.${value}`) }))}
        onChange={(value) =>
          change({ view: value, page: undefined, q: undefined, state: undefined, plan: undefined })
        }
      />
    ) : undefined;
  if (tabs && view === 'manage')
    return (
      <Suspense fallback={<Loading page />}>
        <ManagePage tabs={tabs} />
      </Suspense>
    );
  if (tabs && view === 'subscriptions')
    return (
      <Suspense fallback={<Loading page />}>
        <SubscriptionsPage tabs={tabs} />
      </Suspense>
    );
  return (
    <Page title={t('title')} tabs={tabs}>
      <div className={`scroll ${classes.page}`}>
        <Own />
        <Offers />
      </div>
    </Page>
  );
}
