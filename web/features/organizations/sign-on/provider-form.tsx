/** The provider of an organization. The secret is never shown; it stays when it is left blank and the issuer is the same. */
import { Button, Checkbox, PasswordInput, Select, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizationSignOn.saveProvider';
import type { SignOnProvider, SignOnView } from '#contract/admin/sign-on.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { GIVEN_ROLES, useRoleName, type GivenRole } from '#web/features/organizations/role-words.ts';
import { Copied } from './copied.tsx';

interface ProviderFormProps {
  view: SignOnView;
  manages: boolean;
}

const NEW = {
  issuer: '',
  client_id: '',
  scopes: 'email profile',
  groups_claim: '',
  default_role: 'member' as GivenRole,
  enabled: true,
  required: false,
};

type Fields = typeof NEW;

const fieldsOf = ({
  issuer,
  client_id,
  scopes,
  groups_claim,
  default_role,
  enabled,
  required,
}: Fields): Fields => ({ issuer, client_id, scopes, groups_claim, default_role, enabled, required });

export function ProviderForm({ view, manages }: ProviderFormProps) {
  const { t } = useTranslation('organizations');
  const { provider, redirect_uri } = view;
  return (
    <div className="stack12">
      <Copied label={t('signOn.redirect')} text={redirect_uri} />
      {/* It begins anew with what was saved. */}
      {manages ? <Form key={JSON.stringify(provider)} provider={provider} /> : <Facts provider={provider} />}
    </div>
  );
}

function Facts({ provider }: { provider: SignOnProvider | null }) {
  const { t } = useTranslation('organizations');
  if (provider === null) return <p className="soft">{t('signOn.none')}</p>;
  return (
    <p className="anywhere">
      {provider.issuer} · {provider.client_id}
    </p>
  );
}

function Form({ provider }: { provider: SignOnProvider | null }) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const form = useForm({
    begin: () => ({ ...(provider === null ? NEW : fieldsOf(provider)), client_secret: '' }),
    limits,
    unguarded: ['client_secret'],
    problemsOf: ({ issuer, client_id }) => ({
      issuer: issuer.trim() === '' ? t('signOn.needed') : undefined,
      client_id: client_id.trim() === '' ? t('signOn.needed') : undefined,
    }),
    send: ({ client_secret, ...values }, { base }) =>
      saveOnBase({
        body: {
          ...values,
          ...(client_secret === '' ? {} : { client_secret }),
          ...(provider === null ? {} : { based_on: fieldsOf(base) }),
        },
        send: (body) => api.organizationSignOn.saveProvider({ body }),
        labelOf: (field) => (field in NEW ? t(`signOn.field.${field as keyof typeof NEW}`) : field),
      }),
    onSent: () => toast.success(t('setting.saved')),
    refresh: [ORGANIZATIONS_KEY],
  });
  const text = (name: 'issuer' | 'client_id' | 'scopes' | 'groups_claim', hint?: string) => (
    <Field label={t(`signOn.field.${name}`)} {...form.row(name)} hint={hint}>
      <TextInput {...form.control(name)} autoComplete="off" spellCheck={false} />
    </Field>
  );
  return (
    <FormElement form={form} className="stack12">
      {text('issuer', t('signOn.issuerHint'))}
      {text('client_id')}
      <Field
        label={t('signOn.field.client_secret')}
        {...form.row('client_secret')}
        hint={provider === null ? undefined : t('signOn.secretHint')}
      >
        <PasswordInput {...form.control('client_secret')} autoComplete="new-password" />
      </Field>
      {text('scopes')}
      {text('groups_claim', t('signOn.claimHint'))}
      <Select
        label={t('signOn.field.default_role')}
        allowDeselect={false}
        data={GIVEN_ROLES.map((role) => ({ value: role, label: roleName(role) }))}
        value={form.values.default_role}
        onChange={(role) => form.set('default_role', role ?? 'member')}
      />
      <Checkbox {...form.checked('enabled')} label={t('signOn.field.enabled')} />
      <Checkbox
        {...form.checked('required')}
        label={t('signOn.field.required')}
        description={t('signOn.requiredHint')}
        error={form.errorOf('required')}
      />
      <RefusalNotice refusal={form.refusal} />
      <div className="flow6">
        <Button type="submit" loading={form.isSending} disabled={form.changed === 0}>
          {t('setting.save')}
        </Button>
        {provider === null ? null : <Remove />}
      </div>
    </FormElement>
  );
}

function Remove() {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.organizationSignOn.removeProvider(),
    onSuccess: () => toast.success(t('signOn.removed')),
    onSettled: () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY }),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('signOn.removeTitle'),
      body: t('signOn.removeText'),
      confirmLabel: t('signOn.remove'),
      danger: true,
    });
    if (sure) remove.mutate();
  };
  return (
    <Button variant="default" loading={remove.isPending} onClick={() => void ask()}>
      {t('signOn.remove')}
    </Button>
  );
}
