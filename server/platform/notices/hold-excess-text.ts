// The notice of a call that cost more than its hold.
import type { NoticeValues } from '#contract/admin/notice-events.ts';
import { formatMoney } from '#contract/money/quota-text.ts';
import type { NoticeText, TextFacts } from './text-types.ts';

export function holdExcessText(
  { outcome, request_id, user_id, amount }: NoticeValues['hold_exceeded'],
  { page, QuotaPerUnit }: TextFacts,
): NoticeText {
  const money = formatMoney(amount / QuotaPerUnit);
  const log = page(`/log?request=${encodeURIComponent(request_id)}`);
  if (outcome === 'paid')
    return {
      title: { zh: '调用费用超出预扣', en: 'A call cost more than its hold' },
      text: {
        zh: `用户 #${user_id} 的请求 ${request_id} 的费用超出预扣 ${money}，已由余额支付。本小时内的其他调用不再通知，合计见毛利页。\n${log}\n${page('/margins')}`,
        en: `The request ${request_id} of user #${user_id} cost ${money} more than its hold; the balance paid the difference. Further calls in this hour are not reported; their total is on the margins page.\n${log}\n${page('/margins')}`,
      },
    };
  return {
    title: { zh: '调用费用未能收齐', en: 'A call was not paid in full' },
    text: {
      zh: `用户 #${user_id} 的请求 ${request_id} 有 ${money} 超出预扣，余额也不够支付，未能收取，已记入挂账账户（suspense）。本小时内的其他调用不再通知，合计见毛利页。\n${log}\n${page('/margins')}`,
      en: `The request ${request_id} of user #${user_id} cost ${money} more than its hold and the balance could cover; the difference is booked to the suspense account. Further calls in this hour are not reported; their total is on the margins page.\n${log}\n${page('/margins')}`,
    },
  };
}
