// Words of the first page.
import type { Text } from '#contract/language.ts';

export const WORDS = {
  headline: { zh: '一个地址，接入各家模型。', en: 'One address for every model.' },
  lead: {
    zh: '兼容 OpenAI 与 Anthropic 接口。预付额度，按量扣费，每次调用都有账可查。',
    en: 'OpenAI and Anthropic compatible. Prepaid balance, billed by use, and every call can be accounted for.',
  },
  baseUrl: { zh: 'Base URL', en: 'Base URL' },
  copyBaseUrl: { zh: '复制 Base URL', en: 'Copy the base URL' },
  getKey: { zh: '获取令牌', en: 'Get an API key' },
  openConsole: { zh: '进入控制台', en: 'Open the console' },
  signIn: { zh: '登录', en: 'Sign in' },
  example: { zh: '调用示例', en: 'Example call' },
  copyExample: { zh: '复制示例', en: 'Copy the example' },
  modelsSold: { zh: '在售模型', en: 'Models on sale' },
  vendors: { zh: '家厂商', en: 'vendors' },
  from: { zh: '输入价低至', en: 'Input from' },
  perMillion: { zh: '每百万 token', en: 'per million tokens' },
  answered: { zh: '24 小时成功率', en: 'Answered in 24 h' },
  ofCalls: { zh: '次付费调用', en: 'paid calls' },
  models: { zh: '模型与价格', en: 'Models and prices' },
  allModels: { zh: '全部模型', en: 'All models' },
  plans: { zh: '套餐', en: 'Plans' },
  allPlans: { zh: '套餐与充值', en: 'Plans and top-up' },
  steps: { zh: '三步开始', en: 'Three steps' },
  facts: { zh: '本站配置', en: 'This installation' },
  unit: { zh: '计费单位', en: 'Unit' },
  quota: { zh: '额度', en: 'quota' },
  topUp: { zh: '充值价格', en: 'Top-up price' },
  perDollar: { zh: '每 $1 额度', en: 'for $1 of balance' },
  registration: { zh: '注册', en: 'Registration' },
  open: { zh: '开放', en: 'Open' },
  closed: { zh: '关闭', en: 'Closed' },
  verified: { zh: '开放，需验证邮箱', en: 'Open, with a verified email' },
  login: { zh: '登录方式', en: 'Sign in by' },
  password: { zh: '密码', en: 'Password' },
  passkey: { zh: '通行密钥', en: 'Passkey' },
  wechat: { zh: '微信', en: 'WeChat' },
  version: { zh: '版本', en: 'Version' },
  news: { zh: '公告', en: 'Announcements' },
  questions: { zh: '常见问题', en: 'Questions' },
  notice: { zh: '公告', en: 'Notice' },
  title: { zh: '首页', en: 'Home' },
} satisfies Record<string, Text>;

export const STEPS: readonly (readonly [title: Text, text: Text])[] = [
  [
    { zh: '登录或注册', en: 'Sign in or register' },
    { zh: '登录控制台，查看余额与用量。', en: 'The console shows your balance and every call.' },
  ],
  [
    { zh: '创建令牌', en: 'Create an API key' },
    {
      zh: '为每个应用建一个令牌，可限额度、模型与来源地址。',
      en: 'One per application, limited by quota, model and address if you like.',
    },
  ],
  [
    { zh: '改一行配置', en: 'Change one line' },
    {
      zh: '把客户端的 Base URL 换成上面的地址，密钥换成令牌。',
      en: 'Set the base URL of your client to the address above, and the key to your API key.',
    },
  ],
];

/** What a dollar costs, and the smallest top-up. */
export const topUpText = (price: string, least: number): Text => ({
  zh: `${price} / $1，最低 $${least}`,
  en: `${price} per $1, from $${least}`,
});
