/** The form of a plan in its drawer. */
import { Button, NumberInput, SegmentedControl, Select, Switch, TagsInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '#contract/endpoint.ts';
import { PLAN_RESETS, PLAN_UNITS } from '#contract/money/plan-schedule.ts';
import { type ManagedPlan, type plans } from '#contract/money/plans.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Drawer, DrawerFoot } from '#web/ui/drawer/drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { useFields, type Fields } from '#web/ui/input/use-fields.ts';
import layout from '#web/ui/input/form.module.css';
import { Names } from './plan-names.tsx';
import { PLANS_KEY, planQueries } from './queries.ts';
import {
  baseBody,
  bodyOf,
  formValues,
  LABELS,
  problemsOf,
  type PlanFormValues,
  type Problem,
} from './values.ts';

interface PlanFormProps {
  plan: ManagedPlan | undefined;
  list: Output<typeof plans.list>;
  onClose: () => void;
}

type Form = Fields<PlanFormValues>;

export function PlanForm({ plan, list, onClose }: PlanFormProps) {
  const { t } = useTranslation('plans');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  // A refetch of the list must not change what is saved.
  const [loaded] = useState(plan);
  const form = useFields<PlanFormValues, Problem>({
    begin: () => formValues(loaded, list.currencies[0]?.currency ?? ''),
    problemsOf,
    sentenceOf: (problem) => t(`form.error.${problem}`),
    draft: { name: `plan:${loaded?.id ?? 'new'}` },
  });
  const finish = useWhileShown(onClose);
  const save = useMutation({
    ...form.refusal.mutation,
    mutationFn: () => {
      const body = bodyOf(form.values);
      if (!loaded) return api.plans.create({ body });
      return saveOnBase({
        body: { ...body, based_on: baseBody(loaded, form) },
        send: (sent) => api.plans.change({ params: { id: loaded.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof PlanFormValues]) : field),
      });
    },
    onSuccess: () => {
      form.unsaved.end();
      void client.invalidateQueries({ queryKey: PLANS_KEY });
      toast.success(t(loaded ? 'manage.message.updated' : 'manage.message.created'));
      finish();
    },
  });
  return (
    <Drawer
      title={t(loaded ? 'form.editTitle' : 'form.createTitle')}
      subtitle={loaded ? <Tag>#{loaded.id}</Tag> : undefined}
      onClose={onClose}
      onSubmit={() => {
        if (form.check() && !save.isPending) save.mutate();
      }}
      form={form}
      footer={
        <DrawerFoot changed={loaded ? form.changed : 0} problems={form.shownProblems} refusal={form.refusal}>
          <Button type="submit" loading={save.isPending} disabled={loaded ? form.changed === 0 : false}>
            {loaded ? ui('action.save') : t('form.create')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {ui('action.cancel')}
          </Button>
        </DrawerFoot>
      }
    >
      <div className={`stack12 ${layout.stack}`}>
        {loaded ? <p className="caption">{t('form.note')}</p> : null}
        <Names form={form} />
        <Terms form={form} />
        <Prices form={form} list={list} />
        <Scope form={form} list={list} />
      </div>
    </Drawer>
  );
}

function Terms({ form }: { form: Form }) {
  const { t } = useTranslation('plans');
  const [durationId, quotaId] = [useId(), useId()];
  const { duration_count, duration_unit, quota, reset } = form.values;
  return (
    <>
      <Field label={t('form.duration')} htmlFor={durationId} error={form.errorOf('duration_count')}>
        <div className="pair">
          <NumberInput
            id={durationId}
            value={Number.isNaN(duration_count) ? '' : duration_count}
            min={1}
            clampBehavior="none"
            allowDecimal={false}
            allowNegative={false}
            error={Boolean(form.errorOf('duration_count'))}
            onChange={(value) => form.set('duration_count', value === '' ? Number.NaN : Number(value))}
            onBlur={() => form.leave('duration_count')}
          />
          <SegmentedControl
            aria-label={t('form.duration')}
            value={duration_unit}
            data={PLAN_UNITS.map((value) => ({ value, label: t(`form.unit.${value}`) }))}
            onChange={(value) => form.set('duration_unit', value)}
          />
        </div>
      </Field>
      <Field label={t('form.quota')} htmlFor={quotaId}>
        <QuotaInput
          id={quotaId}
          label={t('form.quota')}
          quota={quota}
          error={form.errorOf('quota')}
          onChange={(next) => form.set('quota', next)}
        />
      </Field>
      <Field label={t('form.reset')} error={form.errorOf('reset')}>
        <SegmentedControl
          fullWidth
          aria-label={t('form.reset')}
          value={reset}
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
  const [moneyId, quotaId] = [useId(), useId()];
  const { currency, price_minor, price_quota } = form.values;
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
        htmlFor={moneyId}
        hint={currencies.length === 0 ? t('form.noCurrency') : undefined}
        error={form.errorOf('price_minor') ?? form.errorOf('currency')}
      >
        <div className="pair">
          <NumberInput
            id={moneyId}
            value={price_minor / unit}
            min={0}
            decimalScale={digits}
            allowNegative={false}
            disabled={currencies.length === 0}
            onChange={(value) => form.set('price_minor', Math.round(Number(value) * unit))}
          />
          <Select
            aria-label={t('form.currency')}
            data={currencies}
            value={currency || null}
            allowDeselect={false}
            disabled={currencies.length === 0}
            onChange={(value) => form.set('currency', value ?? '')}
          />
        </div>
      </Field>
      <Field label={t('form.priceQuota')} htmlFor={quotaId}>
        <QuotaInput
          id={quotaId}
          label={t('form.priceQuota')}
          quota={price_quota}
          error={form.errorOf('price_quota')}
          onChange={(next) => form.set('price_quota', next)}
        />
      </Field>
    </>
  );
}

function Scope({ form, list }: { form: Form; list: PlanFormProps['list'] }) {
  const { t } = useTranslation('plans');
  const [modelsId, groupId, limitId, sortId] = [useId(), useId(), useId(), useId()];
  const { data: prices } = useQuery(planQueries.prices());
  const { values } = form;
  return (
    <>
      <Field label={t('form.models')} htmlFor={modelsId} error={form.errorOf('models')}>
        <TagsInput
          id={modelsId}
          data={prices?.data.map(({ model_name }) => model_name) ?? []}
          limit={50}
          value={values.models}
          onChange={(models) => form.set('models', models)}
        />
      </Field>
      <Field
        label={t('form.group')}
        htmlFor={groupId}
        hint={t('form.groupHint')}
        error={form.errorOf('group')}
      >
        <Select
          id={groupId}
          data={list.groups}
          value={values.group || null}
          placeholder={t('form.ownGroup')}
          clearable
          onChange={(value) => form.set('group', value ?? '')}
        />
      </Field>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field
          label={t('form.limit')}
          htmlFor={limitId}
          hint={t('form.limitHint')}
          error={form.errorOf('limit_per_user')}
        >
          <NumberInput
            id={limitId}
            value={values.limit_per_user}
            min={0}
            allowDecimal={false}
            allowNegative={false}
            onChange={(value) => form.set('limit_per_user', Number(value) || 0)}
          />
        </Field>
        <Field label={t('form.sort')} htmlFor={sortId} error={form.errorOf('sort_order')}>
          <NumberInput
            id={sortId}
            value={values.sort_order}
            allowDecimal={false}
            onChange={(value) => form.set('sort_order', Number(value) || 0)}
          />
        </Field>
      </div>
      <Switch
        label={t('form.onSale')}
        checked={values.on_sale}
        onChange={(event) => form.set('on_sale', event.currentTarget.checked)}
      />
    </>
  );
}
