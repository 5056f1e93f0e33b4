/** The channels of a model with what they charge, and what the model brought and cost through each. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ModelChannel, ModelPage } from '#contract/admin/models.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { MoneyLine } from '#web/ui/thing/money-line.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

/** Of the calls of known cost. */
function Percent({
  of: { used, unknown, margin },
}: {
  of: { used: number; unknown: number; margin: number };
}) {
  if (used - unknown <= 0) return <Empty />;
  const share = margin / (used - unknown);
  return <span className={share < 0 ? 'danger' : undefined}>{(share * 100).toFixed(1)} %</span>;
}

function State({ status }: { status: number }) {
  const { t } = useTranslation('models');
  if (status === CHANNEL_STATUS.enabled) return <StatusBadge kind="enabled">{t('status.1')}</StatusBadge>;
  if (status === CHANNEL_STATUS.autoDisabled)
    return <StatusBadge kind="auto-disabled">{t('status.3')}</StatusBadge>;
  return <StatusBadge kind="disabled">{t(status === 0 ? 'money.gone' : 'status.2')}</StatusBadge>;
}

export function ModelMoney({ page }: { page: ModelPage }) {
  const { t } = useTranslation('models');
  const priceText = useUnitPriceText();
  const { money, channels } = page;
  const known = (row: { calls: number; unknown_calls: number }, quota: number) => {
    if (row.calls > 0 && row.unknown_calls === row.calls)
      return <span className="warning">{t('unknown')}</span>;
    return (
      <>
        <Quota quota={quota} decimals={2} />
        {row.unknown_calls > 0 ? <small className="muted"> {t('money.part')}</small> : null}
      </>
    );
  };
  const number = { isNumber: true } as const;
  const columns: ThingColumn<ModelChannel>[] = [
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
        upstream_model === page.model ? <Empty /> : <span className="code">{upstream_model}</span>,
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
      cell: (row) => <Percent of={row} />,
      foot: <Percent of={money} />,
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
      foot: <Quota quota={money.used} decimals={2} />,
    },
    {
      key: 'cost',
      head: t('money.cost'),
      ...number,
      cell: (row) => known(row, row.cost),
      foot: known(money, money.cost),
    },
    {
      key: 'margin',
      head: t('money.margin'),
      ...number,
      cell: (row) => known(row, row.margin),
      foot: known(money, money.margin),
    },
  ];
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
      <ThingTable label={t('money.title')} columns={columns} rows={channels} rowKey={({ id }) => id} />
    </ThingPanel>
  );
}
