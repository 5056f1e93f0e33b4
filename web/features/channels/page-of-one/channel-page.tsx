/** The page of one channel: its state and what cures it, facts, hours, money, errors and events. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { IconCircleCheck, IconKey, IconPencil, IconPlayerPlay, IconRoute } from '@tabler/icons-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelPage } from '#contract/admin/channel-page.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { CallsPanel } from '#web/ui/thing/calls-panel.tsx';
import { EventList } from '#web/ui/thing/event-list.tsx';
import { FailuresPanel } from '#web/ui/thing/failures-panel.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingPage, type ThingAction } from '#web/ui/thing/thing-page.tsx';
import type { OpenDialog } from '#web/features/channels/dialogs/dialogs-host.tsx';
import { ProviderMark } from '#web/features/channels/list/provider-mark.tsx';
import { statusKind } from '#web/features/channels/list/health-cells.tsx';
import { splitList } from '#web/features/channels/list/rows.ts';
import { loadDrawer } from '#web/features/channels/page-drawer.tsx';
import { channelQueries, typeLookup } from '#web/features/channels/queries.ts';
import { useChannelActions } from '#web/features/channels/use-channel-actions.tsx';
import { useChannelAddress } from '#web/features/channels/use-channel-search.ts';
import { ChannelAlert } from './alert.tsx';
import { ChannelFacts } from './facts.tsx';
import { ThingMenu } from './menu.tsx';
import { ChannelLimitsPanel } from './limits.tsx';
import { ChannelMoney } from './money.tsx';

const ChannelDrawer = lazy(() => loadDrawer().then((file) => ({ default: file.ChannelDrawer })));
const RouteDrawer = lazy(() =>
  import('#web/features/channels/route-drawer.tsx').then((file) => ({ default: file.RouteDrawer })),
);
const ChannelDialogs = lazy(() =>
  import('#web/features/channels/dialogs/dialogs-host.tsx').then((file) => ({
    default: file.ChannelDialogs,
  })),
);

export function ChannelOfOne({ id }: { id: number }) {
  const { t } = useTranslation('channels');
  const { search } = useChannelAddress();
  const window = search.window ?? '24h';
  const { data, error, refetch } = useQuery(channelQueries.page(id, window));
  const back = <Link to="/channel">{t('title')}</Link>;
  const drawer = <Drawers id={id} data={data} />;
  if (data?.channel.id === id) return <Shown page={data} drawer={drawer} />;
  const isMissing = error instanceof ApiError && error.status === 404;
  return (
    <ThingPage back={back} name={`#${id}`} drawer={drawer}>
      {isMissing ? (
        <EmptyState
          title={t('message.notFound')}
          action={
            <Button variant="default" renderRoot={(props) => <Link {...props} to="/channel" />}>
              {t('page.toList')}
            </Button>
          }
        />
      ) : error ? (
        <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />
      ) : (
        <Loading shape="thing" />
      )}
    </ThingPage>
  );
}

function Shown({ page, drawer }: { page: ChannelPage; drawer: ReactNode }) {
  const { t } = useTranslation('channels');
  const { t: thing } = useTranslation('thing');
  const { change } = useChannelAddress();
  const navigate = useNavigate();
  const actions = useChannelActions();
  const [dialog, setDialog] = useState<OpenDialog>();
  const types = useQuery(channelQueries.types()).data;
  const groups = useQuery(channelQueries.groups()).data;
  const { channel, alert } = page;
  const type = typeLookup(types)(channel.type);
  const kind = statusKind(channel.status);
  const edit = () =>
    void navigate({ to: '/channel/edit/$id', params: { id: String(channel.id) }, search: {} });
  const cures: ThingAction[] =
    alert?.kind !== 'off'
      ? []
      : alert.is_key_fault
        ? [{ label: t('page.replaceKey'), icon: IconKey, onClick: edit, isCure: true }]
        : [
            {
              label: t('action.enable'),
              icon: IconCircleCheck,
              onClick: () => void actions.setStatus([channel], CHANNEL_STATUS.enabled),
              isCure: true,
            },
          ];
  const logOf = (from: number, to: number, more: object = {}) => ({
    to: '/log' as const,
    search: { channel: channel.id, from, to, ...more },
  });
  return (
    <ThingPage
      back={<Link to="/channel">{t('title')}</Link>}
      name={channel.name}
      mark={<ProviderMark type={channel.type} mark={type?.mark ?? ''} />}
      tag={`#${channel.id}`}
      state={<StatusBadge kind={kind}>{t(`status.${kind}`)}</StatusBadge>}
      since={page.state_since}
      actions={[
        { label: t('action.test'), icon: IconPlayerPlay, onClick: () => actions.test(channel) },
        { label: t('page.simulate'), icon: IconRoute, onClick: () => change({ simulate: true }) },
        { label: t('action.edit'), icon: IconPencil, onClick: edit },
        ...cures,
      ]}
      menu={
        <ThingMenu
          channel={channel}
          type={type}
          actions={actions}
          onTestModels={() => setDialog({ kind: 'test', channels: [channel] })}
          onReveal={() => setDialog({ kind: 'reveal', channel })}
        />
      }
      alert={<ChannelAlert page={page} />}
      drawer={drawer}
    >
      <ThingColumns kind="facts">
        <ThingPanel
          title={thing('facts')}
          isFlush
          more={
            <Link to="/channel/edit/$id" params={{ id: String(channel.id) }}>
              {t('action.edit')}
            </Link>
          }
        >
          <ChannelFacts page={page} type={type} />
        </ThingPanel>
        <CallsPanel
          calls={page.calls}
          window={page.window}
          step={page.step}
          onWindow={(window: ThingWindow) =>
            change({ window: window === '24h' ? undefined : window }, { replace: true })
          }
          placeOf={logOf}
          mark={
            alert?.kind === 'off' && alert.since > 0
              ? { at: alert.since, label: t('page.off', { time: absoluteTime(alert.since).slice(11, 16) }) }
              : undefined
          }
          compared={page.compared}
        />
      </ThingColumns>
      <ChannelLimitsPanel limits={page.limits} />
      <ChannelMoney page={page} />
      <ThingColumns kind="events">
        <FailuresPanel
          failures={page.failures}
          window={page.window}
          placeOf={(from, to) => logOf(from, to, { type: LOG_TYPE.error })}
          off={alert?.kind === 'off' ? { at: alert.since, reason: alert.reason } : undefined}
        />
        <EventList events={page.events} />
      </ThingColumns>
      {dialog ? (
        <Suspense>
          <ChannelDialogs
            dialog={dialog}
            types={types}
            groups={groups}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      ) : null}
    </ThingPage>
  );
}

/** The edit form or the simulator, over the page. */
function Drawers({ id, data }: { id: number; data: ChannelPage | undefined }) {
  const { search, change, drawer } = useChannelAddress();
  const navigate = useNavigate();
  const types = useQuery(channelQueries.types()).data;
  const groups = useQuery(channelQueries.groups()).data;
  const openPage = (channelId: number) =>
    void navigate({ to: '/channel/$id', params: { id: String(channelId) } });
  if (search.simulate)
    return (
      <Suspense>
        <RouteDrawer
          models={splitList(data?.channel.models ?? '')}
          groups={groups}
          types={types}
          onOpenChannel={openPage}
          onClose={() => change({ simulate: undefined })}
        />
      </Suspense>
    );
  if (drawer !== id) return null;
  const tag = data?.channel.tag;
  return (
    <Suspense>
      <ChannelDrawer
        open={id}
        types={types}
        groups={groups}
        tags={tag ? [tag] : []}
        onClose={() => openPage(id)}
      />
    </Suspense>
  );
}
