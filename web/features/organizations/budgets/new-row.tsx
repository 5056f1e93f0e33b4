/** A budget that is not saved yet: whose it is and for how long can only be chosen here. */
import { ActionIcon, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  BUDGET_NAME_MAX,
  BUDGET_PERIODS,
  TAG_VALUE_MAX,
  type BudgetSubject,
} from '#contract/admin/organization-budgets.ts';
import { holderQueries } from '#web/api/holders.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import table from '#web/ui/sheet/ratios.module.css';
import { AmountCell, Choice, ChoiceCell, TextCell, TextInput } from './cells.tsx';
import { MODELS_MAX } from './budget-row.tsx';
import { budgetQueries } from './queries.ts';
import { withNewFields, withoutNew, type NewLine } from './sheet.ts';
import { END_USER_TAG, SUBJECT_KINDS, type SubjectKind } from './subjects.ts';
import type { SheetState } from './use-sheet.ts';
import classes from './budgets.module.css';

const PAUSE_MILLISECONDS = 250;

interface RowProps {
  line: NewLine;
  sheet: SheetState;
}

export function NewRow({ line, sheet: { edit, problems, refused } }: RowProps) {
  const { t } = useTranslation('organizations');
  const { key } = line;
  const set = (fields: Partial<NewLine>) => edit((now) => withNewFields(now, key, fields));
  const name = line.name.trim() || t('budgets.new');
  const of = (field: 'name' | 'quota' | 'models' | 'kind' | 'period') =>
    t('budgets.cell', { name, field: t(`budgets.column.${field}`) });
  const isBad = problems.has(key) || refused?.row === key;
  return (
    <tr data-changed data-bad={isBad || undefined}>
      <th scope="row" className={table.model}>
        <TextInput
          label={of('name')}
          value={line.name}
          before={undefined}
          placeholder={t('budgets.new')}
          maxLength={BUDGET_NAME_MAX}
          isBad={isBad && line.name.trim() === ''}
          onChange={(typed) => set({ name: typed })}
        />
      </th>
      <td className={classes.wide} data-label={t('budgets.column.subject')}>
        <SubjectFields line={line} set={set} name={name} isBad={isBad} />
      </td>
      <ChoiceCell
        head={t('budgets.column.period')}
        label={of('period')}
        value={line.period}
        before={undefined}
        options={BUDGET_PERIODS.map((value) => ({ value, label: t(`budgets.period.${value}`) }))}
        onChange={(period) => set({ period })}
      />
      <AmountCell
        head={t('budgets.column.quota')}
        label={of('quota')}
        quota={line.quota}
        before={undefined}
        onChange={(quota) => set({ quota })}
      />
      <TextCell
        head={t('budgets.column.models')}
        label={of('models')}
        value={line.models}
        before={undefined}
        placeholder={t('budgets.allModels')}
        maxLength={MODELS_MAX}
        onChange={(models) => set({ models })}
      />
      <ChoiceCell
        head={t('budgets.column.kind')}
        label={of('kind')}
        value={line.is_hard ? 'hard' : 'soft'}
        before={undefined}
        options={(['hard', 'soft'] as const).map((value) => ({ value, label: t(`budgets.kind.${value}`) }))}
        onChange={(kind) => set({ is_hard: kind === 'hard' })}
      />
      <td colSpan={3} className={classes.none}>
        <Empty />
      </td>
      <td className={table.act}>
        <ActionIcon
          size={24}
          aria-label={t('budgets.remove', { name })}
          onClick={() => edit((now) => withoutNew(now, key))}
        >
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      </td>
    </tr>
  );
}

const kindOf = ({ subject, tag_key }: NewLine): SubjectKind =>
  subject === 'tag' && tag_key === END_USER_TAG ? 'user' : subject;

interface SubjectProps {
  line: NewLine;
  set: (fields: Partial<NewLine>) => void;
  name: string;
  isBad: boolean;
}

function SubjectFields({ line, set, name, isBad }: SubjectProps) {
  const { t } = useTranslation('organizations');
  const tags = useQuery(budgetQueries.tagKeys()).data?.keys ?? [];
  const kinds = SUBJECT_KINDS.filter(
    (kind) =>
      (kind !== 'user' || tags.includes(END_USER_TAG)) &&
      (kind !== 'tag' || tags.some((tag) => tag !== END_USER_TAG)),
  );
  const kind = kindOf(line);
  const choose = (chosen: SubjectKind) =>
    set({
      subject: chosen === 'user' ? 'tag' : chosen,
      subject_id: 0,
      tag_key: chosen === 'user' ? END_USER_TAG : '',
      tag_value: '',
    });
  return (
    <span className="row4">
      <Choice
        label={t('budgets.subjectOf', { name })}
        value={kind}
        options={kinds.map((value) => ({ value, label: t(`budgets.subject.${value}`) }))}
        onChange={choose}
      />
      {kind === 'project' || kind === 'member' || kind === 'token' ? (
        <Holder
          kind={kind}
          label={t('budgets.which', { name })}
          value={line.subject_id}
          isBad={isBad && line.subject_id === 0}
          onChange={(id) => set({ subject_id: id })}
        />
      ) : null}
      {kind === 'tag' ? (
        <Choice
          label={t('budgets.tagOf', { name })}
          value={line.tag_key}
          options={['', ...tags.filter((tag) => tag !== END_USER_TAG)].map((value) => ({
            value,
            label: value || t('budgets.choose'),
          }))}
          onChange={(tag) => set({ tag_key: tag })}
        />
      ) : null}
      {kind === 'tag' || kind === 'user' ? (
        <input
          className={`${table.input} ${classes.text} ${classes.tagValue}`}
          aria-label={t('budgets.tagValueOf', { name })}
          placeholder={t(kind === 'user' ? 'budgets.eachUser' : 'budgets.eachValue')}
          maxLength={TAG_VALUE_MAX}
          value={line.tag_value}
          onChange={(event) => set({ tag_value: event.currentTarget.value })}
        />
      ) : null}
    </span>
  );
}

interface HolderProps {
  kind: Exclude<BudgetSubject, 'organization' | 'tag'>;
  label: string;
  value: number;
  isBad: boolean;
  onChange: (id: number) => void;
}

/** Members and keys are found by name on the server; projects are few. */
function Holder({ kind, label, value, isBad, onChange }: HolderProps) {
  const { t } = useTranslation('organizations');
  const [typed, setTyped] = useState('');
  const [keyword] = useDebouncedValue(typed.trim(), PAUSE_MILLISECONDS);
  const members = useQuery({ ...holderQueries.members(keyword), enabled: kind === 'member' }).data;
  const projects = useQuery({ ...holderQueries.projects(), enabled: kind === 'project' }).data;
  const keys = useQuery({ ...budgetQueries.keys(keyword), enabled: kind === 'token' }).data;
  const offered: { id: number; name: string }[] =
    kind === 'member'
      ? (members?.items ?? []).map(({ user_id, username }) => ({ id: user_id, name: username }))
      : kind === 'project'
        ? (projects ?? []).filter(({ archived }) => !archived)
        : (keys ?? []);
  return (
    <Select
      size="xs"
      aria-label={label}
      placeholder={t('budgets.choose')}
      className={classes.holder}
      searchable
      error={isBad}
      data={offered.map(({ id, name }) => ({ value: String(id), label: name }))}
      value={value === 0 ? null : String(value)}
      filter={kind === 'project' ? undefined : ({ options }) => options}
      onSearchChange={(text) => setTyped(offered.some(({ name }) => name === text) ? '' : text)}
      onChange={(id) => onChange(Number(id ?? 0))}
    />
  );
}
