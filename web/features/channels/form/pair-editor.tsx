/** A mapping edited as two columns or as JSON. */
import { ActionIcon, Textarea, TextInput, UnstyledButton } from '@mantine/core';
import { IconArrowRight, IconPlus, IconX } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { pairsOf, samePairs, textOfPairs, type Pair } from './pairs.ts';
import classes from './form.module.css';
import own from './pair-editor.module.css';

interface PairEditorProps {
  label: string;
  fromLabel: string;
  toLabel: string;
  /** JSON text; blank for none. */
  value: string;
  onChange: (value: string) => void;
  template: string;
  hint?: string;
  error?: string;
}

export function PairEditor(props: PairEditorProps) {
  const { label, fromLabel, toLabel, value, onChange, template, hint, error } = props;
  const { t } = useTranslation('channels');
  const id = useId();
  const parsed = pairsOf(value);
  const [asText, setAsText] = useState(false);
  // A row without a name is not in the JSON, so the rows are kept separately from the text.
  const [rows, setRows] = useState<Pair[]>(parsed ?? []);
  if (parsed && !samePairs(rows, parsed)) setRows(parsed);
  const change = (next: Pair[]) => {
    setRows(next);
    onChange(textOfPairs(next));
  };
  const showText = asText || parsed === undefined;
  const edit = (index: number, pair: Partial<Pair>) =>
    change(rows.map((row, at) => (at === index ? { ...row, ...pair } : row)));
  return (
    <Field
      label={label}
      htmlFor={showText ? id : undefined}
      error={error}
      hint={hint}
      fact={
        <>
          <UnstyledButton className={layout.tallLink} onClick={() => onChange(template)}>
            {t('form.template')}
          </UnstyledButton>
          <UnstyledButton
            className={layout.tallLink}
            aria-pressed={showText}
            disabled={parsed === undefined}
            onClick={() => setAsText(!asText)}
          >
            {showText ? t('form.asPairs') : t('form.asJson')}
          </UnstyledButton>
        </>
      }
    >
      {showText ? (
        <Textarea
          id={id}
          aria-label={label}
          autosize
          minRows={3}
          maxRows={12}
          spellCheck={false}
          classNames={{ input: classes.code }}
          placeholder={template}
          value={value}
          error={Boolean(error)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <div className="stack6 start">
          {rows.map((row, index) => (
            <div key={index} className={own.pairRow}>
              <TextInput
                aria-label={`${fromLabel} ${index + 1}`}
                placeholder={fromLabel}
                value={row.from}
                autoComplete="off"
                onChange={(event) => edit(index, { from: event.currentTarget.value })}
              />
              <IconArrowRight size={14} stroke={1.6} aria-hidden />
              <TextInput
                aria-label={`${toLabel} ${index + 1}`}
                placeholder={toLabel}
                value={row.to}
                autoComplete="off"
                onChange={(event) => edit(index, { to: event.currentTarget.value })}
              />
              <ActionIcon
                aria-label={t('form.removePair', { number: index + 1 })}
                onClick={() => change(rows.filter((_, at) => at !== index))}
              >
                <IconX size={14} stroke={1.6} />
              </ActionIcon>
            </div>
          ))}
          <UnstyledButton
            className={layout.tallLink}
            onClick={() => setRows((before) => [...before, { from: '', to: '' }])}
          >
            <IconPlus size={13} stroke={1.8} />
            {t('form.addPair')}
          </UnstyledButton>
        </div>
      )}
    </Field>
  );
}
