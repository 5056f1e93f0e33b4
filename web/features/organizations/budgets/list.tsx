/** Budgets for those who do not manage them: what is left, and a way to ask for more. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useNarrow, usePhone } from '#web/ui/page/breakpoints.ts';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { AskDialog } from './ask-dialog.tsx';
import { Forecast, Resets, Spent } from './figures.tsx';
import styles from '#web/features/organizations/organizations.module.css';
import { useSubjectWords } from './subjects.ts';

interface BudgetListProps {
  budgets: readonly BudgetView[];
  mayAsk: boolean;
  /** Only those that bound the reader's own calls. */
  isOwn: boolean;
}

export function BudgetList({ budgets, mayAsk, isOwn }: BudgetListProps) {
  const { t } = useTranslation('organizations');
  const words = useSubjectWords();
  const [asked, setAsked] = useState<BudgetView>();
  // Between a card and the whole table there is no room for what is asked for least.
  const [isPhone, isNarrow] = [usePhone(), useNarrow()];
  if (budgets.length === 0)
    return (
      <EmptyState title={t('budgets.empty')} text={t(isOwn ? 'budgets.emptyOwn' : 'budgets.emptyText')} />
    );
  const columns = budgetColumns(t, words, mayAsk ? setAsked : undefined).filter(
    ({ key }) => isPhone || !isNarrow || !LEFT_OUT.has(key),
  );
  return (
    <>
      {isOwn ? <p className={`note ${styles.own}`}>{t('budgets.own')}</p> : null}
      <ThingTable label={t('budgets.title')} columns={columns} rows={budgets} rowKey={({ id }) => id} />
      {asked ? <AskDialog budget={asked} onClose={() => setAsked(undefined)} /> : null}
    </>
  );
}

const LEFT_OUT: ReadonlySet<string> = new Set(['models', 'kind', 'forecast']);

type Translate = ReturnType<typeof useTranslation<'organizations'>>['t'];

function budgetColumns(
  t: Translate,
  words: ReturnType<typeof useSubjectWords>,
  onAsk: ((budget: BudgetView) => void) | undefined,
): ThingColumn<BudgetView>[] {
  const columns: ThingColumn<BudgetView>[] = [
    { key: 'name', head: t('budgets.column.name'), cell: ({ name }) => <b>{name}</b> },
    { key: 'subject', head: t('budgets.column.subject'), cell: words },
    {
      key: 'period',
      head: t('budgets.column.period'),
      cell: ({ period }) => <span className="nowrap">{t(`budgets.period.${period}`)}</span>,
    },
    {
      key: 'quota',
      head: t('budgets.column.quota'),
      isNumber: true,
      cell: ({ quota }) => <Quota quota={quota} />,
    },
    {
      key: 'models',
      head: t('budgets.column.models'),
      cell: ({ models }) =>
        models === '' ? (
          <span className="muted">{t('budgets.allModels')}</span>
        ) : (
          models.replaceAll(',', ', ')
        ),
    },
    {
      key: 'kind',
      head: t('budgets.column.kind'),
      cell: ({ is_hard }) => t(`budgets.kind.${is_hard ? 'hard' : 'soft'}`),
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
      cell: (budget) => (
        <span className="nowrap">
          <Resets budget={budget} />
        </span>
      ),
    },
  ];
  if (onAsk !== undefined)
    columns.push({
      key: 'ask',
      head: t('budgets.ask.head'),
      isWide: true,
      cell: (budget) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={t('budgets.ask.of', { name: budget.name })}
          onClick={() => onAsk(budget)}
        >
          {t('budgets.ask.open')}
        </Button>
      ),
    });
  return columns;
}
