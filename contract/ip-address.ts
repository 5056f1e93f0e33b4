// IP addresses and CIDR ranges for tokens, forms, the environment and outgoing calls. `ipaddr.js` does the arithmetic;
// this file adds one strict spelling. A v4-mapped v6 address (`::ffff:203.0.113.7`, in any spelling) is the v4 address:
// it matches v4 ranges and no v6 range.
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
/** Network address and length of the prefix in bits. */
export type IpRange = readonly [network: IpAddress, prefix: number];

/** `address`: not an IP address. `prefix`: the part after the slash is not 0 to `max`. */
export type RangeProblem = { kind: 'address' } | { kind: 'prefix'; max: 32 | 128 };

/** Longer texts are refused before a regular expression reads them. */
const MAX_LENGTH = 64;
/** A leading zero is octal to some programs and decimal to others, so it is refused, as are hex and short forms. */
const V4 = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const MAPPED_PREFIX = 96;

function parseV6(text: string): ipaddr.IPv6 | null {
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const isDotted = tail.includes('.');
  if (isDotted && !V4.test(tail)) return null;
  // The library reads `::1.2.3.4` as the mapped address; RFC 4291 and operating systems read `::102:304`.
  const written = isDotted && text === `::${tail}` ? `::0:${tail}` : text;
  return ipaddr.IPv6.isValid(written) ? ipaddr.IPv6.parse(written) : null;
}

/** One address without a prefix. A zone (`fe80::1%eth0`) is dropped: it names an interface of this machine. */
export function parseAddress(text: string): IpAddress | null {
  if (text.length > MAX_LENGTH) return null;
  if (!text.includes(':')) return V4.test(text) && ipaddr.IPv4.isValid(text) ? ipaddr.IPv4.parse(text) : null;
  const address = parseV6(text.split('%', 1)[0] ?? '');
  return address?.isIPv4MappedAddress() === true ? address.toIPv4Address() : address;
}

/** An address or a CIDR range. Bits after the prefix may be set; they are ignored. */
export function parseRange(text: string): IpRange | RangeProblem {
  const [written = '', prefix, ...rest] = text.split('/');
  const address = written.includes('%') ? null : parseAddress(written);
  if (!address) return { kind: 'address' };
  if (prefix === undefined) return [address, address.kind() === 'ipv4' ? 32 : 128];
  const max = written.includes(':') ? 128 : 32;
  if (rest.length > 0 || !PREFIX.test(prefix) || Number(prefix) > max) return { kind: 'prefix', max };
  const bits = Number(prefix);
  if (max === 32 || address.kind() === 'ipv6') return [address, bits];
  // `::ffff:0:0/90` is larger than the mapped range, so it is a v6 range.
  return bits >= MAPPED_PREFIX ? [address, bits - MAPPED_PREFIX] : [ipaddr.IPv6.parse(written), bits];
}

export function inRange(address: IpAddress, ranges: readonly IpRange[]): boolean {
  return ranges.some(
    ([network, prefix]) => address.kind() === network.kind() && address.match(network, prefix),
  );
}

/** The one spelling of an address: v4 for mapped ones, RFC 5952 for v6. */
export function canonicalAddress(text: string): string | null {
  return parseAddress(text)?.toString() ?? null;
}

const linesOf = (text: string) => text.split(/\r?\n/).map((line) => line.trim());

export interface AddressLine {
  /** 1-based, as an editor counts. */
  readonly line: number;
  readonly text: string;
  /** `null` on a valid or blank line. */
  readonly problem: RangeProblem | null;
}

/** Every line of a list with its problem. */
export function checkAddressLines(text: string): AddressLine[] {
  return linesOf(text).map((line, index) => {
    const parsed = line === '' ? null : parseRange(line);
    return { line: index + 1, text: line, problem: parsed && 'kind' in parsed ? parsed : null };
  });
}

/** The stored form: trimmed lines without blanks and repetitions. */
export function tidyAddressLines(text: string): string {
  return [...new Set(linesOf(text))].filter(Boolean).join('\n');
}

export interface AddressList {
  /** No line was written. An empty allow list allows every address, an empty deny list denies none. */
  readonly empty: boolean;
  matches(address: string): boolean;
}

/**
 * Compile once, match per call. An invalid line matches no address, so an allow list of invalid lines allows no
 * address instead of all.
 */
export function compileAddressList(text: string): AddressList {
  const lines = linesOf(text).filter(Boolean);
  const ranges = lines.map(parseRange).filter((range): range is IpRange => !('kind' in range));
  return {
    empty: lines.length === 0,
    matches(text) {
      const address = parseAddress(text);
      return address !== null && inRange(address, ranges);
    },
  };
}
