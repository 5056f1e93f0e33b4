/** Offers the ownership to a member, who accepts it or not. */
import { useTranslation } from 'react-i18next';
import { ORGANIZATION_ROLES, type OrganizationRole } from '#contract/admin/organization-rights.ts';
import type { MemberView } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { useUser } from '#web/api/session.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { RoleSelect } from '#web/features/organizations/role-select.tsx';
import { MemberSelect } from './member-select.tsx';

/** Without a member: the dialog asks for one. */
export function OfferDialog({ member, onClose }: { member?: MemberView; onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const user = useUser();
  const form = useForm({
    begin: () => ({ user_id: member ? String(member.user_id) : '', then_role: 'admin' as OrganizationRole }),
    problemsOf: ({ user_id }) => ({ user_id: user_id === '' ? t('members.offer.choose') : undefined }),
    send: ({ user_id, then_role }) =>
      api.organizations.offerOwnership({ body: { user_id: Number(user_id), then_role } }),
    onSent: ({ username }) => {
      toast.success(t('members.offer.done', { name: username }));
      onClose();
    },
    refresh: [ORGANIZATIONS_KEY],
  });
  return (
    <FormDialog
      title={t('members.offer.title')}
      submitLabel={t('members.offer.submit')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">
        {t('members.offer.text', { name: member?.username ?? t('members.offer.someone') })}
      </p>
      {member ? null : (
        <MemberSelect
          label={t('members.offer.to')}
          value={form.values.user_id}
          isOffered={({ user_id, role }) => user_id !== user?.id && role !== 'owner'}
          error={form.errorOf('user_id')}
          onChange={(id) => form.set('user_id', id)}
        />
      )}
      <RoleSelect
        label={t('members.offer.afterwards')}
        roles={ORGANIZATION_ROLES}
        nameOf={(role) => (role === 'owner' ? t('members.offer.both') : undefined)}
        {...form.choice('then_role')}
      />
    </FormDialog>
  );
}
