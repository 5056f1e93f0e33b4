// A failed attempt and its consequences: whether another channel may be tried, what the caller reads, whether it counts
// against the channel.
import { ConnectionError, EgressError, type ConnectionProblem } from '#server/platform/egress/index.ts';
import type { CanonicalError } from '#server/models/formats/codec.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { SupplierRefusal } from '#server/models/providers/provider.ts';
import { ExchangeError } from '#server/models/providers/signing/tools.ts';
import { overflowIn } from './context-overflow.ts';
import { overflowError } from './error-dialects.ts';
import { namedWait } from './named-wait.ts';
import { neutralText, RelayError } from './relay-error.ts';

export interface UpstreamFailure {
  kind: 'http' | 'network' | 'timeout' | 'client_left';
  /** After the operator's status mapping; decides retries and is what the caller sees. */
  status: number;
  /** The upstream's own status; 0 when it sent none. */
  rawStatus: number;
  /** The upstream's error object, as far as it could be parsed. */
  error: Readonly<Record<string, unknown>>;
  retryAfterSeconds: number;
  /** The upstream reports a fault of the operator's key or account. */
  isAccountFault?: boolean;
  /** It was not given the time that every call has: it says nothing of the channel. */
  isHurried?: boolean;
  /** What the upstream sent, or what the connection reported, where `error` has no message. Only for operators. */
  text?: string;
  /** There is no answer, but the upstream may have received the request and may be working on it. */
  mayHaveArrived?: boolean;
}

const nothing: Readonly<Record<string, unknown>> = {};

export function networkFailure(kind: 'network' | 'timeout' | 'client_left', text = ''): UpstreamFailure {
  const status = kind === 'timeout' ? 504 : 502;
  return { kind, status, rawStatus: 0, error: nothing, retryAfterSeconds: 0, text };
}

/** The request was sent, and no answer, or none that can be read, came back. */
export const unansweredFailure = (kind: 'network' | 'timeout' = 'network', text = ''): UpstreamFailure => ({
  ...networkFailure(kind, text),
  mayHaveArrived: true,
});

/** Problems that come before the first byte of the request. */
const UNSENT: ReadonlySet<ConnectionProblem> = new Set(['connect', 'certificate']);

/** A provider's own error format. */
export interface Wording {
  refusalIn?: (body: Readonly<Record<string, unknown>>) => SupplierRefusal | undefined;
  decodeError?: (body: unknown) => CanonicalError | undefined;
  /** When the limit is reset, for an error that names no time to wait. */
  resetIn?: (error: Readonly<Record<string, unknown>>) => string | undefined;
}

export function httpFailure(
  rawStatus: number,
  status: number,
  body: string,
  retryAfter: string | undefined,
  { refusalIn, decodeError, resetIn }: Wording = {},
): UpstreamFailure {
  const value = parse(body);
  const said = errorIn(value);
  const retryAfterSeconds = namedWait(rawStatus, said, retryAfter, resetIn);
  const refusal = isObject(value) ? refusalIn?.(value) : undefined;
  if (refusal !== undefined) {
    const failure = refusalFailure(refusal, rawStatus);
    const isMapped = status !== rawStatus;
    const { details } = said;
    // Google's details say which limit was exceeded.
    const error = details === undefined ? failure.error : { ...failure.error, details };
    return { ...failure, error, ...(isMapped ? { status } : {}), retryAfterSeconds };
  }
  const error = decodeError?.(value) ?? said;
  return {
    kind: 'http',
    status,
    rawStatus,
    error: { ...error },
    retryAfterSeconds,
    text: body.slice(0, 4000),
  };
}

/** A refusal in the provider's own format, with the status the answer should have had. */
export function refusalFailure(refusal: SupplierRefusal, rawStatus: number): UpstreamFailure {
  const { message, type, code, status, isAccountFault } = refusal;
  const answeredStatus =
    rawStatus >= 400 && status === rawStatus ? rawStatus : rawStatus >= 400 ? status : 200;
  return {
    kind: 'http',
    status,
    rawStatus: answeredStatus,
    error: { message, type, code },
    retryAfterSeconds: 0,
    isAccountFault,
  };
}

/** Undefined when the error is not an upstream's but ours. */
export function failureOf(error: unknown): UpstreamFailure | undefined {
  if (error instanceof ConnectionError) {
    if (error.reason === 'aborted') return networkFailure('client_left');
    const kind = error.reason === 'timeout' ? 'timeout' : 'network';
    const failureWith = UNSENT.has(error.reason) ? networkFailure : unansweredFailure;
    return failureWith(kind, error.message);
  }
  if (error instanceof EgressError) return networkFailure('network', error.message);
  if (error instanceof ExchangeError) return exchangeFailure(error);
  if (error instanceof FirstEventError) {
    if (error.ending === 'client_left' || error.ending === 'timeout') return networkFailure(error.ending);
    if (error.error === undefined)
      return networkFailure('network', 'the stream ended before its first event');
    const status = statusIn(error.error);
    const isAccountFault = status === 401;
    return { kind: 'http', status, rawStatus: 200, error: error.error, retryAfterSeconds: 0, isAccountFault };
  }
  return undefined;
}

/** A refused token exchange is a refused key. */
function exchangeFailure({ status }: ExchangeError): UpstreamFailure {
  if (status >= 500 || status === 429 || status < 400) return networkFailure('network');
  const error = { message: '', type: 'authentication_error', code: '' };
  return { kind: 'http', status: 401, rawStatus: 401, error, retryAfterSeconds: 0, isAccountFault: true };
}

/** An error object inside a 200 answer. */
export function insideFailure(error: Record<string, unknown>): UpstreamFailure {
  return { kind: 'http', status: statusIn(error), rawStatus: 200, error, retryAfterSeconds: 0 };
}

/** A status of success with something that is no answer. `text`: what came, for operators. */
export const foreignFailure = (text: string): UpstreamFailure => ({
  ...insideFailure({ code: 'not_an_answer' }),
  text,
});

function statusIn(error: Readonly<Record<string, unknown>>): number {
  for (const value of [error['status'], error['code']]) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  return 502;
}

/** False for the caller's own errors and where a retry cannot help. */
const FINAL_STATUSES = new Set([400, 408, 504, 524]);

export function mayRetry({ kind, status, isAccountFault }: UpstreamFailure): boolean {
  if (kind === 'client_left') return false;
  return isAccountFault === true || (!FINAL_STATUSES.has(status) && (status < 200 || status > 299));
}

/** Counts against the channel in the circuit breaker. */
export function isChannelFault({ kind, rawStatus, status, isAccountFault }: UpstreamFailure): boolean {
  if (kind === 'client_left') return false;
  if (kind !== 'http' || isAccountFault === true) return true;
  const code = rawStatus === 200 ? status : rawStatus;
  return code >= 500 || code === 429 || code === 401 || code === 402 || code === 403;
}

/** The text for the log row. An error inside a 200 has the status that the answer should have had. */
export function describeFailure({ kind, status, rawStatus, error }: UpstreamFailure): string {
  if (kind !== 'http') return kind;
  const code = typeof error['code'] === 'string' ? ` ${error['code'].slice(0, 64)}` : '';
  return `status ${rawStatus === 200 ? status : rawStatus}${code}`;
}

/** The upstream's own words, or those of the connection; keys are not masked in them. */
export function upstreamWords({ error, text = '' }: UpstreamFailure): string {
  const { message } = error;
  return typeof message === 'string' && message !== '' ? message : text;
}

/** What the operator reads of a failed attempt, before keys are masked. */
export function failureWords(failure: UpstreamFailure): string {
  const words = upstreamWords(failure);
  return words === '' ? describeFailure(failure) : `${describeFailure(failure)}: ${words}`;
}

/** Statuses of an answer that is the fault of the caller's request, whichever channel it is sent to. */
const REQUEST_STATUSES = new Set([400, 413, 415, 422]);

/** The failure counts against the channel in its figures, though it may not open the circuit breaker. */
export function isFailedAttempt({ kind, rawStatus, status, isAccountFault }: UpstreamFailure): boolean {
  if (kind !== 'http' || isAccountFault === true) return true;
  return !REQUEST_STATUSES.has(rawStatus === 200 ? status : rawStatus);
}

/** Errors about the operator's account, not about the caller's request. */
const OPERATOR_STATUSES = new Set([401, 402, 403, 407]);

/** The caller's name of a model and the one at the upstream. */
export interface ModelNames {
  readonly model: string;
  readonly upstreamModel: string;
}

/** `isDescription`: the prompt describes a picture, film or sound. No context limits it, so the upstream's words stay. */
export function callerError(
  failure: UpstreamFailure,
  names?: ModelNames,
  { isDescription = false } = {},
): RelayError {
  if (failure.kind === 'timeout') return new RelayError('upstream_timeout');
  if (failure.kind !== 'http') return new RelayError('upstream_failed');
  const { status, rawStatus, error } = failure;
  if (status === 429) {
    return new RelayError('upstream_saturated', {}, { retryAfterSeconds: failure.retryAfterSeconds });
  }
  if (status < 400 || status > 599) return new RelayError('upstream_failed');
  const isMapped = status !== rawStatus && rawStatus !== 200;
  if (status >= 500 || (OPERATOR_STATUSES.has(status) && isMapped)) {
    return new RelayError('upstream_failed', {}, { status });
  }
  if (OPERATOR_STATUSES.has(status) || failure.isAccountFault === true)
    return new RelayError('upstream_failed');
  const detail = neutralText(withOwnModel(error['message'], names));
  const overflow = REQUEST_STATUSES.has(status) && !isDescription ? overflowIn(error, detail) : undefined;
  if (overflow !== undefined) return overflowError(overflow, error['param']);
  if (detail === undefined) return new RelayError('upstream_failed', {}, { status });
  return new RelayError('upstream_refused', { detail }, { status, ...publicFields(error) });
}

function withOwnModel(message: unknown, names: ModelNames | undefined): unknown {
  if (typeof message !== 'string' || names === undefined) return message;
  const { model, upstreamModel } = names;
  return upstreamModel === model ? message : message.replaceAll(upstreamModel, model);
}

function publicFields(error: Readonly<Record<string, unknown>>) {
  const type = identifier(error['type']);
  const publicCode = identifier(error['code']);
  const param = typeof error['param'] === 'string' ? error['param'].slice(0, 100) : undefined;
  return {
    ...(type === undefined ? {} : { type }),
    ...(publicCode === undefined ? {} : { publicCode }),
    ...(param === undefined ? {} : { param }),
  };
}

function identifier(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,64}$/.test(value) ? value : undefined;
}

function errorIn(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return nothing;
  if (isObject(value['error'])) return value['error'];
  if (typeof value['error'] === 'string') return { message: value['error'] };
  return value;
}

function parse(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    // Gemini wraps errors of array streams in an array.
    return Array.isArray(value) ? (value as unknown[])[0] : value;
  } catch {
    return undefined;
  }
}

/** The upstream is overloaded, in the words of any API. */
export function isOverload({ type, code, status }: Readonly<Record<string, unknown>>): boolean {
  return [type, code, status].some(
    (word) => word === 'overloaded_error' || word === 'UNAVAILABLE' || word === 529 || word === 503,
  );
}

/** The problem of a stream by the error that its upstream sent in it: clients wait, or shorten the prompt. */
export function problemIn(
  said: Readonly<Record<string, unknown>> | undefined,
  problem: RelayError,
): RelayError {
  if (said === undefined || problem.code !== 'stream_broken') return problem;
  if (isOverload(said)) return new RelayError('channels_busy');
  const overflow = overflowIn(said, neutralText(said['message']));
  return overflow === undefined ? problem : overflowError(overflow, said['param']);
}

/** The stream ended before its first forwardable event, so another channel may be tried. */
export class FirstEventError extends Error {
  override name = 'FirstEventError';
  readonly error: Record<string, unknown> | undefined;
  /** `timeout`: the upstream took too long. */
  readonly ending: string;
  constructor(error: Record<string, unknown> | undefined, ending = 'error') {
    super('no event came');
    this.error = error;
    this.ending = ending;
  }
}
