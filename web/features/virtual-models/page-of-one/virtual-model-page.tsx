/** The page of a virtual model: who can call it, its targets with prices, calls priced as its name, a try-out, and events. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconListDetails, IconPencil, IconPower, IconTags } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { VirtualModelPage } from '#contract/relay/virtual-models.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { VirtualState } from '#web/features/virtual-models/columns.tsx';
import { bodyOf, formValues } from '#web/features/virtual-models/form/values.ts';
import { virtualModelQueries } from '#web/features/virtual-models/queries.ts';
import { NO_EDITOR, useVirtualModelSearch } from '#web/features/virtual-models/search.ts';
import { TryOut } from '#web/features/virtual-models/try-out/try-out.tsx';
import { MoreActions, useVirtualModelActions } from '#web/features/virtual-models/use-actions.tsx';
import { AuditEvents } from '#web/ui/audit/audit-events.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage, type ThingAction } from '#web/ui/thing/thing-page.tsx';
import { ThingWaiting } from '#web/ui/thing/waiting.tsx';
import { OwnCalls } from './calls.tsx';
import { withTargetWords } from './event-words.ts';
import { VirtualModelFacts } from './facts.tsx';
import { TargetTable } from './targets.tsx';

const Editor = lazy(() =>
  import('#web/features/virtual-models/form/editor.tsx').then((file) => ({
    default: file.VirtualModelEditor,
  })),
);

export function VirtualModelOfOne({ name }: { name: string }) {
  const { t } = useTranslation('virtual-models');
  const { data, error, refetch } = useQuery(virtualModelQueries.page(name));
  if (data?.model.name === name) return <Shown page={data} />;
  return (
    <ThingWaiting
      title={name}
      back={<Link to="/virtual-model">{t('title')}</Link>}
      error={error ? errorMessage(error) : undefined}
      isMissing={error instanceof ApiError && error.status === 404}
      onRetry={() => void refetch()}
    />
  );
}

function Shown({ page }: { page: VirtualModelPage }) {
  const { t } = useTranslation('virtual-models');
  const { t: thing } = useTranslation('thing');
  const user = useUser();
  const [search, change] = useVirtualModelSearch();
  const actions = useVirtualModelActions();
  const { model } = page;
  const isOwn = model.price === 'own';
  const isSuper = user !== undefined && isRoot(user.role);
  const hasNoPrice = isOwn && page.own_prices.every(({ price }) => price === null);
  const edit = () => change({ ...NO_EDITOR, edit: 1 });
  const buttons: ThingAction[] = [
    ...(isOwn
      ? [
          {
            label: t('action.logs'),
            icon: IconListDetails,
            renderRoot: (props: object) => <Link {...props} to="/log" search={{ model: model.name }} />,
          },
        ]
      : []),
    ...(isOwn && isSuper
      ? [
          {
            label: t('action.setPrice'),
            icon: IconTags,
            renderRoot: (props: object) => <Link {...props} to="/prices" search={{ model: model.name }} />,
            isCure: model.enabled && hasNoPrice,
          },
        ]
      : []),
    {
      label: t(model.enabled ? 'action.turnOff' : 'action.turnOn'),
      icon: IconPower,
      onClick: () => actions.toggle(model),
    },
    { label: t('action.edit'), icon: IconPencil, onClick: edit },
  ];
  return (
    <ThingPage
      back={<Link to="/virtual-model">{t('title')}</Link>}
      name={model.name}
      state={<VirtualState model={model} />}
      actions={buttons}
      menu={<MoreActions model={model} />}
      alert={<Alert page={page} hasNoPrice={hasNoPrice} />}
      drawer={
        search.edit ? (
          <Suspense>
            <Editor key={model.id} model={model} onClose={() => change(NO_EDITOR)} />
          </Suspense>
        ) : undefined
      }
    >
      <ThingColumns kind="facts">
        <ThingPanel title={thing('facts')} isFlush>
          <VirtualModelFacts page={page} />
        </ThingPanel>
        <ThingPanel title={t('targets.title')} hint={t('targets.hint')} isFlush>
          <TargetTable page={page} />
        </ThingPanel>
      </ThingColumns>
      {isOwn ? <OwnCalls name={model.name} /> : null}
      <ThingColumns kind="events">
        <ThingPanel title={t('tryOut.title')} hint={t('tryOut.hint')}>
          <TryOut fields={() => bodyOf(formValues(model))} />
        </ThingPanel>
        <AuditEvents
          events={withTargetWords(page.events, t('rulesChanged'))}
          trail={isSuper ? `virtual_model:${model.id}` : undefined}
        />
      </ThingColumns>
    </ThingPage>
  );
}

function Alert({ page: { model }, hasNoPrice }: { page: VirtualModelPage; hasNoPrice: boolean }) {
  const { t } = useTranslation('virtual-models');
  if (!model.enabled || model.groups.length > 0) return null;
  return (
    <ThingAlert>
      <b>{t(hasNoPrice ? 'alert.ownPrice' : 'alert.unreachable')}</b>
    </ThingAlert>
  );
}
