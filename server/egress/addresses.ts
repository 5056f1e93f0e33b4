// Which addresses an outbound call may reach: public unicast addresses only. An operator can open private ranges for
// channels, but never link-local ones (cloud metadata is there), multicast or unspecified ones.
import ipaddr from 'ipaddr.js';
import { compileAddressList, parseAddress, type IpAddress } from '#contract/ip-address.ts';

export interface AddressRule {
  allows(address: string): boolean;
}

/** For services whose address comes from the environment of the process, not from a form. */
export const networksOfOperator = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
] as const;

/** Everything IANA has allotted for public use; the rest of the space is reserved or special. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

const neverOpened: ReadonlySet<string> = new Set(['unspecified', 'broadcast', 'linkLocal', 'multicast']);
const neverOpenedBlock = compileAddressList('240.0.0.0/4');

function isPublic(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}

export const publicOnly: AddressRule = {
  allows(text) {
    const address = parseAddress(text);
    return address !== null && isPublic(address);
  },
};

/** Public addresses, and the private ones the operator listed (addresses or CIDR ranges). */
export function publicAnd(allowedPrivate: readonly string[]): AddressRule {
  const opened = compileAddressList(allowedPrivate.join('\n'));
  const isOpened = (address: IpAddress): boolean => {
    const text = address.toString();
    return opened.matches(text) && !neverOpened.has(address.range()) && !neverOpenedBlock.matches(text);
  };
  return {
    allows(text) {
      const address = parseAddress(text);
      if (address === null) return false;
      if (isPublic(address)) return true;
      if (!isOpened(address)) return false;
      // `64:ff9b::a9fe:a9fe` reaches 169.254.169.254: opening the range of a translator opens nothing behind it.
      const inner = address instanceof ipaddr.IPv6 ? innerIpv4(address) : undefined;
      return inner === undefined || isPublic(inner) || isOpened(inner);
    },
  };
}

/** The v4 address that a compatible, translated, NAT64, 6to4 or Teredo address leads to. */
function innerIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  const at = (start: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(start, start + 4));
  if (bytes.slice(0, 12).every((byte) => byte === 0) && address.range() === 'unicast') return at(12);
  switch (address.range()) {
    case 'rfc6145':
    case 'rfc6052':
      return at(12);
    case '6to4':
      return at(2);
    case 'teredo':
      // Teredo keeps the bits of the client's address inverted.
      return new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff));
    default:
      return undefined;
  }
}
