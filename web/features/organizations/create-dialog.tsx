/** A new organization: its name. Whoever creates it owns it. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizations.create';
import { api } from '#web/api.ts';
import type { Scope } from '#web/api/scope.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { useForm } from '#web/ui/input/use-form.ts';

interface CreateDialogProps {
  onClose: () => void;
  onCreated: (organization: Scope) => void;
}

export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ name: '' }),
    limits,
    problemsOf: ({ name }) => ({ name: name.trim() === '' ? t('problem.name') : undefined }),
    send: (body) => api.organizations.create({ body }),
    onSent: ({ id, name, role, suspended }) => onCreated({ id, name, role, suspended, group: '' }),
  });
  return (
    <FormDialog
      title={t('create.title')}
      submitLabel={t('create.submit')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('create.text')}</p>
      <TextInput {...form.field('name')} label={t('field.name')} data-autofocus autoComplete="organization" />
    </FormDialog>
  );
}
