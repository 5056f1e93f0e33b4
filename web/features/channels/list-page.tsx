/** The list by channel or by tag, and the drawer that the path selects. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS, type ChannelView } from '#contract/relay/channel-fields.ts';
import { gridError } from '#web/api/errors.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridSelection } from '#web/ui/grid/types.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { ChannelCard, TagCard } from './list/card.tsx';
import { channelColumns } from './list/columns.tsx';
import type { OpenDialog } from './dialogs/dialogs-host.tsx';
import { EmptyChannels } from './list/empty.tsx';
import { useChannelFacets } from './list/facets.tsx';
import { ModeTools } from './list/modes.tsx';
import { loadDrawer, pageDrawer } from './page-drawer.tsx';
import { PageMenu } from './list/page-menu.tsx';
import { channelQueries, fetchAllChannels, typeLookup, type ChannelFilter } from './queries.ts';
import { RankCell } from './list/rank-cell.tsx';
import { ChannelMenu, TagMenu } from './list/row-menu.tsx';
import { channelRows, tagRows, type ListRow } from './list/rows.ts';
import { useSummary } from './list/use-summary.ts';
import { SelectionActions } from './list/selection-actions.tsx';
import { UnpricedNotice } from './list/unpriced-notice.tsx';
import { useChannelActions } from './use-channel-actions.tsx';
import { useChannelAddress } from './use-channel-search.ts';
import { useStoredFlag } from '#web/ui/preferences/stored-flag.ts';
import classes from './channels.module.css';

// Dialogs and drawers are not part of the first load.
const ChannelDialogs = lazy(() =>
  import('./dialogs/dialogs-host.tsx').then((file) => ({ default: file.ChannelDialogs })),
);

const NO_FILTER = {
  q: undefined,
  model: undefined,
  group: undefined,
  type: undefined,
  status: undefined,
  tag: undefined,
  page: undefined,
} as const;

export function ChannelList() {
  const { t } = useTranslation('channels');
  const phone = usePhone();
  const address = useChannelAddress();
  const { search, change, drawer, open } = address;
  const navigate = useNavigate();
  const [idSort, setIdSort] = useStoredFlag('id-sort', false);
  const [tagMode, setTagMode] = useStoredFlag('channel-tag-mode', false);
  const [batch, setBatch] = useStoredFlag('channel-batch', true);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<OpenDialog>();
  const selected = useRef<{ channels: readonly ChannelView[]; clear: () => void }>({
    channels: [],
    clear: () => undefined,
  });

  const { q, model, group, type, status, tag } = search;
  const filter: ChannelFilter = { q, model, group, type, status, tag };
  const query = gridQuery(search);
  const list = useQuery(channelQueries.list(filter, { idSort, tagMode }, query));
  const { data: types, isPending: areTypesPending } = useQuery(channelQueries.types());
  const groups = useQuery(channelQueries.groups()).data;
  const typeOf = useMemo(() => typeLookup(types), [types]);
  const actions = useChannelActions();
  const data = list.data;
  const shown = data?.data;
  const rows = useMemo(() => {
    // Wait for the types: if they arrived after the rows, every row would render again while the user clicks.
    if (!shown || areTypesPending) return undefined;
    return tagMode ? tagRows(shown, closed) : channelRows(shown);
  }, [shown, areTypesPending, tagMode, closed]);
  const usedTypes = useMemo(() => new Set(shown?.map((channel) => channel.type)), [shown]);
  const tagNames = useMemo(
    () => (tagMode ? [...new Set(shown?.flatMap((channel) => channel.tag ?? []))] : []),
    [tagMode, shown],
  );
  const areTagsClosed = tagNames.length > 0 && tagNames.every((name) => closed.has(name));
  const toggleTags = () => setClosed(new Set(areTagsClosed ? [] : tagNames));
  const facets = useChannelFacets(search, change, groups, types, usedTypes);

  const toggle = (name: string) =>
    setClosed((before) => {
      const next = new Set(before);
      if (!next.delete(name)) next.add(name);
      return next;
    });
  const askTag = (channels: readonly ChannelView[], clear: () => void) => {
    if (channels.length === 0) {
      toast.error(t('message.noneToTag'));
      return;
    }
    setDialog({
      kind: 'set-tag',
      channels,
      onSave: async (next) => {
        await actions.setTag(channels, next);
        setDialog(undefined);
        clear();
      },
    });
  };
  const editRow = (row: ListRow) => (row.kind === 'tag' ? toggle(row.tag) : open(row.channel.id));
  // Beside an open form the rows change what it edits.
  const openRow = (row: ListRow) => {
    if (row.kind === 'tag' || typeof drawer === 'number') editRow(row);
    else void navigate({ to: '/channel/$id', params: { id: String(row.channel.id) } });
  };
  const menu = (row: ListRow) =>
    row.kind === 'tag' ? (
      <TagMenu
        row={row}
        actions={actions}
        onEdit={() => setDialog({ kind: 'tag', tag: row.tag, channels: row.channels })}
        onTest={() => setDialog({ kind: 'test', channels: row.channels })}
      />
    ) : (
      <ChannelMenu
        channel={row.channel}
        type={typeOf(row.channel.type)}
        actions={actions}
        onEdit={() => open(row.channel.id)}
        onTestModels={() => setDialog({ kind: 'test', channels: [row.channel] })}
        onReveal={() => setDialog({ kind: 'reveal', channel: row.channel })}
      />
    );
  const rank = (row: ListRow, field: 'priority' | 'weight') => (
    <RankCell row={row} field={field} actions={actions} />
  );
  const columns = useMemo(
    () =>
      channelColumns({
        t,
        typeOf,
        toggle,
        menu,
        number: rank,
        updateBalance: actions.updateBalance,
      }),
    // oxlint-disable-next-line react/exhaustive-deps -- the actions read the newest state when they run
    [t, typeOf],
  );
  const card = (row: ListRow) =>
    row.kind === 'tag' ? (
      <TagCard row={row} menu={menu(row)} onToggle={() => toggle(row.tag)} />
    ) : (
      <ChannelCard channel={row.channel} type={typeOf(row.channel.type)} menu={menu(row)} />
    );
  const selectionActions = (selection: GridSelection<ListRow>) => (
    <SelectionActions
      selection={selection}
      actions={actions}
      onTest={(channels) => setDialog({ kind: 'test', channels })}
      onSetTag={(channels) => askTag(channels, selection.clear)}
      onSelected={(channels, clear) => {
        selected.current = { channels, clear };
      }}
    />
  );
  const listed = data !== undefined;
  useEffect(() => {
    if (listed) void loadDrawer();
  }, [listed]);

  const clearFilters = () => change(NO_FILTER);
  const isDrawerOpen =
    drawer !== undefined || search.simulate === true || search.quick === true || search.suppliers === true;
  const compact = !phone && isDrawerOpen;
  const summary = useSummary(data, search, change);
  const testAll = () => setDialog({ kind: 'test-all' });
  const pageMenu = (
    <PageMenu
      onTestAll={testAll}
      onConnect={() => change({ quick: true })}
      onSimulate={() => change({ simulate: true })}
      onSuppliers={() => change({ suppliers: true })}
      onImport={() => setDialog({ kind: 'import' })}
      onUpdateBalances={() =>
        void actions.updateBalances().then((failures) => {
          if (failures.length > 0) setDialog({ kind: 'balances', failures });
        })
      }
      onFix={actions.fix}
      onRefresh={() => void list.refetch()}
      onRemoveSelected={() =>
        void actions.remove(selected.current.channels).then(() => selected.current.clear())
      }
      onTagSelected={() => askTag(selected.current.channels, selected.current.clear)}
      onRemoveDisabled={() => void actions.removeDisabled((data?.disabled ?? 0) + (data?.auto_disabled ?? 0))}
    />
  );

  return (
    <Page
      title={t('title')}
      summary={summary}
      actions={
        <>
          <Button variant="default" leftSection={<IconPlayerPlay size={15} stroke={1.6} />} onClick={testAll}>
            {t('action.testAll')}
          </Button>
          {pageMenu}
          <AddButton label={t('action.add')} onClick={() => open('add')} />
        </>
      }
      phoneAction={
        <span className={classes.phoneActions}>
          {pageMenu}
          <AddIcon label={t('action.add')} onClick={() => open('add')} />
        </span>
      }
      drawer={pageDrawer({ address, channels: shown, types, groups })}
    >
      <DataGrid
        name="channels"
        label={t('list')}
        columns={columns}
        rows={rows}
        total={data?.total ?? 0}
        rowId={(row) => row.id}
        rowName={(row) => (row.kind === 'tag' ? row.tag : row.channel.name)}
        query={query}
        {...addressProps(search, change, t('search'))}
        secondSearch={
          compact && !model
            ? undefined
            : {
                value: model ?? '',
                onChange: (text) => change({ model: text || undefined, page: undefined }, { replace: true }),
                placeholder: t('modelSearch'),
              }
        }
        facets={facets}
        onClearFilters={clearFilters}
        tools={
          <ModeTools
            modes={{
              tagMode,
              setTagMode,
              idSort,
              setIdSort,
              batch,
              setBatch,
              tags: tagNames.length > 0 ? { areClosed: areTagsClosed, toggleAll: toggleTags } : undefined,
            }}
            compact={compact}
          />
        }
        notice={<UnpricedNotice />}
        refreshing={list.isFetching && data !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyChannels types={types} onAdd={() => change({ quick: true })} />}
        selectionActions={batch ? selectionActions : undefined}
        fetchAll={async () => channelRows(await fetchAllChannels(filter, { idSort, tagMode }))}
        onOpen={openRow}
        onEdit={editRow}
        openRowId={typeof drawer === 'number' ? String(drawer) : ''}
        isMuted={(row) => (row.kind === 'tag' ? row.status : row.channel.status) !== CHANNEL_STATUS.enabled}
        card={card}
      />
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
    </Page>
  );
}
