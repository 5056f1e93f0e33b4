/** The tab and section of each option. A registry group without a section does not compile. */
import type { ReactNode } from 'react';
import type { OptionField } from '#contract/options.ts';
import type { SettingGroup } from '#contract/setting-kinds.ts';
import type { Tab } from './search.ts';

export type SettingsTab = Exclude<Tab, 'all' | 'personal'>;

/** Site content is one group of the registry, but each text is a section of the page. */
const CONTENT_SECTIONS = {
  notice: ['Notice', 'NoticeEn'],
  brand: ['SystemName', 'Logo'],
  home: ['HomePageContent', 'HomePageContentEn'],
  about: ['About', 'AboutEn'],
  footer: ['Footer', 'FooterEn'],
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
  organizations: 'system',
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

/** For the search: the names of the sections in Chinese, as they are typed in pinyin, and in other words. */
export const SECTION_WORDS: Partial<Record<SectionId, string>> = {
  general: '通用 tongyong general',
  drawing: '绘图 huitu midjourney',
  media: '任务结果 renwu jieguo video',
  sensitive: '屏蔽词 pingbici guolv sensitive words',
  logs: '日志 rizhi cleanup',
  dashboard: '数据看板 shujukanban',
  monitoring: '监控 jiankong',
  notices: '通知 tongzhi notifications',
  announcements: '公告 gonggao',
  faq: '常见问题 changjian wenti questions',
  quota: '额度 edu check-in invite',
  chat: '聊天 liaotian',
  groups: '分组 fenzu',
  limits: '调用限制 diaoyong xianzhi',
  pricing: '模型倍率 价格 moxing beilv jiage model ratios prices',
  address: '服务器地址 fuwuqi dizhi server address',
  worker: '代理 daili proxy',
  backup: '备份 beifen',
  export: '日志导出 rizhi daochu',
  payment: '支付 zhifu stripe epay',
  agents: '代理商 daili fenhong tixian resellers',
  organizations: '组织 zuzhi organizations',
  login: '登录 注册 denglu zhuce sign-in registration',
  email: '邮箱域名白名单 youxiang yuming baimingdan',
  smtp: '邮件 youjian mail',
  github: 'denglu 登录',
  linuxdo: 'denglu 登录',
  telegram: 'denglu 登录',
  oidc: 'denglu 登录',
  wechat: '微信 weixin',
  turnstile: '人机验证 renji yanzheng human check',
  notice: '公告 gonggao',
  brand: '名称 mingcheng name logo',
  home: '首页 shouye',
  publicPages: '公开页面 gongkai',
  legal: '条款 隐私 联系方式 tiaokuan yinsi lianxi',
  about: '关于 guanyu',
  footer: '页脚 yejiao',
  configuration: '配置文件 peizhi wenjian',
  version: '版本 banben',
};
