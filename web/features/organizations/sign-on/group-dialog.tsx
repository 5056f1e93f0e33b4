/** What a group of the provider gives. */
import { MultiSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/organizationSignOn.createGroup';
import type { SignOnGroup } from '#contract/admin/sign-on.ts';
import { api } from '#web/api.ts';
import { holderQueries, ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { GIVEN_ROLES, useRoleName } from '#web/features/organizations/role-words.ts';

interface GroupDialogProps {
  /** Undefined: a new one. */
  group: SignOnGroup | undefined;
  onClose: () => void;
}

const NEW = { name: '', role: '' as SignOnGroup['role'], project_ids: [] as number[] };

export function GroupDialog({ group, onClose }: GroupDialogProps) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const projects = useQuery(holderQueries.projects()).data?.filter(({ archived }) => !archived) ?? [];
  const form = useForm({
    begin: () =>
      group === undefined ? NEW : { name: group.name, role: group.role, project_ids: group.project_ids },
    limits,
    problemsOf: ({ name }) => ({ name: name.trim() === '' ? t('signOn.needed') : undefined }),
    send: (values, { base }) =>
      group === undefined
        ? api.organizationSignOn.createGroup({ body: values })
        : saveOnBase({
            body: { ...values, based_on: { ...base } },
            send: (body) => api.organizationSignOn.changeGroup({ params: { id: group.id }, body }),
            labelOf: (field) => (field in NEW ? t(`signOn.group.${field as keyof typeof NEW}`) : field),
          }),
    onSent: onClose,
    refresh: [ORGANIZATIONS_KEY],
  });
  const roles = GIVEN_ROLES.map((role) => ({ value: role, label: roleName(role) }));
  return (
    <FormDialog
      title={group === undefined ? t('signOn.addGroup') : t('signOn.editGroup', { name: group.name })}
      submitLabel={t('setting.save')}
      form={form}
      onClose={onClose}
    >
      <TextInput
        {...form.field('name')}
        label={t('signOn.group.name')}
        description={t('signOn.groupNameHint')}
        disabled={group?.by_scim === true}
        data-autofocus={group?.by_scim ? undefined : true}
        autoComplete="off"
      />
      <Select
        label={t('signOn.group.role')}
        placeholder={t('signOn.usualRole')}
        clearable
        data={roles}
        value={form.values.role || null}
        onChange={(role) => form.set('role', role ?? '')}
      />
      <MultiSelect
        label={t('signOn.group.project_ids')}
        placeholder={form.values.project_ids.length === 0 ? t('signOn.allProjects') : ''}
        data={projects.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={form.values.project_ids.map(String)}
        onChange={(ids) => form.set('project_ids', ids.map(Number))}
        error={form.errorOf('project_ids')}
      />
    </FormDialog>
  );
}
