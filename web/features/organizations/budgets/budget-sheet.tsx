/** The sheet of budgets: white cells are typed, the others follow from the calls; one save for all rows. */
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { AddButton } from '#web/ui/page/add-button.tsx';
import table from '#web/ui/sheet/ratios.module.css';
import { BudgetRow } from './budget-row.tsx';
import { NewRow } from './new-row.tsx';
import type { SheetState } from './use-sheet.ts';
import classes from './budgets.module.css';

const HEADS = [
  'name',
  'subject',
  'period',
  'quota',
  'models',
  'kind',
  'spent',
  'forecast',
  'resets',
] as const;
const NUMBERS: readonly string[] = ['quota', 'forecast'];

export function BudgetSheet({ views, sheet }: { views: readonly BudgetView[]; sheet: SheetState }) {
  const { t } = useTranslation('organizations');
  if (views.length === 0 && sheet.sheet.added.length === 0)
    return (
      <EmptyState
        title={t('budgets.empty')}
        text={t('budgets.emptyText')}
        action={<AddButton label={t('budgets.add')} onClick={sheet.add} />}
      />
    );
  return (
    <>
      <div className={table.scroll} tabIndex={0} role="region" aria-label={t('budgets.title')}>
        <table className={`${table.sheet} ${classes.sheet}`}>
          <thead>
            <tr>
              {HEADS.map((name) => (
                <th key={name} scope="col" data-number={NUMBERS.includes(name) || undefined}>
                  {t(`budgets.column.${name}`)}
                </th>
              ))}
              <td className={table.act} />
            </tr>
          </thead>
          <tbody>
            {sheet.sheet.added.map((line) => (
              <NewRow key={line.key} line={line} sheet={sheet} />
            ))}
            {views.map((view) => (
              <BudgetRow key={view.id} view={view} sheet={sheet} />
            ))}
          </tbody>
        </table>
      </div>
      <SaveBar sheet={sheet} />
    </>
  );
}

function SaveBar({ sheet: { count, refused, discard, save, isSaving } }: { sheet: SheetState }) {
  const { t } = useTranslation('organizations');
  return (
    <section
      className={classes.bar}
      data-changed={count > 0 || undefined}
      aria-label={t('budgets.bar.label')}
    >
      {refused === undefined ? null : <NoticeBox tone="danger">{refused.message}</NoticeBox>}
      <div className={`wrap8 ${classes.foot}`}>
        <span className="grow" role="status">
          {count === 0 ? (
            <span className="muted">{t('budgets.bar.none')}</span>
          ) : (
            <b>{t('budgets.bar.changes', { count })}</b>
          )}
        </span>
        {count > 0 ? (
          <Button variant="default" onClick={discard}>
            {t('budgets.bar.discard')}
          </Button>
        ) : null}
        <Button
          variant={count > 0 ? 'filled' : 'default'}
          disabled={count === 0}
          loading={isSaving}
          onClick={save}
        >
          {t('budgets.bar.save')}
        </Button>
      </div>
    </section>
  );
}
