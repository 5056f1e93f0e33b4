/** Every version of the prices: since when, by whom, why, and what it changed. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { PriceVersionView } from '#contract/money/price-book-views.ts';
import { VERSION_SOURCES } from '#contract/money/price-names.ts';
import { api } from '#web/api.ts';
import { gridError } from '#web/api/errors.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { withNames } from '#web/ui/format/joined.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { Changes } from './changes.tsx';
import { PRICES_KEY, priceQueries } from './queries.ts';
import type { PartProps } from './search.ts';
import classes from './price-book.module.css';

export function Versions({ search, change }: PartProps) {
  const { t } = useTranslation('price-book');
  const query = gridQuery(search);
  const list = useQuery(priceQueries.versions(query));
  const newest = useQuery(priceQueries.versions({ page: 1, pageSize: 10 }));
  const running = newest.data?.items[0]?.id;
  const words = useVersionWords();
  const toggle = ({ id }: PriceVersionView) =>
    change({ version: search.version === id ? undefined : id }, { replace: true });
  const detail = ({ id }: PriceVersionView) => <VersionDetail id={id} running={running} />;
  const card = (version: PriceVersionView) => (
    <>
      <CardHead name={`${t('version.number')} ${version.id}`}>
        <Moment timestamp={version.effective_at} />
      </CardHead>
      <CardLine>{words.changes(version)}</CardLine>
      {search.version === version.id ? detail(version) : null}
    </>
  );
  return (
    <DataGrid
      name="price-versions"
      label={t('version.list')}
      columns={versionColumns(t, words, running)}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={({ id }) => String(id)}
      rowName={({ id }) => `${t('version.number')} ${id}`}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('version.empty')} />}
      onOpen={toggle}
      openRowId={String(search.version ?? '')}
      detail={detail}
      detailRowId={search.version === undefined ? undefined : String(search.version)}
      card={card}
    />
  );
}

function useVersionWords() {
  const { t, i18n } = useTranslation('price-book');
  return {
    source(source: string) {
      const known = VERSION_SOURCES.find((name) => name === source);
      return known === undefined ? source : t(`version.from.${known}`);
    },
    changes({ change_count, changed, has_new_list }: PriceVersionView) {
      if (change_count === 0) return t(has_new_list ? 'version.newList' : 'version.none');
      return withNames(t('version.count', { count: change_count }), changed, i18n.language);
    },
  };
}

function VersionDetail({ id, running }: { id: number; running: number | undefined }) {
  const { t } = useTranslation('price-book');
  const { data } = useQuery(priceQueries.version(id));
  const client = useQueryClient();
  const rollBack = useMutation({
    mutationFn: (over: number) =>
      api.priceBook.rollBack({ params: { id }, body: { over, reason: t('version.rolledBack', { id }) } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: PRICES_KEY });
      toast.success(t('version.rolledBack', { id }));
    },
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('version.rollBackTitle', { id }),
      body: t('version.rollBackBody'),
      confirmLabel: t('version.rollBack'),
    });
    if (sure && running !== undefined) rollBack.mutate(running);
  };
  if (data === undefined) return null;
  return (
    <div className={`stack10 start ${classes.detail}`}>
      {data.reason === '' ? null : <p>{data.reason}</p>}
      {data.changes.length > 0 ? <Changes changes={data.changes} label={t('version.changes')} /> : null}
      {id === running ? null : (
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={15} stroke={1.6} />}
          loading={rollBack.isPending}
          onClick={() => void ask()}
        >
          {t('version.rollBack')}
        </Button>
      )}
    </div>
  );
}

type Translate = ReturnType<typeof useTranslation<'price-book'>>['t'];

function versionColumns(
  t: Translate,
  words: ReturnType<typeof useVersionWords>,
  running: number | undefined,
): GridColumn<PriceVersionView>[] {
  return [
    {
      id: 'id',
      header: t('version.number'),
      width: 110,
      fixed: true,
      cell: ({ id }) => (
        <span className="inline6 shrink">
          <span className={classes.mono}>{id}</span>
          {id === running ? <Tag post="success">{t('version.running')}</Tag> : null}
        </span>
      ),
      skeleton: 'number',
    },
    {
      id: 'when',
      header: t('version.when'),
      width: 120,
      cell: ({ effective_at }) => <Moment timestamp={effective_at} />,
      skeleton: 'text',
    },
    {
      id: 'who',
      header: t('version.who'),
      width: 120,
      leaves: 2,
      cell: ({ actor_name }) => actor_name || t('unknown'),
      skeleton: 'text',
    },
    {
      id: 'source',
      header: t('version.source'),
      width: 140,
      leaves: 1,
      cell: ({ source }) => words.source(source),
      skeleton: 'text',
    },
    {
      id: 'changes',
      header: t('version.changes'),
      minWidth: 200,
      cell: (version) => <span title={version.changed.join(', ')}>{words.changes(version)}</span>,
      skeleton: 'text',
    },
    {
      id: 'reason',
      header: t('version.reason'),
      width: 200,
      shares: true,
      leaves: 3,
      cell: ({ reason }) => <span title={reason}>{reason}</span>,
      skeleton: 'text',
    },
  ];
}
