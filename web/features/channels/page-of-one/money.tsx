/** The models of a channel with their prices, what they brought and cost, and who else serves them. */
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelPage, ChannelPageModel } from '#contract/admin/channel-page.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { MoneyPanel, useMoneyColumns } from '#web/ui/thing/money-panel.tsx';
import type { ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

const MOST_OTHERS = 2;

function useColumns({ money, channel, model_count }: ChannelPage): ThingColumn<ChannelPageModel>[] {
  const { t } = useTranslation('channels');
  const priceText = useUnitPriceText();
  const { share, used, cost, margin, cached } = useMoneyColumns<ChannelPageModel>(money);
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
      foot: t('page.money.foot', { models: model_count, calls: groupDigits(money.calls) }),
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
    share,
    used,
    cost,
    margin,
    ...(money.cache !== null && money.cache.cached_calls > 0 ? [cached] : []),
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

export function ChannelMoney({ page }: { page: ChannelPage }) {
  const { t } = useTranslation('channels');
  const { t: thing } = useTranslation('thing');
  const columns = useColumns(page);
  const { money, models, channel } = page;
  return (
    <MoneyPanel
      title={t('page.money.title')}
      hint={t('page.money.hint', { from: money.from, to: money.to, zone: money.time_zone })}
      money={money}
      margins={
        <Link to="/margins" search={{ by: 'model', channel: channel.id }}>
          {thing('money.inMargins')}
        </Link>
      }
      columns={columns}
      rows={models}
      rowKey={({ model }) => model}
    />
  );
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
