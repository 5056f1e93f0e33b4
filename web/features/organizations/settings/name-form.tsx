/** The name of an organization. */
import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizations.change';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { RestoredNotice } from '#web/ui/input/restored-notice.tsx';
import { useForm } from '#web/ui/input/use-form.ts';

/** It begins anew with each saved name. */
export function NameForm({ organization: { name } }: { organization: OrganizationView }) {
  return <Name key={name} loaded={name} />;
}

function Name({ loaded }: { loaded: string }) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ name: loaded }),
    limits,
    problemsOf: ({ name }) => ({ name: name.trim() === '' ? t('problem.name') : undefined }),
    draft: { name: 'organization' },
    send: ({ name }, { base }) =>
      saveOnBase({
        body: { name: name.trim(), based_on: { name: base.name } },
        send: (body) => api.organizations.change({ body }),
        labelOf: () => t('field.name'),
      }),
    onSent: () => toast.success(t('setting.saved')),
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormElement form={form} className="stack8">
      <RestoredNotice onDrop={form.dropDraft} />
      <Field label={t('field.name')} {...form.row('name')}>
        <TextInput {...form.control('name')} autoComplete="organization" />
      </Field>
      <RefusalNotice refusal={form.refusal} />
      <div>
        <Button type="submit" loading={form.isSending} disabled={form.changed === 0}>
          {t('setting.save')}
        </Button>
      </div>
    </FormElement>
  );
}
