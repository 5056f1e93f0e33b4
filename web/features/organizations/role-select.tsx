/** A choice between roles, with what each may do. */
import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import { useRoleName } from './role-words.ts';

interface RoleSelectProps<Role extends OrganizationRole> {
  label: string;
  roles: readonly Role[];
  value: Role;
  /** Another word for a role in this choice. */
  nameOf?: (role: Role) => string | undefined;
  onChange: (role: Role) => void;
}

export function RoleSelect<Role extends OrganizationRole>(props: RoleSelectProps<Role>) {
  const { label, roles, value, nameOf, onChange } = props;
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  return (
    <Select
      label={label}
      description={t(`invitation.means.${value}`)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      allowDeselect={false}
      data={roles.map((role) => ({ value: role, label: nameOf?.(role) ?? roleName(role) }))}
      value={value}
      onChange={(chosen) => {
        const role = roles.find((each) => each === chosen);
        if (role !== undefined) onChange(role);
      }}
    />
  );
}
