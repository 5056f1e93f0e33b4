// In which of the ways that targets name an attempt has failed.
import type { FallbackKind } from '#contract/relay/virtual-reasons.ts';
import { overflowIn } from '#server/relay/errors/context-overflow.ts';
import { isLimit } from '#server/relay/errors/failure-scope.ts';
import type { RelayError } from '#server/relay/errors/relay-error.ts';
import { isOverload, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';

const TIMEOUT_STATUSES = new Set([408, 504, 524]);
/** The upstream does not take the key, or does not have the model. */
const REFUSED_STATUSES = new Set([401, 402, 403, 404, 407]);
const REQUEST_STATUSES = new Set([400, 413, 415, 422]);

/** OpenAI and Azure, Anthropic, Google, and vendors with words of their own. */
const FILTER_WORDS =
  /content[_ -]?(?:policy|filter|management policy)|responsible ?ai|safety (?:system|filter|reasons)|output blocked|data_?inspection_?failed|inappropriate content|prohibited_content|内容(?:安全|审核|违规|不合规)|敏感内容|违规内容/i;
const UNSUPPORTED_WORDS =
  /unsupported[_ -]?(?:parameter|value|content|media|model|country)?|not (?:be )?supported|does(?: not|n't) support|unknown (?:parameter|field|name)|unrecognized (?:request argument|field|key)|extra inputs are not permitted|不支持|未知参数/i;

/** Undefined: the failure is the caller's own, and another model would not help. */
export function fallbackKind(failure: UpstreamFailure): FallbackKind | undefined {
  const { kind, error, status, rawStatus } = failure;
  if (kind === 'client_left') return undefined;
  if (kind === 'timeout') return 'first_token_timeout';
  if (kind === 'network' || failure.isAccountFault === true) return 'down';
  if (isLimit(failure)) return 'rate_limit';
  const code = rawStatus === 200 ? status : rawStatus;
  if (TIMEOUT_STATUSES.has(code)) return 'first_token_timeout';
  if (code === 503 || code === 529 || isOverload(error)) return 'overloaded';
  const words = [error['code'], error['type'], error['status'], error['message']]
    .filter((word) => typeof word === 'string')
    .map((word) => word.slice(0, 2000))
    .join(' ');
  if (code >= 400 && code < 500 && FILTER_WORDS.test(words)) return 'content_filter';
  if (code >= 500 || REFUSED_STATUSES.has(code)) return 'down';
  if (!REQUEST_STATUSES.has(code)) return undefined;
  if (overflowIn(error, undefined) !== undefined) return 'context_too_long';
  return UNSUPPORTED_WORDS.test(words) ? 'unsupported' : undefined;
}

/** Our refusals of one model before anything was sent, by their codes. */
const REFUSALS: Partial<Record<RelayError['code'], FallbackKind>> = {
  channels_busy: 'overloaded',
  upstream_saturated: 'rate_limit',
  no_channel: 'down',
  model_not_here: 'unsupported',
  not_supported: 'unsupported',
  lossy_conversion: 'unsupported',
  attachment_lost: 'unsupported',
};

export const refusalKind = ({ code }: RelayError): FallbackKind | undefined => REFUSALS[code];
