/** The virtual model as the entry of the configuration file; what is typed here is the form's value as soon as it can be read. */
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import type { Form } from '#web/ui/input/use-form.ts';
import { declarationOf, isCodeProblem, valuesOfCode, type VirtualModelValues } from './values.ts';
import classes from './form.module.css';

interface CodeProps {
  form: Form<VirtualModelValues>;
  onProblem: (sentence: string | undefined) => void;
}

export function Code({ form, onProblem }: CodeProps) {
  const { t } = useTranslation('virtual-models');
  const [text, setText] = useState(() => JSON.stringify(declarationOf(form.values), undefined, 2));
  const [problem, setProblem] = useState<string>();
  const refused = Object.keys(form.values) as (keyof VirtualModelValues)[];
  const change = (typed: string) => {
    setText(typed);
    const read = valuesOfCode(typed);
    if (!isCodeProblem(read)) for (const name of refused) form.set(name, read[name]);
    const sentence = isCodeProblem(read)
      ? read.kind === 'json'
        ? t('form.codeProblem.json', { detail: read.detail })
        : t('form.codeProblem.shape', { place: read.place })
      : undefined;
    setProblem(sentence);
    onProblem(sentence);
  };
  const sentences = refused.flatMap((name) => form.refusal.errorOf(name) ?? []);
  return (
    <div className={layout.stack}>
      <Field
        label={t('form.code')}
        htmlFor={form.idOf('targets')}
        hint={t('form.codeHint')}
        error={problem ?? (sentences.join(' ') || undefined)}
      >
        <Textarea
          id={form.idOf('targets')}
          autosize
          minRows={10}
          maxRows={30}
          spellCheck={false}
          classNames={{ input: classes.code }}
          value={text}
          error={problem !== undefined || sentences.length > 0}
          onChange={(event) => change(event.currentTarget.value)}
        />
      </Field>
    </div>
  );
}
