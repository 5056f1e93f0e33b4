/** Name and description in the form of a plan. */
import { Textarea, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { PLAN_DESCRIPTION_MAX, PLAN_NAME_MAX } from '#contract/money/plan-schedule.ts';
import { Field } from '#web/ui/input/field.tsx';
import type { Fields } from '#web/ui/input/use-fields.ts';
import type { PlanFormValues } from './values.ts';

export function Names({ form }: { form: Fields<PlanFormValues> }) {
  const { t } = useTranslation('plans');
  const [nameId, textId] = [useId(), useId()];
  return (
    <>
      <Field label={t('form.name')} htmlFor={nameId} error={form.errorOf('name')}>
        <TextInput
          id={nameId}
          data-autofocus
          value={form.values.name}
          maxLength={PLAN_NAME_MAX}
          autoComplete="off"
          error={Boolean(form.errorOf('name'))}
          onChange={(event) => form.set('name', event.currentTarget.value)}
          onBlur={() => form.leave('name')}
        />
      </Field>
      <Field label={t('form.description')} htmlFor={textId} error={form.errorOf('description')}>
        <Textarea
          id={textId}
          autosize
          minRows={2}
          maxLength={PLAN_DESCRIPTION_MAX}
          value={form.values.description}
          onChange={(event) => form.set('description', event.currentTarget.value)}
        />
      </Field>
    </>
  );
}
