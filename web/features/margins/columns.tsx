/** The columns of the margin table. On narrow screens the unknown costs leave first, then fees and calls. */
import { useTranslation } from 'react-i18next';
import { marginShare, type MarginDimension, type MarginRow } from '#contract/money/margins.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import type { Display } from '#web/ui/format/display.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import classes from './margins.module.css';

type Translate = ReturnType<typeof useTranslation<'margins'>>['t'];

export function nameOf(row: MarginRow, by: MarginDimension, t: Translate): string {
  if (row.name !== '') return row.name;
  if (by === 'supplier' && row.key === '0') return t('noSupplier');
  return by === 'channel' || by === 'supplier' || by === 'user' ? t('gone', { id: row.key }) : row.key;
}

/** With the minus sign of the amounts. */
export const percent = (share: number): string => `${(share * 100).toFixed(1).replace('-', '−')}%`;

/** Nothing is known of the cost of its calls: an amount of $0 would be a claim. */
export const isUnknown = ({ calls, unknown_calls, fees }: MarginRow): boolean =>
  calls > 0 && unknown_calls === calls && fees === 0;

function Unknown() {
  const { t } = useTranslation('margins');
  return <span className="muted">{t('unknown')}</span>;
}

export function MarginAmount({ row }: { row: MarginRow }) {
  if (isUnknown(row)) return <Unknown />;
  return (
    <span className={row.margin < 0 ? 'danger' : undefined}>
      <Quota quota={row.margin} />
    </span>
  );
}

/** From the middle: a margin of 100 % fills the right half, a loss of as much the left one. */
function ShareBar({ share }: { share: number }) {
  const width = Math.min(1, Math.abs(share)) * 50;
  return (
    <span className={`inline8 end tabular ${classes.share}`}>
      <span className={classes.bar} data-loss={share < 0 ? true : undefined} aria-hidden>
        <i style={{ width: `${width}%` }} />
      </span>
      <b>{percent(share)}</b>
    </span>
  );
}

export function Share({ row }: { row: MarginRow }) {
  const share = marginShare(row);
  return share === null ? <Empty /> : <ShareBar share={share} />;
}

export function marginColumns(t: Translate, by: MarginDimension, display: Display): GridColumn<MarginRow>[] {
  const amount = (id: 'revenue' | 'cost' | 'fees', leaves?: number): GridColumn<MarginRow> => ({
    id,
    header: t(`column.${id}`),
    width: 108,
    align: 'right',
    sortKey: id,
    ...(leaves === undefined ? {} : { leaves }),
    cell: (row) => (id === 'cost' && isUnknown(row) ? <Unknown /> : <Quota quota={row[id]} />),
    csv: (row) => (id === 'cost' && isUnknown(row) ? '' : row[id]),
    skeleton: 'number',
  });
  return [
    {
      id: 'name',
      header: t(`by.${by}`),
      minWidth: 180,
      fixed: true,
      cell: (row) => (
        <span className={classes.name}>
          <bdi>{nameOf(row, by, t)}</bdi>
          {by === 'channel' || by === 'user' ? <small>#{row.key}</small> : null}
        </span>
      ),
      csv: (row) => nameOf(row, by, t),
      skeleton: 'text',
    },
    {
      id: 'calls',
      header: t('column.calls'),
      width: 84,
      align: 'right',
      sortKey: 'calls',
      leaves: 3,
      cell: (row) => <Count value={row.calls} />,
      csv: (row) => row.calls,
      skeleton: 'number',
    },
    amount('revenue'),
    amount('cost'),
    amount('fees', 2),
    {
      id: 'margin',
      header: t('column.margin'),
      width: 112,
      align: 'right',
      sortKey: 'margin',
      cell: (row) => <MarginAmount row={row} />,
      csv: (row) => (isUnknown(row) ? '' : row.margin),
      skeleton: 'number',
    },
    {
      id: 'share',
      header: t('column.share'),
      width: 150,
      align: 'right',
      sortKey: 'share',
      leaves: 4,
      cell: (row) => <Share row={row} />,
      csv: (row) => marginShare(row) ?? '',
      skeleton: 'bar',
    },
    {
      id: 'unknown',
      header: t('column.unknown'),
      width: 150,
      align: 'right',
      sortKey: 'unknown_calls',
      leaves: 1,
      cell: (row) =>
        row.unknown_calls === 0 ? (
          <Empty />
        ) : (
          <span className="size12 muted nowrap">
            {t('unknownCell', {
              count: row.unknown_calls,
              calls: groupDigits(row.unknown_calls),
              revenue: renderQuota(row.unknown_revenue, display),
            })}
          </span>
        ),
      csv: (row) => row.unknown_calls,
      skeleton: 'text',
    },
  ];
}
