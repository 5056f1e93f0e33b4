// What a handler knows of the call it answers. Types and one helper only: the values are made by server/http, and
// features may not import from there.
import { AppError } from './errors.ts';
import type { Language } from './language.ts';

/** One JSON line per call. Secrets are taken out by field name and by known value before it is written. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** The same log with fields that stand on each of its lines. */
  child(fields: Record<string, unknown>): Log;
}

export interface Caller {
  readonly id: number;
  readonly username: string;
  readonly role: number;
  readonly group: string;
}

/**
 * What one browser carries from one step of a flow to the next (an outside login, a second factor, a passkey): kept on the
 * server under the browser's session; a visitor gets an empty session for it. Each value has a name and a time to live.
 */
export interface Flow {
  /** The value is still there afterwards. Null when there is none or its time is over. */
  read(name: string): Promise<unknown>;
  /** Replaces what was kept under that name. */
  keep(name: string, value: unknown, seconds: number): Promise<void>;
  /** Takes the value out: of two calls at the same time one gets it. */
  take(name: string): Promise<unknown>;
}

export interface RequestContext {
  readonly user: Caller | null;
  /** How the caller proved who they are; null for visitors. */
  readonly via: 'session' | 'access_token' | null;
  /** Digest of the session id, never the id itself. */
  readonly sessionDigest: string | null;
  /** When this session signed in or confirmed itself last, in unix seconds; 0 without a session. */
  readonly verifiedAt: number;
  readonly flow: Flow;
  /** The caller's address as far as the trusted proxies vouch for it. */
  readonly address: string;
  readonly userAgent: string;
  readonly language: Language;
  readonly requestId: string;
  readonly log: Log;
  /** Adds a row to the audit trail; `before` and `after` must not hold secrets. */
  audit(action: string, target: string, before?: unknown, after?: unknown): Promise<void>;
  /** Signs the browser in under a new session id; a session it had before ends. */
  startSession(userId: number): Promise<void>;
  /** The caller has just proven again who they are: counts for calls that ask for a step-up. */
  confirmSession(): Promise<void>;
  /** Ends the browser's session, if it has one. */
  endSession(): Promise<void>;
}

/** The signed-in user of an endpoint whose access is `user` or above. */
export function callerOf(context: RequestContext): Caller {
  if (!context.user) throw new AppError('not_signed_in');
  return context.user;
}
