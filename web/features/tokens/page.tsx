/** The token page: the list, and the drawer that the URL selects. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconCopy, IconPlugConnected } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '#contract/admin/tokens.ts';
import { gridError } from '#web/api/errors.ts';
import { NO_HOLDER } from '#web/api/holder-search.ts';
import { useUser } from '#web/api/session.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { NoticeBox, NoticeLine } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridSelection } from '#web/ui/grid/types.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { TokenCard } from './list/card.tsx';
import { tokenColumns } from './list/columns.tsx';
import { useTokenFacets } from './list/facets.tsx';
import { fetchAllTokens, tokenQueries, type TokenFilter } from './queries.ts';
import { loadRowMenu, RowMenu } from './list/row-menu.tsx';
import { isWhole, tokenState } from './token-state.ts';
import { useKeyRights } from './use-key-rights.ts';
import { useTokenActions } from './use-token-actions.ts';
import type { TokenSearch } from './search.ts';
import { NO_DRAWER, useTokenSearch } from './use-token-search.ts';

const NO_FILTER = {
  q: undefined,
  status: undefined,
  group: undefined,
  expiry: undefined,
  ...NO_HOLDER,
};

// Drawers are not part of the first load; they are prefetched while the user reads the list.
const loadDrawer = () => import('./token-drawer.tsx');
const TokenDrawer = lazy(() => loadDrawer().then((file) => ({ default: file.TokenDrawer })));
const loadSelectionActions = () => import('./list/selection-actions.tsx');
const SelectionActions = lazy(() =>
  loadSelectionActions().then((file) => ({ default: file.SelectionActions })),
);
const HolderFacets = lazy(() =>
  import('./list/holder-facets.tsx').then((file) => ({ default: file.HolderFacets })),
);
const EmptyTokens = lazy(() => import('./list/empty.tsx').then((file) => ({ default: file.EmptyTokens })));
const KeyDialog = lazy(() => import('./key-dialog.tsx').then((file) => ({ default: file.KeyDialog })));

function filterOf({ q, status, group, expiry, member, service_account, project }: TokenSearch): TokenFilter {
  return { q, status, group, expiry, member, service_account, project };
}

function Notices({ groups }: { groups: object | undefined }) {
  const { t } = useTranslation('tokens');
  const noGroups = groups !== undefined && Object.keys(groups).length === 0;
  return (
    <>
      <NoticeLine>{t('warning')}</NoticeLine>
      {noGroups ? <NoticeBox tone="warning">{t('noGroups')}</NoticeBox> : null}
    </>
  );
}

export function TokensPage() {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const user = useUser();
  const [search, change] = useTokenSearch();
  const filter = filterOf(search);
  const query = gridQuery(search);
  const list = useQuery(tokenQueries.list(filter, query));
  const groups = useQuery(tokenQueries.groups());
  const [holderFacets, setHolderFacets] = useState<Facet[]>([]);
  const facets = [...useTokenFacets(search, change, groups.data), ...holderFacets];
  const { isShared, makes, mayChange } = useKeyRights();
  const [viewed, setViewed] = useState<TokenView>();
  const selected = useRef<readonly TokenView[]>([]);
  const ownGroup = user?.group ?? '';

  const navigate = useNavigate();
  const openEdit = (token: TokenView) => change({ ...NO_DRAWER, edit: token.id });
  const openNew = () => change({ ...NO_DRAWER, new: 1 });
  const actions = useTokenActions((id, field) => change({ ...NO_DRAWER, edit: id, field }));
  const connect = ({ id }: TokenView) => change({ ...NO_DRAWER, connect: id });
  const menu = (token: TokenView) => (
    <RowMenu token={token} actions={actions} onView={setViewed} onEdit={openEdit} onConnect={connect} />
  );
  const rowActions = (token: TokenView) => (
    <span className="inline4">
      {isWhole(token) ? (
        <Tooltip label={t('action.connect')}>
          <ActionIcon
            size={24}
            aria-label={t('connect.title', { name: token.name })}
            onClick={() => connect(token)}
          >
            <IconPlugConnected size={15} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      ) : null}
      {menu(token)}
    </span>
  );
  const card = (token: TokenView) => (
    <TokenCard token={token} ownGroup={ownGroup} menu={menu(token)} onConnect={() => connect(token)} />
  );
  const selectionActions = (selection: GridSelection<TokenView>) => (
    <Suspense>
      <SelectionActions
        selection={selection}
        actions={actions}
        onSelected={(tokens) => {
          selected.current = tokens;
        }}
      />
    </Suspense>
  );
  const columns = useMemo(
    () => tokenColumns({ t, ownGroup, isShared, menu: rowActions }),
    // oxlint-disable-next-line react/exhaustive-deps -- the menu reads the newest state when it is opened
    [t, ownGroup, isShared],
  );
  const data = list.data;
  const listed = data !== undefined;
  useEffect(() => {
    if (listed) void Promise.all([loadRowMenu(), loadSelectionActions(), loadDrawer()]);
  }, [listed]);

  return (
    <Page
      title={t('title')}
      summary={
        data && [
          { value: data.total, label: t('summary.total') },
          { value: data.usable, label: t('summary.usable') },
          { value: renderQuota(data.recent_quota, display), label: t('summary.recent'), labelFirst: true },
        ]
      }
      actions={makes ? <AddButton label={t('action.add')} onClick={openNew} /> : undefined}
      phoneAction={makes ? <AddIcon label={t('action.add')} onClick={openNew} /> : undefined}
      drawer={
        search.new || search.edit || search.connect ? (
          <Suspense>
            <TokenDrawer search={search} change={change} ownGroup={ownGroup} groups={groups.data} />
          </Suspense>
        ) : undefined
      }
    >
      <DataGrid
        name="tokens"
        label={t('list')}
        columns={columns}
        rows={data?.data}
        total={data?.total ?? 0}
        rowId={(token) => String(token.id)}
        rowName={(token) => token.name}
        query={query}
        {...addressProps(search, change, t('search'))}
        facets={facets}
        onClearFilters={() => change({ ...NO_FILTER, page: undefined })}
        tools={
          <Tooltip label={t('action.copySelected')}>
            <ActionIcon
              aria-label={t('action.copySelected')}
              onClick={() => void actions.copy(selected.current, 'named')}
            >
              <IconCopy size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        }
        notice={<Notices groups={groups.data} />}
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={
          <Suspense>
            <EmptyTokens onAdd={makes ? openNew : undefined} />
          </Suspense>
        }
        totals={
          data && (
            <>
              <span>
                <b>{data.total}</b> {t('totals.tokens', { count: data.total })}
              </span>
              <span>
                {t('totals.used')} <b>{renderQuota(data.used_quota, display)}</b>
              </span>
            </>
          )
        }
        selectionActions={makes ? selectionActions : undefined}
        fetchAll={() => fetchAllTokens(filter, query.sort)}
        onOpen={({ id }) => void navigate({ to: '/token/$id', params: { id: String(id) } })}
        onEdit={(token) => mayChange(token) && openEdit(token)}
        openRowId={String(search.edit ?? search.connect ?? '')}
        isMuted={(token) => tokenState(token) === 'disabled'}
        card={card}
      />
      {isShared ? (
        <Suspense>
          <HolderFacets search={search} change={change} onFacets={setHolderFacets} />
        </Suspense>
      ) : null}
      {viewed ? (
        <Suspense>
          <KeyDialog token={viewed} onClose={() => setViewed(undefined)} />
        </Suspense>
      ) : null}
    </Page>
  );
}
