// Words of the status page.
import type { StatusState } from '#contract/admin/status-page.ts';
import type { Text } from '#contract/language.ts';

export const WORDS = {
  title: { zh: '状态', en: 'Status' },
  /** After the headline, where a search engine or a preview shows what the page is. */
  about: {
    zh: '。各模型当前和近 90 天的成功率，以及发生过的故障。',
    en: '. The share of calls that each model answers now and answered in the last 90 days, and every incident.',
  },
  now: { zh: '现在', en: 'Now' },
  days: { zh: '近 90 天', en: '90 days' },
  incidents: { zh: '故障', en: 'Incidents' },
  subscribe: { zh: '订阅', en: 'Subscribe' },
  method: { zh: '统计方法', en: 'How it is measured' },
  answered: { zh: '近 5 分钟成功率', en: 'Answered in the last 5 minutes' },
  first: { zh: '首字中位数', en: 'First token, median' },
  topUp: { zh: '充值到账中位数', en: 'Top-up credited, median' },
  hour: { zh: '近 60 分钟，每柱 5 分钟', en: 'Last 60 minutes, 5 minutes per bar' },
  few: { zh: '调用太少', en: 'Too few calls' },
  fewOrders: { zh: '订单太少', en: 'Too few orders' },
  perDay: { zh: '每柱一天，按厂商', en: 'one bar per day, by vendor' },
  family: { zh: '厂商', en: 'Vendor' },
  today: { zh: '今天', en: 'today' },
  whole: { zh: '90 天', en: '90 days' },
  others: { zh: '其他模型', en: 'Other models' },
  site: { zh: '站点', en: 'Site' },
  gateway: { zh: 'API 网关', en: 'API gateway' },
  none: { zh: '近 90 天没有故障。', en: 'No incident in the last 90 days.' },
  past: { zh: '已结束', en: 'Over' },
  permalink: { zh: '固定链接', en: 'Permalink' },
  measured: { zh: '系统测得', en: 'measured' },
  operator: { zh: '运营者', en: 'operator' },
  going: { zh: '进行中', en: 'going on' },
  planned: { zh: '计划中', en: 'planned' },
  subscribeNote: { zh: '故障开始、更新、结束时', en: 'when an incident begins, goes on or ends' },
  off: {
    zh: '本站没有记录调用，因此没有实测数据；故障仍会显示。',
    en: 'This site keeps no log of calls, so nothing is measured; incidents are still shown.',
  },
} satisfies Record<string, Text>;

export const STATES: Record<StatusState, Text> = {
  working: { zh: '正常', en: 'Working' },
  part: { zh: '部分不可用', en: 'Partly off' },
  off: { zh: '不可用', en: 'Off' },
};

/** The basis of every figure, as the page says it. */
export const METHOD: readonly (readonly [Text, Text])[] = [
  [
    { zh: '成功率', en: 'Answered' },
    { zh: '得到回答的付费调用 ÷ 全部付费调用', en: 'paid calls that got an answer ÷ all paid calls' },
  ],
  [
    { zh: '不计入', en: 'Not counted' },
    {
      zh: '余额、限额、参数等调用方原因；探测',
      en: "the caller's own causes (balance, limits, wrong requests); probes",
    },
  ],
  [
    { zh: '重试', en: 'Retries' },
    {
      zh: '换上游重试后成功的算成功，等待时间计入首字',
      en: 'a call answered after a retry counts as answered; its wait is part of the first token',
    },
  ],
  [
    { zh: '最少次数', en: 'Minimum' },
    {
      zh: '每柱至少 50 次，“现在”至少 20 次；不足则留空',
      en: '50 calls per bar, 20 for “now”; with fewer, no figure is shown',
    },
  ],
  [
    { zh: '充值到账', en: 'Top-up' },
    {
      zh: '从下单到余额到账，含付款用时，近 7 天',
      en: 'from the order to the credited balance, including the time to pay, over 7 days',
    },
  ],
];

export const dayMethod = (zone: string): readonly [Text, Text] => [
  { zh: '一天', en: 'A day' },
  { zh: `${zone} 的 00:00 至 24:00`, en: `00:00 to 24:00 in ${zone}` },
];

/** The one sentence of the page. */
export function headline(off: readonly string[], part: readonly string[], models: number): Text {
  const bad = [...off, ...part];
  const rest = models - bad.length;
  const [first = '', second] = bad;
  if (bad.length === 0)
    return models === 0
      ? { zh: '还没有公开的模型', en: 'No model is public yet' }
      : { zh: `全部 ${models} 个模型正常`, en: `All ${models} models work` };
  const names =
    bad.length === 1
      ? { zh: first, en: first }
      : bad.length === 2
        ? { zh: `${first}、${second}`, en: `${first} and ${second}` }
        : { zh: `${bad.length} 个模型`, en: `${bad.length} models` };
  const [zh, one, many] =
    off.length === bad.length
      ? ['暂不可用', 'is off', 'are off']
      : ['部分不可用', 'is partly off', 'are partly off'];
  const others = {
    zh: rest > 0 ? `，其余 ${rest} 个模型正常` : '',
    en: rest === 1 ? ', the other one works' : rest > 1 ? `, the other ${rest} work` : '',
  };
  return {
    zh: `${names.zh} ${zh}${others.zh}`,
    en: `${names.en} ${bad.length === 1 ? one : many}${others.en}`,
  };
}

export function duration(seconds: number): Text {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return { zh: `${minutes} 分钟`, en: `${minutes} min` };
  if (hours >= 48) return { zh: `${Math.round(hours / 24)} 天`, en: `${Math.round(hours / 24)} days` };
  return rest === 0
    ? { zh: `${hours} 小时`, en: `${hours} h` }
    : { zh: `${hours} 小时 ${rest} 分`, en: `${hours} h ${rest} min` };
}
