// Answers of the music paths, as a Suno proxy writes them: {code, message, data}.
import { answerHeaders } from '#server/relay/caller/response.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { errorMessage, type RelayError } from '#server/relay/errors/relay-error.ts';
import { callerLanguage } from '#server/relay/caller/error-answer.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';

export async function callerOf({ core }: TaskParts, incoming: Incoming): Promise<Caller> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  incoming.caller = caller;
  return caller;
}

export function success({ request, requestId }: Incoming, data: unknown): Response {
  const headers = answerHeaders(request, requestId, 'application/json');
  return new Response(JSON.stringify({ code: 'success', message: '', data }), { headers });
}

export function refusal({ request, requestId }: Incoming, error: RelayError): Response {
  const headers = answerHeaders(request, requestId, 'application/json');
  const { retryAfterSeconds = 0 } = error.options;
  if (retryAfterSeconds > 0) headers.set('Retry-After', String(Math.ceil(retryAfterSeconds)));
  const message = errorMessage(error, callerLanguage(request), requestId);
  const body = JSON.stringify({ code: error.code, message, data: null });
  return new Response(body, { status: error.status, headers });
}
