/** The form of a plan in its drawer. */
import { NumberInput, SegmentedControl, Select, Switch, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '#contract/endpoint.ts';
import { PLAN_RESETS, PLAN_UNITS } from '#contract/money/plan-schedule.ts';
import { type ManagedPlan, type plans } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { sentencesOf, useForm, type Fields } from '#web/ui/input/use-form.ts';
import layout from '#web/ui/input/form.module.css';
import { Names } from './plan-names.tsx';
import { PLANS_KEY, planQueries } from './queries.ts';
import { baseBody, bodyOf, formValues, LABELS, problemsOf, type PlanFormValues } from './values.ts';

interface PlanFormProps {
  plan: ManagedPlan | undefined;
  list: Output<typeof plans.list>;
  onClose: () => void;
}

type Form = Fields<PlanFormValues>;

export function PlanForm({ plan, list, onClose }: PlanFormProps) {
  const { t } = useTranslation('plans');
  // A refetch of the list must not change what is saved.
  const [loaded] = useState(plan);
  const finish = useWhileShown(onClose);
  const form = useForm<PlanFormValues, unknown>({
    begin: () => formValues(loaded, list.currencies[0]?.currency ?? ''),
    problemsOf: (values) => sentencesOf(problemsOf(values), (problem) => t(`form.error.${problem}`)),
    checksOnLeave: 'always',
    draft: { name: `plan:${loaded?.id ?? 'new'}` },
    send: (values, fields) => {
      const body = bodyOf(values);
      if (!loaded) return api.plans.create({ body });
      return saveOnBase({
        body: { ...body, based_on: baseBody(loaded, fields) },
        send: (sent) => api.plans.change({ params: { id: loaded.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof PlanFormValues]) : field),
      });
    },
    onSent: () => {
      toast.success(t(loaded ? 'manage.message.updated' : 'manage.message.created'));
      finish();
    },
    refresh: [PLANS_KEY],
  });
  return (
    <FormDrawer
      title={t(loaded ? 'form.editTitle' : 'form.createTitle')}
      subtitle={loaded ? <Tag>#{loaded.id}</Tag> : undefined}
      createLabel={loaded ? undefined : t('form.create')}
      form={form}
      onClose={onClose}
    >
      <div className={`stack12 ${layout.stack}`}>
        {loaded ? <p className="caption">{t('form.note')}</p> : null}
        <Names form={form} />
        <Terms form={form} />
        <Prices form={form} list={list} />
        <Scope form={form} list={list} />
      </div>
    </FormDrawer>
  );
}

function Terms({ form }: { form: Form }) {
  const { t } = useTranslation('plans');
  return (
    <>
      <Field label={t('form.duration')} {...form.row('duration_count')}>
        <div className="pair">
          <NumberInput
            {...form.number('duration_count')}
            min={1}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
          />
          <SegmentedControl
            aria-label={t('form.duration')}
            {...form.choice('duration_unit')}
            data={PLAN_UNITS.map((value) => ({ value, label: t(`form.unit.${value}`) }))}
          />
        </div>
      </Field>
      <Field label={t('form.quota')} htmlFor={form.idOf('quota')}>
        <QuotaInput {...form.field('quota')} label={t('form.quota')} />
      </Field>
      <Field label={t('form.reset')} error={form.errorOf('reset')}>
        <SegmentedControl
          fullWidth
          aria-label={t('form.reset')}
          value={form.values.reset}
          data={PLAN_RESETS.map((value) => ({ value, label: t(`form.resets.${value}`) }))}
          onChange={(value) => {
            form.set('reset', value);
            form.leave('reset');
          }}
        />
      </Field>
    </>
  );
}

function Prices({ form, list }: { form: Form; list: PlanFormProps['list'] }) {
  const { t } = useTranslation('plans');
  const { currency, price_minor } = form.values;
  const known = list.currencies.some((item) => item.currency === currency);
  const currencies = [
    ...list.currencies.map((item) => item.currency),
    ...(known || !currency ? [] : [currency]),
  ];
  const digits = list.currencies.find((item) => item.currency === currency)?.currency_digits ?? 2;
  const unit = 10 ** digits;
  return (
    <>
      <Field
        label={t('form.priceMinor')}
        htmlFor={form.idOf('price_minor')}
        hint={currencies.length === 0 ? t('form.noCurrency') : undefined}
        error={form.errorOf('price_minor') ?? form.errorOf('currency')}
      >
        <div className="pair">
          <NumberInput
            id={form.idOf('price_minor')}
            value={price_minor / unit}
            min={0}
            decimalScale={digits}
            allowNegative={false}
            disabled={currencies.length === 0}
            onChange={(value) => form.set('price_minor', Math.round(Number(value) * unit))}
          />
          <Select
            {...form.control('currency')}
            error={false}
            aria-invalid={undefined}
            aria-label={t('form.currency')}
            data={currencies}
            value={currency || null}
            allowDeselect={false}
            disabled={currencies.length === 0}
          />
        </div>
      </Field>
      <Field label={t('form.priceQuota')} htmlFor={form.idOf('price_quota')}>
        <QuotaInput {...form.field('price_quota')} label={t('form.priceQuota')} />
      </Field>
    </>
  );
}

function Scope({ form, list }: { form: Form; list: PlanFormProps['list'] }) {
  const { t } = useTranslation('plans');
  const { data: prices } = useQuery(planQueries.prices());
  const { values } = form;
  return (
    <>
      <Field label={t('form.models')} {...form.row('models')}>
        <TagsInput
          {...form.control('models')}
          data={prices?.data.map(({ model_name }) => model_name) ?? []}
          limit={50}
        />
      </Field>
      <Field label={t('form.group')} {...form.row('group')} hint={t('form.groupHint')}>
        <Select
          {...form.control('group')}
          data={list.groups}
          value={values.group || null}
          placeholder={t('form.ownGroup')}
          clearable
        />
      </Field>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.limit')} {...form.row('limit_per_user')} hint={t('form.limitHint')}>
          <NumberInput
            {...form.number('limit_per_user', 0)}
            min={0}
            allowDecimal={false}
            allowNegative={false}
          />
        </Field>
        <Field label={t('form.sort')} {...form.row('sort_order')}>
          <NumberInput {...form.number('sort_order', 0)} allowDecimal={false} />
        </Field>
      </div>
      <Switch {...form.checked('on_sale')} label={t('form.onSale')} />
    </>
  );
}
