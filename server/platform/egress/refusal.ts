// Why an outgoing request was refused, and the rule for the addresses of a name.
import { isIP } from 'node:net';
import type { FactCode } from '#contract/facts.ts';
import { entryFor } from '#contract/operating/private-addresses.ts';
import { publicOnly, type AddressRule } from './addresses.ts';
import type { Origin } from './target.ts';

/** Each has its words in contract/fact-words.ts. */
export type EgressReason = FactCode extends infer Code
  ? Code extends `egress_${infer Reason}`
    ? Reason
    : never
  : never;

export class EgressError extends Error {
  override name = 'EgressError';
  readonly reason: EgressReason;
  /** The host, origin or header that was refused. */
  readonly detail: string;
  /** The entries of AllowedPrivateAddresses that would allow it; none where it can never be allowed. */
  readonly allowable: readonly string[];
  constructor(reason: EgressReason, detail: string, allowable: readonly string[] = []) {
    super(`${reason}: ${detail}`);
    this.reason = reason;
    this.detail = detail;
    this.allowable = allowable;
  }
}

/** One forbidden address forbids the name. */
export function requireAllowed(
  rule: AddressRule,
  addresses: readonly string[],
  { hostname, port }: Pick<Origin, 'hostname' | 'port'>,
): void {
  const refused = addresses.filter((address) => !rule.allows(address, port));
  if (refused.length === 0) return;
  const entries = rule === publicOnly ? [] : refused.map((address) => entryFor(address, port));
  const allowable = entries.filter((entry) => entry !== undefined);
  if (allowable.length === 0 || allowable.length < entries.length)
    throw new EgressError('forbidden_address', hostname);
  const listed = allowable.join(', ');
  throw new EgressError(
    'private_address',
    isIP(hostname) === 0 ? `${hostname} (${listed})` : listed,
    allowable,
  );
}
