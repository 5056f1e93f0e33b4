// The notices of a budget or a quota that is used up, and of a budget of an organization.
import type { NoticeValues } from '#contract/admin/notice-events.ts';
import type { Text } from '#contract/language.ts';
import { formatMoney } from '#contract/money/quota-text.ts';
import { siteTime } from '#contract/site-day.ts';
import type { NoticeText, TextFacts } from './text-types.ts';

type Limit = NoticeValues['budget_reached']['limit'];

const LIMITS: Readonly<Record<Limit, Text>> = {
  day: { zh: '每日预算', en: 'daily budget' },
  month: { zh: '每月预算', en: 'monthly budget' },
  quota: { zh: '额度', en: 'quota' },
};

/** `resetsAt`: missing in rows of earlier versions. */
function endWords(limit: Limit, resetsAt: number | undefined, zone: string): Text {
  if (limit === 'quota') return { zh: '提高额度', en: 'it is raised' };
  if (resetsAt === undefined)
    return limit === 'day' ? { zh: '次日', en: 'the next day' } : { zh: '下月', en: 'the next month' };
  const time = siteTime(zone, resetsAt);
  return { zh: ` ${time}（${zone}）`, en: `${time} (${zone})` };
}

export function budgetText(
  { subject, token_name, limit, amount, resets_at }: NoticeValues['budget_reached'],
  { page, QuotaPerUnit, SiteTimeZone }: TextFacts,
): NoticeText {
  const { zh, en } = LIMITS[limit];
  const sum = formatMoney(amount / QuotaPerUnit);
  const isToken = subject === 'token';
  const end = endWords(limit, resets_at, SiteTimeZone);
  const link = page(isToken ? '/token' : '/topup');
  return {
    title: {
      zh: isToken ? `令牌的${zh}已用完` : `您的${zh}已用完`,
      en: isToken ? `The ${en} of an API key is used up` : `Your ${en} is used up`,
    },
    text: {
      zh: `${isToken ? `令牌“${token_name}”` : '您的账户'}的${zh}（${sum}）已用完，之后的调用会被拒绝，直到${end.zh}。\n${link}`,
      en: `The ${en} (${sum}) of ${isToken ? `the API key “${token_name}”` : 'your account'} is used up. Calls are refused until ${end.en}.\n${link}`,
    },
  };
}

export function organizationBudgetText(
  { budget, value, percent, spent, limit, is_hard, resets_at }: NoticeValues['organization_budget'],
  { page, QuotaPerUnit, SiteTimeZone }: TextFacts,
): NoticeText {
  const [used, whole] = [formatMoney(spent / QuotaPerUnit), formatMoney(limit / QuotaPerUnit)];
  const of = value === '' ? { zh: '', en: '' } : { zh: `（${value}）`, en: ` (${value})` };
  const isRefusing = is_hard && percent === 100;
  const effect = isRefusing
    ? { zh: '预算不够的调用会被拒绝。', en: ' Calls that it does not cover are refused.' }
    : { zh: '', en: '' };
  const time = siteTime(SiteTimeZone, resets_at);
  const end =
    resets_at === 0
      ? { zh: '该预算不会重置。', en: ' It does not reset.' }
      : { zh: `预算在 ${time}（${SiteTimeZone}）重置。`, en: ` It resets at ${time} (${SiteTimeZone}).` };
  return {
    title: isRefusing
      ? { zh: `组织预算“${budget}”已用完`, en: `The budget “${budget}” is used up` }
      : { zh: `组织预算“${budget}”已使用 ${percent}%`, en: `The budget “${budget}” is ${percent}% used` },
    text: {
      zh: `组织预算“${budget}”${of.zh}共 ${whole}，已使用 ${used}。${effect.zh}${end.zh}\n${page('/organization')}`,
      en: `The budget “${budget}”${of.en} is ${whole}, and ${used} of it has been spent.${effect.en}${end.en}\n${page('/organization')}`,
    },
  };
}

const said = (reason: string): Text =>
  reason === '' ? { zh: '', en: '' } : { zh: `：${reason}`, en: `: ${reason}` };

export function budgetAskedText(
  { budget, member, amount, reason }: NoticeValues['budget_asked'],
  { page, QuotaPerUnit }: TextFacts,
): NoticeText {
  const sum = formatMoney(amount / QuotaPerUnit);
  const why = said(reason);
  return {
    title: { zh: `${member} 申请更多预算`, en: `${member} asks for a budget increase` },
    text: {
      zh: `${member} 申请把组织预算“${budget}”在本周期增加 ${sum}${why.zh}。请批准或拒绝。\n${page('/organization')}`,
      en: `${member} asks to raise the budget “${budget}” by ${sum} for this period${why.en}. Approve or decline the request.\n${page('/organization')}`,
    },
  };
}

export function budgetDecidedText(
  { organization, budget, granted, answer }: NoticeValues['budget_decided'],
  { page, QuotaPerUnit }: TextFacts,
): NoticeText {
  const sum = formatMoney(granted / QuotaPerUnit);
  const why = said(answer);
  return granted > 0
    ? {
        title: { zh: '预算申请已批准', en: 'Your budget request was approved' },
        text: {
          zh: `“${organization}”的预算“${budget}”在本周期增加了 ${sum}${why.zh}。\n${page('/organization')}`,
          en: `The budget “${budget}” of “${organization}” was raised by ${sum} for this period${why.en}.\n${page('/organization')}`,
        },
      }
    : {
        title: { zh: '预算申请未批准', en: 'Your budget request was declined' },
        text: {
          zh: `“${organization}”没有增加预算“${budget}”${why.zh}。\n${page('/organization')}`,
          en: `“${organization}” did not raise the budget “${budget}”${why.en}.\n${page('/organization')}`,
        },
      };
}
