/** The editor of a comparison in its drawer. */
import { NumberInput, Switch, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/shadowCalls.create';
import type { ShadowView } from '#contract/relay/shadow-calls.ts';
import { api } from '#web/api.ts';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { useForm, type Form } from '#web/ui/input/use-form.ts';
import { SHADOWS_KEY } from './queries.ts';
import { bodyOf, formValues, type ShadowValues } from './values.ts';

/** Fields by the words of their labels, for a question about them. */
const LABELS = {
  name: 'form.name',
  enabled: 'form.enabled',
  model: 'form.model',
  groups: 'form.groups',
  target_model: 'form.target',
  target_group: 'form.targetGroup',
  share_percent: 'form.share',
  dollars_per_day: 'form.dollars',
  most_samples: 'form.most',
  from: 'form.from',
  until: 'form.until',
} as const satisfies Record<keyof ShadowValues, string>;

export function ShadowEditor({ shadow, onClose }: { shadow: ShadowView | undefined; onClose: () => void }) {
  const { t } = useTranslation('shadow-calls');
  const navigate = useNavigate();
  // A refetch must not change what is saved.
  const [loaded] = useState(shadow);
  const finish = useWhileShown((id: number) => {
    void navigate({ to: '/shadow-calls/$', params: { _splat: String(id) }, search: {} });
  });
  const form = useForm<ShadowValues, ShadowView>({
    begin: () => formValues(loaded),
    limits,
    draft: { name: `shadow:${loaded?.id ?? 'new'}` },
    send: (values, { initial, base }) => {
      const body = bodyOf(values);
      if (loaded === undefined) return api.shadowCalls.create({ body });
      const based_on = baseOf({ view: loaded, initial: bodyOf(initial), base: bodyOf(base) });
      return saveOnBase({
        body: { ...body, based_on },
        send: (sent) => api.shadowCalls.change({ params: { id: loaded.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof ShadowValues]) : field),
      });
    },
    onSent: ({ id }) => {
      toast.success(t(loaded ? 'form.saved' : 'form.created'));
      finish(id);
    },
    refresh: [SHADOWS_KEY],
  });
  return (
    <FormDrawer
      title={t(loaded ? 'form.editTitle' : 'form.createTitle')}
      createLabel={loaded ? undefined : t('form.create')}
      form={form}
      onClose={onClose}
    >
      <div className={`stack12 ${layout.stack}`}>
        <Texts form={form} />
        <Bounds form={form} />
        <Switch {...form.checked('enabled')} label={t('form.enabled')} />
        <NoticeLine>{t('form.consent')}</NoticeLine>
      </div>
    </FormDrawer>
  );
}

function Texts({ form }: { form: Form<ShadowValues> }) {
  const { t } = useTranslation('shadow-calls');
  const plain = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <Field label={t('form.name')} {...form.row('name')} required>
        <TextInput {...form.control('name')} {...plain} data-autofocus />
      </Field>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.model')} {...form.row('model')} hint={t('form.modelHint')} required>
          <TextInput {...form.control('model')} {...plain} />
        </Field>
        <Field label={t('form.target')} {...form.row('target_model')} hint={t('form.targetHint')} required>
          <TextInput {...form.control('target_model')} {...plain} />
        </Field>
      </div>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.groups')} {...form.row('groups')} hint={t('form.groupsHint')}>
          <TextInput {...form.control('groups')} {...plain} />
        </Field>
        <Field label={t('form.targetGroup')} {...form.row('target_group')} hint={t('form.targetGroupHint')}>
          <TextInput {...form.control('target_group')} {...plain} />
        </Field>
      </div>
    </>
  );
}

function Bounds({ form }: { form: Form<ShadowValues> }) {
  const { t } = useTranslation('shadow-calls');
  return (
    <>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.share')} {...form.row('share_percent')}>
          <NumberInput {...form.number('share_percent')} min={0.01} max={100} decimalScale={2} suffix="%" />
        </Field>
        <Field label={t('form.most')} {...form.row('most_samples')}>
          <NumberInput {...form.number('most_samples')} min={1} allowDecimal={false} />
        </Field>
      </div>
      <Field label={t('form.dollars')} {...form.row('dollars_per_day')} hint={t('form.dollarsHint')}>
        <NumberInput {...form.number('dollars_per_day', 0)} min={0} decimalScale={4} prefix="$" />
      </Field>
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.from')} {...form.row('from')}>
          <TextInput {...form.control('from')} type="datetime-local" />
        </Field>
        <Field label={t('form.until')} {...form.row('until')}>
          <TextInput {...form.control('until')} type="datetime-local" />
        </Field>
      </div>
    </>
  );
}
