/** The comparisons: what is watched, which model answers the copies, and how much of their limits is used; a row opens the page. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { ShadowView } from '#contract/relay/shadow-calls.ts';
import { gridError } from '#web/api/errors.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { shadowQueries } from './queries.ts';
import { NO_EDITOR, useShadowSearch } from './search.ts';

const Editor = lazy(() => import('./editor.tsx').then((file) => ({ default: file.ShadowEditor })));

export function ShadowList() {
  const { t } = useTranslation('shadow-calls');
  const [search, change] = useShadowSearch();
  const navigate = useNavigate();
  const columns = useColumns();
  const list = useQuery(shadowQueries.list());
  const all = list.data;
  const query = gridQuery(search);
  const wanted = search.q?.toLowerCase() ?? '';
  const found = all?.filter(({ name, model, target_model }) =>
    [name, model, target_model].some((each) => each.toLowerCase().includes(wanted)),
  );
  const openNew = () => change({ ...NO_EDITOR, new: 1 });
  const open = ({ id }: ShadowView, edit?: 1) =>
    void navigate({ to: '/shadow-calls/$', params: { _splat: String(id) }, search: { edit } });
  return (
    <Page
      title={t('title')}
      summary={all ? [{ value: all.length, label: t('total') }] : []}
      actions={<AddButton label={t('add')} onClick={openNew} />}
      phoneAction={<AddIcon label={t('add')} onClick={openNew} />}
      drawer={
        search.new && all ? (
          <Suspense>
            <Editor shadow={undefined} onClose={() => change(NO_EDITOR)} />
          </Suspense>
        ) : undefined
      }
    >
      <DataGrid
        name="shadow-calls"
        label={t('list')}
        columns={columns}
        rows={found?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={found?.length ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        query={query}
        {...addressProps(search, change, t('search'))}
        onClearFilters={() => change({ q: undefined, page: undefined })}
        refreshing={list.isFetching && all !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={
          <EmptyState
            title={t('empty')}
            text={t('emptyText')}
            action={<AddButton label={t('add')} onClick={openNew} />}
          />
        }
        fetchAll={async () => [...(found ?? [])]}
        onOpen={(shadow) => open(shadow)}
        onEdit={(shadow) => open(shadow, 1)}
        isMuted={({ enabled }) => !enabled}
        card={cardOf}
      />
    </Page>
  );
}

export function ShadowState({ shadow: { enabled, is_unserved } }: { shadow: ShadowView }) {
  const { t } = useTranslation('shadow-calls');
  if (!enabled) return <StatusBadge kind="disabled">{t('state.off')}</StatusBadge>;
  return is_unserved ? (
    <StatusBadge kind="failed">{t('state.unserved')}</StatusBadge>
  ) : (
    <StatusBadge kind="enabled">{t('state.on')}</StatusBadge>
  );
}

function useColumns(): GridColumn<ShadowView>[] {
  const { t } = useTranslation('shadow-calls');
  const display = useDisplay();
  const pair = ({ model, target_model }: ShadowView) => t('pair', { model, target: target_model });
  return [
    {
      id: 'name',
      header: t('column.name'),
      width: 180,
      fixed: true,
      cell: ({ name }) => name,
      csv: ({ name }) => name,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 110,
      cell: (shadow) => <ShadowState shadow={shadow} />,
      csv: ({ enabled }) => t(enabled ? 'state.on' : 'state.off'),
      skeleton: 'status',
    },
    { id: 'models', header: t('column.models'), minWidth: 220, cell: pair, csv: pair, skeleton: 'text' },
    {
      id: 'share',
      header: t('column.share'),
      width: 90,
      leaves: 1,
      cell: ({ share_percent }) => `${share_percent}%`,
      csv: ({ share_percent }) => String(share_percent),
      skeleton: 'text',
    },
    {
      id: 'kept',
      header: t('column.kept'),
      width: 120,
      leaves: 2,
      cell: ({ kept, most_samples }) => t('keptOf', { kept, most: most_samples }),
      csv: ({ kept }) => String(kept),
      skeleton: 'text',
    },
    {
      id: 'spent',
      header: t('column.spent'),
      width: 120,
      leaves: 2,
      cell: ({ spent_today }) => renderQuota(spent_today, display),
      csv: ({ spent_today }) => String(spent_today),
      skeleton: 'text',
    },
  ];
}

const cardOf = (shadow: ShadowView) => <Card shadow={shadow} />;

function Card({ shadow }: { shadow: ShadowView }) {
  const { t } = useTranslation('shadow-calls');
  const { name, model, target_model, kept, most_samples, share_percent } = shadow;
  return (
    <>
      <CardHead name={name}>
        <ShadowState shadow={shadow} />
      </CardHead>
      <CardLine>
        <span className="anywhere soft">{t('pair', { model, target: target_model })}</span>
      </CardLine>
      <CardLine>
        <span className="note">{`${share_percent}%`}</span>
        <span className="note">{t('keptOf', { kept, most: most_samples })}</span>
      </CardLine>
    </>
  );
}
