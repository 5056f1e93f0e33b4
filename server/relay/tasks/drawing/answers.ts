// Answers of the drawing paths: JSON as a Midjourney proxy writes it, refusals as {code, description, type}.
import { callerLanguage } from '#server/relay/caller/error-answer.ts';
import { answerHeaders } from '#server/relay/caller/response.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { errorMessage, type RelayError } from '#server/relay/errors/relay-error.ts';

/** The code a Midjourney proxy returns for an invalid request. */
export const REQUEST_ERROR_CODE = 4;

export function json({ request, requestId }: Incoming, value: unknown): Response {
  const headers = answerHeaders(request, requestId, 'application/json');
  return new Response(JSON.stringify(value), { headers });
}

/** `code` is the upstream's own if the upstream refused. */
export function refusal(
  { request, requestId }: Incoming,
  error: RelayError,
  code = REQUEST_ERROR_CODE,
): Response {
  const headers = answerHeaders(request, requestId, 'application/json');
  const { retryAfterSeconds = 0 } = error.options;
  if (retryAfterSeconds > 0) headers.set('Retry-After', String(Math.ceil(retryAfterSeconds)));
  const description = errorMessage(error, callerLanguage(request), requestId);
  const body = JSON.stringify({ code, description, type: error.code, result: '' });
  return new Response(body, { status: error.status, headers });
}
