/** The channels of a model with what they charge, and what the model brought and cost through each. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ModelChannel, ModelPage } from '#contract/admin/models.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { useChannelColumns } from '#web/ui/thing/channel-columns.tsx';
import { MoneyPanel, useMoneyColumns } from '#web/ui/thing/money-panel.tsx';
import type { ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

function useColumns({ money, channels, model }: ModelPage): ThingColumn<ModelChannel>[] {
  const { t } = useTranslation('models');
  const priceText = useUnitPriceText();
  const { share, calls, used, cost, margin, cached } = useMoneyColumns<ModelChannel>(money);
  return [
    ...useChannelColumns<ModelChannel>(channels.length),
    {
      key: 'upstream',
      head: t('money.upstream'),
      cell: ({ upstream_model }) =>
        upstream_model === model ? <Empty /> : <span className="code">{upstream_model}</span>,
    },
    {
      key: 'rank',
      head: t('money.rank'),
      isNumber: true,
      cell: ({ priority, weight }) => `${priority} · ${weight}`,
    },
    {
      key: 'cost-price',
      head: t('money.costPrice'),
      isNumber: true,
      cell: ({ cost_price }) => <span className="soft">{priceText(cost_price)}</span>,
    },
    share,
    calls,
    used,
    cost,
    margin,
    ...(money.cache !== null && money.cache.cached_calls > 0 ? [cached] : []),
  ];
}

export function ModelMoney({ page }: { page: ModelPage }) {
  const { t } = useTranslation('models');
  const { t: thing } = useTranslation('thing');
  const columns = useColumns(page);
  const { money, channels, model } = page;
  return (
    <MoneyPanel
      title={t('money.title')}
      hint={t('money.hint', { from: money.from, to: money.to, zone: money.time_zone })}
      money={money}
      margins={
        <Link to="/margins" search={{ by: 'channel', model }}>
          {thing('money.inMargins')}
        </Link>
      }
      columns={columns}
      rows={channels}
      rowKey={({ id }) => id}
    />
  );
}
