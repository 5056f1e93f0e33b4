/** What is spent of a budget: the bar of its window, what it will come to, and when it begins anew. */
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { QuotaBar } from '#web/ui/badge/posts.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { renderQuota } from '#web/ui/format/number.ts';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import classes from './budgets.module.css';

type Counted = Pick<BudgetView, 'spent' | 'held' | 'extra'> & { quota: number; name: string };

function Bar({ quota, extra, spent, held, name }: Counted) {
  const { t } = useTranslation('organizations');
  const display = useDisplay();
  const words = (amount: number) => renderQuota(amount, display);
  const limit = quota + extra;
  const share = limit === 0 ? 100 : Math.floor(((spent + held) / limit) * 100);
  return (
    <span className={`row8 ${classes.spent}`}>
      <QuotaBar
        used={spent + held}
        total={limit}
        label={t('budgets.barOf', { name })}
        tooltip={
          held > 0 || extra > 0
            ? t('budgets.parts', { held: words(held), extra: words(extra), limit: words(limit) })
            : undefined
        }
      />
      <Quota quota={spent} />
      <span className="note nowrap">{t('budgets.share', { share })}</span>
    </span>
  );
}

/** Where every value of a tag has the amount for itself: the one that has spent most. */
export function Spent({ budget }: { budget: BudgetView }) {
  const { t } = useTranslation('organizations');
  const { subject, tag_value, quota, counters, name } = budget;
  if (subject !== 'tag' || tag_value !== '') return <Bar {...budget} />;
  const [most] = counters;
  if (most === undefined) return <Quota quota={budget.spent} />;
  return (
    <span className="row8">
      <Bar {...most} quota={quota} name={name} />
      <span className="note cut" title={most.value}>
        {t('budgets.values.most', { value: most.value })}
      </span>
    </span>
  );
}

/** Amber when the window will end above its budget. */
export function Forecast({ budget }: { budget: BudgetView }) {
  const { t } = useTranslation('organizations');
  const { forecast, left, quota, extra } = budget;
  if (forecast === null) return <Empty />;
  const isOver = left !== null && forecast > quota + extra;
  if (!isOver) return <Quota quota={forecast} />;
  return (
    <span className="inline4 strong warning" title={t('budgets.over')}>
      <IconAlertTriangleFilled size={13} aria-label={t('budgets.over')} />
      <Quota quota={forecast} />
    </span>
  );
}

export function Resets({ budget: { resets_at } }: { budget: BudgetView }) {
  const { t } = useTranslation('organizations');
  return resets_at === 0 ? (
    <span className="muted">{t('budgets.never')}</span>
  ) : (
    <Moment timestamp={resets_at} />
  );
}

export function ValuesTable({ budget }: { budget: BudgetView }) {
  const { t } = useTranslation('organizations');
  const { counters, quota } = budget;
  if (counters.length === 0) return <p className="caption">{t('budgets.values.none')}</p>;
  return (
    <ThingTable
      label={t('budgets.values.title', { name: budget.name })}
      rows={counters}
      rowKey={({ id }) => id}
      columns={valueColumns(t, quota)}
    />
  );
}

function valueColumns(
  t: ReturnType<typeof useTranslation<'organizations'>>['t'],
  quota: number,
): ThingColumn<BudgetView['counters'][number]>[] {
  return [
    { key: 'value', head: t('budgets.values.value'), cell: ({ value }) => value },
    {
      key: 'spent',
      head: t('budgets.column.spent'),
      cell: (counter) => <Bar {...counter} quota={quota} name={counter.value} />,
    },
    {
      key: 'left',
      head: t('budgets.column.left'),
      isNumber: true,
      cell: ({ left }) => <Quota quota={left} />,
    },
  ];
}
