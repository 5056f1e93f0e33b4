/** The form of a project: its name, and what its keys may call from where. */
import { NumberInput, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/projects.create';
import type { ProjectView } from '#contract/admin/organization-projects.ts';
import { modelLimitList } from '#contract/admin/tokens.ts';
import { checkAddressLines } from '#contract/ip-address.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { useForm } from '#web/ui/input/use-form.ts';

interface Values {
  name: string;
  models: string;
  allow_ips: string;
  requests_per_minute: number;
  tokens_per_minute: number;
}

const valuesOf = (project: ProjectView | undefined): Values => ({
  name: project?.name ?? '',
  models: project?.models.replaceAll(',', ', ') ?? '',
  allow_ips: project?.allow_ips ?? '',
  requests_per_minute: project?.requests_per_minute ?? 0,
  tokens_per_minute: project?.tokens_per_minute ?? 0,
});

const bodyOf = ({ name, models, ...rest }: Values): Values => ({
  ...rest,
  name: name.trim(),
  models: modelLimitList(models).join(','),
});

/** Without a project: a new one. */
export function ProjectDrawer({
  project,
  onClose,
}: {
  project: ProjectView | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation('organizations');
  // The form saves its difference to this copy.
  const [loaded] = useState(project);
  const form = useForm({
    begin: () => valuesOf(loaded),
    limits,
    problemsOf: ({ name, allow_ips }) => {
      const bad = checkAddressLines(allow_ips).findIndex(({ problem }) => problem !== null);
      return {
        name: name.trim() === '' ? t('projects.form.required') : undefined,
        allow_ips: bad < 0 ? undefined : t('projects.form.bad', { line: allow_ips.split('\n')[bad] ?? '' }),
      };
    },
    checksOnLeave: 'filled',
    draft: { name: `project:${loaded?.id ?? 'new'}` },
    send: (values, { initial, base }) => {
      if (loaded === undefined) return api.projects.create({ body: bodyOf(values) });
      const based_on = baseOf({ view: loaded, initial: bodyOf(initial), base: bodyOf(base) });
      return saveOnBase({
        body: { ...bodyOf(values), based_on },
        send: (body) => api.projects.change({ params: { id: loaded.id }, body }),
        labelOf: (field) => (field in values ? t(`projects.form.${field as keyof Values}`) : field),
      });
    },
    onSent: () => {
      toast.success(t(loaded === undefined ? 'projects.created' : 'projects.saved'));
      onClose();
    },
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormDrawer
      title={t(loaded === undefined ? 'projects.action.add' : 'projects.form.title')}
      createLabel={loaded === undefined ? t('projects.form.create') : undefined}
      form={form}
      onClose={onClose}
    >
      <div className={`stack12 ${layout.stack}`}>
        <Field label={t('projects.form.name')} {...form.row('name')} required>
          <TextInput {...form.control('name')} data-autofocus autoComplete="off" aria-required />
        </Field>
        <Field label={t('projects.form.models')} hint={t('projects.form.modelsHint')} {...form.row('models')}>
          <Textarea {...form.control('models')} autosize minRows={2} maxRows={10} spellCheck={false} />
        </Field>
        <Field
          label={t('projects.form.allow_ips')}
          hint={t('projects.form.addressesHint')}
          {...form.row('allow_ips')}
        >
          <Textarea {...form.control('allow_ips')} autosize minRows={3} maxRows={10} spellCheck={false} />
        </Field>
        {(['requests_per_minute', 'tokens_per_minute'] as const).map((name) => (
          <Field
            key={name}
            label={t(`projects.form.${name}`)}
            hint={t('projects.form.limitHint')}
            {...form.row(name)}
          >
            <NumberInput {...form.number(name)} min={0} allowDecimal={false} thousandSeparator="," />
          </Field>
        ))}
      </div>
    </FormDrawer>
  );
}
