// One error in the format of the API that was called: OpenAI's, Anthropic's or Gemini's.
import type { Language } from '#contract/language.ts';
import { overflowSentence, type Overflow } from './context-overflow.ts';
import { errorMessage, errorObject, RelayError } from './relay-error.ts';

export type ErrorDialect = 'openai' | 'anthropic' | 'gemini';

const GEMINI_PATH =
  /^(?:\/upload)?\/v1(?:beta|alpha)(?!\/openai\/)(?:\/|$)|^\/v1\/models\/[^/]+:\w+$|^\/ws\/google\./;
const SHARED_PATH = /^\/v1\/(?:models|files)(?:\/|$)/;
/** These come from paths that no API owns. */
const PATHLESS = new Set([
  'unknown_route',
  'method_not_allowed',
  'not_supported',
  'state_not_kept',
  'use_instead',
]);

/** Of the streams of a format. */
export const dialectOfFormat = (format: string): ErrorDialect =>
  format === 'anthropic-messages' ? 'anthropic' : format === 'gemini-generate' ? 'gemini' : 'openai';

type Asked = Pick<Request, 'url' | 'headers'>;

/** Google's clients send their key in their own header or in the query. */
export function isGeminiKey({ headers, url }: Asked): boolean {
  return (
    headers.get('x-goog-api-key') !== null || (/[?&]key=/.test(url) && headers.get('authorization') === null)
  );
}

/** By the path; where APIs share it, by the headers of their clients. */
export function errorDialect({ code }: RelayError, request: Asked): ErrorDialect {
  const path = request.url.replace(/^https?:\/\/[^/]*|\?.*$/g, '');
  if (/^(?:\/v1\/messages|\/v1\/organizations\/|\/anthropic\/)/.test(path)) return 'anthropic';
  if (GEMINI_PATH.test(path)) return 'gemini';
  if (!SHARED_PATH.test(path) && !PATHLESS.has(code)) return 'openai';
  if (request.headers.get('anthropic-version') !== null) return 'anthropic';
  return isGeminiKey(request) ? 'gemini' : 'openai';
}

/** Clients retry a 503 for a minute or more; after a 404 they report the model or take another at once. */
export function statusIn({ status, options }: RelayError): number {
  return options.isUnknownModel === true ? 404 : status;
}

/** A prompt that is too long for the model; each API has its own sentence for it, by which its clients shorten the prompt. */
export function overflowError({ words, tokens = 0, limit = 0 }: Overflow, param: unknown): RelayError {
  return new RelayError(
    'context_length_exceeded',
    { detail: words, tokens, limit },
    { type: 'invalid_request_error', param: typeof param === 'string' ? param.slice(0, 100) : 'messages' },
  );
}

function inDialect(error: RelayError, dialect: ErrorDialect): RelayError {
  if (error.code !== 'context_length_exceeded') return error;
  const { detail, tokens, limit } = error.parameters;
  const counted = {
    ...(tokens ? { tokens: Number(tokens) } : {}),
    ...(limit ? { limit: Number(limit) } : {}),
  };
  const sentence = overflowSentence(dialect, { words: String(detail), ...counted });
  return new RelayError(error.code, { ...error.parameters, detail: sentence }, error.options);
}

/** The sentence of an error as the API has it. */
export const sentenceIn = (
  error: RelayError,
  dialect: ErrorDialect,
  language: Language,
  requestId: string,
): string => errorMessage(inDialect(error, dialect), language, requestId);

export function errorBody(
  given: RelayError,
  dialect: ErrorDialect,
  language: Language,
  requestId: string,
): Record<string, unknown> {
  const error = inDialect(given, dialect);
  if (dialect === 'anthropic') return anthropicError(error, language, requestId);
  if (dialect === 'gemini') return geminiError(error, language, requestId);
  return errorObject(error, language, requestId);
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const BALANCE_CODES = new Set([
  'insufficient_quota',
  'insufficient_token_quota',
  'stream_insufficient_quota',
]);

function anthropicError(error: RelayError, language: Language, requestId: string) {
  const { code } = error;
  const status = statusIn(error);
  const type = BALANCE_CODES.has(code)
    ? 'billing_error'
    : code === 'overloaded' || code === 'channels_busy'
      ? 'overloaded_error'
      : (ANTHROPIC_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'));
  return {
    type: 'error',
    error: { type, message: errorMessage(error, language, requestId) },
    request_id: requestId,
  };
}

const GEMINI_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

function geminiError(error: RelayError, language: Language, requestId: string) {
  const { code } = error;
  const { retryAfterSeconds } = error.options;
  const status = statusIn(error);
  return {
    error: {
      code: status,
      message: errorMessage(error, language, requestId),
      status: GEMINI_STATUSES[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: (error.options.publicCode ?? code).toUpperCase(),
          domain: 'tollgate',
        },
        ...(retryAfterSeconds === undefined || retryAfterSeconds === 0
          ? []
          : [
              {
                '@type': 'type.googleapis.com/google.rpc.RetryInfo',
                retryDelay: `${Math.ceil(retryAfterSeconds)}s`,
              },
            ]),
      ],
    },
  };
}
