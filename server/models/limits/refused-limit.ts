// What an upstream refused for want of capacity: one request, one model, or everything of the key; and for how long. Read only from
// refusals. A limit that names nothing is the model's, because that pauses least.
import type { PauseCause } from '#contract/relay/channel-limits.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { isObject, member, objects, text } from '#server/models/formats/json.ts';
import { secondsIn } from './amounts.ts';
import { readLeft, type Allowance, type HeaderReader } from './rate-headers.ts';

type LimitCause = Exclude<PauseCause, 'failures'>;

export interface RefusedLimit {
  /** `request`: it is too large for the limit, others are not. `key`: everything that the key may do. */
  readonly scope: 'request' | 'model' | 'key';
  readonly cause: LimitCause;
  /** 0: not named. */
  readonly retryAfterSeconds: number;
  /** The limit is the organization's: its other keys are limited too. */
  readonly isShared: boolean;
}

export interface Refused {
  /** As the upstream sent it. */
  readonly status: number;
  readonly error: Readonly<Record<string, unknown>>;
  /** The upstream's name. */
  readonly model: string;
  /** As headers or the body named it; 0: not. */
  readonly retryAfterSeconds: number;
}

const LONGEST_MESSAGE = 2000;
/** Time for the operator to fill the account, or for a new period to begin. */
const EMPTY_ACCOUNT_SECONDS = 60;

const EMPTY_ACCOUNT = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'insufficient_balance']);
/** A limit of the whole key or account, in the words of upstreams. */
const OF_ACCOUNT =
  /\b(?:this|your|the|per) (?:api[ -]?key|account|key)\b|\ball models\b|\baccount[- ](?:level|wide)\b|账户|账号|密钥/i;
/** The last is what Azure says to a request above the limit of a minute. */
const TOO_LARGE =
  /\brequest too large\b|\bfewer max_tokens\b|\bmust be reduced in order to run\b|\bretry after 86400 seconds\b/i;
const OF_ORGANIZATION = /\borganization\b/i;
const OF_PROJECT = /\bin project\b|\bworkspace\b/i;
const OF_TOKENS = /\btokens? (?:per|rate|limit)\b|\bTPM\b|\bTPD\b|_tokens?\b|token_count/i;
const OF_REQUESTS = /\brequests? per\b|\brequest rate\b|\bcall rate\b|\bRPM\b|\bRPD\b|_requests?\b/i;

/** Undefined when the refusal is about something else. */
export function refusedLimit({ status, error, model, retryAfterSeconds }: Refused): RefusedLimit | undefined {
  const message = typeof error['message'] === 'string' ? error['message'].slice(0, LONGEST_MESSAGE) : '';
  const found = { retryAfterSeconds, isShared: false };
  if (isEmptyAccount(status, error)) {
    if (TOO_LARGE.test(message)) return { ...found, scope: 'request', cause: 'quota' };
    return {
      ...found,
      scope: 'key',
      cause: 'quota',
      retryAfterSeconds: retryAfterSeconds || EMPTY_ACCOUNT_SECONDS,
    };
  }
  if (status === 529 || status === 503)
    return { ...found, scope: ofModelOrKey(message, model), cause: 'overload' };
  if (status !== 429) return undefined;
  const quota = googleQuota(error);
  if (quota !== undefined)
    return { ...found, ...quota, retryAfterSeconds: quota.isDaily ? DAY_SECONDS : retryAfterSeconds };
  const cause = causeOf(error, message);
  if (TOO_LARGE.test(message)) return { ...found, scope: 'request', cause };
  const scope = ofModelOrKey(message, model);
  const isShared = scope === 'model' && OF_ORGANIZATION.test(message) && !OF_PROJECT.test(message);
  return { scope, cause, retryAfterSeconds, isShared };
}

const isEmptyAccount = (status: number, { code, type }: Readonly<Record<string, unknown>>): boolean =>
  status === 402 || [code, type].some((word) => typeof word === 'string' && EMPTY_ACCOUNT.has(word));

const ofModelOrKey = (message: string, model: string): 'model' | 'key' =>
  !(model !== '' && message.includes(model)) && OF_ACCOUNT.test(message) ? 'key' : 'model';

function causeOf({ type, code }: Readonly<Record<string, unknown>>, message: string): LimitCause {
  if (type === 'overloaded_error' || code === 'engine_overloaded') return 'overload';
  if (type === 'tokens' || OF_TOKENS.test(message)) return 'tokens';
  return type === 'requests' || OF_REQUESTS.test(message) ? 'requests' : 'limit';
}

/** Google lists the quotas that were exceeded, and each says by its name and its dimensions whether it counts one model. */
function googleQuota({
  details,
}: Readonly<Record<string, unknown>>):
  | { scope: 'model' | 'key'; cause: LimitCause; isDaily: boolean }
  | undefined {
  const violations = objects(details)
    .flatMap((detail) => objects(detail['violations']))
    .slice(0, 20);
  if (violations.length === 0) return undefined;
  const ids = violations.map(({ quotaId, quotaMetric }) => `${word(quotaId)} ${word(quotaMetric)}`);
  const isOfModel = violations.every(
    ({ quotaDimensions }, at) =>
      (isObject(quotaDimensions) && typeof quotaDimensions['model'] === 'string') ||
      /PerModel|PerBaseModel|per_(?:base_)?model/.test(ids[at] ?? ''),
  );
  const all = ids.join(' ');
  return {
    scope: isOfModel ? 'model' : 'key',
    cause: /token/i.test(all) ? 'tokens' : /request/i.test(all) ? 'requests' : 'limit',
    // The delay in such an answer is a few seconds, though the day is over for this quota.
    isDaily: /PerDay/.test(all),
  };
}

const word = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 300) : '');

const WAIT_IN_WORDS =
  /(?:try again in|retry after|retry in)\s{1,3}(\d{1,7}(?:\.\d{1,6})?)\s?(ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h(?:our)?s?)?\b|(?:try again in|retry in) (\d{1,4}[hm][\dhms.]{1,20})/i;

/** `Please try again in 1.2s`, `Please retry after 23 seconds`: the time as `secondsIn` reads it. */
export function waitInWords(message: string): string | undefined {
  const found = WAIT_IN_WORDS.exec(message.slice(0, LONGEST_MESSAGE));
  if (found === null) return undefined;
  const [, amount = '', unit = 's', combined] = found;
  if (combined !== undefined) return combined.replace(/\.$/, '');
  const short = /^(?:ms|milli)/i.test(unit) ? 'ms' : unit.slice(0, 1).toLowerCase();
  return `${amount}${short}`;
}

/**
 * The time to wait by the headers of a refusal, in seconds; 0: they name none. Whole seconds are the milliseconds rounded up; of two
 * times that differ by more the longer one holds.
 */
export function waitInHeaders(header: HeaderReader, nowMilliseconds: number): number {
  const whole = secondsIn(header('retry-after'), nowMilliseconds) ?? 0;
  const milliseconds = header('retry-after-ms');
  if (milliseconds === undefined) return whole;
  const exact = secondsIn(`${milliseconds}ms`, nowMilliseconds) ?? 0;
  return exact > 0 && whole - exact <= 1 ? exact : whole;
}

/** Google names it as a detail: `retryDelay: "34s"`. */
export function waitInDetails({ details }: Readonly<Record<string, unknown>>): string | undefined {
  const delay = objects(details).find((detail) => typeof detail['retryDelay'] === 'string')?.['retryDelay'];
  return typeof delay === 'string' ? delay : undefined;
}

/** Names of the moment or the time at which a refused limit is reset, where nothing else is named. The second is Azure's. */
const RESETS = ['x-ratelimit-reset', 'x-rate-limit-reset-tokens', 'x-rate-limit-reset-requests'];

/**
 * How long the limit of which nothing is left stays empty, by the headers of the refusal, or by those of an upstream behind it, which
 * OpenRouter shows in its error. 0: not known.
 */
export function waitForReset(
  header: HeaderReader,
  error: Readonly<Record<string, unknown>>,
  nowMilliseconds: number,
): number {
  const left = readLeft(header, nowMilliseconds);
  const seconds = Math.max(
    ...[left?.requests, left?.tokens].map((each) => (isUsedUp(each) ? each.resetSeconds : 0)),
  );
  if (seconds > 0) return seconds;
  const behind = Object.entries(member(member(error['metadata'])['headers']))
    .slice(0, 50)
    .map(([name, value]) => [name.toLowerCase(), value] as const);
  const readers = [header, (name: string) => text(behind.find(([each]) => each === name)?.[1])];
  const found = readers.flatMap((read) => RESETS.map((name) => secondsIn(read(name), nowMilliseconds) ?? 0));
  return found.find((each) => each > 0) ?? 0;
}

const isUsedUp = (allowance: Allowance | undefined): allowance is Allowance =>
  allowance !== undefined && allowance.left < 1;
