// Errors in Anthropic's format.
import type { CanonicalEvent } from '#server/models/formats/canonical.ts';
import type { CanonicalError } from '#server/models/formats/codec.ts';
import { isObject, lookup, text, type Json } from '#server/models/formats/json.ts';

const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

type ErrorEvent = Extract<CanonicalEvent, { type: 'error' }>;

export function decodeErrorEvent(error: Json): ErrorEvent {
  const kind = text(error['type']);
  return {
    type: 'error',
    message: text(error['message']),
    code: kind,
    status: lookup(STATUSES, kind) ?? 500,
    kind,
  };
}

export function decodeError(body: unknown): CanonicalError | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error)) return undefined;
  const type = text(error['type']);
  return { message: text(error['message']), type, code: text(error['code']) || type };
}

function kindOf({ status, kind }: ErrorEvent): string {
  if (kind !== undefined && Object.hasOwn(STATUSES, kind)) return kind;
  const found = Object.entries(STATUSES).find(([, known]) => known === status);
  if (found !== undefined) return found[0];
  return status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error';
}

export const encodeErrorBody = (event: ErrorEvent): Json => ({
  type: 'error',
  error: { type: kindOf(event), message: event.message },
});
