// A request as it arrived, with what is known of it before anything is read.
import type { PlainRequest } from '#server/edge/index.ts';

export interface Incoming {
  readonly requestId: string;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  readonly request: PlainRequest;
  /** The caller's address, as far as trusted proxies vouch for it. */
  readonly address: string;
}
