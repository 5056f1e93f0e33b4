// Headers of every relay answer: request ids, open CORS without credentials, no cookies. Of the upstream's headers only
// the content type passes, and only types that a browser does not execute, because the console has the same origin.
import type { Settlement } from '#server/money/ledger/ledger.ts';

const exposed =
  'X-Request-Id, Request-Id, X-Tollgate-Request-Id, X-Tollgate-Cost, X-Tollgate-Balance, X-Tollgate-Conversion, X-Tollgate-Output-Limit, Retry-After';

export function answerHeaders(
  request: Pick<Request, 'headers'>,
  requestId: string,
  contentType: string,
): Headers {
  const headers = new Headers(sharedHeaders(contentType));
  headers.set('X-Request-Id', requestId);
  headers.set('X-Tollgate-Request-Id', requestId);
  // Anthropic's clients read this one.
  headers.set('Request-Id', requestId);
  // Only browsers send an origin, and only browsers read these headers.
  if (request.headers.get('origin') !== null) {
    headers.set('Access-Control-Allow-Origin', '*');
    headers.set('Access-Control-Expose-Headers', exposed);
  }
  return headers;
}

const shared = new Map<string, Headers>();
const mostShared = 100;

/** Copying headers costs half of what making them from an object does. */
function sharedHeaders(contentType: string): Headers {
  let headers = shared.get(contentType);
  if (headers === undefined) {
    headers = new Headers({
      'Content-Type': contentType,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "sandbox; default-src 'none'",
    });
    if (shared.size >= mostShared) shared.clear();
    shared.set(contentType, headers);
  }
  return headers;
}

export function streamHeaders(request: Request, requestId: string, contentType: string): Headers {
  const headers = answerHeaders(request, requestId, contentType);
  headers.set('Cache-Control', 'no-cache');
  headers.set('X-Accel-Buffering', 'no');
  return headers;
}

const passing =
  /^(?:application\/(?:json|octet-stream|x-ndjson|[\w.-]+\+json)|text\/(?:plain|event-stream)|(?:audio|video|image)\/(?!svg)[\w.+-]+)\s*(?:;|$)/i;

/** The upstream's content type, or application/octet-stream where a browser might execute it. */
export const passedType = (contentType: string): string =>
  passing.test(contentType) ? contentType : 'application/octet-stream';

/** Cost and balance in quota units, for callers who asked. */
export function reportHeaders(headers: Headers, settlement: Settlement): void {
  headers.set('X-Tollgate-Cost', String(settlement.charged));
  headers.set('X-Tollgate-Balance', String(settlement.balance));
}

/** The answer was asked for with a lower limit than the caller's, or with one at all. */
export function limitHeader(headers: Headers, { outputLimit }: { outputLimit?: number }): void {
  if (outputLimit !== undefined) headers.set('X-Tollgate-Output-Limit', String(outputLimit));
}

/** Conversion losses for callers who asked for them: JSON in plain ASCII. */
export function receiptHeader(headers: Headers, { conversion }: { conversion?: string }): void {
  if (conversion === undefined || conversion === '') return;
  const ascii = conversion.replaceAll(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  headers.set('X-Tollgate-Conversion', ascii.length <= 4000 ? ascii : '{"notes":"too many; see the log"}');
}

export const reportComment = (settlement: Settlement): string =>
  `: tollgate cost=${settlement.charged} balance=${settlement.balance}\n\n`;

export function preflight(request: Request): Response {
  const asked = request.headers.get('access-control-request-headers');
  const isTidy = asked !== null && /^[\w\s,-]{1,500}$/.test(asked);
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': isTidy ? asked : allowedHeaders,
      'Access-Control-Max-Age': '86400',
      Vary: 'Access-Control-Request-Headers',
    },
  });
}

const allowedHeaders =
  'Authorization, Content-Type, x-api-key, anthropic-version, anthropic-beta, x-goog-api-key, X-Title, HTTP-Referer, OpenAI-Beta';
