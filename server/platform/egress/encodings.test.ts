// Every spelling of an address that a URL may hold: none of them may reach a closed address.
import { describe, expect, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { createEgress } from './egress.ts';
import { EgressError } from './refusal.ts';

const closed = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
];

const bytesOf = (address: string): number[] => address.split('.').map(Number);
const hexPair = (high: number, low: number): string => (high * 256 + low).toString(16);

/** One number in the spellings that URLs know. */
const spellings = (value: number): string[] => [
  String(value),
  `0${value.toString(8)}`,
  `000${value.toString(8)}`,
  `0x${value.toString(16)}`,
  `0X${value.toString(16).toUpperCase()}`,
  `0x000${value.toString(16)}`,
];

function ipv4Spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
  const hosts: string[] = [];
  const spelled = [a, b, c, d].map(spellings);
  for (let first = 0; first < 6; first += 1)
    for (let last = 0; last < 6; last += 1)
      hosts.push(`${spelled[0]?.[first]}.${spelled[1]?.[last]}.${spelled[2]?.[first]}.${spelled[3]?.[last]}`);
  for (const rest of spellings(b * 65_536 + c * 256 + d))
    hosts.push(`${spelled[0]?.[3]}.${rest}`, `${a}.${rest}`);
  for (const rest of spellings(c * 256 + d))
    hosts.push(`${a}.${b}.${rest}`, `${spelled[0]?.[1]}.${b}.${rest}`);
  hosts.push(...spellings(((a * 256 + b) * 256 + c) * 256 + d));
  const wide = address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  hosts.push(
    wide,
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    address.replaceAll('1', '①'),
  );
  return hosts.flatMap((host) => [host, `${host}.`]);
}

function ipv6Spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
  const pair = `${hexPair(a, b)}:${hexPair(c, d)}`;
  const inverted = `${hexPair(255 - a, 255 - b)}:${hexPair(255 - c, 255 - d)}`;
  const hosts = [
    '::',
    '::ffff:',
    '::ffff:0:',
    '64:ff9b::',
    '0:0:0:0:0:ffff:',
    '64:ff9b:1::',
    '0000:0000:0000:0000:0000:FFFF:',
  ].flatMap((prefix) => [`${prefix}${pair}`, `${prefix}${address}`]);
  hosts.push(`2002:${pair}::`, `2002:${pair}::1`, `2002:${pair}:1:2:3:4:5`, `2001::${inverted}`);
  return [...hosts, ...hosts.map((host) => host.toUpperCase())].map((host) => `[${host}]`);
}

const others = [
  '::',
  '::1',
  'fe80::1',
  'fec0::1',
  'fc00::1',
  'fd00::1',
  'ff02::1',
  '3fff::1',
  '5f00::1',
  '100::1',
  '4000::1',
];
const hosts = [
  ...closed.flatMap((address) => [...ipv4Spellings(address), ...ipv6Spellings(address)]),
  ...others.map((address) => `[${address}]`),
];
const urls = hosts.flatMap((host) => [`http://${host}/`, `https://${host}/x?y`]);

describe('spellings of closed addresses', () => {
  test(`all ${urls.length} are refused for every class, even if a resolver answers with them (plan S8)`, async () => {
    const egress = createEgress({
      systemOrigins: () => urls.map((url) => URL.parse(url)?.origin ?? ''),
      resolve: async (name) => [name],
    });
    const allowed: string[] = [];
    for (const kind of ['channel', 'user', 'system'] as const) {
      for (const url of urls) {
        const error: unknown = await egress.check(kind, url).then(
          () => undefined,
          (caught: unknown) => caught,
        );
        if (!(error instanceof EgressError)) allowed.push(`${kind} ${url}`);
      }
    }
    egress.close();
    expect(urls.length).toBeGreaterThan(4212);
    expect(allowed).toEqual([]);
    faultSeen(
      'S8',
      `${urls.length} spellings of closed addresses, for channels, users and the system: refused`,
    );
  });
});
