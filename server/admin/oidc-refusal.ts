// A login that a provider refused, or whose answer cannot be trusted, and whether its registration here is at fault.
import * as oauth from 'oauth4webapi';
import type { Log } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';

/** `one`: of this sign-in only, as a code that is over; a stranger can bring it about. */
type RefusalReason = 'secret' | 'clock' | 'answer' | 'one';

export class ProviderRefusal extends AppError {
  readonly reason: RefusalReason;
  /** Code of the library; blank: none. */
  readonly technical: string;

  constructor(provider: string, reason: RefusalReason, technical: string) {
    super('outside_refused', { provider });
    this.reason = reason;
    this.technical = technical;
  }
}

/** The time in an id token is not the present one. */
export class ClockError extends Error {}

/** Of answers that only the provider can make: their address, signature and state were checked before. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  oauth.JWT_CLAIM_COMPARISON,
  oauth.JSON_ATTRIBUTE_COMPARISON,
  oauth.KEY_SELECTION,
]);
const BAD_CLIENT: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

function reasonOf(error: unknown, code: string): RefusalReason {
  if (error instanceof oauth.ResponseBodyError) return BAD_CLIENT.has(error.error) ? 'secret' : 'one';
  // Asked for the client's password; the userinfo endpoint asks for a token.
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return error.cause.some(({ scheme }) => scheme === 'basic') ? 'secret' : 'one';
  if (error instanceof ClockError || code === oauth.JWT_TIMESTAMP_CHECK) return 'clock';
  return UNTRUSTED.has(code) ? 'answer' : 'one';
}

/** The library's errors carry tokens and answers in `cause`: only their code is logged. */
export async function refuseOnError<Result>(
  name: string,
  log: Pick<Log, 'info'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as { code?: unknown };
    const technical = typeof code === 'string' ? code : '';
    const reason = reasonOf(error, technical);
    log.info('login provider refused', { provider: name, reason: technical });
    throw new ProviderRefusal(name, reason, technical);
  }
}
