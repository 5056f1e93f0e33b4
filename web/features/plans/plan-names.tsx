/** Name and description in the form of a plan. */
import { Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PLAN_DESCRIPTION_MAX, PLAN_NAME_MAX } from '#contract/money/plan-schedule.ts';
import { EnglishVersion } from '#web/ui/input/english-version.tsx';
import { Field } from '#web/ui/input/field.tsx';
import type { Fields } from '#web/ui/input/use-form.ts';
import type { PlanFormValues } from './values.ts';

export function Names({ form }: { form: Fields<PlanFormValues> }) {
  const { t } = useTranslation('plans');
  return (
    <>
      <Field label={t('form.name')} {...form.row('name')}>
        <TextInput {...form.control('name')} data-autofocus maxLength={PLAN_NAME_MAX} autoComplete="off" />
      </Field>
      <Field label={t('form.description')} {...form.row('description')}>
        <Textarea {...form.control('description')} autosize minRows={2} maxLength={PLAN_DESCRIPTION_MAX} />
      </Field>
      <EnglishVersion isWritten={form.values.name_en !== '' || form.values.description_en !== ''}>
        <Field label={t('form.nameEn')} {...form.row('name_en')}>
          <TextInput {...form.control('name_en')} maxLength={PLAN_NAME_MAX} autoComplete="off" />
        </Field>
        <Field label={t('form.descriptionEn')} {...form.row('description_en')}>
          <Textarea
            {...form.control('description_en')}
            autosize
            minRows={2}
            maxLength={PLAN_DESCRIPTION_MAX}
          />
        </Field>
      </EnglishVersion>
    </>
  );
}
