// Plans, announcements and questions of the demo, in both languages where people read them.

interface PlanBody {
  name: string;
  description: string;
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

const PLAN = { description: '', currency: '', price_minor: 0, models: [], limit_per_user: 0, on_sale: true };

export const PLANS: readonly PlanBody[] = [
  {
    ...PLAN,
    name: 'Starter',
    description: '$1 a day, for trying things out · 每天 $1，适合试用',
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
    description: '$60 a month at the prices of the group vip · 每月 $60，按 vip 价格计费',
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
    title: 'Welcome to the demo · 欢迎使用演示',
    content: [
      'Everything here is made up, and it is gone with the next start. The upstreams are mocks on this machine: calls cost nothing.',
      '',
      '这里的数据都是虚构的，重新启动后会清空。上游都是本机的模拟服务，调用不会产生费用。',
    ].join('\n'),
    level: 'info' as const,
    is_pinned: true,
  },
  {
    title: 'Maintenance on Sunday · 周日维护',
    content:
      'Calls may be slower between 02:00 and 03:00 UTC. · 周日 10:00 至 11:00（北京时间）调用可能变慢。',
    level: 'warning' as const,
  },
];

export const QUESTIONS = [
  {
    question: 'How do I call a model? · 怎样调用模型？',
    answer:
      'Make a token, then use the address of this site with any OpenAI, Anthropic or Gemini client. · 创建令牌后，把本站地址填进任意 OpenAI、Anthropic 或 Gemini 客户端。',
  },
  {
    question: 'What does a call cost? · 一次调用要多少钱？',
    answer:
      'Every row of the log writes its charge out as an equation; prices are on the page Models. · 日志的每一行都写出费用算式，价格在“模型”页。',
  },
  {
    question: 'What happens when a provider fails? · 上游出错怎么办？',
    answer:
      'The call goes to the next channel before the first byte is sent; a failed call costs nothing. · 在返回第一个字节之前会换下一个渠道重试，失败的调用不收费。',
  },
];
