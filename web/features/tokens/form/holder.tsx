/** Of an organization's key: the member or the service account that has it, and its project. Nothing in the reader's own account. */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { holderQueries } from '#web/api/holders.ts';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { Field } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';

export function HolderFields({ form, token }: { form: TokenForm; token: TokenView | undefined }) {
  const role = useScope()?.role;
  if (role === undefined) return null;
  return (
    <div className="pair">
      {hasRight(role, 'tokens.all') ? <HolderField form={form} token={token} /> : null}
      <ProjectField form={form} token={token} />
    </div>
  );
}

type FieldProps = Parameters<typeof HolderFields>[0];

function HolderField({ form, token }: FieldProps) {
  const { t } = useTranslation('tokens');
  const user = useUser();
  const members = useQuery(holderQueries.members()).data?.items ?? [];
  const accounts = useQuery(holderQueries.serviceAccounts()).data ?? [];
  const self = user === undefined ? '' : `member:${user.id}`;
  const people = members
    .filter(({ role }) => hasRight(role, 'tokens.own'))
    .map(({ user_id, username }) => ({
      value: `member:${user_id}`,
      label: user_id === user?.id ? t('holder.self', { name: username }) : username,
    }));
  const services = accounts.map(({ id, name }) => ({ value: `account:${id}`, label: name }));
  const chosen = form.values.holder || self;
  // Of a member who is not among the first ones.
  const isListed = [...people, ...services].some(({ value }) => value === chosen);
  const others = isListed || token === undefined ? [] : [{ value: chosen, label: token.member_name ?? '' }];
  return (
    <Field
      label={t('holder.of')}
      {...form.row('holder')}
      hint={t(chosen.startsWith('account:') ? 'holder.accountHint' : 'holder.hint')}
    >
      <Select
        {...form.control('holder')}
        value={chosen}
        allowDeselect={false}
        searchable
        data={[
          { group: t('holder.members'), items: [...people, ...others] },
          { group: t('holder.accounts'), items: services },
        ].filter(({ items }) => items.length > 0)}
        onChange={(value) => form.set('holder', value === self && token === undefined ? '' : (value ?? ''))}
      />
    </Field>
  );
}

function ProjectField({ form, token }: FieldProps) {
  const { t } = useTranslation('tokens');
  const projects = useQuery(holderQueries.projects()).data ?? [];
  const usual = projects.find(({ is_default }) => is_default)?.id;
  const offered = projects.filter(({ id, archived }) => !archived || id === token?.project_id);
  return (
    <Field label={t('holder.project')} {...form.row('project')}>
      <Select
        {...form.control('project')}
        value={form.values.project || (usual === undefined ? null : String(usual))}
        allowDeselect={false}
        searchable
        data={offered.map(({ id, name }) => ({ value: String(id), label: name }))}
        onChange={(value) => form.set('project', value ?? '')}
      />
    </Field>
  );
}
