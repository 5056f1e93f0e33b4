// Private addresses that channels and the operator's services may reach: in ALLOWED_PRIVATE_ADDRESSES of the environment and in
// the setting AllowedPrivateAddresses. An entry is an address, a CIDR block, or one address with a port.
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { factIn, type FactCode } from '#contract/facts.ts';
import {
  compileAddressList,
  inRange,
  parseAddress,
  parseRange,
  type IpAddress,
  type IpRange,
} from '#contract/ip-address.ts';
import type { CustomProblem } from '#contract/problem-words.ts';

interface Entry {
  readonly range: IpRange;
  /** Undefined: every port. */
  readonly port: number | undefined;
}

/** Everything IANA has allotted for public use; the rest of the space is reserved or special. */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

const NEVER_OPENED: ReadonlySet<string> = new Set(['unspecified', 'broadcast', 'linkLocal', 'multicast']);
/**
 * Reserved, and the metadata services of clouds that are not link-local: Alibaba, Oracle, Azure, AWS (all its local services)
 * and Google. A virtual machine reads its credentials there.
 */
const neverOpenedBlocks = compileAddressList(
  ['240.0.0.0/4', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::/32', 'fd20:ce::254'].join(
    '\n',
  ),
);

export function isPublicAddress(address: IpAddress): boolean {
  if (address.range() !== 'unicast' || neverOpenedBlocks.matches(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}

const isOpenable = (address: IpAddress): boolean =>
  !NEVER_OPENED.has(address.range()) && !neverOpenedBlocks.matches(address.toString());

export interface PrivateAddresses {
  /** Whether the entries open this address; a public one needs no entry. */
  open(address: IpAddress, port: number): boolean;
}

export function compilePrivateEntries(texts: readonly string[]): PrivateAddresses {
  const entries = texts.map(parseEntry).filter((entry) => entry !== undefined);
  const isListed = (address: IpAddress, port: number): boolean =>
    isOpenable(address) &&
    entries.some((entry) => (entry.port ?? port) === port && inRange(address, [entry.range]));
  return {
    open(address, port) {
      if (!isListed(address, port)) return false;
      // `64:ff9b::a9fe:a9fe` reaches 169.254.169.254: opening the range of a translator opens nothing behind it.
      const inner = address instanceof ipaddr.IPv6 ? innerIpv4(address) : undefined;
      return inner === undefined || isPublicAddress(inner) || isListed(inner, port);
    },
  };
}

/** `10.0.0.5`, `10.0.0.0/8`, `10.0.0.5:11434`, `fd00::5`, `[fd00::5]:11434`. */
function parseEntry(text: string): Entry | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  if (digits === undefined) {
    const range = parseRange(text);
    return 'kind' in range ? undefined : { range, port: undefined };
  }
  const written = bracketed ?? plain ?? '';
  const port = Number(digits);
  if (port < 1 || port > 65_535 || digits.startsWith('0') || written.includes('/')) return undefined;
  const range = parseRange(written);
  return 'kind' in range || (bracketed !== undefined) !== written.includes(':') ? undefined : { range, port };
}

export const isPrivateEntry = (text: string): boolean => parseEntry(text) !== undefined;

/** Stricter than `isPrivateEntry`: an entry that would open nothing is refused. */
export function opensPrivateAddress(text: string): boolean {
  const entry = parseEntry(text);
  if (entry === undefined) return false;
  const [network, prefix] = entry.range;
  const first = firstOf(network, prefix);
  return !isPublicAddress(first) && compilePrivateEntries([text]).open(first, entry.port ?? 1);
}

/** An entry of the setting. */
export const privateEntry = z.string().refine(opensPrivateAddress, 'private_entries' satisfies CustomProblem);

function firstOf(network: IpAddress, prefix: number): IpAddress {
  const block = `${network.toString()}/${prefix}`;
  return network.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(block)
    : ipaddr.IPv6.networkAddressFromCIDR(block);
}

/** Whether the list opens what an entry of one address and port stands for. */
export function opensEntry(list: PrivateAddresses, text: string): boolean {
  const entry = parseEntry(text);
  return entry?.port !== undefined && list.open(entry.range[0], entry.port);
}

/** The narrowest entry for an address; undefined when no entry can open it. */
export function entryFor(text: string, port: number): string | undefined {
  const address = parseAddress(text);
  if (address === null) return undefined;
  const written = address.toString();
  const entry = address.kind() === 'ipv6' ? `[${written}]:${port}` : `${written}:${port}`;
  return opensPrivateAddress(entry) ? entry : undefined;
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

/** The entries that would end a stored refusal of a channel. */
export function allowableIn(stored: string): string[] {
  const { code, values } = factIn(stored.replace(/^test /, '')) ?? {};
  if (code !== ('egress_private_address' satisfies FactCode)) return [];
  const name = values?.['name'];
  if (typeof name !== 'string') return [];
  return (/\(([^()]*)\)$/.exec(name)?.[1] ?? name).split(', ');
}
