/** The dialogs of the list of organizations: suspend, price group, a further owner, the balance. */
import { NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizationManagement.suspend';
import balanceLimits from 'virtual:limits/organizationManagement.adjustBalance';
import type { ManagedOrganization } from '#contract/admin/organization-management.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { CURRENCY_SIGN, moneyToQuota, renderQuota } from '#web/ui/format/number.ts';
import { useForm } from '#web/ui/input/use-form.ts';
import { MANAGED_KEY, managedQueries } from './queries.ts';

export type ManagedDialogName = 'suspend' | 'group' | 'owner' | 'balance';

interface DialogProps {
  organization: ManagedOrganization;
  onClose: () => void;
}

const DIALOGS = {
  suspend: SuspendDialog,
  group: GroupDialog,
  owner: OwnerDialog,
  balance: BalanceDialog,
} as const;

export function ManagedDialog({ dialog, ...props }: DialogProps & { dialog: ManagedDialogName }) {
  const Dialog = DIALOGS[dialog];
  return <Dialog {...props} />;
}

function SuspendDialog({ organization: { id, name }, onClose }: DialogProps) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ reason: '' }),
    limits,
    send: (body) => api.organizationManagement.suspend({ params: { id }, body }),
    onSent: () => {
      toast.success(t('managed.suspend.done', { name }));
      onClose();
    },
    refresh: [MANAGED_KEY],
  });
  return (
    <FormDialog
      title={t('managed.suspend.title', { name })}
      submitLabel={t('managed.suspend.submit')}
      danger
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('managed.suspend.text')}</p>
      <Textarea
        {...form.field('reason')}
        label={t('managed.reason')}
        description={t('managed.reasonHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data-autofocus
        autosize
        minRows={2}
      />
    </FormDialog>
  );
}

function GroupDialog({ organization: { id, name, group }, onClose }: DialogProps) {
  const { t } = useTranslation('organizations');
  const groups = useQuery(managedQueries.groups()).data ?? [];
  const form = useForm({
    begin: () => ({ group }),
    send: (body) => api.organizationManagement.setGroup({ params: { id }, body }),
    onSent: () => {
      toast.success(t('managed.groupOf.done'));
      onClose();
    },
    refresh: [MANAGED_KEY],
  });
  return (
    <FormDialog
      title={t('managed.groupOf.title', { name })}
      submitLabel={t('managed.groupOf.submit')}
      disabled={form.changed === 0}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <Select
        {...form.field('group')}
        label={t('managed.column.group')}
        allowDeselect={false}
        searchable
        data={[...new Set([group, ...groups])]}
      />
    </FormDialog>
  );
}

const LISTED = 10;
const PAUSE_MILLISECONDS = 250;

function OwnerDialog({ organization: { id, name, owners }, onClose }: DialogProps) {
  const { t } = useTranslation('organizations');
  const [typed, setTyped] = useState('');
  const [keyword] = useDebouncedValue(typed.trim(), PAUSE_MILLISECONDS);
  const found = useQuery({
    queryKey: [...MANAGED_KEY, 'candidates', keyword],
    queryFn: ({ signal }) => api.userManagement.search({ query: { keyword, page_size: LISTED }, signal }),
    placeholderData: keepPreviousData,
  });
  const candidates = (found.data?.items ?? []).filter(
    ({ id: each, DeletedAt }) => DeletedAt === null && !owners.some(({ user_id }) => user_id === each),
  );
  const form = useForm({
    begin: () => ({ user_id: '' }),
    send: ({ user_id }) =>
      api.organizationManagement.addOwner({ params: { id }, body: { user_id: Number(user_id) } }),
    onSent: () => {
      toast.success(t('managed.owner.done'));
      onClose();
    },
    refresh: [MANAGED_KEY],
  });
  return (
    <FormDialog
      title={t('managed.owner.title', { name })}
      submitLabel={t('managed.owner.submit')}
      disabled={form.values.user_id === ''}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('managed.owner.text')}</p>
      <Select
        label={t('managed.owner.user')}
        placeholder={t('managed.owner.search')}
        searchable
        data-autofocus
        data={candidates.map(({ id: each, username }) => ({
          value: String(each),
          label: `${username} #${each}`,
        }))}
        value={form.values.user_id || null}
        // The server has matched the text, also by email.
        filter={({ options }) => options}
        nothingFoundMessage={t('managed.owner.nobody')}
        onSearchChange={setTyped}
        onChange={(value) => form.set('user_id', value ?? '')}
        error={form.errorOf('user_id')}
      />
    </FormDialog>
  );
}

function BalanceDialog({ organization: { id, name, quota }, onClose }: DialogProps) {
  const { t } = useTranslation('organizations');
  const display = useDisplay();
  const form = useForm({
    begin: () => ({ money: 0, quota_reason: '' }),
    limits: balanceLimits,
    aliases: { quota_change: 'money' },
    problemsOf: ({ money }) => ({ money: money === 0 ? t('managed.adjust.zero') : undefined }),
    send: ({ money, quota_reason }, { requestId }) =>
      api.organizationManagement.adjustBalance({
        params: { id },
        body: { quota_change: moneyToQuota(money, display), quota_reason, quota_key: requestId() },
      }),
    onSent: () => {
      toast.success(t('managed.adjust.done'));
      onClose();
    },
    refresh: [MANAGED_KEY],
  });
  return (
    <FormDialog
      title={t('managed.adjust.title', { name })}
      submitLabel={t('managed.adjust.submit')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('managed.adjust.now', { amount: renderQuota(quota, display) })}</p>
      <NumberInput
        {...form.number('money', 0)}
        label={t('managed.adjust.amount')}
        description={t('managed.adjust.amountHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        leftSection={<span className="size12 muted">{CURRENCY_SIGN}</span>}
        decimalScale={6}
        data-autofocus
        error={form.errorOf('money')}
      />
      <TextInput {...form.field('quota_reason')} label={t('managed.adjust.reason')} autoComplete="off" />
    </FormDialog>
  );
}
