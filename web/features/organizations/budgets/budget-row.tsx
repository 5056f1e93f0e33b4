/** A budget in the sheet: what can be changed of it, what is spent of it, and what its values have spent. */
import { ActionIcon } from '@mantine/core';
import { IconArrowBackUp, IconChevronDown, IconChevronRight, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BUDGET_NAME_MAX, type BudgetView } from '#contract/admin/organization-budgets.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import table from '#web/ui/sheet/ratios.module.css';
import { AmountCell, ChoiceCell, TextCell, TextInput } from './cells.tsx';
import { Forecast, Resets, Spent, ValuesTable } from './figures.tsx';
import { changeableOf, lineOf, withChange, withRemoval, withUndo, type Changeable } from './sheet.ts';
import { useSubjectWords } from './subjects.ts';
import type { SheetState } from './use-sheet.ts';
import classes from './budgets.module.css';

export const MODELS_MAX = 50_000;

export function BudgetRow({ view, sheet: state }: { view: BudgetView; sheet: SheetState }) {
  const { t } = useTranslation('organizations');
  const words = useSubjectWords();
  const [isOpen, setIsOpen] = useState(false);
  const { sheet, edit, problems, refused } = state;
  const { id } = view;
  const line = lineOf(sheet, view);
  const before = sheet.bases[id] ?? changeableOf(view);
  const isRemoved = sheet.removed.includes(id);
  const isChanged = sheet.changed[id] !== undefined;
  const isBad = problems.has(String(id)) || refused?.row === String(id);
  const set = (fields: Partial<Changeable>) => edit((now) => withChange(now, view, fields));
  const of = (field: 'name' | 'quota' | 'models' | 'kind') =>
    t('budgets.cell', { name: view.name, field: t(`budgets.column.${field}`) });
  const isEach = view.subject === 'tag' && view.tag_value === '';
  return (
    <>
      <tr
        data-changed={isChanged || isRemoved || undefined}
        data-removed={isRemoved || undefined}
        data-bad={isBad || undefined}
      >
        <th scope="row" className={table.model}>
          <span className="row4">
            {isEach ? (
              <ActionIcon
                size={24}
                aria-expanded={isOpen}
                aria-label={t('budgets.values.show', { name: view.name })}
                onClick={() => setIsOpen(!isOpen)}
              >
                {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
              </ActionIcon>
            ) : null}
            <TextInput
              label={of('name')}
              value={line.name}
              before={before.name}
              maxLength={BUDGET_NAME_MAX}
              isBad={isBad}
              onChange={(name) => set({ name })}
            />
            {view.ended ? <Tag>{t('budgets.ended')}</Tag> : null}
          </span>
        </th>
        <td className="cut" data-label={t('budgets.column.subject')} title={words(view)}>
          {words(view)}
        </td>
        <td data-label={t('budgets.column.period')}>{t(`budgets.period.${view.period}`)}</td>
        <AmountCell
          head={t('budgets.column.quota')}
          label={of('quota')}
          quota={line.quota}
          before={before.quota}
          onChange={(quota) => set({ quota })}
        />
        <TextCell
          head={t('budgets.column.models')}
          label={of('models')}
          value={line.models}
          before={before.models}
          placeholder={t('budgets.allModels')}
          maxLength={MODELS_MAX}
          onChange={(models) => set({ models })}
        />
        <ChoiceCell
          head={t('budgets.column.kind')}
          label={of('kind')}
          value={line.is_hard ? 'hard' : 'soft'}
          before={before.is_hard ? 'hard' : 'soft'}
          options={(['hard', 'soft'] as const).map((value) => ({ value, label: t(`budgets.kind.${value}`) }))}
          onChange={(kind) => set({ is_hard: kind === 'hard' })}
        />
        <td className={classes.wide} data-label={t('budgets.column.spent')}>
          <Spent budget={view} />
        </td>
        <td data-number data-label={t('budgets.column.forecast')}>
          <Forecast budget={view} />
        </td>
        <td data-label={t('budgets.column.resets')}>
          <Resets budget={view} />
        </td>
        <td className={table.act}>
          {isChanged || isRemoved ? (
            <ActionIcon
              size={24}
              aria-label={t('budgets.undo', { name: view.name })}
              onClick={() => edit((now) => withUndo(now, id))}
            >
              <IconArrowBackUp size={15} stroke={1.6} />
            </ActionIcon>
          ) : (
            <ActionIcon
              size={24}
              aria-label={t('budgets.remove', { name: view.name })}
              onClick={() => edit((now) => withRemoval(now, id))}
            >
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          )}
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={10} className={classes.values}>
            <ValuesTable budget={view} />
          </td>
        </tr>
      ) : null}
    </>
  );
}
