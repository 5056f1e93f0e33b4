/** The columns of the price list. On narrow screens they are hidden in this order: capability, vendor, context, cache, ratios, groups. */
import type { useTranslation } from 'react-i18next';
import { GroupTags } from '#web/ui/badge/tag.tsx';
import { Empty } from '#web/ui/badge/empty.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { CallCell, contextText, ModelCell, OutputCell, RatioCell, TokenPriceCell } from './cells.tsx';
import { kindName } from './facets.ts';
import { billingOf, type PricedModel } from './models.ts';
import { callPrice, mostDecimals, tokenPrice, type PriceUnit } from './unit.ts';

interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'pricing'>>['t'];
  unit: PriceUnit;
  group: string;
  dearest: number;
  /** Of the list, for the decimals of each column. */
  models: readonly PricedModel[];
}

export function pricingColumns({
  t,
  unit,
  group,
  dearest,
  models,
}: ColumnOptions): GridColumn<PricedModel>[] {
  const wide = unit.money === 'quota' || unit.tokens === '1K';
  const priced = (model: PricedModel, part: 'input' | 'cached' | 'output') =>
    model.perMillion && model.isOpen ? tokenPrice(model.perMillion[part], unit) : undefined;
  const decimals = (part: 'input' | 'cached' | 'output') =>
    mostDecimals(
      models.map((model) => priced(model, part)),
      unit.money,
    );
  const calls = models.map(({ perCall }) => (perCall === undefined ? undefined : callPrice(perCall, unit)));
  const digits = {
    input: decimals('input'),
    cached: decimals('cached'),
    output: decimals('output'),
    // What is counted stands in the place of two digits.
    call:
      mostDecimals(calls, unit.money) + (models.some(({ price_unit }) => price_unit === 'second') ? 2 : 0),
  };
  return [
    {
      id: 'model',
      header: t('column.model'),
      minWidth: 220,
      fixed: true,
      sortKey: 'model',
      cell: (model) => <ModelCell model={model} />,
      csv: (model) => model.model_name,
      skeleton: 'text',
    },
    {
      id: 'vendor',
      header: t('column.vendor'),
      width: 100,
      leaves: 2,
      sortKey: 'vendor',
      cell: (model) => model.owner_by || t('facet.other'),
      csv: (model) => model.owner_by,
      skeleton: 'text',
    },
    {
      id: 'kind',
      header: t('column.kind'),
      width: 96,
      leaves: 1,
      cell: (model) => kindName(t, model.kind),
      csv: (model) => model.kind,
      skeleton: 'text',
    },
    {
      id: 'billing',
      header: t('column.billing'),
      width: 70,
      cell: (model) => t(`billing.${billingOf(model)}Short`),
      csv: (model) => t(`billing.${billingOf(model)}`),
      skeleton: 'text',
    },
    {
      id: 'input',
      header: t('column.input'),
      width: wide ? 116 : 96,
      align: 'right',
      sortKey: 'input',
      cell: (model) => <TokenPriceCell model={model} unit={unit} decimals={digits.input} part="input" />,
      csv: (model) => priced(model, 'input'),
      skeleton: 'number',
    },
    {
      id: 'cached',
      header: t('column.cached'),
      width: wide ? 116 : 96,
      align: 'right',
      leaves: 4,
      cell: (model) => <TokenPriceCell model={model} unit={unit} decimals={digits.cached} part="cached" />,
      csv: (model) => priced(model, 'cached'),
      skeleton: 'number',
    },
    {
      id: 'output',
      header: t('column.output'),
      width: wide ? 204 : 184,
      align: 'right',
      sortKey: 'output',
      cell: (model) => (
        <OutputCell model={model} unit={unit} group={group} dearest={dearest} decimals={digits.output} />
      ),
      csv: (model) => priced(model, 'output'),
      skeleton: 'bar',
    },
    {
      id: 'call',
      header: t('column.call'),
      width: 100,
      align: 'right',
      sortKey: 'call',
      cell: (model) => <CallCell model={model} unit={unit} decimals={digits.call} />,
      csv: (model) => (model.perCall === undefined ? undefined : callPrice(model.perCall, unit)),
      skeleton: 'number',
    },
    {
      id: 'ratio',
      header: t('column.ratio'),
      width: 116,
      align: 'right',
      leaves: 5,
      cell: (model) => <RatioCell model={model} />,
      csv: (model) => (model.perMillion ? `${model.model_ratio} × ${model.completion_ratio}` : undefined),
      skeleton: 'number',
    },
    {
      id: 'context',
      header: t('column.context'),
      width: 72,
      align: 'right',
      leaves: 3,
      sortKey: 'context',
      cell: (model) => (model.context > 0 ? contextText(model.context) : <Empty />),
      csv: (model) => model.context || undefined,
      skeleton: 'number',
    },
    {
      id: 'groups',
      header: t('column.groups'),
      width: 132,
      leaves: 6,
      cell: (model) => <GroupTags groups={model.enable_groups} />,
      csv: (model) => model.enable_groups.join(' '),
      skeleton: 'text',
    },
  ];
}
