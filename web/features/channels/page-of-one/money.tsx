/** The models of a channel with their prices, what they brought and cost, and who else serves them. */
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelPage, ChannelPageModel } from '#contract/admin/channel-page.ts';
import type { UnitPrice } from '#contract/admin/thing-parts.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { KnownAmount, MarginPercent, SumAmount } from '#web/ui/thing/money-cells.tsx';
import { MoneyLine } from '#web/ui/thing/money-line.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

const MOST_OTHERS = 2;

type Translate = ReturnType<typeof useTranslation<'channels'>>['t'];

interface ColumnOptions {
  t: Translate;
  page: ChannelPage;
  priceText: (price: UnitPrice | null) => string;
}

export function ChannelMoney({ page }: { page: ChannelPage }) {
  const { t } = useTranslation('channels');
  const display = useDisplay();
  const priceText = useUnitPriceText();
  const { money, models, channel } = page;
  const fees =
    money.fees > 0 ? ` · ${t('page.money.fees', { amount: renderQuota(money.fees, display, 2) })}` : '';
  return (
    <ThingPanel
      title={t('page.money.title')}
      hint={t('page.money.hint', { from: money.from, to: money.to }) + fees}
      more={
        <>
          <MoneyLine money={money} />
          <Link to="/margins" search={{ by: 'model', channel: channel.id }}>
            {t('page.money.margins')}
          </Link>
        </>
      }
      isFlush
    >
      <ThingTable
        label={t('page.money.title')}
        columns={moneyColumns({ t, page, priceText })}
        rows={models}
        rowKey={({ model }) => model}
      />
    </ThingPanel>
  );
}

function moneyColumns({ t, page, priceText }: ColumnOptions): ThingColumn<ChannelPageModel>[] {
  const { money, channel } = page;
  const isOff = channel.status === CHANNEL_STATUS.autoDisabled;
  const number = { isNumber: true } as const;
  const columns: ThingColumn<ChannelPageModel>[] = [
    {
      key: 'model',
      head: t('page.money.model'),
      cell: ({ model }) => (
        <Link to="/model/$" params={{ _splat: model }} className="quiet-link">
          {model}
        </Link>
      ),
      foot: t('page.money.foot', { models: page.model_count, calls: groupDigits(money.calls) }),
    },
    {
      key: 'price',
      head: t('page.money.price'),
      ...number,
      cell: ({ price }) =>
        price === null ? <span className="danger">{t('page.money.noPrice')}</span> : priceText(price),
    },
    {
      key: 'cost-price',
      head: t('page.money.costPrice'),
      ...number,
      cell: ({ cost_price }) => <span className="soft">{priceText(cost_price)}</span>,
    },
    {
      key: 'share',
      head: t('page.money.share'),
      ...number,
      cell: (row) => <MarginPercent of={row} />,
      foot: <MarginPercent of={money} />,
    },
    {
      key: 'used',
      head: t('page.money.used'),
      ...number,
      cell: ({ used }) => <Quota quota={used} decimals={2} />,
      foot: <SumAmount of={money} name="used" />,
    },
    {
      key: 'cost',
      head: t('page.money.cost'),
      ...number,
      cell: (row) => <KnownAmount of={row} name="cost" />,
      foot: <SumAmount of={money} name="cost" />,
    },
    {
      key: 'margin',
      head: t('page.money.margin'),
      ...number,
      cell: (row) => <KnownAmount of={row} name="margin" />,
      foot: <SumAmount of={money} name="margin" />,
    },
    { key: 'others', head: t('page.money.others'), cell: (row) => <Others row={row} isOff={isOff} /> },
  ];
  if (isOff)
    columns.push({
      key: 'since',
      head: t('page.money.since'),
      ...number,
      cell: (row) => <Since row={row} />,
    });
  return columns;
}

function Since({ row: { refused, others } }: { row: ChannelPageModel }) {
  const { t } = useTranslation('channels');
  if (refused > 0) return <span className="danger">{t('page.money.refused', { count: refused })}</span>;
  return others.length > 0 ? <span className="muted">{t('page.money.moved')}</span> : <Empty />;
}

function Others({ row: { others }, isOff }: { row: ChannelPageModel; isOff: boolean }) {
  const { t } = useTranslation('channels');
  if (others.length === 0)
    return (
      <span className={isOff ? 'inline4 danger' : 'muted'}>
        {isOff ? <IconAlertTriangleFilled size={13} aria-hidden /> : null}
        {t('page.money.none')}
      </span>
    );
  return (
    <span>
      {others.slice(0, MOST_OTHERS).map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 ? ', ' : ''}
          <Link to="/channel/$id" params={{ id: String(id) }}>
            {name}
          </Link>
        </Fragment>
      ))}
      {others.length > MOST_OTHERS ? <span className="muted"> +{others.length - MOST_OTHERS}</span> : null}
    </span>
  );
}
