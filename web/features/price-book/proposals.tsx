/** Prices of outside lists that differ from ours: accepted into a draft, or refused. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceProposalView } from '#contract/money/price-book-views.ts';
import { api } from '#web/api.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn, GridSelection } from '#web/ui/grid/types.ts';
import { FiguresText } from './figures.tsx';
import { ImportButton } from './import-dialog.tsx';
import { PRICES_KEY, priceQueries } from './queries.ts';
import type { PartProps } from './search.ts';
import classes from './price-book.module.css';

type Decision = 'accept' | 'refuse';

function useDecide() {
  const { t } = useTranslation('price-book');
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: async ({ ids, decision }: { ids: number[]; decision: Decision }) => {
      // An open draft of an import takes the prices, so that a review of many pages makes one draft.
      const drafts = await api.priceBook.drafts({ query: { p: 1, page_size: 20 } });
      const open = drafts.items.find(({ status, source }) => status === 'draft' && source === 'import');
      return await api.priceBook.decide({ body: { ids, decision, draft_id: open?.id ?? 0 } });
    },
    onSuccess: async ({ draft_id }) => {
      await client.invalidateQueries({ queryKey: PRICES_KEY });
      toast.success(draft_id === 0 ? t('review.refused') : t('review.accepted', { id: draft_id }));
    },
  });
  return (rows: readonly PriceProposalView[], decision: Decision) =>
    decide.mutate({ ids: rows.map(({ id }) => id), decision });
}

export function Proposals({ search, change }: PartProps) {
  const { t } = useTranslation('price-book');
  const query = gridQuery(search);
  const list = useQuery(priceQueries.proposals(query));
  const decide = useDecide();
  /** Small in a row, of the usual size in the bar of a selection. */
  const actions = (rows: readonly PriceProposalView[], after?: () => void) => (
    <span className="inline6 shrink">
      {(['accept', 'refuse'] as const).map((decision) => (
        <Button
          key={decision}
          size={after ? 'compact-sm' : 'compact-xs'}
          variant={decision === 'accept' ? 'default' : 'subtle'}
          onClick={(event) => {
            event.stopPropagation();
            decide(rows, decision);
            after?.();
          }}
        >
          {t(`review.${decision}`)}
        </Button>
      ))}
    </span>
  );
  const selected = (selection: GridSelection<PriceProposalView>) => actions(selection.rows, selection.clear);
  const one = (row: PriceProposalView) => actions([row]);
  const card = (row: PriceProposalView) => (
    <>
      <CardHead name={row.model}>{one(row)}</CardHead>
      <CardLine>
        <span>
          <FiguresText figures={row.before} /> → <FiguresText figures={row.after} />
        </span>
      </CardLine>
    </>
  );
  return (
    <DataGrid
      name="price-proposals"
      label={t('review.list')}
      columns={proposalColumns(t, one)}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={({ id }) => String(id)}
      rowName={({ model }) => model}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('review.empty')} text={t('review.emptyText')} action={<ImportButton />} />}
      selectionActions={selected}
      card={card}
    />
  );
}

type Translate = ReturnType<typeof useTranslation<'price-book'>>['t'];

function proposalColumns(
  t: Translate,
  actions: (row: PriceProposalView) => ReactNode,
): GridColumn<PriceProposalView>[] {
  return [
    {
      id: 'model',
      header: t('review.model'),
      minWidth: 180,
      fixed: true,
      cell: ({ model }) => (
        <span className={classes.mono} title={model}>
          {model}
        </span>
      ),
      skeleton: 'text',
    },
    {
      id: 'now',
      header: t('review.now'),
      width: 150,
      align: 'right',
      cell: ({ before }) => <FiguresText figures={before} />,
      skeleton: 'number',
    },
    {
      id: 'proposed',
      header: t('review.proposed'),
      width: 150,
      align: 'right',
      fixed: true,
      cell: ({ after }) => <FiguresText figures={after} />,
      skeleton: 'number',
    },
    {
      id: 'origin',
      header: t('review.origin'),
      width: 200,
      leaves: 1,
      cell: ({ origin }) => <span title={origin}>{origin}</span>,
      skeleton: 'text',
    },
    {
      id: 'found',
      header: t('review.found'),
      width: 110,
      leaves: 2,
      cell: ({ created_at }) => <Moment timestamp={created_at} />,
      skeleton: 'text',
    },
    {
      id: 'actions',
      header: t('review.accept'),
      headerHidden: true,
      width: 200,
      fixed: true,
      align: 'right',
      cell: actions,
      skeleton: 'none',
    },
  ];
}
