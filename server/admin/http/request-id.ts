// Request ids: sortable by time, unguessable, short enough to read out.
import { randomBytes } from 'node:crypto';

export const REQUEST_ID_HEADERS = ['X-Request-Id', 'X-Tollgate-Request-Id'] as const;

/** `20261115023015` + 8 random characters. */
export function newRequestId(now = new Date()): string {
  const stamp = now.toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return stamp + randomBytes(6).toString('base64url');
}
