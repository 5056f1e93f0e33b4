/** What is spent of the budgets and what they will come to, the one that is used up most first. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { Forecast, Resets, Spent } from '#web/features/organizations/budgets/figures.tsx';
import { budgetQueries } from '#web/features/organizations/budgets/queries.ts';
import { useSubjectWords } from '#web/features/organizations/budgets/subjects.ts';

const SHOWN = 5;

/** Where every value of a tag has the amount for itself, the first one has spent most. */
function usedPart({ quota, extra, spent, held, left, counters }: BudgetView): number {
  const most = left === null ? counters[0] : { spent, held, extra };
  if (most === undefined) return 0;
  return (most.spent + most.held) / Math.max(1, quota + most.extra);
}

export function BudgetsPanel() {
  const { t } = useTranslation('organizations');
  const words = useSubjectWords();
  const running = (useQuery(budgetQueries.list()).data ?? []).filter(({ ended }) => !ended);
  if (running.length === 0) return null;
  return (
    <ThingPanel
      title={t('budgets.title')}
      hint={t('overview.budgets')}
      more={<Link to="/budgets">{t('overview.allBudgets', { count: running.length })}</Link>}
      isFlush
    >
      <ThingTable
        label={t('budgets.title')}
        columns={budgetColumns(t, words)}
        rows={running.toSorted((one, other) => usedPart(other) - usedPart(one)).slice(0, SHOWN)}
        rowKey={({ id }) => id}
      />
    </ThingPanel>
  );
}

function budgetColumns(
  t: ReturnType<typeof useTranslation<'organizations'>>['t'],
  words: ReturnType<typeof useSubjectWords>,
): ThingColumn<BudgetView>[] {
  return [
    { key: 'name', head: t('budgets.column.name'), cell: ({ name }) => name },
    { key: 'subject', head: t('budgets.column.subject'), cell: words },
    {
      key: 'quota',
      head: t('budgets.column.quota'),
      isNumber: true,
      cell: ({ quota, extra }) => <Quota quota={quota + extra} />,
    },
    {
      key: 'spent',
      head: t('budgets.column.spent'),
      isWide: true,
      cell: (budget) => <Spent budget={budget} />,
    },
    {
      key: 'forecast',
      head: t('budgets.column.forecast'),
      isNumber: true,
      cell: (budget) => <Forecast budget={budget} />,
    },
    {
      key: 'resets',
      head: t('budgets.column.resets'),
      isNumber: true,
      cell: (budget) => <Resets budget={budget} />,
    },
  ];
}
