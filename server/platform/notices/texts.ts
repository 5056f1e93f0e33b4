// The text of each event, in both languages. Values come from the row of the notice: a name in them was chosen by a user and is
// put into plain text only.
import { channelReason } from '#contract/relay/channel-reasons.ts';
import { wordsIn } from '#contract/facts.ts';
import type { NoticeEvent, NoticeValues } from '#contract/admin/notice-events.ts';
import { inLanguage, type Language, type Text } from '#contract/language.ts';
import { formatMoney } from '#contract/money/quota-text.ts';
import { attentionTexts } from './attention-text.ts';
import { budgetAskedText, budgetDecidedText, budgetText, organizationBudgetText } from './budget-text.ts';
import { doubtWords } from './doubt-words.ts';
import { invariantWords } from './invariant-words.ts';
import { holdExcessText } from './hold-excess-text.ts';
import type { NoticeText, TextFacts, TextSettings } from './text-types.ts';

export type { NoticeText, TextSettings } from './text-types.ts';

type TextOf<Event extends NoticeEvent> = (values: NoticeValues[Event], facts: TextFacts) => NoticeText;

const moment = (seconds: number) =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
const dateOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
const said = (reason: string): Text =>
  reason === '' ? { zh: '', en: '' } : { zh: `：${reason}`, en: `: ${reason}` };

/** Text that holds no fact is an exception's own and quoted. */
const jobError = (language: Language, error: string): string => {
  const words = wordsIn(language, error);
  if (words !== error) return words;
  return language === 'zh' ? `技术细节：“${error}”` : `technical detail: “${error}”`;
};

const DECISIONS = {
  approved: { zh: '已批准', en: 'was approved' },
  paid: { zh: '已打款', en: 'was paid' },
  refused: { zh: '未通过', en: 'was refused' },
} as const;

/** As the operator sees it: won = the payment stands. */
const DISPUTES = {
  open: { zh: '已开始', en: 'open' },
  won: { zh: '已结束，付款有效', en: 'closed, the payment stands' },
  lost: { zh: '已结束，银行已退款', en: 'closed, the bank has paid back' },
} as const;

const TEXTS: { readonly [Event in NoticeEvent]: TextOf<Event> } = {
  // The wording of the mail is fixed by the requirements (REL-9.49).
  low_balance({ balance }, { username, page, QuotaPerUnit }) {
    const left = formatMoney(balance / QuotaPerUnit, 6);
    return {
      title: { zh: '您的额度即将用尽', en: 'Your balance is running low' },
      text: {
        zh: `${username}，您好！您的剩余额度为 ${left}，为了不影响您的使用，请及时充值。\n充值链接：${page('/topup')}`,
        en: `Hello ${username}, your remaining balance is ${left}. Please top up in time so that your calls keep working.\nTop up: ${page('/topup')}`,
      },
    };
  },
  budget_reached: budgetText,
  organization_budget: organizationBudgetText,
  budget_asked: budgetAskedText,
  budget_decided: budgetDecidedText,
  token_expiring: ({ token_name, expires_at }, { page }) => ({
    title: { zh: '令牌即将过期', en: 'An API key is about to expire' },
    text: {
      zh: `令牌“${token_name}”将于 ${moment(expires_at)} 过期，之后的调用会被拒绝。\n${page('/token')}`,
      en: `The API key “${token_name}” expires at ${moment(expires_at)}. Calls with it are refused after that.\n${page('/token')}`,
    },
  }),
  token_leaked: ({ token_name, key, reason }, { page }) => ({
    title: { zh: '密钥泄露，已禁用', en: 'A leaked key was disabled' },
    text: {
      zh: `令牌“${token_name}”的密钥（${key}）已泄露，现已禁用${said(reason).zh}。请创建新的令牌并删除此令牌，同时检查近期日志。\n${page('/token')}`,
      en: `The API key “${token_name}” (${key}) was found in public and is disabled${said(reason).en}. Create another key, delete this one, and check the recent log.\n${page('/token')}`,
    },
  }),
  subscription_ending: ({ plan, plan_en = '', ends_at }, { page }) => ({
    title: { zh: '订阅即将到期', en: 'Your subscription is about to end' },
    text: {
      zh: `您的订阅“${inLanguage('zh', plan, plan_en)}”将于 ${moment(ends_at)} 到期，您可以在钱包中续订。\n${page('/topup')}`,
      en: `Your subscription “${inLanguage('en', plan, plan_en)}” ends at ${moment(ends_at)}. You can renew it in your wallet.\n${page('/topup')}`,
    },
  }),
  subscription_ended: ({ plan, plan_en = '' }, { page }) => ({
    title: { zh: '订阅已到期', en: 'Your subscription has ended' },
    text: {
      zh: `您的订阅“${inLanguage('zh', plan, plan_en)}”已到期，之后的调用从余额扣费。\n${page('/topup')}`,
      en: `Your subscription “${inLanguage('en', plan, plan_en)}” has ended. Calls are now charged to your balance.\n${page('/topup')}`,
    },
  }),
  charges_corrected({ amount, days, first, last, reason, undone }, { page, QuotaPerUnit }) {
    const sum = formatMoney(Math.abs(amount) / QuotaPerUnit, 6);
    const [from, to] = [dateOf(first), dateOf(last)];
    const back = amount < 0;
    return {
      title: {
        zh: `历史调用的费用已更正：${back ? '退回' : '补扣'} ${sum}`,
        en: `Past charges were corrected: ${sum} ${back ? 'given back' : 'charged'}`,
      },
      text: {
        zh: `${undone ? '此前的一次价格更正已撤销。' : ''}${from === to ? from : `${from} 至 ${to}（${days} 天）`}的调用已重新计价，${back ? '退回' : '补扣'} ${sum}。原因：${reason}\n每一笔记录在钱包中，每次调用的更正记录在日志中。\n${page('/topup')}`,
        en: `${undone ? 'An earlier price correction was undone. ' : ''}Your calls ${from === to ? `of ${from}` : `from ${from} to ${to} (${days} days)`} were priced again: ${sum} was ${back ? 'given back' : 'charged'}. Reason: ${reason}\nEach entry is in your wallet, and the log shows the correction of each call.\n${page('/topup')}`,
      },
    };
  },
  withdrawal_decided({ decision, amount, reason }) {
    const { zh, en } = DECISIONS[decision];
    return {
      title: { zh: `提现${zh}`, en: `Your withdrawal ${en}` },
      text: {
        zh: `您的提现申请（${amount}）${zh}${said(reason).zh}。`,
        en: `Your withdrawal (${amount}) ${en}${said(reason).en}.`,
      },
    };
  },
  order_refund_failed: ({ order, amount, quota }, { page, QuotaPerUnit }) => ({
    title: { zh: '退款未成功', en: 'A refund could not be paid' },
    text: {
      zh: `您的订单 ${order} 的退款（${amount}）未成功，${formatMoney(quota / QuotaPerUnit, 6)} 已退回您的余额。请联系我们。\n${page('/topup')}`,
      en: `The refund of ${amount} for your order ${order} could not be paid, so ${formatMoney(quota / QuotaPerUnit, 6)} was returned to your balance. Please contact us.\n${page('/topup')}`,
    },
  }),
  order_disputed({ order, status, amount, quota }, { page, QuotaPerUnit }) {
    const { zh, en } = DISPUTES[status];
    const sum = formatMoney(quota / QuotaPerUnit, 6);
    const result = {
      open: {
        zh: `争议结束前，该订单剩余的额度 ${sum} 已冻结`,
        en: `What is left of it on your balance, ${sum}, is frozen until the dispute ends`,
      },
      won: { zh: `额度 ${sum} 已退回`, en: `${sum} was returned to your balance` },
      lost: {
        zh: `款项已由银行退回，额度 ${sum} 已扣回`,
        en: `The bank has paid the money back, and ${sum} was taken from your balance`,
      },
    }[status];
    return {
      title: { zh: `您的付款争议${zh}`, en: `The dispute over your payment is ${en}` },
      text: {
        zh: `订单 ${order}（${amount}）的付款争议${zh}。${result.zh}。\n${page('/topup')}`,
        en: `The payment of order ${order} (${amount}) is disputed at your bank; the dispute is ${en}. ${result.en}.\n${page('/topup')}`,
      },
    };
  },
  channel_disabled: ({ channel_id, channel_name, reason: stored }, { page }) => ({
    title: { zh: `渠道已自动禁用：${channel_name}`, en: `Channel disabled: ${channel_name}` },
    text: {
      zh: `渠道 #${channel_id}（${channel_name}）已自动禁用${said(channelReason('zh', stored)).zh}。\n${page('/channel')}`,
      en: `The channel #${channel_id} (${channel_name}) was disabled automatically${said(channelReason('en', stored)).en}.\n${page('/channel')}`,
    },
  }),
  channel_enabled: ({ channel_id, channel_name }, { page }) => ({
    title: { zh: `渠道已自动启用：${channel_name}`, en: `Channel enabled: ${channel_name}` },
    text: {
      zh: `渠道 #${channel_id}（${channel_name}）测试成功，已自动启用。\n${page('/channel')}`,
      en: `The channel #${channel_id} (${channel_name}) passed its test and was enabled automatically.\n${page('/channel')}`,
    },
  }),
  payment_alert: ({ order, reason }, { page }) => ({
    title: { zh: '支付异常', en: 'A payment needs attention' },
    text: {
      zh: `${order === '' ? '' : `订单 ${order}：`}${wordsIn('zh', reason)}\n${page('/order')}`,
      en: `${order === '' ? '' : `Order ${order}: `}${wordsIn('en', reason)}\n${page('/order')}`,
    },
  }),
  refund_failed: ({ order, amount, reason }, { page }) => ({
    title: { zh: '退款失败', en: 'A refund failed' },
    text: {
      zh: `订单 ${order} 的退款（${amount}）未成功${said(wordsIn('zh', reason)).zh}。扣回的额度已退给用户。\n${page('/order')}`,
      en: `The refund of ${amount} for order ${order} failed${said(wordsIn('en', reason)).en}. The quota was returned to the user.\n${page('/order')}`,
    },
  }),
  payment_disputed({ order, status, amount, quota, lost, reason }, { page, QuotaPerUnit }) {
    const { zh, en } = DISPUTES[status];
    const money = (units: number) => formatMoney(units / QuotaPerUnit, 6);
    const result = {
      open: { zh: `已冻结用户额度 ${money(quota)}`, en: `${money(quota)} of the user's balance is frozen` },
      won: { zh: `已退回用户额度 ${money(quota)}`, en: `${money(quota)} was returned to the user` },
      lost: {
        zh: `已扣回额度 ${money(quota)}，此前已用掉的 ${money(lost)} 由您承担`,
        en: `${money(quota)} was taken back; ${money(lost)} had been spent before and is your loss`,
      },
    }[status];
    return {
      title: { zh: `付款争议${zh}：${amount}`, en: `Payment dispute ${en}: ${amount}` },
      text: {
        zh: `订单 ${order} 的付款争议${zh}${said(reason).zh}。${result.zh}。\n${page('/order')}`,
        en: `The dispute over order ${order} is ${en}: ${result.en}.${reason === '' ? '' : ` Reason: ${reason}.`}\n${page('/order')}`,
      },
    };
  },
  invariant_broken: ({ invariant, concerned_user_id, detail }, { page }) => ({
    title: { zh: '账目核对发现不符', en: 'The books do not balance' },
    text: {
      zh: `“${invariantWords('zh', invariant)}”不成立${concerned_user_id ? `，用户 ${concerned_user_id}` : ''}。技术细节：“${detail}”\n请运行 npx tollgate audit 查看全部结果。\n${page('/audit')}`,
      en: `“${invariantWords('en', invariant)}” does not hold${concerned_user_id ? ` for the user ${concerned_user_id}` : ''}. Technical detail: “${detail}”\nRun npx tollgate audit to see everything.\n${page('/audit')}`,
    },
  }),
  job_failed({ job, title = { zh: job, en: job }, failures, error }, { page }) {
    return {
      title: { zh: `定时任务连续失败：${title.zh}`, en: `A job keeps failing: ${title.en}` },
      text: {
        zh: `任务“${title.zh}”（${job}）已连续失败 ${failures} 次：${jobError('zh', error)}\n${page('/jobs')}`,
        en: `The job “${title.en}” (${job}) has failed ${failures} times in a row: ${jobError('en', error)}\n${page('/jobs')}`,
      },
    };
  },
  upstream_balance_low: ({ channel_id, channel_name, balance }, { page }) => ({
    title: { zh: `上游余额不足：${channel_name}`, en: `Upstream balance low: ${channel_name}` },
    text: {
      zh: `渠道 #${channel_id}（${channel_name}）的上游余额为 $${balance.toFixed(2)}，请到上游充值。\n${page('/channel')}`,
      en: `The channel #${channel_id} (${channel_name}) has $${balance.toFixed(2)} left at its upstream. Top it up there.\n${page('/channel')}`,
    },
  }),
  supplier_score_low: ({ channel_id, channel_name, model, score, signals }, { page }) => ({
    title: { zh: `供应商评分过低：${channel_name}`, en: `Supplier score low: ${channel_name}` },
    text: {
      zh: `渠道 #${channel_id}（${channel_name}）的评分为 ${score}，模型 ${model}：${signals.join('、')}。\n${page('/suppliers')}`,
      en: `The channel #${channel_id} (${channel_name}) has a score of ${score} for ${model}: ${signals.join(', ')}.\n${page('/suppliers')}`,
    },
  }),
  usage_doubted: ({ channel_id, channel_name, model, request_id, doubts }, { page }) => ({
    title: { zh: `用量不可信：${channel_name}`, en: `Implausible usage: ${channel_name}` },
    text: {
      zh: `渠道 #${channel_id}（${channel_name}）为模型 ${model} 报告的用量不可能属实，已按可信的最大数量扣费：${doubtWords(doubts, 'zh')}。请求 ${request_id}。\n${page('/log')}`,
      en: `The channel #${channel_id} (${channel_name}) reported impossible usage for ${model}, so the largest plausible amount was charged: ${doubtWords(doubts, 'en')}. Request ${request_id}.\n${page('/log')}`,
    },
  }),
  hold_exceeded: holdExcessText,
  negative_margin({ channel_id, channel_name, model, revenue, cost, days }, { page, QuotaPerUnit }) {
    const money = (quota: number) => formatMoney(quota / QuotaPerUnit);
    return {
      title: { zh: `亏本销售：${model}`, en: `Sold below cost: ${model}` },
      text: {
        zh: `渠道 #${channel_id}（${channel_name}）的模型 ${model} 在最近 ${days} 天收入 ${money(revenue)}，成本 ${money(cost)}。\n${page('/margins')}`,
        en: `The model ${model} on the channel #${channel_id} (${channel_name}) brought in ${money(revenue)} and cost ${money(cost)} in the last ${days === 1 ? 'day' : `${days} days`}.\n${page('/margins')}`,
      },
    };
  },
  ...attentionTexts,
  withdrawal_requested: ({ username, amount }, { page }) => ({
    title: { zh: '新的提现申请', en: 'A withdrawal was requested' },
    text: {
      zh: `用户 ${username} 申请提现 ${amount}。\n${page('/agent')}`,
      en: `The user ${username} requested a withdrawal of ${amount}.\n${page('/agent')}`,
    },
  }),
};

/** The event of the test button; it is no event that can be raised. */
export const TEST_EVENT = 'test';
const TEST_TEXT: NoticeText = {
  title: { zh: '测试通知', en: 'Test notification' },
  text: {
    zh: '这是一条测试通知。收到它说明该通知方式已正确配置。',
    en: 'This is a test notification. If you can read it, this destination is set up correctly.',
  },
};

/** `details`: JSON of the row. A notice of a newer version, or one with other values, has only its name. */
export function noticeText(
  { event, details }: { event: string; details: string },
  { settings, username }: { settings: TextSettings; username: string },
): NoticeText {
  if (event === TEST_EVENT) return TEST_TEXT;
  const make = Object.hasOwn(TEXTS, event) ? TEXTS[event as NoticeEvent] : undefined;
  const page = (path: string) => `${settings.ServerAddress.replace(/\/+$/, '')}${path}`;
  try {
    const values = JSON.parse(details) as never;
    if (make !== undefined) return make(values, { ...settings, username, page });
  } catch {
    // Shown by its name below.
  }
  return { title: { zh: event, en: event }, text: { zh: event, en: event } };
}
