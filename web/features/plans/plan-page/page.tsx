/** The page of one plan: what it is worth, what it sold and brought, what was used of it, who has it. */
import { useQuery } from '@tanstack/react-query';
import { IconGift, IconListDetails, IconPencil } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { GrantDialog } from '#web/features/plans/grant-dialog.tsx';
import { planQueries } from '#web/features/plans/queries.ts';
import { NO_DRAWER, usePlanSearch } from '#web/features/plans/search.ts';
import { AuditEvents } from '#web/ui/audit/audit-events.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { ThingColumns } from '#web/ui/thing/panel.tsx';
import { ThingPage, type ThingAction } from '#web/ui/thing/thing-page.tsx';
import { ThingWaiting } from '#web/ui/thing/waiting.tsx';
import { nameOf } from '#web/features/plans/plan-text.ts';
import { PlanFacts } from './facts.tsx';
import { Sold, Subscribers, Used } from './figures.tsx';

const PlanForm = lazy(() =>
  import('#web/features/plans/plan-form.tsx').then((file) => ({ default: file.PlanForm })),
);

export function PlanPage({ id }: { id: number }) {
  const { t } = useTranslation('plans');
  const [search, change] = usePlanSearch();
  const page = useQuery(planQueries.page(id));
  const list = useQuery(planQueries.manage());
  const user = useUser();
  const [isGranting, setGranting] = useState(false);
  const { data, error } = page;
  const back = (
    <Link to="/plan" search={{ view: 'manage' }}>
      {t('title')}
    </Link>
  );
  const isMissing = error instanceof ApiError && error.status === 404;
  if (!data || isMissing)
    return (
      <ThingWaiting
        title={t('title')}
        back={back}
        error={error ? errorMessage(error) : undefined}
        isMissing={isMissing}
        onRetry={() => void page.refetch()}
      />
    );
  const { plan } = data;
  // A removed plan is in no list: it can neither be changed nor granted.
  const listed = list.data?.plans.find((each) => each.id === id);
  const edit = () => change({ ...NO_DRAWER, edit: id });
  const actions: ThingAction[] = [
    {
      label: t('manage.action.subscriptions'),
      icon: IconListDetails,
      renderRoot: (props) => <Link {...props} to="/plan" search={{ view: 'subscriptions', plan: id }} />,
    },
  ];
  if (listed)
    actions.push(
      { label: t('manage.action.grant'), icon: IconGift, onClick: () => setGranting(true) },
      { label: t('manage.action.edit'), icon: IconPencil, onClick: edit },
    );
  const state = plan.deleted_at === null ? (plan.on_sale ? 'enabled' : 'disabled') : 'failed';
  return (
    <ThingPage
      back={back}
      name={nameOf(plan)}
      tag={`#${id}`}
      state={<StatusBadge kind={state}>{t(`page.state.${state}`)}</StatusBadge>}
      actions={actions}
      drawer={
        listed && list.data && search.edit === id ? (
          <Suspense>
            <PlanForm key={id} plan={listed} list={list.data} onClose={() => change(NO_DRAWER)} />
          </Suspense>
        ) : undefined
      }
    >
      <ThingColumns kind="facts">
        <PlanFacts data={data} onEdit={listed ? edit : undefined} />
        <Sold data={data} />
      </ThingColumns>
      <Used use={data.use} />
      <ThingColumns kind="events">
        <Subscribers data={data} />
        <AuditEvents
          events={data.events}
          trail={user !== undefined && isRoot(user.role) ? `plan:${id}` : undefined}
        />
      </ThingColumns>
      {isGranting && listed ? <GrantDialog plan={listed} onClose={() => setGranting(false)} /> : null}
    </ThingPage>
  );
}
