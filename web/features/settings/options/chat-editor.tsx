/** The chat links as rows of name and link; the order is the order of the menu. */
import { ActionIcon, TextInput, UnstyledButton } from '@mantine/core';
import { IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionField } from '#contract/options.ts';
import { parsed } from '#web/features/settings/draft.ts';
import { JsonSwitch } from './json-switch.tsx';
import { OptionControl } from './option-control.tsx';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './editors.module.css';
import formClasses from './form.module.css';

interface ChatRow {
  name: string;
  link: string;
}

/** Undefined when it is not a list of one-entry objects. */
function rowsOf(text: string): ChatRow[] | undefined {
  const value = text.trim() === '' ? [] : parsed(text);
  if (!Array.isArray(value)) return undefined;
  const rows = value.map((entry: unknown) => {
    const pairs = typeof entry === 'object' && entry !== null ? Object.entries(entry) : [];
    const [name, link] = pairs[0] ?? [];
    return pairs.length === 1 && name !== undefined && typeof link === 'string' ? { name, link } : undefined;
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

const textOf = (rows: readonly ChatRow[]) =>
  JSON.stringify(
    rows.filter(({ name }) => name.trim() !== '').map(({ name, link }) => ({ [name.trim()]: link.trim() })),
    null,
    2,
  );

export function ChatEditor({ field, form }: { field: OptionField; form: OptionsForm }) {
  const rows = rowsOf(form.text(field.key));
  return (
    <JsonSwitch
      readable={rows !== undefined}
      json={<OptionControl field={field} form={form} />}
      form={<ChatRows field={field} form={form} stored={rows ?? []} />}
    />
  );
}

function ChatRows({ field, form, stored }: { field: OptionField; form: OptionsForm; stored: ChatRow[] }) {
  const { t } = useTranslation('settings');
  // A row without a name is not in the JSON, so the rows are kept separately from the text.
  const [rows, setRows] = useState(stored);
  const [seen, setSeen] = useState(textOf(stored));
  if (textOf(stored) !== seen && textOf(stored) !== textOf(rows)) {
    setSeen(textOf(stored));
    setRows(stored);
  }
  const change = (next: ChatRow[]) => {
    setRows(next);
    setSeen(textOf(next));
    form.set({ [field.key]: textOf(next) });
  };
  const edit = (index: number, part: Partial<ChatRow>) =>
    change(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const up = (index: number) => {
    const next = [...rows];
    const [row] = next.splice(index, 1);
    if (row) next.splice(index - 1, 0, row);
    change(next);
  };
  return (
    <div className="stack8">
      {rows.length === 0 ? <p className={`note anywhere ${classes.muted}`}>{t('chat.empty')}</p> : null}
      {rows.map((row, index) => (
        <div key={index} className={classes.chatRow}>
          <TextInput
            aria-label={`${t('chat.name')} ${index + 1}`}
            placeholder={t('chat.name')}
            value={row.name}
            maxLength={60}
            onChange={(event) => edit(index, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`${t('chat.link')} ${index + 1}`}
            placeholder={t('chat.link')}
            value={row.link}
            classNames={{ input: formClasses.code }}
            spellCheck={false}
            onChange={(event) => edit(index, { link: event.currentTarget.value })}
          />
          <span className={classes.rowActions}>
            {index === 0 ? null : (
              <ActionIcon aria-label={t('chat.up', { name: row.name })} onClick={() => up(index)}>
                <IconArrowUp size={15} stroke={1.6} />
              </ActionIcon>
            )}
            <ActionIcon
              aria-label={t('chat.remove', { name: row.name })}
              onClick={() => change(rows.filter((_, at) => at !== index))}
            >
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          </span>
        </div>
      ))}
      <UnstyledButton
        className={`inline4 small ${formClasses.link}`}
        onClick={() => setRows([...rows, { name: '', link: '' }])}
      >
        <IconPlus size={13} stroke={1.8} />
        {t('chat.add')}
      </UnstyledButton>
    </div>
  );
}
