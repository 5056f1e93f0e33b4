// What a failure belongs to: the request, one model of a channel, or the channel with its key and account.
import { refusedLimit, type RefusedLimit } from '#server/models/limits/refused-limit.ts';
import type { UpstreamFailure } from './upstream-failure.ts';

const codeOf = ({ rawStatus, status }: UpstreamFailure): number => (rawStatus === 200 ? status : rawStatus);

/** The upstream's rate limit; an empty account is none. */
export const isLimit = (failure: UpstreamFailure): boolean =>
  failure.kind === 'http' && failure.isAccountFault !== true && codeOf(failure) === 429;

/** The limit that the upstream enforced; undefined when the failure is another. */
export function limitOf(failure: UpstreamFailure, upstreamModel: string): RefusedLimit | undefined {
  if (failure.kind !== 'http') return undefined;
  const { error, retryAfterSeconds } = failure;
  return refusedLimit({ status: codeOf(failure), error, model: upstreamModel, retryAfterSeconds });
}

/** Limits and outages are those of the model that was called, unless the upstream says that they are the account's. */
export function isModelFault(failure: UpstreamFailure, limit: RefusedLimit | undefined): boolean {
  if (failure.kind !== 'http' || failure.isAccountFault === true) return false;
  return limit === undefined ? codeOf(failure) >= 500 : limit.scope !== 'key';
}
