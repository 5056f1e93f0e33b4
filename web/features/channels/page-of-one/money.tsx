/** The models of a channel with their prices, what they brought and cost, and who else serves them. */
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelPage, ChannelPageModel } from '#contract/admin/channel-page.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { MoneyLine } from '#web/ui/thing/money-line.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

const MOST_OTHERS = 2;

/** Of the calls of known cost; undefined without any. */
function marginShare({ used, unknown, margin }: { used: number; unknown: number; margin: number }) {
  return used - unknown > 0 ? margin / (used - unknown) : undefined;
}

const percent = (share: number | undefined) =>
  share === undefined ? (
    <Empty />
  ) : (
    <span className={share < 0 ? 'danger' : undefined}>{(share * 100).toFixed(1)} %</span>
  );

export function ChannelMoney({ page }: { page: ChannelPage }) {
  const { t } = useTranslation('channels');
  const display = useDisplay();
  const priceText = useUnitPriceText();
  const { money, models, channel } = page;
  const isOff = channel.status === CHANNEL_STATUS.autoDisabled;
  /** A cost of calls that are all of unknown cost is not nothing. */
  const known = (row: ChannelPageModel, quota: number) => {
    if (row.calls === 0) return <Quota quota={0} decimals={2} plain />;
    if (row.unknown_calls === row.calls) return <span className="warning">{t('page.money.unknown')}</span>;
    return (
      <>
        <Quota quota={quota} decimals={2} />
        {row.unknown_calls > 0 ? <small className="muted"> {t('page.money.part')}</small> : null}
      </>
    );
  };
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
      isNumber: true,
      cell: ({ price }) =>
        price === null ? <span className="danger">{t('page.money.noPrice')}</span> : priceText(price),
    },
    {
      key: 'cost-price',
      head: t('page.money.costPrice'),
      isNumber: true,
      cell: ({ cost_price }) => <span className="soft">{priceText(cost_price)}</span>,
    },
    {
      key: 'share',
      head: t('page.money.share'),
      isNumber: true,
      cell: (row) => percent(marginShare(row)),
      foot: percent(marginShare(money)),
    },
    {
      key: 'used',
      head: t('page.money.used'),
      isNumber: true,
      cell: ({ used }) => <Quota quota={used} decimals={2} />,
      foot: <Quota quota={money.used} decimals={2} />,
    },
    {
      key: 'cost',
      head: t('page.money.cost'),
      isNumber: true,
      cell: (row) => known(row, row.cost),
      foot:
        money.calls > 0 && money.unknown_calls === money.calls && money.cost === 0 ? (
          <span className="warning">{t('page.money.unknown')}</span>
        ) : (
          <Quota quota={money.cost} decimals={2} />
        ),
    },
    {
      key: 'margin',
      head: t('page.money.margin'),
      isNumber: true,
      cell: (row) => known(row, row.margin),
      foot:
        money.calls > 0 && money.unknown_calls === money.calls ? (
          <span className="warning">{t('page.money.unknown')}</span>
        ) : (
          <Quota quota={money.margin} decimals={2} />
        ),
    },
    { key: 'others', head: t('page.money.others'), cell: (row) => <Others row={row} isOff={isOff} /> },
  ];
  if (isOff)
    columns.push({
      key: 'since',
      head: t('page.money.since'),
      isNumber: true,
      cell: ({ refused, others }) =>
        refused > 0 ? (
          <span className="danger">{t('page.money.refused', { count: refused })}</span>
        ) : others.length > 0 ? (
          <span className="muted">{t('page.money.moved')}</span>
        ) : (
          <Empty />
        ),
    });
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
        columns={columns}
        rows={models}
        rowKey={({ model }) => model}
      />
    </ThingPanel>
  );
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
