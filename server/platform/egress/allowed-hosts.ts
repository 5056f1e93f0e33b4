// The hosts of EGRESS_ALLOW. A host that is written as a name must be listed as a name (`api.openai.com`, or `*.openai.com`
// for every name below it); one that is written as an address must be in a listed address or CIDR block. A name that is not
// listed is not even resolved, because the question itself can carry data away. The list only narrows: a private address
// needs ALLOWED_PRIVATE_ADDRESSES as well.
import { isIP } from 'node:net';
import { compileAddressList, parseRange } from '#contract/ip-address.ts';

export interface HostRule {
  allows(hostname: string): boolean;
}

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const NAME_PATTERN = new RegExp(`^(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*$`);
const LONGEST_NAME = 253;

const isRange = (entry: string): boolean => !('kind' in parseRange(entry));
const spelled = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Whether an entry can stand in the list. A number such as `10.1` or `2130706433` is no name: clients read it as an address. */
export function isHostEntry(entry: string): boolean {
  if (isRange(entry)) return true;
  const name = spelled(entry);
  return name.length <= LONGEST_NAME && NAME_PATTERN.test(name) && !/(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(name);
}

/** No entries: every host. */
export function hostRule(entries: readonly string[]): HostRule {
  if (entries.length === 0) return { allows: () => true };
  const addresses = compileAddressList(entries.filter(isRange).join('\n'));
  const names = entries.filter((entry) => !isRange(entry)).map(spelled);
  const exact = new Set(names.filter((name) => !name.startsWith('*.')));
  const endings = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  return {
    allows(hostname) {
      if (isIP(hostname) !== 0) return addresses.matches(hostname);
      const name = spelled(hostname);
      return exact.has(name) || endings.some((ending) => name.endsWith(ending) && name !== ending.slice(1));
    },
  };
}
