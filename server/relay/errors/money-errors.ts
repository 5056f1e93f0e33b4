// Calls that balance, key or budget do not cover: what the call needs, what is left and what lowers it.
import { entry, type Entry } from './error-entry.ts';

export const moneyErrors = {
  insufficient_quota: entry(
    403,
    '用户额度不足：本次调用需要预扣 {needed}，可用 {left}。请充值、缩短提示或调小 max_tokens',
    'Your balance is not sufficient: this call needs {needed}, {left} is left. Top up, shorten the prompt or set a smaller max_tokens',
  ),
  insufficient_token_quota: entry(
    403,
    '令牌额度不足：本次调用需要预扣 {needed}，该令牌可用 {left}。请提高令牌额度、缩短提示或调小 max_tokens',
    'The quota of this API key is not sufficient: this call needs {needed}, {left} is left. Raise its quota, shorten the prompt or set a smaller max_tokens',
  ),
  day_budget: entry(
    429,
    '今日预算还剩 {left}，本次调用需要预扣 {needed}。请提高预算、缩短提示或调小 max_tokens',
    'The budget of today has {left} left and this call needs {needed}. Raise the budget, shorten the prompt or set a smaller max_tokens',
  ),
  month_budget: entry(
    429,
    '本月预算还剩 {left}，本次调用需要预扣 {needed}。请提高预算、缩短提示或调小 max_tokens',
    'The budget of this month has {left} left and this call needs {needed}. Raise the budget, shorten the prompt or set a smaller max_tokens',
  ),
  stream_insufficient_quota: entry(
    403,
    '额度不足，输出已中断',
    'The balance is used up; the output ends here',
  ),
} as const satisfies Record<string, Entry>;
