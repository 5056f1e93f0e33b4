/** Single sign-on: the mail address leads to the provider of its organization. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/signOn.begin';
import { redirectToOrganization } from '#web/api/outside-logins.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { useForm } from '#web/ui/input/use-form.ts';

interface SignOnDialogProps {
  next?: string;
  onClose: () => void;
}

export default function SignOnDialog({ next, onClose }: SignOnDialogProps) {
  const { t } = useTranslation('account');
  const form = useForm({
    begin: () => ({ email: '' }),
    limits,
    unguarded: ['email'],
    problemsOf: ({ email }) => ({ email: email.includes('@') ? undefined : t('signOn.address') }),
    send: ({ email }) => redirectToOrganization(email.trim(), next),
  });
  return (
    <FormDialog
      width={380}
      title={t('signOn.title')}
      submitLabel={t('signOn.go')}
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('signOn.text')}</p>
      <TextInput
        {...form.field('email')}
        type="email"
        label={t('signOn.email')}
        autoComplete="email"
        data-autofocus
      />
    </FormDialog>
  );
}
