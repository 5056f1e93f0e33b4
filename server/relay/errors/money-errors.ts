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
  organization_budget: entry(
    429,
    '组织预算“{name}”还剩 {left}，本次调用需要预扣 {needed}。预算在 {resets}（{zone}）恢复；需要更多请联系 {owners}，也可以缩短提示词或调小 max_tokens',
    'The budget “{name}” of your organization has {left} left, but this call needs {needed}. It resets at {resets} ({zone}); ask {owners} for more, shorten the prompt or lower max_tokens.',
  ),
  organization_budget_total: entry(
    403,
    '组织预算“{name}”还剩 {left}，本次调用需要预扣 {needed}。该预算不会自动恢复；需要更多请联系 {owners}，也可以缩短提示词或调小 max_tokens',
    'The budget “{name}” of your organization has {left} left, but this call needs {needed}. It does not reset; ask {owners} for more, shorten the prompt or lower max_tokens.',
  ),
  project_rate_limited: entry(
    429,
    '项目的每分钟请求数已达上限（由其全部令牌共用），请稍后再试，或请组织的管理员提高上限',
    'The requests per minute of the project, which all of its API keys share, are used up. Wait a moment, or ask an admin of the organization to raise the limit.',
  ),
  project_tokens_limited: entry(
    429,
    '项目的每分钟 token 数已达上限（由其全部令牌共用），请稍后再试，或请组织的管理员提高上限',
    'The tokens per minute of the project, which all of its API keys share, are used up. Wait a moment, or ask an admin of the organization to raise the limit.',
  ),
  budget_values_full: entry(
    403,
    '组织预算“{name}”已有 {limit} 个不同的标签值，不能再增加。请使用已有的值，或联系组织的所有者',
    'The budget “{name}” of your organization already counts {limit} values of its tag. Use one of them, or ask an owner of the organization.',
  ),
  stream_insufficient_quota: entry(
    403,
    '余额不足，输出已中断。请充值后重试',
    'The balance is used up, so the output ends here. Top up and try again.',
  ),
} as const satisfies Record<string, Entry>;
