// Errors worded and shaped as OpenAI sends them, with the headers that go with them.
import type { Answer, Exchange } from '#mock/upstream/dialect.ts';

type Refusal = Answer & { kind: 'refusal' };

interface ErrorText {
  message: string;
  type: string;
  code: string | null;
  param?: string | null;
  headers?: Record<string, string>;
}

export function errorJson({ message, type, code, param = null }: ErrorText): string {
  return JSON.stringify({ error: { message, type, param, code } });
}

export function refuse(status: number, text: ErrorText): Refusal {
  return { kind: 'refusal', status, body: errorJson(text), headers: text.headers };
}

export function badRequest(
  message: string,
  param: string | null = null,
  code: string | null = null,
): Refusal {
  return refuse(400, { message, type: 'invalid_request_error', code, param });
}

export function refusal({ behaviour, model, key }: Exchange, status: number): Refusal {
  if (behaviour.errorBody !== undefined) {
    return { kind: 'refusal', status, body: JSON.stringify(behaviour.errorBody) };
  }
  const text = errorText(status, behaviour.errorCode, model, key);
  if (behaviour.errorMessage !== undefined) text.message = behaviour.errorMessage;
  return refuse(status, text);
}

function errorText(status: number, code: string | undefined, model: string, key: string): ErrorText {
  if (code === 'insufficient_quota') {
    return {
      message:
        'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
      type: 'insufficient_quota',
      code,
    };
  }
  switch (status) {
    case 401:
      return {
        message: `Incorrect API key provided: ${maskKey(key)}. You can find your API key at https://platform.openai.com/account/api-keys.`,
        type: 'invalid_request_error',
        code: code ?? 'invalid_api_key',
      };
    case 403:
      return {
        message: 'Country, region, or territory not supported',
        type: 'request_forbidden',
        code: code ?? 'unsupported_country_region_territory',
      };
    case 404:
      return {
        message: `The model \`${model}\` does not exist or you do not have access to it.`,
        type: 'invalid_request_error',
        code: code ?? 'model_not_found',
      };
    case 429:
      return {
        message: `Rate limit reached for ${model} in organization org-mock on requests per min (RPM): Limit 500, Used 500, Requested 1. Please try again in 120ms. Visit https://platform.openai.com/account/rate-limits to learn more.`,
        type: 'requests',
        code: code ?? 'rate_limit_exceeded',
        headers: { 'retry-after': '1', 'retry-after-ms': '120', 'x-ratelimit-remaining-requests': '0' },
      };
    case 503:
      return {
        message: 'The engine is currently overloaded, please try again later',
        type: 'server_error',
        code: code ?? null,
      };
    default:
      return status >= 500
        ? {
            message: 'The server had an error while processing your request. Sorry about that!',
            type: 'server_error',
            code: code ?? null,
          }
        : {
            message:
              'We could not parse the JSON body of your request. (HINT: This likely means you aren’t using your HTTP library correctly.)',
            type: 'invalid_request_error',
            code: code ?? null,
          };
  }
}

export function checkKey({ key }: Exchange): Refusal | undefined {
  if (key === '') {
    return refuse(401, {
      message:
        "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      type: 'invalid_request_error',
      code: null,
    });
  }
  return key.startsWith('sk-invalid') ? refuse(401, errorText(401, undefined, '', key)) : undefined;
}

export function unknownRoute(method: string, path: string): Response {
  const text: ErrorText = {
    message: `Invalid URL (${method} ${path})`,
    type: 'invalid_request_error',
    code: null,
  };
  return new Response(errorJson(text), { status: 404, headers: { 'Content-Type': 'application/json' } });
}

/** OpenAI shows the first characters and the last four. */
function maskKey(key: string): string {
  return key.length < 12 ? '****' : `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`;
}
