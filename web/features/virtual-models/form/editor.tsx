/** The editor of a virtual model in its drawer: as a form with its targets as a sheet, or as code. */
import { SegmentedControl, Select, Switch, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/virtualModels.create';
import type { VirtualModelView } from '#contract/relay/virtual-models.ts';
import { api } from '#web/api.ts';
import { VIRTUAL_MODELS_KEY } from '#web/features/virtual-models/queries.ts';
import { TryOut } from '#web/features/virtual-models/try-out/try-out.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field, Section } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { useForm, type Form } from '#web/ui/input/use-form.ts';
import { Code } from './code.tsx';
import { Targets } from './targets.tsx';
import { bodyOf, formValues, type VirtualModelValues } from './values.ts';
import classes from './form.module.css';

interface EditorProps {
  /** Undefined: a new one. */
  model: VirtualModelView | undefined;
  /** A new one begins as this one, without its name. */
  copied?: VirtualModelView | undefined;
  onClose: () => void;
}

/** Fields by the words of their labels, for a question about them. */
const LABELS = {
  name: 'form.name',
  description: 'form.description',
  enabled: 'form.enabled',
  price: 'form.price',
  body_model: 'form.bodyModel',
  replaces_model: 'form.replaces',
  hedge: 'form.hedge',
  targets: 'form.targets',
} as const satisfies Record<keyof VirtualModelValues, string>;

export function VirtualModelEditor({ model, copied, onClose }: EditorProps) {
  const { t } = useTranslation('virtual-models');
  const navigate = useNavigate();
  // A refetch must not change what is saved.
  const [loaded] = useState(model);
  const [isCode, setIsCode] = useState(false);
  const [codeProblem, setCodeProblem] = useState<string>();
  const finish = useWhileShown((name: string) => {
    void navigate({ to: '/virtual-model/$', params: { _splat: name }, search: {} });
  });
  const form = useForm<VirtualModelValues, VirtualModelView>({
    begin: () => formValues(loaded ?? (copied && { ...copied, name: '', replaces_model: false })),
    limits,
    problemsOf: () => ({ targets: codeProblem }),
    draft: { name: `virtual-model:${loaded?.id ?? 'new'}` },
    send: (values, { initial, base }) => {
      const body = bodyOf(values);
      if (loaded === undefined) return api.virtualModels.create({ body });
      const based_on = baseOf({ view: loaded, initial: bodyOf(initial), base: bodyOf(base) });
      return saveOnBase({
        body: { ...body, based_on },
        send: (sent) => api.virtualModels.change({ params: { id: loaded.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof VirtualModelValues]) : field),
      });
    },
    onSent: ({ name }) => {
      toast.success(t(loaded ? 'form.saved' : 'form.created'));
      finish(name);
    },
    refresh: [VIRTUAL_MODELS_KEY],
  });
  const showForm = (asCode: boolean) => {
    setIsCode(asCode);
    setCodeProblem(undefined);
  };
  return (
    <FormDrawer
      title={t(loaded ? 'form.editTitle' : 'form.createTitle')}
      subtitle={loaded ? <Tag>{loaded.name}</Tag> : undefined}
      createLabel={loaded ? undefined : t('form.create')}
      form={form}
      onClose={onClose}
    >
      <SegmentedControl
        className={classes.views}
        size="xs"
        aria-label={t('form.view')}
        value={isCode ? 'code' : 'form'}
        data={[
          { value: 'form', label: t('form.asForm') },
          { value: 'code', label: t('form.asCode') },
        ]}
        onChange={(value) => showForm(value === 'code')}
      />
      {isCode ? (
        <Code form={form} onProblem={setCodeProblem} />
      ) : (
        <>
          <Head form={form} />
          <Section title={t('form.targets')} fact={t('form.targetsFact')}>
            <Targets form={form} />
          </Section>
        </>
      )}
      <Section title={t('tryOut.title')} fact={t('tryOut.hint')}>
        <TryOut fields={() => bodyOf(form.values)} />
      </Section>
    </FormDrawer>
  );
}

function Head({ form }: { form: Form<VirtualModelValues> }) {
  const { t } = useTranslation('virtual-models');
  const { price } = form.values;
  return (
    <div className={`stack12 ${layout.stack}`}>
      <Field label={t('form.name')} {...form.row('name')} hint={t('form.nameHint')} required>
        <TextInput {...form.control('name')} autoComplete="off" spellCheck={false} data-autofocus />
      </Field>
      <Textarea {...form.field('description')} label={t('form.description')} autosize maxRows={4} />
      <div className={`pair ${layout.pairOrColumn}`}>
        <Field label={t('form.price')} {...form.row('price')} hint={t(`form.priceHint.${price}`)}>
          <Select
            id={form.idOf('price')}
            {...form.choice('price')}
            data={(['answered', 'own'] as const).map((value) => ({
              value,
              label: t(`form.prices.${value}`),
            }))}
            allowDeselect={false}
            onChange={(value) => form.set('price', value === 'own' ? 'own' : 'answered')}
          />
        </Field>
        <Field label={t('form.bodyModel')} {...form.row('body_model')} hint={t('form.bodyModelHint')}>
          <Select
            id={form.idOf('body_model')}
            {...form.choice('body_model')}
            data={(['asked', 'answered'] as const).map((value) => ({
              value,
              label: t(`form.bodyModels.${value}`),
            }))}
            allowDeselect={false}
            onChange={(value) => form.set('body_model', value === 'answered' ? 'answered' : 'asked')}
          />
        </Field>
      </div>
      <Switch {...form.checked('enabled')} label={t('form.enabled')} />
      <Switch {...form.checked('replaces_model')} label={t('form.replaces')} />
      <Switch {...form.checked('hedge')} label={t('form.hedge')} description={t('form.hedgeHint')} />
    </div>
  );
}
