// Envelopes as responses: JSON, not cached, not framed.
import type { Envelope } from '#contract/endpoint.ts';
import { answerOf, type Scene } from './errors.ts';

const API_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

export function respond(body: Envelope, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...API_HEADERS, ...headers } });
}

export function respondError(error: unknown, scene: Scene): Response {
  const { status, body, headers } = answerOf(error, scene);
  return respond(body, status, headers);
}
