/** The entries of the menus about organizations. */
import {
  IconBuilding,
  IconHistory,
  IconLayoutGrid,
  IconLogin2,
  IconScale,
  IconSettings,
  IconShieldLock,
  IconUsers,
} from '@tabler/icons-react';
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
    name: 'budgets',
    path: '/budgets',
    icon: IconScale,
    place: 'console',
    rule: inOrganization('budgets.own'),
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
    icon: IconLogin2,
    place: 'console',
    rule: inOrganization('sign_on.read'),
  },
  {
    name: 'adminKeys',
    path: '/admin-keys',
    icon: IconShieldLock,
    place: 'console',
    rule: inOrganization('organization.manage'),
  },
  {
    name: 'organizationAudit',
    path: '/organization-audit',
    icon: IconHistory,
    place: 'console',
    rule: inOrganization('audit.read'),
  },
  {
    name: 'organizations',
    path: '/organizations',
    icon: IconBuilding,
    place: 'console',
    rule: organizationsOn,
  },
] as const;
