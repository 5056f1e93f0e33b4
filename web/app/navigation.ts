/**
 * Every entry of the menus with the rule that shows it. An entry appears once its page is a route (app/routes.tsx) and
 * its rule holds for this user and installation; it is absent otherwise, never greyed.
 */
import {
  IconAlertTriangle,
  IconBell,
  IconBook2,
  IconBuilding,
  IconBuildingCog,
  IconBuildingSkyscraper,
  IconCalculator,
  IconChartBar,
  IconClockPlay,
  IconCompass,
  IconCube,
  IconFolders,
  IconHeartbeat,
  IconHistory,
  IconHome,
  IconInfoCircle,
  IconKey,
  IconLayoutGrid,
  IconListDetails,
  IconMessage2Code,
  IconMessages,
  IconMusic,
  IconPhoto,
  IconPlug,
  IconServer2,
  IconShieldLock,
  IconSettings,
  IconReceipt2,
  IconScale,
  IconTags,
  IconTicket,
  IconCards,
  IconUsers,
  IconUsersGroup,
  IconUserDollar,
  IconWallet,
  type Icon,
} from '@tabler/icons-react';
import {
  admin,
  agentOrAdmin,
  always,
  chatConfigured,
  docsVisible,
  flag,
  inOrganization,
  isPublic,
  mayUse,
  organizationsOn,
  personal,
  root,
  signedIn,
  type NavigationContext,
  type Rule,
} from './navigation-rules.ts';

export type { NavigationContext };

export const NAVIGATION = [
  { name: 'home', path: '/', icon: IconHome, place: 'top', rule: always, keywords: 'shouye sy' },
  {
    name: 'models',
    path: '/models',
    icon: IconLayoutGrid,
    place: 'top',
    rule: isPublic('public_models'),
    keywords: 'moxing mx catalogue catalog',
  },
  {
    name: 'pricing',
    path: '/pricing',
    icon: IconReceipt2,
    place: 'top',
    rule: always,
    keywords: 'jiage jg price prices cost models',
  },
  {
    name: 'status',
    path: '/status',
    icon: IconHeartbeat,
    place: 'top',
    rule: isPublic('public_status'),
    keywords: 'zhuangtai zt uptime health',
  },
  {
    name: 'docs',
    path: '/docs',
    icon: IconBook2,
    place: 'top',
    rule: docsVisible,
    keywords: 'wendang wd help manual guide bangzhu',
  },
  { name: 'about', path: '/about', icon: IconInfoCircle, place: 'top', rule: always, keywords: 'guanyu gy' },

  {
    name: 'overview',
    path: '/overview',
    icon: IconCompass,
    place: 'console',
    rule: personal,
    keywords: 'gailan gl today jintian',
  },
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
    name: 'playground',
    path: '/playground',
    icon: IconMessage2Code,
    place: 'console',
    rule: personal,
    keywords: 'caolianchang clc',
  },
  {
    name: 'chat',
    path: '/chat',
    icon: IconMessages,
    place: 'console',
    rule: chatConfigured,
    keywords: 'liaotian lt',
  },
  {
    name: 'token',
    path: '/token',
    icon: IconKey,
    place: 'console',
    rule: mayUse('tokens.own', 'tokens.read_all'),
    keywords: 'lingpai lp key',
  },
  {
    name: 'dashboard',
    path: '/detail',
    icon: IconChartBar,
    place: 'console',
    rule: flag('enable_data_export'),
    keywords: 'shujukanban sjkb',
  },
  {
    name: 'log',
    path: '/log',
    icon: IconListDetails,
    place: 'console',
    rule: signedIn,
    keywords: 'rizhi rz',
  },
  {
    name: 'drawing',
    path: '/midjourney',
    icon: IconPhoto,
    place: 'console',
    rule: flag('enable_drawing'),
    keywords: 'huitu ht',
  },
  {
    name: 'task',
    path: '/task',
    icon: IconMusic,
    place: 'console',
    rule: flag('enable_task'),
    keywords: 'yiburenwu ybrw',
  },
  {
    name: 'plan',
    path: '/plan',
    icon: IconCards,
    place: 'console',
    rule: mayUse('billing.read'),
    keywords: 'taocan tc dingyue',
  },
  {
    name: 'wallet',
    path: '/topup',
    icon: IconWallet,
    place: 'console',
    rule: mayUse('billing.read'),
    keywords: 'qianbao qb',
  },
  {
    name: 'agent',
    path: '/agent',
    icon: IconUserDollar,
    place: 'console',
    rule: agentOrAdmin,
    keywords: 'daili dl fenhong reseller',
  },
  { name: 'channel', path: '/channel', icon: IconPlug, place: 'console', rule: admin, keywords: 'qudao qd' },
  { name: 'model', path: '/model', icon: IconCube, place: 'console', rule: admin, keywords: 'moxing mx' },
  {
    name: 'redemption',
    path: '/redemption',
    icon: IconTicket,
    place: 'console',
    rule: admin,
    keywords: 'duihuanma dhm',
  },
  {
    name: 'order',
    path: '/order',
    icon: IconReceipt2,
    place: 'console',
    rule: admin,
    keywords: 'dingdan dd',
  },
  { name: 'user', path: '/user', icon: IconUsers, place: 'console', rule: admin, keywords: 'yonghu yh' },
  {
    name: 'organizations',
    path: '/organizations',
    icon: IconBuildingSkyscraper,
    place: 'console',
    rule: organizationsOn,
    keywords: 'zuzhi zz company gongsi',
  },
  { name: 'audit', path: '/audit', icon: IconHistory, place: 'console', rule: root, keywords: 'shenji sj' },
  {
    name: 'jobs',
    path: '/jobs',
    icon: IconClockPlay,
    place: 'console',
    rule: root,
    keywords: 'dingshirenwu dsrw',
  },
  {
    name: 'nodes',
    path: '/nodes',
    icon: IconServer2,
    place: 'console',
    rule: root,
    keywords: 'jiedian jd cluster',
  },
  { name: 'notices', path: '/notices', icon: IconBell, place: 'console', rule: root, keywords: 'tongzhi tz' },
  {
    name: 'incidents',
    path: '/incidents',
    icon: IconAlertTriangle,
    place: 'console',
    rule: admin,
    keywords: 'shijian sj status zhuangtai outage',
  },

  {
    name: 'prices',
    path: '/prices',
    icon: IconTags,
    place: 'console',
    rule: root,
    keywords: 'jiagebu jgb price book versions',
  },
  {
    name: 'rerating',
    path: '/rerating',
    icon: IconCalculator,
    place: 'console',
    rule: root,
    keywords: 'chongxinjijia cxjj correct price',
  },
  {
    name: 'margins',
    path: '/margins',
    icon: IconScale,
    place: 'console',
    rule: admin,
    keywords: 'maoli ml cost profit chengben',
  },
  {
    name: 'suppliers',
    path: '/suppliers',
    icon: IconShieldLock,
    place: 'console',
    rule: admin,
    keywords: 'gongyingshang gys honesty bill zhangdan',
  },
  {
    name: 'setting',
    path: '/setting',
    icon: IconSettings,
    place: 'console',
    rule: signedIn,
    keywords: 'shezhi sz',
  },
] as const satisfies readonly {
  name: string;
  path: string;
  icon: Icon;
  place: 'top' | 'console';
  rule: Rule;
  /** Pinyin and short forms for the palette. */
  keywords: string;
}[];

export type NavigationItem = (typeof NAVIGATION)[number];
/** Pages that the server renders and the console has no route for: a link to one of them loads a document. */
export type DocumentItem = Extract<NavigationItem, { name: 'models' | 'status' }>;
export type PageItem = Exclude<NavigationItem, DocumentItem>;
export const isDocument = (item: { name: NavigationItem['name'] }): item is DocumentItem =>
  item.name === 'models' || item.name === 'status';
export type NavigationPlace = NavigationItem['place'];

export function visibleItems(
  context: NavigationContext,
  isRoute: (path: string) => boolean,
  place?: NavigationPlace,
): NavigationItem[] {
  return NAVIGATION.filter(
    (item) => (place === undefined || item.place === place) && isRoute(item.path) && item.rule(context),
  );
}

/** The page of a path: the entry itself or the longest one above it. */
export function isCurrent(item: { path: string }, pathname: string): boolean {
  if (item.path === '/') return pathname === '/';
  return pathname === item.path || pathname.startsWith(`${item.path}/`);
}
