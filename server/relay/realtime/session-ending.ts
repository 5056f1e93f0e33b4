// How a realtime session ended: for the caller, and for its log row.
import type { RelayError } from '#server/relay/errors/relay-error.ts';

export interface Ending {
  /** Who or what ended the session. */
  cause: 'caller' | 'upstream' | 'quota' | 'revoked' | 'expired' | 'unavailable';
  code: number;
  reason: string;
  /** Sent to the caller before the close. */
  error?: RelayError;
}

/** In the log row; empty for an end between two responses. */
export function endingText(cause: Ending['cause'], isRunning: boolean): string {
  if (cause === 'caller') return isRunning ? 'client_left' : '';
  if (cause === 'upstream') return isRunning ? 'broken' : '';
  return cause;
}

/** Codes that a server may not send become a normal end. */
export function closeCode(code: number): number {
  return code >= 1000 && code < 5000 && code !== 1004 && code !== 1005 && code !== 1006 && code !== 1015
    ? code
    : 1000;
}
