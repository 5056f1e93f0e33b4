/** Invites somebody by email or username. */
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/invitations.create';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { RoleSelect } from '#web/features/organizations/role-select.tsx';
import { GIVEN_ROLES, type GivenRole } from '#web/features/organizations/role-words.ts';

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ to: '', role: 'member' as GivenRole }),
    limits,
    problemsOf: ({ to }) => ({ to: to.trim() === '' ? t('members.invite.required') : undefined }),
    draft: { name: 'organization-invitation' },
    send: (body) => api.invitations.create({ body }),
    onSent: ({ email, username }) => {
      toast.success(t('members.invite.done', { to: email || username }));
      onClose();
    },
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormDialog
      title={t('members.invite.title')}
      submitLabel={t('members.invite.submit')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <TextInput
        {...form.field('to')}
        label={t('members.invite.to')}
        description={t('members.invite.toHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
      />
      <RoleSelect label={t('members.invite.role')} roles={GIVEN_ROLES} {...form.choice('role')} />
    </FormDialog>
  );
}
