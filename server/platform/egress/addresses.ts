// Which addresses an outbound call may reach: public unicast addresses only. An operator can open private ones for channels,
// but never link-local ones and other places of cloud metadata, multicast or unspecified ones.
import { parseAddress } from '#contract/ip-address.ts';
import { compilePrivateEntries, isPublicAddress } from '#contract/operating/private-addresses.ts';

export interface AddressRule {
  allows(address: string, port: number): boolean;
}

/** For services whose address comes from the environment of the process, not from a form. */
export const NETWORKS_OF_OPERATOR = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
] as const;

export const publicOnly: AddressRule = {
  allows(text) {
    const address = parseAddress(text);
    return address !== null && isPublicAddress(address);
  },
};

/** Public addresses, and the private ones the operator listed; see contract/operating/private-addresses.ts. */
export function publicAnd(allowedPrivate: readonly string[]): AddressRule {
  const opened = compilePrivateEntries(allowedPrivate);
  return {
    allows(text, port) {
      const address = parseAddress(text);
      return address !== null && (isPublicAddress(address) || opened.open(address, port));
    },
  };
}
