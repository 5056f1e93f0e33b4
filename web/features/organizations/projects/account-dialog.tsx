/** A new service account: its name, and the project of its keys. */
import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/serviceAccounts.create';
import { api } from '#web/api.ts';
import { holderQueries, ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';

export function AccountDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const projects = useQuery(holderQueries.projects()).data?.filter(({ archived }) => !archived) ?? [];
  const form = useForm({
    begin: () => ({ name: '', project_id: '' }),
    limits,
    problemsOf: ({ name }) => ({ name: name.trim() === '' ? t('projects.form.required') : undefined }),
    draft: { name: 'service-account' },
    send: ({ name, project_id }) =>
      api.serviceAccounts.create({
        body: { name, ...(project_id === '' ? {} : { project_id: Number(project_id) }) },
      }),
    onSent: () => {
      toast.success(t('projects.account.done'));
      onClose();
    },
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormDialog
      title={t('projects.account.title')}
      submitLabel={t('projects.form.create')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('projects.emptyAccountsText')}</p>
      <TextInput {...form.field('name')} label={t('projects.form.name')} data-autofocus autoComplete="off" />
      <Select
        label={t('projects.account.project')}
        description={t('projects.account.projectHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        allowDeselect={false}
        data={projects.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={form.values.project_id || String(projects.find(({ is_default }) => is_default)?.id ?? '')}
        onChange={(id) => form.set('project_id', id ?? '')}
        error={form.errorOf('project_id')}
      />
    </FormDialog>
  );
}
