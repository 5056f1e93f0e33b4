/** The entries of the menus about organizations. */
import {
  IconBuilding,
  IconBuildingCog,
  IconBuildingSkyscraper,
  IconFolders,
  IconUsersGroup,
} from '@tabler/icons-react';
import { inOrganization, organizationsOn } from './navigation-rules.ts';

export const ORGANIZATION_ENTRIES = [
  {
    name: 'organization',
    path: '/organization',
    icon: IconBuilding,
    place: 'console',
    rule: inOrganization('organization.read'),
    keywords: 'zuzhi zz gailan overview',
  },
  {
    name: 'members',
    path: '/members',
    icon: IconUsersGroup,
    place: 'console',
    rule: inOrganization('members.read'),
    keywords: 'chengyuan cy invite yaoqing',
  },
  {
    name: 'projects',
    path: '/projects',
    icon: IconFolders,
    place: 'console',
    rule: inOrganization('organization.read'),
    keywords: 'xiangmu xm service accounts fuwuzhanghao',
  },
  {
    name: 'organizationSetting',
    path: '/organization-settings',
    icon: IconBuildingCog,
    place: 'console',
    rule: inOrganization('organization.manage'),
    keywords: 'zuzhishezhi zzsz',
  },
  {
    name: 'organizations',
    path: '/organizations',
    icon: IconBuildingSkyscraper,
    place: 'console',
    rule: organizationsOn,
    keywords: 'zuzhi zz company gongsi',
  },
] as const;
