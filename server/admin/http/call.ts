// One request on its way through the web application.
import type { Language } from '#contract/language.ts';
import type { Origin } from './client-address.ts';
import type { Log } from './context.ts';

export interface Call {
  readonly requestId: string;
  readonly language: Language;
  readonly origin: Origin;
  readonly log: Log;
  /** `Set-Cookie` values of the response. */
  readonly cookies: string[];
  userId?: number | undefined;
}

export interface HonoEnvironment {
  Bindings: { connection: string | null };
  Variables: { call: Call };
}
