/** The columns of the channel list; a tag row fills them with what its channels have in common. */
import type { ReactNode } from 'react';
import type { useTranslation } from 'react-i18next';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { GroupTags, Tag } from '#web/ui/badge/tag.tsx';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { BalanceCell, MeanResponse, ModelsCell, NameCell, ResponseCell } from './cells.tsx';
import { BuyPriceCell, MarginCell } from './cost-cells.tsx';
import { FirstTokenCell, HealthCell, StatusCell, statusKind } from './health-cells.tsx';
import { healthTotals } from './grades.ts';
import { splitList, type ChannelRow, type ListRow, type TagRow } from './rows.ts';
import type { TypeLookup } from '#web/features/channels/queries.ts';
import { TagModelsCell, TagNameCell, TagStatusCell } from './tag-cells.tsx';

export interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'channels'>>['t'];
  typeOf: TypeLookup;
  toggle: (tag: string) => void;
  number: (row: ListRow, field: 'priority' | 'weight') => ReactNode;
  updateBalance: (channel: ChannelView) => void;
  menu: (row: ListRow) => ReactNode;
}

/** A column of channels and tags; the export contains channels only. */
function column(
  rest: Omit<GridColumn<ListRow>, 'cell' | 'csv'>,
  channel: (row: ChannelRow) => ReactNode,
  tag: (row: TagRow) => ReactNode,
  csv?: (channel: ChannelView) => string | number,
): GridColumn<ListRow> {
  return {
    ...rest,
    cell: (row) => (row.kind === 'tag' ? tag(row) : channel(row)),
    ...(csv ? { csv: (row: ListRow) => (row.kind === 'tag' ? undefined : csv(row.channel)) } : {}),
  };
}

const nothing = () => null;

export function channelColumns(options: ColumnOptions): GridColumn<ListRow>[] {
  const { t, typeOf, number, menu } = options;
  const typeName = (channel: ChannelView) => typeOf(channel.type)?.name ?? String(channel.type);
  return [
    column(
      { id: 'id', header: 'ID', width: 46, sortKey: 'id', skeleton: 'number' },
      ({ channel }) => <span className="muted">{channel.id}</span>,
      nothing,
      (channel) => channel.id,
    ),
    column(
      { id: 'name', header: t('column.name'), minWidth: 158, sortKey: 'name', fixed: true, skeleton: 'text' },
      ({ channel, place }) => <NameCell channel={channel} type={typeOf(channel.type)} place={place} />,
      (row) => <TagNameCell row={row} onToggle={() => options.toggle(row.tag)} />,
      (channel) => channel.name,
    ),
    column(
      { id: 'status', header: t('column.status'), width: 136, skeleton: 'status' },
      ({ channel }) => <StatusCell channel={channel} />,
      (row) => <TagStatusCell row={row} />,
      (channel) => t(`status.${statusKind(channel.status)}`),
    ),
    column(
      {
        id: 'health',
        header: t('column.health'),
        width: 134,
        sortKey: 'success',
        leaves: 8,
        skeleton: 'posts',
      },
      ({ channel }) => <HealthCell health={channel.health} channel={channel} />,
      (row) => <HealthCell health={row.health} />,
      (channel) => {
        const { calls, errors } = healthTotals(channel.health);
        return `${calls - errors}/${calls}`;
      },
    ),
    column(
      { id: 'type', header: t('column.type'), width: 82, leaves: 3, skeleton: 'text' },
      ({ channel }) => <span className="block soft ellipsis">{typeName(channel)}</span>,
      nothing,
      typeName,
    ),
    column(
      { id: 'groups', header: t('column.groups'), width: 116, leaves: 4, skeleton: 'text' },
      ({ channel }) => <GroupTags groups={splitList(channel.group)} />,
      (row) => <GroupTags groups={row.groups} />,
      (channel) => channel.group,
    ),
    column(
      { id: 'models', header: t('column.models'), width: 110, shares: true, leaves: 5, skeleton: 'text' },
      ({ channel }) => <ModelsCell models={channel.models} />,
      (row) => <TagModelsCell row={row} />,
      (channel) => channel.models,
    ),
    column(
      { id: 'tag', header: t('column.tag'), width: 104, hidden: true, skeleton: 'text' },
      ({ channel }) => (channel.tag ? <Tag>{channel.tag}</Tag> : <Empty />),
      nothing,
      (channel) => channel.tag ?? '',
    ),
    column(
      { id: 'key', header: t('column.key'), width: 84, hidden: true, skeleton: 'text' },
      ({ channel }) => (channel.key_hint ? <code className="muted">…{channel.key_hint}</code> : <Empty />),
      nothing,
      (channel) => (channel.key_hint ? `…${channel.key_hint}` : ''),
    ),
    column(
      {
        id: 'priority',
        header: t('column.priority'),
        width: 66,
        align: 'right',
        sortKey: 'priority',
        skeleton: 'number',
      },
      (row) => number(row, 'priority'),
      (row) => number(row, 'priority'),
      (channel) => channel.priority,
    ),
    column(
      {
        id: 'weight',
        header: t('column.weight'),
        width: 64,
        align: 'right',
        sortKey: 'weight',
        skeleton: 'number',
      },
      (row) => number(row, 'weight'),
      (row) => number(row, 'weight'),
      (channel) => channel.weight,
    ),
    column(
      {
        id: 'response',
        header: t('column.response'),
        width: 126,
        align: 'right',
        sortKey: 'response_time',
        leaves: 7,
        skeleton: 'number',
      },
      ({ channel }) => <ResponseCell channel={channel} />,
      (row) => <MeanResponse milliseconds={row.responseTime} />,
      (channel) => channel.response_time,
    ),
    column(
      {
        id: 'first-token',
        header: t('column.firstToken'),
        width: 112,
        align: 'right',
        sortKey: 'first_token',
        leaves: 1,
        skeleton: 'number',
      },
      ({ channel }) => <FirstTokenCell channel={channel} />,
      nothing,
      (channel) => channel.first_token_p50,
    ),
    column(
      {
        id: 'used',
        header: t('column.used'),
        width: 100,
        align: 'right',
        sortKey: 'used_quota',
        leaves: 6,
        skeleton: 'number',
      },
      ({ channel }) => <Quota quota={channel.used_quota} />,
      (row) => <Quota quota={row.usedQuota} />,
      (channel) => channel.used_quota,
    ),
    column(
      {
        id: 'balance',
        header: t('column.balance'),
        width: 78,
        align: 'right',
        sortKey: 'balance',
        leaves: 7,
        skeleton: 'number',
      },
      ({ channel }) => (
        <BalanceCell
          channel={channel}
          type={typeOf(channel.type)}
          onRefresh={() => options.updateBalance(channel)}
        />
      ),
      nothing,
      (channel) => channel.balance,
    ),
    column(
      {
        id: 'buy-price',
        header: t('column.buyPrice'),
        width: 110,
        align: 'right',
        hidden: true,
        skeleton: 'text',
      },
      ({ channel }) => <BuyPriceCell channel={channel} />,
      nothing,
      (channel) => channel.buy_price,
    ),
    column(
      {
        id: 'margin',
        header: t('column.margin'),
        width: 120,
        align: 'right',
        hidden: true,
        skeleton: 'number',
      },
      ({ channel }) => <MarginCell channel={channel} />,
      nothing,
    ),
    column(
      { id: 'created', header: t('column.created'), width: 140, hidden: true, skeleton: 'text' },
      ({ channel }) => absoluteTime(channel.created_time).slice(0, 16),
      nothing,
      (channel) => absoluteTime(channel.created_time),
    ),
    menuColumn(t('column.actions'), menu),
  ];
}
