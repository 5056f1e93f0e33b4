// Calls that balance, key or budget do not cover: what the call needs, what is left and what lowers it.
import { entry, type Entry } from './error-entry.ts';

export const moneyErrors = {
  insufficient_quota: entry(
    403,
    '余额不足：本次调用需要预扣 {needed}，可用 {left}。请充值、缩短提示词或调小 max_tokens',
    'Your balance is too low: this call needs {needed}, and {left} is left. Top up, shorten the prompt or lower max_tokens.',
  ),
  insufficient_token_quota: entry(
    403,
    '令牌额度不足：本次调用需要预扣 {needed}，该令牌可用 {left}。请提高令牌额度、缩短提示词或调小 max_tokens',
    'The quota of this API key is too low: this call needs {needed}, and {left} is left. Raise its quota, shorten the prompt or lower max_tokens.',
  ),
  day_budget: entry(
    429,
    '今日预算还剩 {left}，本次调用需要预扣 {needed}。预算在 {resets}（{zone}）恢复，也可以提高预算、缩短提示词或调小 max_tokens',
    'The daily budget has {left} left, but this call needs {needed}. It resets at {resets} ({zone}); you can also raise it, shorten the prompt or lower max_tokens.',
  ),
  month_budget: entry(
    429,
    '本月预算还剩 {left}，本次调用需要预扣 {needed}。预算在 {resets}（{zone}）恢复，也可以提高预算、缩短提示词或调小 max_tokens',
    'The monthly budget has {left} left, but this call needs {needed}. It resets at {resets} ({zone}); you can also raise it, shorten the prompt or lower max_tokens.',
  ),
  stream_insufficient_quota: entry(
    403,
    '余额不足，输出已中断。请充值后重试',
    'The balance is used up, so the output ends here. Top up and try again.',
  ),
} as const satisfies Record<string, Entry>;
