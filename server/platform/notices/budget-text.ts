// The notice of a budget or a quota that is used up.
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
      en: `The ${en} (${sum}) of ${isToken ? `the API key "${token_name}"` : 'your account'} is used up. Calls are refused until ${end.en}.\n${link}`,
    },
  };
}
