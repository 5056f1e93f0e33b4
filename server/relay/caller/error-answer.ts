// Error answers for the caller: in the format of the API that was called and in the caller's language.
import { languageOf, type Language } from '#contract/language.ts';
import type { Log } from '#contract/context.ts';
import { LedgerUnavailableError } from '#server/money/ledger/ledger.ts';
import { dialectOfFormat, errorBody, errorDialect, statusIn } from '#server/relay/errors/error-dialects.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { member } from '#server/models/formats/json.ts';
import { answerHeaders } from './response.ts';
import type { Incoming } from './incoming.ts';

export function publicError({ log }: { log: Log }, error: unknown, requestId: string): RelayError {
  if (error instanceof RelayError) return error;
  if (error instanceof LedgerUnavailableError)
    return new RelayError('unavailable', {}, { retryAfterSeconds: 1 });
  log.error('a relayed call failed', { request_id: requestId, error });
  return new RelayError('internal');
}

export function errorAnswer(error: RelayError, request: Request, requestId: string): Response {
  const headers = answerHeaders(request, requestId, 'application/json');
  const { retryAfterSeconds } = error.options;
  if (retryAfterSeconds !== undefined && retryAfterSeconds > 0) {
    headers.set('Retry-After', String(Math.ceil(retryAfterSeconds)));
  }
  // Clients repeat a 5xx. What is not there will not be there a moment later, and a task must not be made twice.
  if (error.status === 501 || error.code === 'submission_unconfirmed') headers.set('x-should-retry', 'false');
  const dialect = errorDialect(error, request);
  const body = JSON.stringify(errorBody(error, dialect, callerLanguage(request), requestId));
  return new Response(body, { status: statusIn(error), headers });
}

/** English when the request names no language. */
export function callerLanguage(request: Request): Language {
  return languageOf(request.headers.get('accept-language'), 'en');
}

/** An error event for a stream of this format; used after the response head was sent. */
export function errorEvent(
  error: RelayError,
  { request, requestId }: Pick<Incoming, 'request' | 'requestId'>,
  format: string,
  broken: { head: Readonly<Record<string, unknown>>; last: string },
): string {
  const dialect = dialectOfFormat(format);
  const body = errorBody(error, dialect, callerLanguage(request), requestId);
  switch (format) {
    case 'openai-chat':
    case 'openai-completions':
    case 'gemini-generate':
      return `data: ${JSON.stringify(body)}\n\n`;
    case 'anthropic-messages':
      return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
    case 'openai-responses':
      return responseFailed(member(body['error']), broken);
    default:
      return `event: error\ndata: ${JSON.stringify({ ...member(body['error']), type: 'error' })}\n\n`;
  }
}

/** Clients of Responses wait for a closing event: with another one they report that the stream was cut. */
function responseFailed(
  { code, message }: Readonly<Record<string, unknown>>,
  { head, last }: { head: Readonly<Record<string, unknown>>; last: string },
): string {
  const number = Number(/.*"sequence_number":\s*(\d+)/s.exec(last)?.[1] ?? -1) + 1;
  const response = { ...member(head['response']), status: 'failed', error: { code, message } };
  const event = { type: 'response.failed', sequence_number: number, response };
  return `event: response.failed\ndata: ${JSON.stringify(event)}\n\n`;
}
