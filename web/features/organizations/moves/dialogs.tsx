/** How much moves into the organization, or out of it and to whom. */
import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/moves.out';
import { api } from '#web/api.ts';
import { ownOrganizationsQuery } from '#web/api/queries.ts';
import { useScope } from '#web/api/scope.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { useForm, type Form } from '#web/ui/input/use-form.ts';
import { MemberSelect } from '#web/features/organizations/members/member-select.tsx';
import { BALANCES_CHANGED } from './queries.ts';

export function InDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const form = useForm({
    begin: () => ({ amount: 0 }),
    problemsOf: ({ amount }) => ({ amount: amount <= 0 ? t('moves.problem.amount') : undefined }),
    send: ({ amount }, { requestId }) => api.moves.into({ body: { amount, request_id: requestId() } }),
    onSent: () => {
      toast.success(t('moves.done'));
      onClose();
    },
    refresh: BALANCES_CHANGED,
  });
  return (
    <FormDialog
      title={t('moves.in.title')}
      submitLabel={t('moves.in.submit')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('moves.in.text')}</p>
      <Amount form={form} />
    </FormDialog>
  );
}

export function OutDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('organizations');
  const scope = useScope();
  const owned = (useQuery(ownOrganizationsQuery).data?.items ?? []).filter(
    ({ id, role }) => role === 'owner' && id !== scope?.id,
  );
  const form = useForm({
    begin: () => ({ amount: 0, kind: 'member', user_id: '', organization_id: '', reason: '' }),
    limits,
    problemsOf: ({ amount, kind, user_id, organization_id }) => ({
      amount: amount <= 0 ? t('moves.problem.amount') : undefined,
      user_id: kind === 'member' && user_id === '' ? t('moves.problem.to') : undefined,
      organization_id: kind === 'organization' && organization_id === '' ? t('moves.problem.to') : undefined,
    }),
    aliases: { to_user_id: 'user_id', to_organization_id: 'organization_id' },
    send: ({ amount, kind, user_id, organization_id, reason }, { requestId }) =>
      api.moves.out({
        body: {
          amount,
          reason,
          request_id: requestId(),
          ...(kind === 'member'
            ? { to_user_id: Number(user_id) }
            : { to_organization_id: Number(organization_id) }),
        },
      }),
    onSent: ({ status }) => {
      toast.success(t(status === 'done' ? 'moves.done' : 'moves.out.asked'));
      onClose();
    },
    refresh: BALANCES_CHANGED,
  });
  return (
    <FormDialog
      title={t('moves.out.title')}
      submitLabel={t('moves.out.submit')}
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <p className="soft">{t('moves.out.text')}</p>
      {owned.length > 0 ? (
        <SegmentedControl
          aria-label={t('moves.out.to')}
          data={[
            { value: 'member', label: t('moves.out.member') },
            { value: 'organization', label: t('moves.out.organization') },
          ]}
          {...form.choice('kind')}
        />
      ) : null}
      {form.values.kind === 'member' ? (
        <MemberSelect
          label={t('moves.out.to')}
          value={form.values.user_id}
          isOffered={() => true}
          error={form.errorOf('user_id')}
          onChange={(id) => form.set('user_id', id)}
        />
      ) : (
        <Select
          label={t('moves.out.to')}
          data={owned.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={form.values.organization_id || null}
          error={form.errorOf('organization_id')}
          onChange={(id) => form.set('organization_id', id ?? '')}
        />
      )}
      <Amount form={form} />
      <TextInput {...form.field('reason')} label={t('moves.out.reason')} autoComplete="off" />
    </FormDialog>
  );
}

function Amount({
  form,
}: {
  form: Pick<Form<{ amount: number }>, 'row' | 'idOf' | 'values' | 'errorOf' | 'set'>;
}) {
  const { t } = useTranslation('organizations');
  return (
    <Field label={t('moves.amount')} {...form.row('amount')} required>
      <QuotaInput
        id={form.idOf('amount')}
        label={t('moves.amount')}
        value={form.values.amount}
        error={form.errorOf('amount') !== undefined}
        onChange={(amount) => form.set('amount', amount)}
      />
    </Field>
  );
}
