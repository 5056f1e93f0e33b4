/** The list of drafts, and the button that makes one of the running prices. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { PriceDraftView } from '#contract/money/price-book-views.ts';
import { api } from '#web/api.ts';
import { gridError } from '#web/api/errors.ts';
import { Tag, type PostTone } from '#web/ui/badge/tag.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { PRICES_KEY, priceQueries } from './queries.ts';
import type { PartProps } from './search.ts';
import classes from './price-book.module.css';

const TONES: Record<PriceDraftView['status'], PostTone | undefined> = {
  draft: 'info',
  scheduled: 'gold',
  published: 'success',
  withdrawn: undefined,
};

/** `isIcon`: for the phone's top bar. */
export function AddDraft({ change, isIcon = false }: Pick<PartProps, 'change'> & { isIcon?: boolean }) {
  const { t } = useTranslation('price-book');
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: () => api.priceBook.createDraft({ body: {} }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: PRICES_KEY });
      change({ tab: 'drafts', draft: id, page: undefined });
    },
  });
  const Add = isIcon ? AddIcon : AddButton;
  return <Add label={t('draft.add')} onClick={() => add.isPending || add.mutate()} />;
}

export function DraftState({ draft }: { draft: PriceDraftView }) {
  const { t } = useTranslation('price-book');
  const { status, publish_at, version_id } = draft;
  return (
    <span className="inline6 shrink">
      <Tag post={TONES[status]}>{t(`draft.status.${status}`)}</Tag>
      {status === 'scheduled' ? (
        <span className={classes.dim}>{t('draft.at', { time: absoluteTime(publish_at) })}</span>
      ) : null}
      {status === 'published' ? (
        <span className={classes.dim}>{t('draft.asVersion', { id: version_id })}</span>
      ) : null}
    </span>
  );
}

export function Drafts({ search, change }: PartProps) {
  const { t } = useTranslation('price-book');
  const query = gridQuery(search);
  const list = useQuery(priceQueries.drafts(query));
  const open = ({ id }: PriceDraftView) => change({ draft: id, page: undefined });
  const card = (draft: PriceDraftView) => (
    <>
      <CardHead name={t('draft.title', { id: draft.id })}>
        <DraftState draft={draft} />
      </CardHead>
      <CardLine>{draft.error || draft.reason}</CardLine>
    </>
  );
  return (
    <DataGrid
      name="price-drafts"
      label={t('draft.list')}
      columns={draftColumns(t)}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={({ id }) => String(id)}
      rowName={({ id }) => t('draft.title', { id })}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={
        <EmptyState
          title={t('draft.empty')}
          text={t('draft.emptyText')}
          action={<AddDraft change={change} />}
        />
      }
      onOpen={open}
      card={card}
    />
  );
}

type Translate = ReturnType<typeof useTranslation<'price-book'>>['t'];

function draftColumns(t: Translate): GridColumn<PriceDraftView>[] {
  return [
    {
      id: 'id',
      header: t('draft.number'),
      width: 90,
      fixed: true,
      cell: ({ id }) => <span className={classes.mono}>{id}</span>,
      skeleton: 'number',
    },
    {
      id: 'state',
      header: t('draft.state'),
      width: 260,
      fixed: true,
      cell: (draft) => <DraftState draft={draft} />,
      skeleton: 'status',
    },
    {
      id: 'based-on',
      header: t('draft.basedOn'),
      width: 100,
      align: 'right',
      leaves: 1,
      cell: ({ based_on }) => <span className={classes.mono}>{based_on}</span>,
      skeleton: 'number',
    },
    {
      id: 'updated',
      header: t('draft.updated'),
      width: 200,
      leaves: 2,
      cell: ({ updated_at, updated_name }) => (
        <span className="inline6 shrink">
          <Moment timestamp={updated_at} />
          <span className={classes.dim}>{updated_name}</span>
        </span>
      ),
      skeleton: 'text',
    },
    {
      id: 'reason',
      header: t('draft.reason'),
      minWidth: 160,
      cell: ({ reason, error }) => (
        <span className={error === '' ? undefined : 'danger'} title={error || reason}>
          {error || reason}
        </span>
      ),
      skeleton: 'text',
    },
  ];
}
