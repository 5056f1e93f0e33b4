/** The entries of the menus about organizations. */
import { IconBuilding, IconLayoutGrid, IconSettings, IconUsers } from '@tabler/icons-react';
import { inOrganization, organizationsOn } from './navigation-rules.ts';

export const ORGANIZATION_ENTRIES = [
  {
    name: 'organization',
    path: '/organization',
    icon: IconBuilding,
    place: 'console',
    rule: inOrganization('organization.read'),
  },
  {
    name: 'members',
    path: '/members',
    icon: IconUsers,
    place: 'console',
    rule: inOrganization('members.read'),
  },
  {
    name: 'projects',
    path: '/projects',
    icon: IconLayoutGrid,
    place: 'console',
    rule: inOrganization('organization.read'),
  },
  {
    name: 'organizationSetting',
    path: '/organization-settings',
    icon: IconSettings,
    place: 'console',
    rule: inOrganization('organization.manage'),
  },
  {
    name: 'organizationSignOn',
    path: '/organization-sign-on',
    icon: IconSettings,
    place: 'console',
    rule: inOrganization('sign_on.read'),
  },
  {
    name: 'organizations',
    path: '/organizations',
    icon: IconBuilding,
    place: 'console',
    rule: organizationsOn,
  },
] as const;
