// Errors worded and shaped as Anthropic sends them.
import type { Answer, Exchange, StreamEvent } from '#mock/upstream/dialect.ts';

type Refusal = Answer & { kind: 'refusal' };

function errorJson(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message }, request_id: null });
}

export function refuse(
  status: number,
  type: string,
  message: string,
  headers?: Record<string, string>,
): Refusal {
  return { kind: 'refusal', status, body: errorJson(type, message), headers };
}

export function badRequest(message: string): Refusal {
  return refuse(400, 'invalid_request_error', message);
}

export function refusal({ behaviour, model }: Exchange, status: number): Refusal {
  if (behaviour.errorBody !== undefined) {
    return { kind: 'refusal', status, body: JSON.stringify(behaviour.errorBody) };
  }
  const [type, message] = errorText(status, model);
  const headers = status === 429 ? { 'retry-after': '1' } : undefined;
  return refuse(status, behaviour.errorCode ?? type, behaviour.errorMessage ?? message, headers);
}

function errorText(status: number, model: string): [type: string, message: string] {
  switch (status) {
    case 401:
      return ['authentication_error', 'invalid x-api-key'];
    case 402:
      return ['billing_error', 'Your credit balance is too low to access the Anthropic API.'];
    case 403:
      return [
        'permission_error',
        'Your API key does not have permission to use the specified resource (org mock).',
      ];
    case 404:
      return ['not_found_error', `model: ${model}`];
    case 413:
      return ['request_too_large', 'Request exceeds the maximum size'];
    case 429:
      return [
        'rate_limit_error',
        'This request would exceed your organization’s rate limit of 50 requests per minute (org: mock). For details, refer to: https://docs.anthropic.com/en/api/rate-limits.',
      ];
    case 529:
      return ['overloaded_error', 'Overloaded'];
    default:
      return status >= 500
        ? ['api_error', 'Internal server error']
        : ['invalid_request_error', 'The request body is not valid JSON'];
  }
}

export function checkKey({ key }: Exchange): Refusal | undefined {
  if (key === '') return refuse(401, 'authentication_error', 'x-api-key header is required');
  return key.startsWith('sk-invalid') ? refuse(401, 'authentication_error', 'invalid x-api-key') : undefined;
}

export function midStreamError(): StreamEvent {
  return { event: 'error', data: errorJson('overloaded_error', 'Overloaded') };
}
