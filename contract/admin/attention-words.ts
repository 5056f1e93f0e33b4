/**
 * The sentences of attention items, Chinese and English. `{name}` is a value of the item; `{count|one|many}` is the first word
 * for 1 and the second for any other number; a part in square brackets is left out where one of its values is empty or 0.
 * By the end of a value's name: `quota` units, `_at` a time, `percent`, `_amount` money in the item's `currency`.
 */
import type { Language } from '#contract/language.ts';
import { formatMoney, renderQuota, type QuotaDisplay } from '#contract/money/quota-text.ts';
import type { AttentionAction, AttentionCheck, AttentionKind } from './attention-kinds.ts';
import { ORGANIZATION_WORDS } from './attention-organization-words.ts';

type Words = readonly [zh: string, en: string];

export const ATTENTION_WORDS: Readonly<Record<AttentionKind, { title: Words; detail: Words }>> = {
  ...ORGANIZATION_WORDS,
  channel_only: {
    title: ['{name} 已自动禁用', '{name} was disabled automatically'],
    detail: [
      '[{reason_zh} · ]{model} [等 {models} 个模型]没有其他渠道[ · {users} 个用户的 {calls} 次请求被拒绝]',
      '[{reason_en} · ]only channel for {model}[ and {other_models} more][ · {users} {users|user|users}, {calls} {calls|call|calls} refused]',
    ],
  },
  channel_off: {
    title: ['{name} 已自动禁用', '{name} was disabled automatically'],
    detail: ['[{reason_zh} · ]其他渠道仍在提供它的模型', '[{reason_en} · ]other channels serve its models'],
  },
  ledger_broken: {
    title: ['账目不平', 'The ledger does not balance'],
    detail: ['核对发现：{invariants}', 'The audit found: {invariants}'],
  },
  writes_fail: {
    title: ['数据库无法写入', 'The database cannot be written to'],
    detail: [
      '节点 {name} 暂停接收收费请求，直到写入恢复。',
      'The node {name} takes no paid calls until writes work again.',
    ],
  },
  order_uncredited: {
    title: ['{count} 个订单已付款但未入账', '{count} {count|order is|orders are} paid but not credited'],
    detail: [
      '支付平台称已付款，但与订单不符；涉及 {users} 个用户。',
      'The provider reports payment, but it does not match the {count|order|orders}; {users} {users|user|users}.',
    ],
  },
  order_unanswered: {
    title: ['{count} 个订单无法核对', '{count} {count|order|orders} could not be checked'],
    detail: [
      '支付平台 {provider} 没有返回付款结果；涉及 {users} 个用户。',
      '{provider} does not say whether {count|it was|they were} paid; {users} {users|user|users}.',
    ],
  },
  model_unpriced: {
    title: [
      '{name} [等 {count_more} 个模型]没有价格',
      '{name}[ and {others} more] {count|has|have} no price',
    ],
    detail: [
      '已上架，请求会被拒绝[；24 小时内 {users} 个用户的 {calls} 次请求被拒绝]。',
      'Offered, and calls are refused[; {calls} {calls|call|calls} of {users} {users|user|users} in 24 hours].',
    ],
  },
  supplier_balance: {
    title: [
      '{name} 的余额{days|还够用|还够用|不够一天}[ {days} 天]',
      'Balance at {name} lasts {days|||less than a day}[{days} {days|day|days}]',
    ],
    detail: [
      '剩余 {left_amount}，近 7 天每天 {day_amount}[；{model} 没有其他渠道]。',
      '{left_amount} left, {day_amount} a day over the last week[; no other channel serves {model}].',
    ],
  },
  disk_full: {
    title: ['{name} 的磁盘已用 {percent}', 'The disk of {name} is {percent} full'],
    detail: ['磁盘写满后无法接收请求。', 'No calls are accepted once the disk is full.'],
  },
  backup_old: {
    title: ['备份过旧', 'The last backup is old'],
    detail: ['[上次成功 {last_at}][；错误：{error}]', '[last made {last_at}][; error: {error}]'],
  },
  certificate_ending: {
    title: ['证书 {days} 天后到期', 'The certificate expires in {days} {days|day|days}'],
    detail: ['节点 {name}，{ends_at} 到期。', 'Node {name}, expires {ends_at}.'],
  },
  version_outdated: {
    title: ['{count} 个节点版本较旧', '{count} {count|node runs|nodes run} an older version'],
    detail: ['{name} 为 {version}，最新为 {newest}。', '{name} runs {version}, the newest is {newest}.'],
  },
  job_failed: {
    title: ['任务连续失败 {failures} 次：{name_zh}', 'A job failed {failures} times: {name_en}'],
    detail: ['{error}', '{error}'],
  },
  node_gone: {
    title: ['节点 {name} 失去联系', 'The node {name} has stopped reporting'],
    detail: ['最后一次报告：{last_at}。', 'Last report: {last_at}.'],
  },
  check_late: {
    title: ['{count} 项检查没有运行', '{count} {count|check has|checks have} not run'],
    detail: [
      '[上次 {last_at}；]有问题也不会显示在这里。',
      '[Last {last_at}; ]a problem would not show here.',
    ],
  },
  withdrawal_waits: {
    title: ['{count} 笔提现待处理', '{count} {count|withdrawal is|withdrawals are} waiting'],
    detail: ['共 {held_quota}，{users} 个用户。', '{held_quota} requested by {users} {users|user|users}.'],
  },
  refund_waits: {
    title: ['{count} 笔退款没有结果', '{count} {count|refund has|refunds have} no result'],
    detail: [
      '支付平台没有说明是否已退；涉及 {users} 个用户。',
      'The provider did not say whether {count|it was|they were} paid; {users} {users|user|users}.',
    ],
  },
  rerating_waits: {
    title: ['{count} 次重新计价待确认', '{count} {count|re-rating is|re-ratings are} waiting'],
    detail: [
      '{calls_changed} 次调用的费用会改变[，退回 {credit_quota}][，补扣 {debit_quota}]。',
      '{calls_changed} {calls_changed|charge changes|charges change}[, {credit_quota} given back][, {debit_quota} charged].',
    ],
  },
  draft_waits: {
    title: ['{count} 份价格草稿未发布', '{count} {count|price draft is|price drafts are} not published'],
    detail: ['[定时发布失败：{error}]', '[could not be published as scheduled: {error}]'],
  },
  proposal_waits: {
    title: ['{count} 个价格建议待处理', '{count} {count|price proposal is|price proposals are} waiting'],
    detail: ['{name}[ 等 {count_more} 个模型]', '{name}[ and {others} more]'],
  },
  sold_below_cost: {
    title: [
      '{name} [等 {count_more} 项]低于成本销售',
      '{name}[ and {others} more] {count|is|are} sold below cost',
    ],
    detail: ['每天亏损 {loss_quota}（{channel}）。', '{loss_quota} is lost per day ({channel}).'],
  },
  cost_unknown: {
    title: ['{percent} 的用量成本未知', 'The cost of {percent} of usage is unknown'],
    detail: [
      '近 7 天 {unknown_quota}：{name} [等 {count_more} 个渠道]没有进价。',
      '{unknown_quota} in 7 days: {name}[ and {others} more] {count|has|have} no buy price.',
    ],
  },
  balance_low: {
    title: [
      '余额{days|还够用|还够用|不够一天}[ {days} 天]',
      'The balance lasts {days|||less than a day}[{days} {days|day|days}]',
    ],
    detail: [
      '剩余 {left_quota}，近 7 天每天 {day_quota}。',
      '{left_quota} left, {day_quota} a day over the last week.',
    ],
  },
  key_limit: {
    title: ['{name} 的额度只剩 {left_quota}', '{name} has {left_quota} left'],
    detail: ['已用 {used_quota}，上限 {limit_quota}。', '{used_quota} used of {limit_quota}.'],
  },
  key_ending: {
    title: ['{name} 即将到期', '{name} expires soon'],
    detail: ['{ends_at} 起请求会被拒绝。', 'Calls are refused from {ends_at} on.'],
  },
};

export const ATTENTION_ACTION_WORDS: Readonly<Record<AttentionAction, Words>> = {
  replace_key: ['更换密钥', 'Replace key'],
  open_channel: ['打开渠道', 'Open channel'],
  open_system: ['打开系统', 'Open system'],
  open_job: ['打开任务', 'Open job'],
  check_orders: ['查看订单', 'Check orders'],
  set_price: ['设置价格', 'Set price'],
  set_buy_price: ['设置进价', 'Set buy price'],
  open_supplier: ['打开供应商', 'Open supplier'],
  decide: ['处理', 'Decide'],
  top_up: ['充值', 'Top up'],
  raise_limit: ['调高上限', 'Raise limit'],
  extend: ['延长', 'Extend'],
  open_budgets: ['查看预算', 'Show budgets'],
  open_members: ['查看成员', 'Show members'],
  open_sign_on: ['打开单点登录', 'Open sign-on'],
  ask_site: ['关于本站', 'About this site'],
  look: ['查看', 'Show'],
};

export const ATTENTION_CHECK_WORDS: Readonly<Record<AttentionCheck, Words>> = {
  channels: ['渠道', 'channels'],
  orders: ['订单', 'orders'],
  prices: ['价格', 'prices'],
  balances: ['上游余额', 'balances at suppliers'],
  margins: ['毛利', 'margins'],
  decisions: ['待处理', 'decisions'],
  ledger: ['账目', 'ledger'],
  jobs: ['任务', 'jobs'],
  backup: ['备份', 'backup'],
  disk: ['磁盘', 'disk'],
  certificate: ['证书', 'certificate'],
  version: ['版本', 'version'],
  nodes: ['节点', 'nodes'],
  account: ['账户', 'account'],
  organization: ['组织', 'organization'],
};

export interface AttentionReader extends QuotaDisplay {
  language: Language;
  /** Of unix seconds. */
  timeText(seconds: number): string;
}

export type AttentionValues = Readonly<Record<string, string | number>>;

const SIGNS: Readonly<Record<string, string>> = { USD: '$', CNY: '¥' };

export function attentionText([zh, en]: Words, values: AttentionValues, reader: AttentionReader): string {
  const shown = (name: string): string => {
    const value = values[name];
    if (typeof value !== 'number') return value ?? '';
    if (name.endsWith('quota')) return renderQuota(value, reader, 2);
    if (name.endsWith('_at')) return reader.timeText(value);
    if (name.endsWith('_amount'))
      return formatMoney(value, 2).replace('$', SIGNS[String(values['currency'])] ?? '');
    return name.endsWith('percent') ? `${value}%` : String(value);
  };
  const filled = (text: string): string =>
    text.replaceAll(
      /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*)(?:\|([^|{}]*))?)?\}/g,
      (_, name: string, one?: string, many = '', none = many) => {
        if (one === undefined) return shown(name);
        if (values[name] === 0) return none;
        return values[name] === 1 ? one : many;
      },
    );
  const isMissing = (name: string): boolean =>
    values[name] === undefined || values[name] === '' || values[name] === 0;
  return filled(
    (reader.language === 'zh' ? zh : en).replaceAll(/\[([^[\]]*)\]/g, (_, part: string) =>
      [...part.matchAll(/\{(\w+)[|}]/g)].some(([, name = '']) => isMissing(name)) ? '' : part,
    ),
  );
}
