// Errors about what an earlier call left behind: responses, conversations, objects of an upstream, secrets for sessions. And about what
// ends a running one.
import { entry, type Entry } from './error-entry.ts';

export const stateErrors = {
  organization_suspended_midway: entry(
    403,
    '该令牌所属的组织在回复途中被本站管理员停用{reason}，回复就此结束，已输出的部分照常扣费。请组织的所有者联系管理员恢复',
    'The organization of this API key was suspended by an administrator of this site{reason} during the answer, so it ends here. What was delivered is charged. An owner of the organization can ask the administrator to lift it.',
  ),
  previous_response_unknown: entry(
    400,
    '找不到 previous_response_id {id}：未保存、已过期或属于其他用户，请在 input 中发送完整对话',
    'The previous_response_id {id} was not found (not stored, expired, or not yours). Send the whole conversation in input.',
  ),
  previous_response_away: entry(
    400,
    'previous_response_id {id} 所在的渠道当前不可用，请在 input 中发送完整对话',
    'The channel that keeps the previous_response_id {id} is not available. Send the whole conversation in input.',
  ),
  state_not_here: entry(
    400,
    '不支持 {field}：它指向所有用户共用的上游账户中的对象，请在请求中直接发送内容',
    '{field} is not supported, because it refers to an object in the upstream account that all users share. Send the content itself in the call.',
  ),
  conversation_unknown: entry(
    404,
    '找不到对话 {id}：已删除、已过期或属于其他用户',
    'The conversation {id} was not found (deleted, expired, or not yours)',
  ),
  item_unknown: entry(404, '对话中没有条目 {id}', 'The conversation has no item {id}'),
  conversation_full: entry(
    400,
    '对话已满（上限 {kilobytes} KB），请删除旧条目或新建对话',
    'The conversation is full (limit: {kilobytes} KB). Delete items or start a new one.',
  ),
  conversations_full: entry(
    400,
    '你已保存 {count} 个对话，请先删除不用的对话',
    'You already keep {count} conversations. Delete some first.',
  ),
  response_unknown: entry(
    404,
    '找不到响应 {id}：未保存（store: false）、已过期、过长、渠道已删除或属于其他用户',
    "Response with ID '{id}' not found: it was not stored (store: false), is older than a day, was too long to keep, its channel is gone, or it is not yours",
  ),
  response_away: entry(
    503,
    '保存响应 {id} 的渠道当前不可用，请稍后再试',
    'The channel that keeps the response {id} is not available. Try again later.',
  ),
  response_finished: entry(
    400,
    '响应 {id} 不是后台响应，无法取消',
    'The response {id} was not made in the background and cannot be cancelled',
  ),
  secret_for_realtime: entry(
    401,
    '临时密钥（ek_…）只能用于打开 /v1/realtime',
    'A client secret (ek_…) can only open /v1/realtime. Other calls need an API key.',
  ),
  secret_unknown: entry(
    401,
    '临时密钥无效或已过期，请重新申请',
    'The client secret is not valid or has expired. Request a new one.',
  ),
  secret_other_model: entry(
    403,
    '该临时密钥只能用于模型 {model}',
    'This client secret is for the model {model} only',
  ),
  secrets_full: entry(
    429,
    '你有 {count} 个未过期的临时密钥，请等待其过期',
    'You have {count} client secrets that have not expired. Wait until some have.',
  ),
} as const satisfies Record<string, Entry>;
