/** The channels of a model with what they charge, and what the model brought and cost through each. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ModelChannel, ModelPage } from '#contract/admin/models.ts';
import type { UnitPrice } from '#contract/admin/thing-parts.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { KnownAmount, MarginPercent, SumAmount } from '#web/ui/thing/money-cells.tsx';
import { MoneyLine } from '#web/ui/thing/money-line.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

type Translate = ReturnType<typeof useTranslation<'models'>>['t'];

export function ModelMoney({ page }: { page: ModelPage }) {
  const { t } = useTranslation('models');
  const priceText = useUnitPriceText();
  const { money, channels } = page;
  return (
    <ThingPanel
      title={t('money.title')}
      hint={t('money.hint', { from: money.from, to: money.to })}
      more={
        <>
          <MoneyLine money={money} />
          <Link to="/margins" search={{ by: 'channel', model: page.model }}>
            {t('money.margins')}
          </Link>
        </>
      }
      isFlush
    >
      <ThingTable
        label={t('money.title')}
        columns={moneyColumns(t, page, priceText)}
        rows={channels}
        rowKey={({ id }) => id}
      />
    </ThingPanel>
  );
}

function moneyColumns(
  t: Translate,
  { money, channels, model }: ModelPage,
  priceText: (price: UnitPrice | null) => string,
): ThingColumn<ModelChannel>[] {
  const number = { isNumber: true } as const;
  return [
    {
      key: 'channel',
      head: t('money.channel'),
      cell: ({ id, name, status }) =>
        status === 0 ? (
          name
        ) : (
          <Link to="/channel/$id" params={{ id: String(id) }} className="quiet-link">
            {name}
          </Link>
        ),
      foot: t('money.foot', { count: channels.length }),
    },
    { key: 'state', head: t('money.state'), cell: ({ status }) => <State status={status} /> },
    {
      key: 'upstream',
      head: t('money.upstream'),
      cell: ({ upstream_model }) =>
        upstream_model === model ? <Empty /> : <span className="code">{upstream_model}</span>,
    },
    {
      key: 'rank',
      head: t('money.rank'),
      ...number,
      cell: ({ priority, weight }) => `${priority} · ${weight}`,
    },
    {
      key: 'cost-price',
      head: t('money.costPrice'),
      ...number,
      cell: ({ cost_price }) => <span className="soft">{priceText(cost_price)}</span>,
    },
    {
      key: 'share',
      head: t('money.share'),
      ...number,
      cell: (row) => <MarginPercent of={row} />,
      foot: <MarginPercent of={money} />,
    },
    {
      key: 'calls',
      head: t('money.calls'),
      ...number,
      cell: ({ calls }) => <Count value={calls} />,
      foot: <Count value={money.calls} />,
    },
    {
      key: 'used',
      head: t('money.used'),
      ...number,
      cell: ({ used }) => <Quota quota={used} decimals={2} />,
      foot: <SumAmount of={money} name="used" />,
    },
    {
      key: 'cost',
      head: t('money.cost'),
      ...number,
      cell: (row) => <KnownAmount of={row} name="cost" />,
      foot: <SumAmount of={money} name="cost" />,
    },
    {
      key: 'margin',
      head: t('money.margin'),
      ...number,
      cell: (row) => <KnownAmount of={row} name="margin" />,
      foot: <SumAmount of={money} name="margin" />,
    },
  ];
}

function State({ status }: { status: number }) {
  const { t } = useTranslation('models');
  if (status === CHANNEL_STATUS.enabled)
    return <StatusBadge kind="enabled">{t('status.enabled')}</StatusBadge>;
  if (status === CHANNEL_STATUS.autoDisabled)
    return <StatusBadge kind="auto-disabled">{t('status.autoDisabled')}</StatusBadge>;
  return <StatusBadge kind="disabled">{t(status === 0 ? 'money.gone' : 'status.disabled')}</StatusBadge>;
}
