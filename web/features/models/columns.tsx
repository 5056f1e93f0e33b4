/** The columns of the list of models. */
import type { useTranslation } from 'react-i18next';
import type { ModelRow } from '#contract/admin/models.ts';
import type { UnitPrice } from '#contract/admin/thing-parts.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { GroupTags } from '#web/ui/badge/tag.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';

type Translate = ReturnType<typeof useTranslation<'models'>>['t'];

/** Below this share of answered calls the figure is loud. */
const GOOD_SHARE = 0.95;

export const isOff = ({ channels, all_channels }: ModelRow): boolean => channels === 0 && all_channels > 0;
export const isUnpriced = ({ price, channels }: ModelRow): boolean => price === null && channels > 0;
export const answeredShare = ({ answered, failed }: ModelRow): number | undefined =>
  answered + failed === 0 ? undefined : answered / (answered + failed);

export function Answered({ row }: { row: ModelRow }) {
  const share = answeredShare(row);
  if (share === undefined) return <Empty />;
  return <span className={share < GOOD_SHARE ? 'danger' : undefined}>{(share * 100).toFixed(1)}%</span>;
}

export function Channels({ row, t }: { row: ModelRow; t: Translate }) {
  if (row.all_channels === 0) return <Empty />;
  if (isOff(row)) return <span className="danger">{t('noChannel')}</span>;
  return <>{t('channelsOf', { on: row.channels, all: row.all_channels })}</>;
}

/** A margin of calls whose cost is not known is not nothing. */
export function Margin({ row: { money }, t }: { row: ModelRow; t: Translate }) {
  if (money.calls === 0) return <Quota quota={0} decimals={2} plain />;
  if (money.unknown_calls === money.calls) return <span className="warning">{t('unknown')}</span>;
  return (
    <span className={money.margin < 0 ? 'danger' : undefined}>
      <Quota quota={money.margin} decimals={2} />
    </span>
  );
}

export function modelColumns(
  t: Translate,
  priceText: (price: UnitPrice | null) => string,
): GridColumn<ModelRow>[] {
  return [
    {
      id: 'model',
      header: t('column.model'),
      minWidth: 200,
      fixed: true,
      sortKey: 'model',
      cell: ({ model }) => model,
      csv: ({ model }) => model,
      skeleton: 'text',
    },
    {
      id: 'channels',
      header: t('column.channels'),
      width: 104,
      sortKey: 'channels',
      cell: (row) => <Channels row={row} t={t} />,
      csv: ({ channels }) => channels,
      skeleton: 'text',
    },
    {
      id: 'groups',
      header: t('column.groups'),
      width: 170,
      leaves: 1,
      cell: ({ groups }) => <GroupTags groups={groups} />,
      csv: ({ groups }) => groups.join(' '),
      skeleton: 'text',
    },
    {
      id: 'price',
      header: t('column.price'),
      width: 150,
      align: 'right',
      leaves: 4,
      cell: (row) =>
        row.price === null ? (
          <span className={isUnpriced(row) ? 'danger' : 'muted'}>{t('noPrice')}</span>
        ) : (
          priceText(row.price)
        ),
      csv: ({ price }) => (price === null ? '' : `${price.input} / ${price.output}`),
      skeleton: 'number',
    },
    {
      id: 'calls',
      header: t('column.calls'),
      width: 100,
      align: 'right',
      sortKey: 'calls',
      cell: ({ answered, failed }) => <Count value={answered + failed} />,
      csv: ({ answered, failed }) => answered + failed,
      skeleton: 'number',
    },
    {
      id: 'answered',
      header: t('column.answered'),
      width: 92,
      align: 'right',
      sortKey: 'answered',
      cell: (row) => <Answered row={row} />,
      csv: (row) => answeredShare(row) ?? '',
      skeleton: 'number',
    },
    {
      id: 'refused',
      header: t('column.refused'),
      width: 84,
      align: 'right',
      sortKey: 'refused',
      leaves: 3,
      cell: ({ refused }) => (
        <span className={refused > 0 ? 'warning' : undefined}>
          <Count value={refused} />
        </span>
      ),
      csv: ({ refused }) => refused,
      skeleton: 'number',
    },
    {
      id: 'used',
      header: t('column.used'),
      width: 100,
      align: 'right',
      sortKey: 'used',
      cell: ({ money }) => <Quota quota={money.used} decimals={2} />,
      csv: ({ money }) => money.used,
      skeleton: 'number',
    },
    {
      id: 'margin',
      header: t('column.margin'),
      width: 100,
      align: 'right',
      sortKey: 'margin',
      leaves: 2,
      cell: (row) => <Margin row={row} t={t} />,
      csv: ({ money }) => (money.calls > 0 && money.unknown_calls === money.calls ? '' : money.margin),
      skeleton: 'number',
    },
  ];
}
