// Errors in Google's format.
import type { CanonicalEvent } from '#server/models/formats/canonical.ts';
import type { CanonicalError } from '#server/models/formats/codec.ts';
import { isObject, number, text, type Json } from '#server/models/formats/json.ts';

const WORDS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

type ErrorEvent = Extract<CanonicalEvent, { type: 'error' }>;

export function decodeErrorEvent(error: Json): ErrorEvent {
  const status = number(error['code']) ?? 500;
  const kind = text(error['status']);
  return {
    type: 'error',
    message: text(error['message']),
    code: kind,
    status: status >= 400 && status < 600 ? status : 500,
    ...(kind === '' ? {} : { kind }),
  };
}

export function decodeError(body: unknown): CanonicalError | undefined {
  const holder: unknown = Array.isArray(body) ? body[0] : body;
  const error = isObject(holder) ? holder['error'] : undefined;
  if (!isObject(error)) return undefined;
  const code = number(error['code']);
  return {
    message: text(error['message']),
    type: text(error['status']),
    code: code === undefined ? text(error['code']) : String(code),
  };
}

export const encodeErrorBody = ({ status, message }: ErrorEvent): Json => ({
  error: {
    code: status,
    message,
    status: WORDS[status] ?? (status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL'),
  },
});
