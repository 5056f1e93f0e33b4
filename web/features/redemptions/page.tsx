/** The redemption page: the list, and the drawer that the URL selects. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCopy } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS, type RedemptionView } from '#contract/money/redemptions.ts';
import { gridError } from '#web/api/errors.ts';
import { Secret } from '#web/ui/copy/secret.tsx';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridSelection } from '#web/ui/grid/types.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import type { CodeRow } from './files.ts';
import { CodeCard } from './card.tsx';
import { codeColumns } from './columns.tsx';
import { useCodeFacets } from './facets.tsx';
import { RowMenu } from './row-menu.tsx';
import { SelectionActions } from './selection-actions.tsx';
import { fetchAllCodes, redemptionQueries, type RedemptionFilter } from './queries.ts';
import { NO_DRAWER, useRedemptionSearch } from './search.ts';
import { useCodeActions } from './use-code-actions.ts';

// The drawer is not part of the first load; it is prefetched while the user reads the list.
const loadDrawer = () => import('./code-drawer.tsx');
const CodeDrawer = lazy(() => loadDrawer().then((file) => ({ default: file.CodeDrawer })));
const CreatedDialog = lazy(() =>
  import('./created-dialog.tsx').then((file) => ({ default: file.CreatedDialog })),
);

export function RedemptionsPage() {
  const { t } = useTranslation('redemptions');
  const display = useDisplay();
  const [search, change] = useRedemptionSearch();
  const filter: RedemptionFilter = { q: search.q, state: search.state, batch: search.batch };
  const query = gridQuery(search);
  const list = useQuery(redemptionQueries.list(filter, query));
  const overview = useQuery(redemptionQueries.overview());
  const batches = overview.data?.batches ?? [];
  const facets = useCodeFacets(search, change, batches);
  const actions = useCodeActions();
  const selected = useRef<readonly RedemptionView[]>([]);
  const [viewed, setViewed] = useState<RedemptionView>();
  const [created, setCreated] = useState<readonly CodeRow[]>([]);

  const openEdit = (code: RedemptionView) => change({ ...NO_DRAWER, edit: code.id });
  const openNew = () => change({ ...NO_DRAWER, new: 1 });
  const close = () => change(NO_DRAWER);
  const menu = (code: RedemptionView) => (
    <RowMenu code={code} actions={actions} onView={setViewed} onEdit={openEdit} />
  );
  const card = (code: RedemptionView) => <CodeCard code={code} menu={menu(code)} />;
  const selectionActions = (selection: GridSelection<RedemptionView>) => (
    <SelectionActions
      selection={selection}
      actions={actions}
      onSelected={(codes) => {
        selected.current = codes;
      }}
    />
  );
  const columns = useMemo(
    () =>
      codeColumns({
        t,
        batchOf: (id) => batches.find(({ batch }) => batch === id),
        onBatch: (batch) => change({ batch, page: undefined }),
        menu,
      }),
    // oxlint-disable-next-line react/exhaustive-deps -- the menu reads the newest state when it is opened
    [t, overview.data],
  );
  const data = list.data;
  const isListed = data !== undefined;
  useEffect(() => {
    if (isListed) void loadDrawer();
  }, [isListed]);

  return (
    <Page
      title={t('title')}
      summary={
        overview.data && [
          { value: renderQuota(overview.data.outstanding.quota, display), label: t('summary.outstanding') },
          { value: groupDigits(overview.data.outstanding.codes), label: t('summary.codes') },
          { value: renderQuota(overview.data.redeemed.quota, display), label: t('summary.redeemed') },
        ]
      }
      actions={<AddButton label={t('action.add')} onClick={openNew} />}
      phoneAction={<AddIcon label={t('action.add')} onClick={openNew} />}
      drawer={
        search.new || search.edit ? (
          <Suspense>
            <CodeDrawer
              id={search.edit}
              onClose={close}
              onCreated={(codes) => {
                setCreated(codes);
                close();
              }}
            />
          </Suspense>
        ) : undefined
      }
    >
      <DataGrid
        name="redemptions"
        label={t('list')}
        columns={columns}
        rows={data?.items}
        total={data?.total ?? 0}
        rowId={(code) => String(code.id)}
        rowName={(code) => `#${code.id} ${code.name}`}
        query={query}
        {...addressProps(search, change, t('search'))}
        facets={facets}
        onClearFilters={() => change({ q: undefined, state: undefined, batch: undefined, page: undefined })}
        tools={
          <Tooltip label={t('action.copySelected')}>
            <ActionIcon
              aria-label={t('action.copySelected')}
              onClick={() => void actions.copy(selected.current)}
            >
              <IconCopy size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        }
        refreshing={list.isFetching && isListed}
        error={gridError(list.error)}
        onRefresh={() => void Promise.all([list.refetch(), overview.refetch()])}
        empty={
          <EmptyState
            title={t('empty.title')}
            text={t('empty.text')}
            action={<AddButton label={t('action.addFirst')} onClick={openNew} />}
          />
        }
        totals={
          data && (
            <span>
              <b>{groupDigits(data.total)}</b> {t('totals.codes', { count: data.total })}
            </span>
          )
        }
        selectionActions={selectionActions}
        fetchAll={() => fetchAllCodes(filter, query.sort)}
        onOpen={openEdit}
        onEdit={openEdit}
        openRowId={String(search.edit ?? '')}
        isMuted={(code) => code.status === REDEMPTION_STATUS.disabled}
        card={card}
      />
      {viewed ? (
        <DialogFrame title={t('view.title', { name: viewed.name })} onClose={() => setViewed(undefined)}>
          <Secret value={viewed.key} label={t('form.code')} />
        </DialogFrame>
      ) : null}
      {created.length > 0 ? (
        <Suspense>
          <CreatedDialog codes={created} onClose={() => setCreated([])} />
        </Suspense>
      ) : null}
    </Page>
  );
}
