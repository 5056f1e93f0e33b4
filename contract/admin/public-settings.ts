// What visitors may see without an account, and the texts an operator writes for them.
import { multiline, toggle } from '#contract/setting-kinds.ts';

/** The English version of a text whose option of the specification stays the Chinese or only one. */
const english = (zh: string, en: string) =>
  multiline(
    'content',
    [
      `${zh}（英文）`,
      `${en} (English)`,
      '英文读者看到这份；留空则看到上面的文本。',
      'Shown to readers of English; leave blank to show them the text above.',
    ],
    'public',
  );

export const PUBLIC_SETTINGS = {
  NoticeEn: english('公告', 'Notice'),
  HomePageContentEn: english('首页内容', 'Home page content'),
  AboutEn: english('关于', 'About'),
  FooterEn: english('页脚', 'Footer'),
  PublicModelsEnabled: toggle(true, 'content', [
    '公开模型目录',
    'Public model catalogue',
    '开启后任何人都能打开模型目录和每个模型的页面（/models），搜索引擎也会收录；关闭后只有模型价格页。',
    "On: anyone can open the catalogue and each model's page (/models), and search engines list them; off: only the price list is public.",
  ]),
  PublicMeasuredEnabled: toggle(true, 'content', [
    '公开实测数据',
    'Public measured figures',
    '开启后模型页面显示首字时间、速度和成功率；调用太少时不显示数字。',
    'On: model pages show time to first token, speed and success rate; with too few calls no figure is shown.',
  ]),
  PublicStatusEnabled: toggle(true, 'content', [
    '公开状态页',
    'Public status page',
    '开启后任何人都能打开状态页（/status），看到各模型的可用情况和事件。',
    'On: anyone can open the status page (/status) with the state of models and incidents.',
  ]),
  TermsZh: multiline('content', [
    '服务条款（中文）',
    'Terms of service (Chinese)',
    '显示在 /terms，页脚有链接，支持 Markdown；两种语言都留空则没有这一页。',
    'Shown at /terms with a link in the footer, in Markdown; leave both languages blank for no page.',
  ]),
  TermsEn: multiline('content', [
    '服务条款（英文）',
    'Terms of service (English)',
    '留空则英文读者看到中文条款。',
    'Leave blank to show the Chinese text to English readers.',
  ]),
  PrivacyZh: multiline('content', [
    '隐私政策（中文）',
    'Privacy policy (Chinese)',
    '显示在 /privacy，页脚有链接，支持 Markdown；两种语言都留空则没有这一页。',
    'Shown at /privacy with a link in the footer, in Markdown; leave both languages blank for no page.',
  ]),
  PrivacyEn: multiline('content', [
    '隐私政策（英文）',
    'Privacy policy (English)',
    '留空则英文读者看到中文文本。',
    'Leave blank to show the Chinese text to English readers.',
  ]),
  ContactZh: multiline('content', [
    '联系方式（中文）',
    'Contact (Chinese)',
    '显示在 /contact，页脚有链接，支持 Markdown；两种语言都留空则没有这一页。',
    'Shown at /contact with a link in the footer, in Markdown; leave both languages blank for no page.',
  ]),
  ContactEn: multiline('content', [
    '联系方式（英文）',
    'Contact (English)',
    '留空则英文读者看到中文文本。',
    'Leave blank to show the Chinese text to English readers.',
  ]),
};
