// A request as it arrived, with what is known of it before anything is read.
import type { Caller } from './authenticate.ts';
import type { CallerConnection, CallerSeconds } from '#server/relay/request/connection.ts';

export interface Incoming {
  readonly requestId: string;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  readonly request: Request;
  readonly connection: CallerConnection;
  readonly seconds: CallerSeconds;
  /** The caller's address, as far as trusted proxies vouch for it. */
  readonly address: string;
  /** Set when the caller is authenticated and the model is read: a refused call is counted with them. */
  caller?: Caller;
  model?: string;
}
