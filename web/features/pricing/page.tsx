/** The price list: public, one table with a group switch, facets in the place of the side menu, a model in the drawer. */
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PricingEntry } from '#contract/money/pricing.ts';
import { gridError } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { EmptyState, NoMatch, type ActiveFilter } from '#web/ui/feedback/states.tsx';
import { activeFilters, DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridSelection } from '#web/ui/grid/types.ts';
import { Page } from '#web/ui/page/page.tsx';
import { ModelCard } from './card.tsx';
import { pricingColumns } from './columns.tsx';
import { FacetColumn } from './facet-column.tsx';
import { pricingFacets } from './facets.ts';
import { countBy, filterModels, priceModels, sortModels, vendorOf, type PricedModel } from './models.ts';
import { pricingQuery } from '#web/api/price-list.ts';
import { GroupSwitch, UnitSwitches } from './toolbar.tsx';
import type { PricingSearch } from './search.ts';
import { MONEY_SIGN, unitOf, type PriceUnit } from './unit.ts';
import { usePricingSearch } from './use-pricing-search.ts';
import classes from './pricing.module.css';

const ModelDrawer = lazy(() => import('./model-drawer.tsx').then((file) => ({ default: file.ModelDrawer })));
const Compare = lazy(() => import('./compare.tsx').then((file) => ({ default: file.Compare })));

/** From this width on the facets have their own column. */
const FACET_COLUMN_QUERY = '(min-width: 1100px)';
const BESIDE_DRAWER_QUERY = '(min-width: 1680px)';
const ALL_ON_ONE_PAGE = 100;
const MOST_COMPARED = 4;
const NO_FILTER = { q: undefined, vendor: undefined, path: undefined, kind: undefined, billing: undefined };

export function PricingPage() {
  const { t } = useTranslation('pricing');
  const user = useUser();
  const [search, change] = usePricingSearch();
  const [compared, setCompared] = useState<readonly PricedModel[]>();
  const isWide = useMediaQuery(FACET_COLUMN_QUERY, true, { getInitialValueInEffect: false });
  const isVeryWide = useMediaQuery(BESIDE_DRAWER_QUERY, true, { getInitialValueInEffect: false });
  // The drawer pushes the list aside.
  const hasFacetColumn = search.model === undefined ? isWide : isVeryWide;
  const { list, ratios, group, ratio, unit, models, dearest } = usePriceList(search);
  const data = list.data?.data;
  const summary = useSummary(data);
  const query = { ...gridQuery(search), pageSize: search.size ?? ALL_ON_ONE_PAGE };
  const matching = models && sortModels(filterModels(models, search), query.sort);
  const rows = matching?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize);
  const facets = pricingFacets(t, data ?? [], search, change);
  const searchField = {
    value: search.q ?? '',
    onChange: (q: string) => change({ q: q || undefined, page: undefined }, { replace: true }),
    placeholder: t('search'),
  };
  const clear = () => change({ ...NO_FILTER, page: undefined });
  const chosen = (selection: GridSelection<PricedModel>) => (
    <Chosen models={selection.rows} onCompare={setCompared} />
  );
  const card = (model: PricedModel) => (
    <ModelCard model={model} unit={unit} group={group} dearest={dearest} />
  );
  const opened = models?.find((model) => model.model_name === search.model);
  return (
    <div className={classes.layout}>
      {hasFacetColumn ? <FacetColumn facets={facets} label={t('list')} /> : null}
      <div className={classes.page}>
        <Page
          title={t('title')}
          summary={summary}
          actions={user ? null : <SignIn />}
          drawer={
            opened ? (
              <Suspense>
                <ModelDrawer
                  key={opened.model_name}
                  model={opened}
                  ratios={ratios}
                  group={group}
                  unit={unit}
                  onClose={() => change({ model: undefined })}
                />
              </Suspense>
            ) : undefined
          }
        >
          <DataGrid
            name="pricing"
            label={t('list')}
            columns={pricingColumns({ t, unit, group, dearest, models: models ?? [] })}
            rows={rows}
            total={matching?.length ?? 0}
            rowId={(model) => model.model_name}
            rowName={(model) => model.model_name}
            query={query}
            onQueryChange={(next) => change(searchOfQuery(next))}
            search={searchField}
            // No room beside the drawer.
            facets={hasFacetColumn || (search.model !== undefined && isWide) ? [] : facets}
            onClearFilters={clear}
            tools={
              <>
                <GroupSwitch
                  ratios={ratios}
                  group={group}
                  onChange={(name) => change({ group: name }, { replace: true })}
                />
                <UnitSwitches search={search} unit={unit} change={change} />
              </>
            }
            refreshing={list.isFetching && data !== undefined}
            error={gridError(list.error)}
            onRefresh={() => void list.refetch()}
            empty={<Nothing filters={activeFilters([searchField], facets)} onClear={clear} />}
            totals={<Totals unit={unit} group={group} ratio={ratio} />}
            selectionActions={chosen}
            fetchAll={() => Promise.resolve(matching ?? [])}
            onOpen={(model) => change({ model: model.model_name })}
            openRowId={search.model}
            isMuted={(model) => !model.isOpen}
            card={card}
          />
          {compared ? (
            <Suspense>
              <Compare models={compared} unit={unit} onClose={() => setCompared(undefined)} />
            </Suspense>
          ) : null}
        </Page>
      </div>
    </div>
  );
}

/** The models at the prices of the chosen group. */
function usePriceList(search: PricingSearch) {
  const user = useUser();
  const status = useStatus();
  const list = useQuery(pricingQuery(user?.id));
  const data = list.data?.data;
  const ratios = list.data?.group_ratio ?? {};
  const group =
    [search.group, user?.group, 'default', Object.keys(ratios)[0]].find(
      (name) => name !== undefined && Object.hasOwn(ratios, name),
    ) ?? 'default';
  const ratio = ratios[group] ?? 1;
  const models = useMemo(() => (data ? priceModels(data, group, ratio) : undefined), [data, group, ratio]);
  const dearest = Math.max(1, ...(models ?? []).map((model) => model.perMillion?.output ?? 0));
  return { list, ratios, group, ratio, unit: unitOf(search, status), models, dearest };
}

function useSummary(data: readonly PricingEntry[] | undefined) {
  const { t } = useTranslation('pricing');
  if (!data) return undefined;
  const vendors = countBy(data, (entry) => [vendorOf(entry)]).length;
  return [
    { value: data.length, label: t('summary.models', { count: data.length }) },
    { value: vendors, label: t('summary.vendors', { count: vendors }) },
  ];
}

function SignIn() {
  const { t } = useTranslation('pricing');
  return (
    <span className={classes.signIn}>
      <Link to="/login" search={{ next: '/pricing' }}>
        {t('signIn')}
      </Link>{' '}
      {t('signInAfter')}
    </span>
  );
}

function Nothing({ filters, onClear }: { filters: ActiveFilter[]; onClear: () => void }) {
  const { t } = useTranslation('pricing');
  if (filters.length > 0) return <NoMatch filters={filters} onClear={onClear} />;
  return <EmptyState title={t('empty.title')} text={t('empty.text')} />;
}

function Totals({ unit, group, ratio }: { unit: PriceUnit; group: string; ratio: number }) {
  const { t } = useTranslation('pricing');
  const tokensUnit = { money: MONEY_SIGN[unit.money] || t('unit.quota'), tokens: unit.tokens };
  return (
    <>
      <span>
        {t('footer.unit')} <b>{t('footer.tokens', tokensUnit)}</b>
      </span>
      <span>
        {t('footer.group', { group })} <b>{ratio}×</b>
      </span>
      <span className={classes.formula}>{t('footer.formula')}</span>
    </>
  );
}

interface ChosenProps {
  models: readonly PricedModel[];
  onCompare: (models: readonly PricedModel[]) => void;
}

/** What can be done with the selected models. */
function Chosen({ models, onCompare }: ChosenProps) {
  const { t } = useTranslation('pricing');
  const count = models.length;
  const copyNames = async () => {
    if (await copyText(models.map((model) => model.model_name).join(',')))
      toast.success(t('copied', { count }));
  };
  return (
    <>
      <Button variant="default" onClick={() => void copyNames()}>
        {t('action.copyNames')}
      </Button>
      <Button disabled={count < 2 || count > MOST_COMPARED} onClick={() => onCompare(models)}>
        {count > MOST_COMPARED
          ? t('action.tooMany', { count: MOST_COMPARED })
          : count < 2
            ? t('action.tooFew')
            : t('action.compare', { count })}
      </Button>
    </>
  );
}
