// Plans, announcements and questions of the demo, in both languages.

interface PlanBody {
  name: string;
  description: string;
  description_en: string;
  currency: string;
  price_minor: number;
  price_quota: number;
  duration_unit: 'day' | 'month';
  duration_count: number;
  quota: number;
  reset: 'never' | 'daily' | 'weekly' | 'monthly';
  models: string[];
  group: string;
  limit_per_user: number;
  on_sale: boolean;
  sort_order: number;
}

const PLAN = { currency: '', price_minor: 0, models: [], limit_per_user: 0, on_sale: true };

export const PLANS: readonly PlanBody[] = [
  {
    ...PLAN,
    name: 'Starter',
    description: '每天 $1，适合试用',
    description_en: '$1 a day, for trying things out',
    price_quota: 2_500_000,
    duration_unit: 'month',
    duration_count: 1,
    quota: 500_000,
    reset: 'daily',
    group: '',
    sort_order: 0,
  },
  {
    ...PLAN,
    name: 'Team',
    description: '每月 $60，按 vip 价格计费',
    description_en: '$60 a month at the prices of the group vip',
    price_quota: 25_000_000,
    duration_unit: 'month',
    duration_count: 1,
    quota: 30_000_000,
    reset: 'monthly',
    group: 'vip',
    sort_order: 1,
  },
];

export const ANNOUNCEMENTS = [
  {
    title: '欢迎使用演示',
    title_en: 'Welcome to the demo',
    content: '这里的数据都是虚构的，重新启动后会清空。上游都是本机的模拟服务，调用不会产生费用。',
    content_en:
      'Everything here is made up, and it is gone with the next start. The upstreams are mocks on this machine: calls cost nothing.',
    level: 'info' as const,
    is_pinned: true,
  },
  {
    title: '周日维护',
    title_en: 'Maintenance on Sunday',
    content: '周日 10:00 至 11:00（北京时间）调用可能变慢。',
    content_en: 'Calls may be slower between 02:00 and 03:00 UTC.',
    level: 'warning' as const,
  },
];

export const QUESTIONS = [
  {
    question: '怎样调用模型？',
    question_en: 'How do I call a model?',
    answer: '创建令牌后，把本站地址填进任意 OpenAI、Anthropic 或 Gemini 客户端。',
    answer_en:
      'Make an API key, then use the address of this site with any OpenAI, Anthropic or Gemini client.',
  },
  {
    question: '一次调用要多少钱？',
    question_en: 'What does a call cost?',
    answer: '日志的每一行都写出费用算式，价格在“模型”页。',
    answer_en: 'Every row of the log writes its charge out as an equation; prices are on the page Models.',
  },
  {
    question: '上游出错怎么办？',
    question_en: 'What happens when a provider fails?',
    answer: '在返回第一个字节之前会换下一个渠道重试，失败的调用不收费。',
    answer_en:
      'The call goes to the next channel before the first byte is sent; a failed call costs nothing.',
  },
];
