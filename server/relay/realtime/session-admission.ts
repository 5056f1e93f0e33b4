// On what terms a caller was let into a realtime session.
import type { Settings } from '#contract/settings.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';

export type CallerCheck = (settings: Settings) => Caller | Promise<Caller>;

export interface SessionAdmission {
  /** By the clock of `performance.now`; inside the life of the call's hold. */
  readonly expiresAt: number;
  /** Throws when the caller may not go on. */
  readonly check: CallerCheck;
  /** Sent in the caller's name before its own messages. */
  readonly opening: string | undefined;
}
