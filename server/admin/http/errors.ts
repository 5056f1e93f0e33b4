// Translates every failure to a response. A refusal has its own message; anything else is a 500 with the request id, and its
// cause is only logged.
import { AppError, errorMessage } from '#contract/errors.ts';
import type { Envelope } from '#contract/endpoint.ts';
import { isUnavailable } from '#server/platform/store/errors.ts';
import { PasswordsBusyError } from '#server/platform/store/passwords.ts';
import type { RequestContext } from './context.ts';

export interface Answer {
  status: number;
  body: Envelope;
  headers: Record<string, string>;
}

export type Scene = Pick<RequestContext, 'language' | 'requestId' | 'log'>;

const DEFAULT_RETRY_SECONDS = 1;

export function answerOf(error: unknown, scene: Scene): Answer {
  const refusal = error instanceof AppError ? error : new AppError(codeOf(error));
  if (refusal.status >= 500) scene.log.error('request failed', { error_code: refusal.code, error });
  const headers: Record<string, string> = {};
  if (refusal.status === 429 || refusal.status === 503)
    headers['Retry-After'] = String(Number(refusal.parameters['seconds'] ?? DEFAULT_RETRY_SECONDS));
  return {
    status: refusal.status,
    headers,
    body: {
      success: false,
      message: errorMessage(refusal.code, scene.language, refusal.parameters),
      code: refusal.code,
      data: null,
      request_id: scene.requestId,
      ...refusal.extra,
    },
  };
}

function codeOf(error: unknown): 'database_unavailable' | 'server_busy' | 'internal' {
  if (isUnavailable(error)) return 'database_unavailable';
  if (error instanceof PasswordsBusyError) return 'server_busy';
  return 'internal';
}
