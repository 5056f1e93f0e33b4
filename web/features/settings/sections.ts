/** The tab and section of each option. A registry group without a section does not compile. */
import type { ReactNode } from 'react';
import type { OptionField } from '#contract/options.ts';
import type { SettingGroup } from '#contract/setting-kinds.ts';
import type { Tab } from './search.ts';

export type SettingsTab = Exclude<Tab, 'personal'>;

/** Site content is one group of the registry, but each text is a section of the page. */
const CONTENT_SECTIONS = {
  notice: ['Notice'],
  brand: ['SystemName', 'Logo'],
  home: ['HomePageContent'],
  about: ['About'],
  footer: ['Footer'],
  publicPages: ['PublicModelsEnabled', 'PublicMeasuredEnabled', 'PublicStatusEnabled'],
  legal: ['TermsZh', 'TermsEn', 'PrivacyZh', 'PrivacyEn', 'ContactZh', 'ContactEn'],
} as const;

const GROUP_TABS = {
  general: 'operation',
  drawing: 'operation',
  media: 'operation',
  sensitive: 'operation',
  logs: 'operation',
  dashboard: 'operation',
  monitoring: 'operation',
  notices: 'operation',
  quota: 'operation',
  chat: 'operation',
  groups: 'operation',
  limits: 'operation',
  pricing: 'operation',
  address: 'system',
  worker: 'system',
  backup: 'system',
  export: 'system',
  payment: 'system',
  agents: 'system',
  login: 'system',
  email: 'system',
  smtp: 'system',
  github: 'system',
  linuxdo: 'system',
  wechat: 'system',
  telegram: 'system',
  turnstile: 'system',
  oidc: 'system',
  content: 'other',
} as const satisfies Record<SettingGroup, SettingsTab>;

export type SectionId =
  | Exclude<keyof typeof GROUP_TABS, 'content'>
  | keyof typeof CONTENT_SECTIONS
  | 'announcements'
  | 'faq'
  | 'configuration'
  | 'version';

/** Parts of other features that follow the options of a section. */
export type SectionParts = Partial<Record<SectionId, ReactNode>>;

export interface Section {
  id: SectionId;
  tab: SettingsTab;
  /** In the order of the registry. */
  fields: OptionField[];
}

/** Takes the whole page: a sheet, not rows of a form. */
export const SHEET_SECTION: SectionId = 'pricing';

/** The sections of all tabs; those without options are left out. */
export function sectionsOf(fields: readonly OptionField[]): Section[] {
  const groups = Object.entries(GROUP_TABS).filter(([group]) => group !== 'content');
  const plain = groups.map(([id, tab]) => ({
    id: id as SectionId,
    tab,
    fields: fields.filter((field) => field.group === id),
  }));
  const content = Object.entries(CONTENT_SECTIONS).map(([id, keys]) => ({
    id: id as SectionId,
    tab: 'other' as const,
    fields: fields.filter((field) => (keys as readonly string[]).includes(field.key)),
  }));
  return [
    ...plain.filter((section) => section.fields.length > 0),
    ...content,
    { id: 'announcements', tab: 'other', fields: [] },
    { id: 'faq', tab: 'other', fields: [] },
    { id: 'configuration', tab: 'other', fields: [] },
    { id: 'version', tab: 'other', fields: [] },
  ];
}

/** For the search: the names of the sections as they are typed. */
export const SECTION_PINYIN: Partial<Record<SectionId, string>> = {
  general: 'tongyong',
  drawing: 'huitu',
  sensitive: 'pingbici guolv',
  logs: 'rizhi',
  dashboard: 'shujukanban',
  monitoring: 'jiankong',
  notices: 'tongzhi',
  announcements: 'gonggao',
  faq: 'changjian wenti',
  quota: 'edu',
  chat: 'liaotian',
  groups: 'fenzu',
  limits: 'diaoyong xianzhi',
  pricing: 'moxing beilv jiage',
  address: 'fuwuqi dizhi',
  worker: 'daili',
  payment: 'zhifu',
  agents: 'daili fenhong tixian',
  login: 'denglu zhuce',
  email: 'youxiang yuming baimingdan',
  smtp: 'youjian',
  wechat: 'weixin',
  turnstile: 'renji yanzheng',
  notice: 'gonggao',
  brand: 'mingcheng',
  home: 'shouye',
  publicPages: 'gongkai',
  legal: 'tiaokuan yinsi lianxi',
  about: 'guanyu',
  footer: 'yejiao',
  configuration: 'peizhi wenjian',
};
