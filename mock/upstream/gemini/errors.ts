// Errors worded and shaped as Gemini's API sends them.
import type { Answer, Exchange, StreamEvent } from '#mock/upstream/dialect.ts';

type Refusal = Answer & { kind: 'refusal' };

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Gemini's rate limits name the time to wait in the body. */
const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' };

function errorJson(code: number, message: string, status?: string): string {
  const details = code === 429 ? { details: [RETRY_INFO] } : {};
  const name = status ?? STATUS_NAMES[code] ?? 'UNKNOWN';
  return JSON.stringify({ error: { code, message, status: name, ...details } });
}

export function badRequest(message: string): Refusal {
  return { kind: 'refusal', status: 400, body: errorJson(400, message) };
}

export function refusal({ behaviour, model }: Exchange, status: number): Refusal {
  if (behaviour.errorBody !== undefined) {
    return { kind: 'refusal', status, body: JSON.stringify(behaviour.errorBody) };
  }
  const body = errorJson(status, behaviour.errorMessage ?? errorText(status, model), behaviour.errorCode);
  return { kind: 'refusal', status, body };
}

function errorText(status: number, model: string): string {
  switch (status) {
    case 401:
      return 'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.';
    case 403:
      return 'Your API key was reported as leaked. Please use another API key.';
    case 404:
      return `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
    case 429:
      return 'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.';
    case 503:
      return 'The model is overloaded. Please try again later.';
    default:
      return status >= 500
        ? 'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting'
        : 'Invalid JSON payload received.';
  }
}

export function checkKey({ key }: Exchange): Refusal | undefined {
  if (key === '')
    return {
      kind: 'refusal',
      status: 403,
      body: errorJson(
        403,
        'Method doesn’t allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.',
      ),
    };
  // Gemini reports a wrong key as an invalid argument.
  return key.startsWith('sk-invalid')
    ? badRequest('API key not valid. Please pass a valid API key.')
    : undefined;
}

export function midStreamError(): StreamEvent {
  return { data: errorJson(503, 'The model is overloaded. Please try again later.') };
}
