/** The page of one API key: limit and use, models, the last calls, Connect, events. */
import { useQuery } from '@tanstack/react-query';
import { IconListDetails, IconPencil, IconPlugConnected } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin, isRoot } from '#contract/access.ts';
import type { TokenPageView } from '#contract/admin/token-page.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { tokenQueries } from '#web/features/tokens/queries.ts';
import { isWhole, tokenState } from '#web/features/tokens/token-state.ts';
import { useKeyRights } from '#web/features/tokens/use-key-rights.ts';
import { useTokenActions } from '#web/features/tokens/use-token-actions.ts';
import { NO_DRAWER, useTokenSearch } from '#web/features/tokens/use-token-search.ts';
import { AuditEvents } from '#web/ui/audit/audit-events.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { UsePanel, ModelsPanel } from '#web/ui/thing/calls.tsx';
import { ThingColumns } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage, type ThingAction } from '#web/ui/thing/thing-page.tsx';
import { ThingWaiting } from '#web/ui/thing/waiting.tsx';
import { LastCalls } from './calls.tsx';
import { LimitLine, TokenFacts } from './facts.tsx';

const TokenDrawer = lazy(() =>
  import('#web/features/tokens/token-drawer.tsx').then((file) => ({ default: file.TokenDrawer })),
);
const RowMenuItems = lazy(() => import('#web/features/tokens/list/row-menu-items.tsx'));
const KeyDialog = lazy(() =>
  import('#web/features/tokens/key-dialog.tsx').then((file) => ({ default: file.KeyDialog })),
);

export function TokenPage({ id }: { id: number }) {
  const { t } = useTranslation('tokens');
  const [search, change] = useTokenSearch();
  const user = useUser();
  const asAdmin = user !== undefined && isAdmin(user.role);
  const page = useQuery(tokenQueries.page(id, search.window ?? '24h', asAdmin));
  const { data, error } = page;
  const { mayChange } = useMayUse(data);
  const isMissing = error instanceof ApiError && error.status === 404;
  if (!data || isMissing)
    return (
      <ThingWaiting
        title={t('title')}
        back={<Link to="/token">{t('title')}</Link>}
        error={error ? errorMessage(error) : undefined}
        isMissing={isMissing}
        onRetry={() => void page.refetch()}
      />
    );
  return (
    <Frame data={data}>
      <ThingColumns kind="facts">
        <TokenFacts data={data} onEdit={mayChange ? () => change({ ...NO_DRAWER, edit: id }) : undefined} />
        <UsePanel
          use={data.use}
          onWindow={(window) => change({ window }, { replace: true })}
          placeOf={({ at }) => ({
            to: '/log',
            search: { ...logSearchOf(data), from: at, to: at + data.use.step - 1 },
          })}
        />
      </ThingColumns>
      <LimitLine token={data.token} />
      <ThingColumns kind="events">
        <div>
          <ModelsPanel use={data.use} />
          <LastCalls calls={data.calls} all={logSearchOf(data)} />
        </div>
        <Trail data={data} />
      </ThingColumns>
    </Frame>
  );
}

/** In an organization the role and the holder of the key decide; the key itself is whole for those who may read it. */
function useMayUse(data: TokenPageView | undefined) {
  const rights = useKeyRights();
  const isOwn = data?.is_own === true;
  const own = useQuery({ ...tokenQueries.one(data?.token.id ?? 0), enabled: isOwn });
  const { isShared } = rights;
  return {
    isShared,
    own: own.data,
    mayChange: isOwn && (!isShared || (own.data !== undefined && rights.mayChange(own.data))),
    mayConnect: isOwn && (!isShared || (own.data !== undefined && isWhole(own.data))),
  };
}

/** Of another user's key the log needs the user, too: names of keys are not unique. */
const logSearchOf = ({ token, owner, is_own }: TokenPageView) => ({
  token: token.name,
  ...(is_own ? {} : { user: owner.username }),
});

function Trail({ data: { token, events } }: { data: TokenPageView }) {
  const user = useUser();
  const isTrailOpen = user !== undefined && isRoot(user.role);
  return <AuditEvents events={events} trail={isTrailOpen ? `token:${token.id}` : undefined} />;
}

function Frame({ data, children }: { data: TokenPageView; children: ReactNode }) {
  const { t } = useTranslation('tokens');
  const [search, change] = useTokenSearch();
  const { token, owner, is_own } = data;
  const user = useUser();
  const groups = useQuery({ ...tokenQueries.groups(), enabled: is_own });
  const { isShared, own, mayChange, mayConnect } = useMayUse(data);
  const [viewed, setViewed] = useState<TokenView>();
  const actions = useTokenActions((id, field) => change({ ...NO_DRAWER, edit: id, field }));
  const state = tokenState(token);
  const connect = () => change({ ...NO_DRAWER, connect: token.id });
  const edit = () => change({ ...NO_DRAWER, edit: token.id });
  const isStopped = state === 'expired' || state === 'exhausted';
  const buttons: ThingAction[] = [
    {
      label: t('page.log'),
      icon: IconListDetails,
      renderRoot: (props) => <Link {...props} to="/log" search={logSearchOf(data)} />,
    },
    ...(mayConnect ? [{ label: t('action.connect'), icon: IconPlugConnected, onClick: connect }] : []),
    ...(mayChange ? [{ label: t('action.edit'), icon: IconPencil, onClick: edit, isCure: isStopped }] : []),
  ];
  const hasDrawer = (mayChange && search.edit !== undefined) || (mayConnect && search.connect !== undefined);
  return (
    <ThingPage
      back={
        is_own || isShared ? (
          <Link to="/token">{t('title')}</Link>
        ) : (
          <Link to="/user/$id" params={{ id: String(owner.id) }}>
            {owner.username}
          </Link>
        )
      }
      name={token.name || `#${token.id}`}
      tag={`#${token.id}`}
      state={<StatusBadge kind={state}>{t(`status.${state}`)}</StatusBadge>}
      actions={buttons}
      menu={
        own && (mayChange || mayConnect) ? (
          <Suspense>
            <RowMenuItems
              token={own}
              actions={actions}
              onView={setViewed}
              onEdit={edit}
              onConnect={connect}
            />
          </Suspense>
        ) : undefined
      }
      alert={isStopped ? <ThingAlert tone="warning">{t(`page.${state}`)}</ThingAlert> : undefined}
      drawer={
        hasDrawer ? (
          <Suspense>
            <TokenDrawer search={search} change={change} ownGroup={user?.group ?? ''} groups={groups.data} />
          </Suspense>
        ) : undefined
      }
    >
      {children}
      {viewed ? (
        <Suspense>
          <KeyDialog token={viewed} onClose={() => setViewed(undefined)} />
        </Suspense>
      ) : null}
    </ThingPage>
  );
}
