/** Tries a virtual model, saved or not: a request by a few fields or pasted, and the decision for every target. */
import { Button, MultiSelect, NumberInput, SegmentedControl, Select, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { VirtualModelFields } from '#contract/relay/virtual-models.ts';
import { api } from '#web/api.ts';
import { virtualModelQueries } from '#web/features/virtual-models/queries.ts';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { LineTextarea, lineProblems } from '#web/ui/input/line-textarea.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm, type Form } from '#web/ui/input/use-form.ts';
import { Decision } from './decision.tsx';
import {
  blankTry,
  callOf,
  EFFORTS,
  FORMATS,
  isHeader,
  requestOf,
  TRAITS,
  type TryValues,
} from './request.ts';
import classes from './try-out.module.css';

const NAMES = [
  'way',
  'prompt',
  'traits',
  'effort',
  'format',
  'request',
  'group',
  'headers',
  'spendable',
] as const;
/** Of a draft without a name yet. */
const UNNAMED = 'draft';

export function TryOut({ fields }: { fields: () => VirtualModelFields }) {
  const { t } = useTranslation('virtual-models');
  const groups = useQuery(virtualModelQueries.groups()).data ?? ['default'];
  const headerProblem = (line: string) => (isHeader(line) ? undefined : t('tryOut.headerProblem'));
  const form = useForm({
    begin: () => blankTry('default'),
    unguarded: NAMES,
    problemsOf: (values) => ({
      request:
        values.way === 'request' && requestOf(values) === undefined ? t('tryOut.bodyProblem') : undefined,
      headers: lineProblems(values.headers, headerProblem).length > 0 ? t('tryOut.headerProblem') : undefined,
    }),
    send: (values) => {
      const draft = fields();
      const name = draft.name.trim() === '' ? UNNAMED : draft.name;
      return api.virtualModels.simulate({ body: { name, draft: { ...draft, name }, ...callOf(values) } });
    },
  });
  const { values } = form;
  // In the editor, Enter would save the virtual model.
  const submitOnEnter = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'Enter' || event.defaultPrevented || !(event.target instanceof HTMLInputElement))
      return;
    event.preventDefault();
    form.submit();
  };
  return (
    <div className={`stack12 ${layout.stack}`} onKeyDown={submitOnEnter}>
      <SegmentedControl
        className={classes.ways}
        size="xs"
        aria-label={t('tryOut.way')}
        {...form.choice('way')}
        data={(['fields', 'request'] as const).map((value) => ({ value, label: t(`tryOut.ways.${value}`) }))}
      />
      {values.way === 'fields' ? <CallFields form={form} /> : <PastedFields form={form} />}
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('tryOut.group')} {...form.row('group')}>
          <Select {...form.control('group')} data={groups} allowDeselect={false} />
        </Field>
        <Field label={t('tryOut.spendable')} {...form.row('spendable')}>
          <NumberInput
            id={form.idOf('spendable')}
            value={values.spendable ?? ''}
            min={0}
            allowNegative={false}
            placeholder={t('tryOut.enough')}
            onChange={(value) => form.set('spendable', value === '' ? null : Number(value))}
          />
        </Field>
      </div>
      <Field label={t('tryOut.headers')} htmlFor={form.idOf('headers')}>
        <LineTextarea
          id={form.idOf('headers')}
          label={t('tryOut.headers')}
          value={values.headers}
          minRows={2}
          maxRows={6}
          placeholder="Tollgate-Tags: team=search"
          check={headerProblem}
          onChange={(headers) => form.set('headers', headers)}
        />
      </Field>
      <RefusalNotice refusal={form.refusal} />
      <div>
        <Button variant="default" loading={form.isSending} onClick={form.submit}>
          {t('tryOut.submit')}
        </Button>
      </div>
      {form.result ? <Decision {...form.result} /> : null}
    </div>
  );
}

interface FieldsProps {
  form: Form<TryValues>;
}

function CallFields({ form }: FieldsProps) {
  const { t } = useTranslation('virtual-models');
  return (
    <>
      <Textarea
        {...form.field('prompt')}
        // The request that the fields make is what the server refuses.
        error={form.errorOf('request')}
        label={t('tryOut.prompt')}
        autosize
        minRows={2}
        maxRows={8}
      />
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('tryOut.with')} {...form.row('traits')}>
          <MultiSelect
            id={form.idOf('traits')}
            value={form.values.traits}
            data={TRAITS.map((value) => ({ value, label: t(`tryOut.kinds.${value}`) }))}
            onChange={(chosen) =>
              form.set(
                'traits',
                TRAITS.filter((each) => chosen.includes(each)),
              )
            }
          />
        </Field>
        <Field label={t('tryOut.effort')} {...form.row('effort')}>
          <Select
            {...form.control('effort')}
            value={form.values.effort || null}
            placeholder={t('tryOut.noEffort')}
            data={EFFORTS}
            clearable
          />
        </Field>
      </div>
    </>
  );
}

function PastedFields({ form }: FieldsProps) {
  const { t } = useTranslation('virtual-models');
  return (
    <>
      <Field label={t('tryOut.format')} {...form.row('format')}>
        <Select
          id={form.idOf('format')}
          value={form.values.format}
          data={FORMATS}
          allowDeselect={false}
          onChange={(value) => form.set('format', FORMATS.find((each) => each === value) ?? 'openai-chat')}
        />
      </Field>
      <Textarea
        {...form.field('request')}
        label={t('tryOut.body')}
        autosize
        minRows={4}
        maxRows={14}
        spellCheck={false}
        classNames={{ input: classes.code }}
        placeholder={'{"messages": [{"role": "user", "content": "hi"}]}'}
      />
    </>
  );
}
