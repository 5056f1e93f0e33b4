/** The running prices, model by model, with where each number comes from. */
import { Tooltip } from '@mantine/core';
import { IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { BookedModel } from '#contract/money/price-book-views.ts';
import { gridError } from '#web/api/errors.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { dollarText, FiguresText } from './figures.tsx';
import { priceQueries } from './queries.ts';
import type { PartProps } from './search.ts';

export function Running({ search, change }: PartProps) {
  const { t } = useTranslation('price-book');
  const list = useQuery(priceQueries.models());
  const query = gridQuery(search);
  const wanted = (search.q ?? '').trim().toLowerCase();
  const unverified = list.data?.filter(({ is_verified }) => !is_verified).length ?? 0;
  const rows = list.data?.filter(
    ({ model, is_verified }) =>
      model.toLowerCase().includes(wanted) && (search.unverified !== true || !is_verified),
  );
  const card = (row: BookedModel) => (
    <>
      <CardHead name={row.model}>
        <FiguresText figures={row.figures} />
      </CardHead>
      <CardLine>
        <Source model={row} />
      </CardLine>
    </>
  );
  return (
    <DataGrid
      name="price-book-models"
      label={t('running.list')}
      columns={useColumns()}
      rows={rows?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
      total={rows?.length ?? 0}
      rowId={({ model }) => model}
      rowName={({ model }) => model}
      query={query}
      {...addressProps(search, change, t('running.search'))}
      facets={[
        {
          id: 'unverified',
          label: t('running.source'),
          options: [{ value: 'unverified', label: t('running.onlyUnverified', { count: unverified }) }],
          value: search.unverified === true ? ['unverified'] : [],
          onChange: ([chosen]) =>
            change(
              { unverified: chosen === undefined ? undefined : true, page: undefined },
              { replace: true },
            ),
        },
      ]}
      onClearFilters={() => change({ q: undefined, unverified: undefined, page: undefined })}
      notice={<NoticeLine>{t('running.perMillion')}</NoticeLine>}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('running.empty')} text={t('running.emptyText')} />}
      card={card}
    />
  );
}

function Source({ model }: { model: BookedModel }) {
  const { t } = useTranslation('price-book');
  if (model.source === 'none') return <Tag post="danger">{t('running.none')}</Tag>;
  return (
    <span className="inline6 shrink">
      <Tag>{t(model.source === 'operator' ? 'running.operator' : 'running.listed')}</Tag>
      {model.is_verified ? null : (
        <Tooltip label={t('running.unverifiedHelp')} multiline w={280}>
          <span tabIndex={0} className="muted inline6" role="img" aria-label={t('running.unverified')}>
            <IconCircleDashed size={13} stroke={1.6} aria-hidden />
          </span>
        </Tooltip>
      )}
      {model.figures?.has_rules ? <Tag post="info">{t('running.rules')}</Tag> : null}
    </span>
  );
}

function useColumns(): GridColumn<BookedModel>[] {
  const { t } = useTranslation('price-book');
  const price = (
    id: 'input' | 'output' | 'cache_read' | 'cache_write',
    header: string,
    leaves?: number,
  ): GridColumn<BookedModel> => ({
    id,
    header,
    width: 100,
    align: 'right',
    ...(leaves === undefined ? {} : { leaves }),
    cell: ({ figures }) =>
      id === 'input' && figures?.input === undefined && figures !== null ? (
        <FiguresText figures={figures} />
      ) : (
        <Dollars value={figures?.[id]} />
      ),
    skeleton: 'number',
  });
  return [
    {
      id: 'model',
      header: t('running.model'),
      minWidth: 200,
      fixed: true,
      cell: ({ model, vendor }) => (
        <span className="inline6 shrink ellipsis" title={model}>
          <VendorMark vendor={vendor} />
          <span>{model}</span>
        </span>
      ),
      skeleton: 'text',
    },
    {
      id: 'source',
      header: t('running.source'),
      width: 200,
      cell: (model) => <Source model={model} />,
      skeleton: 'text',
    },
    price('input', t('running.input')),
    price('output', t('running.output')),
    price('cache_read', t('running.cacheRead'), 2),
    price('cache_write', t('running.cacheWrite'), 1),
  ];
}

function Dollars({ value }: { value: number | undefined }) {
  return value === undefined ? <Empty /> : <span>{dollarText(value)}</span>;
}
