/** The models that are offered or called, with channels, price, calls, refusals and money; a row opens the model's page. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ModelRow } from '#contract/admin/models.ts';
import { gridError } from '#web/api/errors.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridSort } from '#web/ui/grid/types.ts';
import { Page } from '#web/ui/page/page.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';
import { Answered, answeredShare, Channels, isOff, isUnpriced, modelColumns } from './columns.tsx';
import { modelQueries } from './queries.ts';
import { modelSearch } from './search.ts';

const VALUES: Record<string, (row: ModelRow) => number> = {
  channels: ({ channels }) => channels,
  calls: ({ answered, failed }) => answered + failed,
  answered: (row) => answeredShare(row) ?? -1,
  refused: ({ refused }) => refused,
  used: ({ money }) => money.used,
  margin: ({ money }) => money.margin,
};

function sorted(rows: readonly ModelRow[], sort: GridSort | undefined): readonly ModelRow[] {
  if (sort === undefined) return rows;
  const sign = sort.order === 'asc' ? 1 : -1;
  const valueOf = VALUES[sort.key];
  return valueOf === undefined
    ? rows.toSorted((left, right) => sign * left.model.localeCompare(right.model))
    : rows.toSorted((left, right) => sign * (valueOf(left) - valueOf(right)));
}

const USUAL_SIZE = 50;

export function ModelList() {
  const { t } = useTranslation('models');
  const [search, change] = useAddress(modelSearch);
  const navigate = useNavigate();
  const priceText = useUnitPriceText();
  const list = useQuery(modelQueries.list());
  const all = list.data?.rows;
  const query = gridQuery({ ...search, size: search.size ?? USUAL_SIZE });
  const wanted = search.q?.toLowerCase() ?? '';
  const found = all?.filter(
    (row) =>
      row.model.toLowerCase().includes(wanted) &&
      (search.only === undefined || (search.only === 'off' ? isOff(row) : isUnpriced(row))),
  );
  const shown = found && sorted(found, query.sort);
  const off = all?.filter(isOff).length ?? 0;
  const unpriced = all?.filter(isUnpriced).length ?? 0;
  const only = (name: 'off' | 'unpriced') => ({
    tone: 'danger' as const,
    isFiltered: search.only === name,
    onFilter: () => change({ only: search.only === name ? undefined : name, page: undefined }),
  });
  const open = ({ model }: ModelRow) => void navigate({ to: '/model/$', params: { _splat: model } });
  const card = (row: ModelRow) => <Card row={row} />;
  return (
    <Page
      title={t('title')}
      summary={[
        ...(all ? [{ value: all.length, label: t('summary.total') }] : []),
        ...(off > 0 ? [{ value: off, label: t('summary.off'), ...only('off') }] : []),
        ...(unpriced > 0 ? [{ value: unpriced, label: t('summary.unpriced'), ...only('unpriced') }] : []),
      ]}
    >
      <DataGrid
        name="models"
        label={t('list')}
        columns={modelColumns(t, priceText)}
        rows={shown?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={shown?.length ?? 0}
        rowId={({ model }) => model}
        rowName={({ model }) => model}
        query={query}
        {...addressProps(search, change, t('search'))}
        onClearFilters={() => change({ q: undefined, only: undefined, page: undefined })}
        refreshing={list.isFetching && all !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        fetchAll={async () => [...(shown ?? [])]}
        onOpen={open}
        isMuted={({ channels }) => channels === 0}
        card={card}
      />
    </Page>
  );
}

function Card({ row }: { row: ModelRow }) {
  const { t } = useTranslation('models');
  return (
    <>
      <CardHead name={row.model}>
        <span className="note">{t('card.answered')}</span> <Answered row={row} />
      </CardHead>
      <CardLine>
        <span className="muted">
          {t('card.channels')} <Channels row={row} t={t} />
        </span>
        <span>
          <span className="note">{t('card.used')}</span> <Quota quota={row.money.used} decimals={2} />
        </span>
      </CardLine>
    </>
  );
}
