// Every error of the relay, in OpenAI's shape: {error: {message, type, param, code}}. The message ends with the request id.
// An upstream's text is forwarded only for errors the caller caused, with names, addresses and keys removed.
import { plainText } from '#contract/facts.ts';
import type { Language, Text } from '#contract/language.ts';
import { moneyErrors } from './money-errors.ts';
import type { RefusedOwner } from './refused-owner.ts';
import { stateErrors } from './state-errors.ts';
import { taskErrors } from './task-errors.ts';
import { unservedErrors } from './unserved-errors.ts';
import { entry, type Entry } from './error-entry.ts';

export const relayErrors = {
  missing_api_key: entry(401, '未提供令牌', 'No API key was given'),
  invalid_api_key: entry(
    401,
    '令牌无效。请检查密钥是否完整、是否属于本站',
    'This API key is not valid. Check that it was copied in full and belongs to this site.',
  ),
  admin_key_required: entry(
    401,
    '用量与费用报表需要管理密钥（sk-admin-…）',
    'Usage and cost reports need an admin key (sk-admin-…)',
  ),
  report_too_large: entry(
    400,
    '单个时间段的结果超过 {most} 条，请增加筛选条件，或减少 group_by 的字段',
    'One time bucket has more than {most} results. Add filters or group by fewer fields.',
  ),
  token_disabled: entry(
    401,
    '该令牌已被禁用。请在令牌页启用它，或换用其他令牌',
    'This API key is disabled. Enable it on the API keys page or use another key.',
  ),
  token_expired: entry(
    401,
    '该令牌已过期。请修改有效期，或换用其他令牌',
    'This API key has expired. Extend it on the API keys page or use another key.',
  ),
  token_exhausted: entry(
    401,
    '该令牌额度已用尽。请提高额度，或换用其他令牌',
    'This API key has used up its quota. Raise it on the API keys page or use another key.',
  ),
  user_disabled: entry(
    403,
    '用户已被封禁，请联系管理员',
    'This account is disabled. Contact the administrator.',
  ),
  organization_suspended: entry(
    403,
    '该令牌所属的组织已被本站管理员停用{reason}，调用被拒绝，没有扣费。请组织的所有者联系管理员恢复',
    'The organization of this API key was suspended by an administrator of this site{reason}, so the call was refused. Nothing was charged. An owner of the organization can ask the administrator to lift it.',
  ),
  not_signed_in: entry(401, '未登录或登录已过期，请重新登录！', 'You are not signed in'),
  address_not_allowed: entry(
    403,
    '你的 IP 不在令牌允许的列表中。请修改令牌的 IP 限制，或换用其他令牌',
    'This API key may not be used from your IP address. Change its address limits or use another key.',
  ),
  group_not_allowed: entry(
    403,
    '你不能使用分组 {group}，请选择其他分组',
    'You cannot use the group {group}. Choose another one.',
  ),
  model_not_allowed: entry(
    403,
    '该令牌不能使用模型 {model}。请修改令牌的模型限制，或换用其他模型',
    'This API key may not use the model {model}. Change its model limits or use another model.',
  ),
  channel_for_admins: entry(403, '普通用户不支持指定渠道', 'Only administrators may choose a channel'),
  channel_unknown: entry(400, '无效的渠道 ID', 'Invalid channel ID'),
  channel_disabled: entry(403, '该渠道已被禁用', 'This channel has been disabled'),
  model_required: entry(400, '未指定模型名称', 'The field model is required'),
  invalid_model: entry(400, '模型名称无效', 'The model name is not valid'),
  model_not_found: entry(404, '模型 {model} 不存在', 'The model {model} does not exist'),
  invalid_json: entry(400, '请求体不是合法的 JSON', 'The request body is not a JSON object'),
  invalid_body: entry(400, '请求体无效：{detail}', 'The request body is not valid: {detail}'),
  invalid_field: entry(400, '字段 {field} 的值无效', 'The field {field} has an invalid value'),
  body_too_large: entry(
    413,
    '请求体过大，请减少一次发送的内容',
    'The request body is too large. Send less at once.',
  ),
  unsupported_encoding: entry(415, '不支持的 Content-Encoding', 'This Content-Encoding is not supported'),
  unsupported_media_type: entry(415, '不支持的 Content-Type', 'This Content-Type is not supported'),
  sensitive_words: entry(
    400,
    '提示词含有屏蔽词：{words}。请修改后重试',
    'The prompt contains words that are not allowed: {words}. Change it and try again.',
  ),
  no_price: entry(
    400,
    '模型 {model} 未设置价格，请联系管理员',
    'The model {model} has no price yet. Ask the administrator.',
  ),
  ...moneyErrors,
  rate_limited: entry(429, '请求次数过多，请稍后再试', 'Too many requests. Try again later.'),
  tokens_limited: entry(
    429,
    '每分钟 token 数（TPM）已达上限，请稍后再试',
    'Too many tokens per minute. Wait a moment and try again.',
  ),
  concurrency_limited: entry(
    429,
    '并发请求数已达上限，请稍后再试',
    'Too many calls at the same time. Try again later.',
  ),
  no_channel: entry(
    503,
    '分组 {group} 下的模型 {model} 暂无可用渠道，请稍后再试或更换模型',
    'No channel is available for the model {model} in the group {group}. Try again later or use another model.',
  ),
  model_not_here: entry(
    400,
    '模型 {model} 不支持通过该接口调用',
    'The model {model} cannot be called at this endpoint',
  ),
  channels_busy: entry(
    503,
    '当前分组上游负载已饱和，请稍后再试',
    'The upstreams of this group are saturated. Try again later.',
  ),
  upstream_saturated: entry(
    429,
    '当前分组上游负载已饱和，请稍后再试',
    'The upstreams of this group are saturated. Try again later.',
  ),
  upstream_failed: entry(502, '上游服务出错，请稍后重试', 'The upstream failed. Try again later.'),
  upstream_timeout: entry(
    504,
    '上游超时，请稍后重试，或换用更快的模型',
    'The upstream took too long. Try again later, or use a faster model.',
  ),
  upstream_refused: entry(400, '{detail}', '{detail}'),
  context_length_exceeded: entry(400, '{detail}', '{detail}'),
  stream_broken: entry(502, '上游连接中断，请重试', 'The upstream disconnected. Try again.'),
  session_expired: entry(
    408,
    '会话已达 {minutes} 分钟上限，请新建会话继续',
    'The session reached its limit of {minutes} minutes. Open a new session to continue.',
  ),
  draining: entry(503, '服务正在重启，请稍后再试', 'The service is restarting. Try again shortly.'),
  overloaded: entry(503, '服务器负载过高，请稍后再试', 'The service is overloaded. Try again shortly.'),
  unavailable: entry(
    503,
    '服务暂时不可用，请稍后再试',
    'The service is not available at the moment. Try again later.',
  ),
  unknown_route: entry(404, '接口不存在：{method} {path}', 'There is no such endpoint: {method} {path}'),
  method_not_allowed: entry(
    405,
    '不支持的请求方法：{method} {path}',
    'This method is not supported: {method} {path}',
  ),
  lossy_conversion: entry(
    400,
    '严格模式：转换为上游格式会丢失 {detail}',
    "Strict mode: the upstream's format cannot carry {detail}",
  ),
  attachment_lost: entry(
    400,
    '该模型的上游无法接收此附件：{detail}',
    'The upstream of this model cannot accept the attachment: {detail}',
  ),
  background_unsupported: entry(
    400,
    '不支持后台响应（background），请使用流式输出',
    'Background responses are not supported. Stream the response instead.',
  ),
  ...taskErrors,
  ...stateErrors,
  ...unservedErrors,
  internal: entry(
    500,
    '服务器内部错误，请联系管理员',
    'Internal server error. Contact the administrator with the request ID.',
  ),
} as const satisfies Record<string, Entry>;

export type RelayErrorCode = keyof typeof relayErrors;

export interface RelayErrorOptions {
  status?: number;
  /** The public `type`; the upstream's own where it helps the caller. */
  type?: string;
  /** The public `code`; the error's name unless the upstream's own helps the caller. */
  publicCode?: string;
  param?: string;
  /** No channel of the group has the model: answered with 404. */
  isUnknownModel?: boolean;
  /** The operator's sentence instead of ours. */
  message?: string;
  /** Where in the request the fault is, such as a line of a file; said before the sentence. */
  place?: Text;
  retryAfterSeconds?: number;
}

export class RelayError extends Error {
  override name = 'RelayError';
  /** The call has a row in the log; a refusal without one is counted by caller/refusals.ts. */
  isLogged = false;
  owner: RefusedOwner | undefined;
  readonly code: RelayErrorCode;
  readonly status: number;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly options: RelayErrorOptions;

  constructor(
    code: RelayErrorCode,
    parameters: Readonly<Record<string, string | number>> = {},
    options: RelayErrorOptions = {},
  ) {
    super(code);
    this.code = code;
    this.status = options.status ?? relayErrors[code].status;
    this.parameters = parameters;
    this.options = options;
  }
}

/** Marks the error of a call that has its log row. */
export function markLogged(error: RelayError): RelayError {
  error.isLogged = true;
  return error;
}

export const ERROR_TYPE = 'tollgate_error';

export function errorMessage(error: RelayError, language: Language, requestId: string): string {
  const text = error.options.message ?? fill(relayErrors[error.code][language], error.parameters);
  const { place } = error.options;
  const colon = language === 'zh' ? '：' : ': ';
  const whole = place === undefined ? text : `${place[language]}${colon}${text}`;
  return `${whole} (request id: ${requestId})`;
}

export function errorObject(error: RelayError, language: Language, requestId: string) {
  const { type, publicCode, param, isUnknownModel } = error.options;
  // OpenAI's own words, by which its clients end at once.
  const unknown = isUnknownModel === true ? { type: 'invalid_request_error', code: 'model_not_found' } : {};
  return {
    error: {
      message: errorMessage(error, language, requestId),
      type: type ?? ERROR_TYPE,
      param: param ?? null,
      code: publicCode ?? error.code,
      ...unknown,
    },
  };
}

function fill(template: string, parameters: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(parameters, name) ? String(parameters[name]) : whole,
  );
}

/** The sentence of a refusal of which only the name and some values are known. */
export function refusalSentence(
  code: string,
  language: Language,
  values: Readonly<Record<string, string>>,
): string {
  const known: Readonly<Record<string, Entry>> = relayErrors;
  const entryOf = Object.hasOwn(known, code) ? known[code] : undefined;
  return entryOf === undefined ? code : fill(entryOf[language], values).replaceAll(/\{\w+\}/g, '…');
}

/** Replaces names of suppliers, hosts and keys. */
const BLANKED = '***';

/** An upstream's text without addresses, keys, organisations and ids; undefined when nothing readable remains. */
export function neutralText(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const neutral = text
    .slice(0, 2000)
    .replaceAll(/\bhttps?:\/\/\S+/gi, BLANKED)
    .replaceAll(/\b(?:[\w-]+\.)+(?:com|net|org|ai|io|cn|dev|app|cloud)\b\S*/gi, BLANKED)
    .replaceAll(/\b(?:sk|org|proj|user|req|key)[-_][\w*-]{4,}/gi, BLANKED)
    .replaceAll(/\s*\(request id: [^)]*\)/gi, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return neutral === '' || hasControls(neutral) ? undefined : plainText(neutral.slice(0, 500));
}

/** Control characters and invisible formatting characters. */
export function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 32 || (code >= 127 && code < 160)) return true;
  }
  return false;
}
