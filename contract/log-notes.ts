/**
 * What a log row says about a change of money. The row holds both languages, as every version has written it, and its reader
 * gets one of them.
 */
import type { Language } from './language.ts';

const NOTES = {
  topUp: ['在线充值', 'online top-up'],
  refund: ['订单退款，扣回额度', 'order refunded, quota taken back'],
  refundRefused: ['退款未成功，退回额度', 'refund refused, quota returned'],
  disputed: ['付款争议，冻结额度', 'payment disputed, quota frozen'],
  disputeEnded: ['付款争议结束，退回额度', 'dispute ended, quota returned'],
  code: ['通过兑换码充值', 'redeemed a code'],
  planOrder: ['购买套餐', 'plan bought'],
  planFromBalance: ['余额购买套餐', 'plan bought from the balance'],
  planGranted: ['管理员赠送套餐', 'plan granted by an administrator'],
  inviteEarnings: ['邀请额度划转到余额', 'invite earnings moved to the balance'],
  inviteReward: ['邀请用户赠送额度', 'reward for an invitation'],
  signUp: ['新用户注册赠送额度', 'sign-up quota'],
  invited: ['使用邀请码赠送额度', 'invited by a code'],
  checkIn: ['每日签到奖励', 'daily check-in'],
  dividends: ['分红划转到余额', 'dividends moved to the balance'],
  withdrawal: ['申请提现，预留分红', 'withdrawal requested, dividends reserved'],
  withdrawalRefused: ['提现被拒绝，退回分红', 'withdrawal refused, dividends returned'],
} as const;
export type LogNote = keyof typeof NOTES;

const headOf = ([zh, en]: readonly [string, string]) => `${zh} / ${en}`;

/** The content of the row. The amount is the row's own and needs no mention. */
export const logNote = (note: LogNote, ...details: readonly (string | number)[]): string =>
  [headOf(NOTES[note]), ...(details.length === 0 ? [] : [details.join(', ')])].join(': ');

/** The content in one language; any other content is returned unchanged. */
export function contentIn(language: Language, content: string): string {
  if (!content.includes(' / ')) return content;
  // One head may begin with another one: the details are behind a colon or a bracket.
  const names = Object.values(NOTES).find((each) =>
    [': ', ' ('].some((end) => `${content}: `.startsWith(headOf(each) + end)),
  );
  if (names === undefined) return content;
  const rest = content.slice(headOf(names).length);
  const [zh, en] = names;
  return language === 'zh' ? zh + rest.replace(': ', '：') : en.charAt(0).toUpperCase() + en.slice(1) + rest;
}
