// Words of the frame around every public page.
import type { Text } from '#contract/language.ts';

export const WORDS = {
  home: { zh: '首页', en: 'Home' },
  console: { zh: '控制台', en: 'Console' },
  models: { zh: '模型', en: 'Models' },
  pricing: { zh: '模型价格', en: 'Pricing' },
  plans: { zh: '套餐', en: 'Plans' },
  status: { zh: '状态', en: 'Status' },
  docs: { zh: '文档', en: 'Docs' },
  about: { zh: '关于', en: 'About' },
  login: { zh: '登录', en: 'Sign in' },
  register: { zh: '注册', en: 'Register' },
  menu: { zh: '菜单', en: 'Menu' },
  mainMenu: { zh: '主菜单', en: 'Main menu' },
  onThisPage: { zh: '本页内容', en: 'On this page' },
  skip: { zh: '跳到正文', en: 'Skip to content' },
  findModel: { zh: '搜索模型…', en: 'Find a model…' },
  theme: { zh: '主题', en: 'Theme' },
  light: { zh: '浅色', en: 'Light' },
  dark: { zh: '深色', en: 'Dark' },
  auto: { zh: '跟随系统', en: 'Follow system' },
  switchLanguage: { zh: '切换到英文', en: 'Switch to Chinese' },
  terms: { zh: '服务条款', en: 'Terms' },
  privacy: { zh: '隐私', en: 'Privacy' },
  contact: { zh: '联系我们', en: 'Contact' },
  close: { zh: '关闭', en: 'Close' },
  copy: { zh: '复制', en: 'Copy' },
  copied: { zh: '已复制', en: 'Copied' },
  cannotCopy: {
    zh: '无法复制到剪贴板，请手动复制',
    en: 'Could not copy to the clipboard. Copy the text by hand',
  },
} satisfies Record<string, Text>;

export const toHome = (name: string): Text => ({ zh: `${name} 首页`, en: `${name} home` });
export const credit = (name: string): Text => ({ zh: `由 ${name} 驱动`, en: `Powered by ${name}` });
