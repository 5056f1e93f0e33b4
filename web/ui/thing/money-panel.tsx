/** The panel and the columns that tables of money share: what rows brought and cost, with sums that add up. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ThingMoney } from '#contract/admin/thing-parts.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { CacheCell, CacheText } from './cache-line.tsx';
import { KnownAmount, MarginPercent, SumAmount } from './money-cells.tsx';
import { MoneyLine } from './money-line.tsx';
import { ThingPanel } from './panel.tsx';
import { ThingTable, type ThingColumn } from './thing-table.tsx';

interface MoneyPanelProps<Row> {
  title: string;
  hint: string;
  money: ThingMoney;
  /** A link to the same money in the margins. */
  margins: ReactNode;
  columns: readonly ThingColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
}

export function MoneyPanel<Row>({ title, hint, money, margins, ...table }: MoneyPanelProps<Row>) {
  const { t } = useTranslation('thing');
  const display = useDisplay();
  const { cache } = money;
  const fees = money.fees > 0 ? ` · ${t('money.fees', { amount: renderQuota(money.fees, display, 2) })}` : '';
  return (
    <ThingPanel
      title={title}
      hint={hint + fees}
      more={
        <>
          <MoneyLine money={money} />
          {margins}
        </>
      }
      isFlush
    >
      {cache !== null && cache.cached_calls > 0 ? (
        <NoticeLine>
          <CacheText cache={cache} />
        </NoticeLine>
      ) : null}
      <ThingTable label={title} {...table} />
    </ThingPanel>
  );
}

type MoneyColumn = 'calls' | 'share' | 'used' | 'cost' | 'margin' | 'cached';

/** `money`: the sum of the rows. */
export function useMoneyColumns<Row extends ThingMoney>(
  money: ThingMoney,
): Record<MoneyColumn, ThingColumn<Row>> {
  const { t } = useTranslation('thing');
  const column = (key: MoneyColumn, cell: ThingColumn<Row>['cell'], foot: ReactNode): ThingColumn<Row> => ({
    key,
    head: t(`money.column.${key}`),
    isNumber: true,
    cell,
    foot,
  });
  return {
    calls: column('calls', ({ calls }) => <Count value={calls} />, <Count value={money.calls} />),
    share: column('share', (row) => <MarginPercent of={row} />, <MarginPercent of={money} />),
    used: column(
      'used',
      ({ used }) => <Quota quota={used} decimals={2} />,
      <SumAmount of={money} name="used" />,
    ),
    cost: column('cost', (row) => <KnownAmount of={row} name="cost" />, <SumAmount of={money} name="cost" />),
    margin: column(
      'margin',
      (row) => <KnownAmount of={row} name="margin" />,
      <SumAmount of={money} name="margin" />,
    ),
    cached: column('cached', (row) => cacheCell(row), cacheCell(money)),
  };
}

const cacheCell = ({ cache }: ThingMoney): ReactNode =>
  cache === null || cache.cached_calls === 0 ? <Empty /> : <CacheCell cache={cache} />;
