// What a failure belongs to: one model of a channel, or the channel with its key and account.
import type { UpstreamFailure } from './upstream-failure.ts';

const codeOf = ({ rawStatus, status }: UpstreamFailure): number => (rawStatus === 200 ? status : rawStatus);

/** The upstream's rate limit; an empty account is none. */
export const isLimit = (failure: UpstreamFailure): boolean =>
  failure.kind === 'http' && failure.isAccountFault !== true && codeOf(failure) === 429;

/** A limit of the whole key or account, in the words of upstreams. */
const ACCOUNT_LIMIT =
  /\b(?:this|your|the|per) (?:api[ -]?key|account|key)\b|\ball models\b|\baccount[- ](?:level|wide)\b|账户|账号|密钥/i;

/** Limits and outages are those of the model that was called, unless the upstream says that they are the account's. */
export function isModelFault(failure: UpstreamFailure, upstreamModel: string): boolean {
  if (failure.kind !== 'http' || failure.isAccountFault === true) return false;
  const code = codeOf(failure);
  if (code !== 429 && code < 500) return false;
  const { message } = failure.error;
  if (typeof message !== 'string' || message.includes(upstreamModel)) return true;
  return !ACCOUNT_LIMIT.test(message);
}
