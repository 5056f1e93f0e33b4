/** Changes the role of a member; a role without keys of its own disables theirs, which the dialog says. */
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { MemberView } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { RoleSelect } from '#web/features/organizations/role-select.tsx';
import { GIVEN_ROLES } from '#web/features/organizations/role-words.ts';

export function RoleDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const { user_id, username: name, tokens } = member;
  const form = useForm({
    begin: () => ({ role: GIVEN_ROLES.find((role) => role === member.role) ?? GIVEN_ROLES[0] ?? 'admin' }),
    send: (body) => api.members.changeRole({ params: { user_id }, body }),
    onSent: () => {
      toast.success(t('members.role.done'));
      onClose();
    },
    refresh: [ORGANIZATIONS_KEY, ['tokens']],
  });
  const losesKeys = tokens > 0 && !hasRight(form.values.role, 'tokens.own');
  return (
    <FormDialog
      title={t('members.role.title', { name })}
      submitLabel={t('members.role.submit')}
      disabled={form.values.role === member.role}
      danger={losesKeys}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <RoleSelect label={t('members.invite.role')} roles={GIVEN_ROLES} {...form.choice('role')} />
      {losesKeys ? (
        <NoticeBox tone="warning">{t('members.role.keys', { name, count: tokens })}</NoticeBox>
      ) : null}
    </FormDialog>
  );
}
