/** Removes a member; the keys they have are disabled or handed over. */
import { Radio, Select } from '@mantine/core';
import '@mantine/core/styles/Radio.layer.css';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { MemberView, TokensOfRemoved } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { holderQueries, ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { MemberSelect } from './member-select.tsx';

const ACTIONS = ['disable', 'to_member', 'to_service_account'] as const;

interface Values {
  action: (typeof ACTIONS)[number];
  user_id: string;
  service_account_id: string;
}

function tokensOf({ action, user_id, service_account_id }: Values): TokensOfRemoved {
  if (action === 'to_member') return { action, user_id: Number(user_id) };
  if (action === 'to_service_account') return { action, service_account_id: Number(service_account_id) };
  return { action };
}

export function RemoveDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const { user_id: removed, username: name, tokens: count } = member;
  const accounts = useQuery({ ...holderQueries.serviceAccounts(), enabled: count > 0 }).data ?? [];
  const form = useForm({
    begin: (): Values => ({ action: 'disable', user_id: '', service_account_id: '' }),
    problemsOf: ({ action, user_id, service_account_id }) => ({
      user_id: action === 'to_member' && user_id === '' ? t('members.remove.choose') : undefined,
      service_account_id:
        action === 'to_service_account' && service_account_id === '' ? t('members.remove.choose') : undefined,
    }),
    send: (values) =>
      api.members.remove({ params: { user_id: removed }, body: { tokens: tokensOf(values) } }),
    onSent: () => {
      toast.success(t('members.remove.done', { name }));
      onClose();
    },
    refresh: [ORGANIZATIONS_KEY, ['tokens']],
  });
  const { action } = form.values;
  const offered = ACTIONS.filter((each) => each !== 'to_service_account' || accounts.length > 0);
  return (
    <FormDialog
      title={t('members.remove.title', { name })}
      submitLabel={t('members.remove.submit')}
      danger
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('members.remove.text', { name })}</p>
      {count > 0 ? (
        <>
          <Radio.Group
            label={t('members.remove.keys', { name, count })}
            value={action}
            onChange={(value) => form.set('action', ACTIONS.find((each) => each === value) ?? 'disable')}
          >
            <div className="stack8 top4">
              {offered.map((each) => (
                <Radio
                  key={each}
                  value={each}
                  label={t(`members.remove.${each}`)}
                  description={
                    each === 'disable'
                      ? t('members.remove.disableHint')
                      : t('members.remove.handHint', { name })
                  }
                />
              ))}
            </div>
          </Radio.Group>
          {action === 'to_member' ? (
            <MemberSelect
              label={t('members.remove.member')}
              value={form.values.user_id}
              isOffered={({ user_id, role }) => user_id !== removed && hasRight(role, 'tokens.own')}
              error={form.errorOf('user_id')}
              onChange={(id) => form.set('user_id', id)}
            />
          ) : null}
          {action === 'to_service_account' ? (
            <Select
              {...form.field('service_account_id')}
              label={t('members.remove.serviceAccount')}
              searchable
              data={accounts.map(({ id, name: each }) => ({ value: String(id), label: each }))}
            />
          ) : null}
        </>
      ) : null}
    </FormDialog>
  );
}
