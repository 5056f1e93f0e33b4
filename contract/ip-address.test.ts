import { BlockList, isIP } from 'node:net';
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import {
  canonicalAddress,
  checkAddressLines,
  compileAddressList,
  parseAddress,
  parseRange,
  tidyAddressLines,
} from './ip-address.ts';

describe('one address', () => {
  test.each([
    ['203.0.113.24', '203.0.113.24'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
    ['::203.0.113.7', '::cb00:7107'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ])('%s is read as %s', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  test.each([
    '',
    ' ',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.4 ',
    '0x7f.0.0.1',
    '2130706433',
    '1.2.3.4:80',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '12345::',
    'g::1',
    '::1.2.3',
    '1.2.3.4::',
    '::ffff:0x7f.0.0.1',
    '::ffff:010.0.0.1',
    '::ffff:1.2.3.256',
    '::ffff:1.2.3',
    '127.1',
    '0177.0.0.1',
    '1.2.3.4\n',
    '::1\n',
    '[::1]',
    'localhost',
    `${'0'.repeat(80)}:1`,
  ])('%p is not an address', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  test('any v4 address is itself, mapped or not', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        expect(canonicalAddress(text)).toBe(text);
        expect(canonicalAddress(`::ffff:${text}`)).toBe(text);
      }),
    );
  });

  test('the canonical spelling of any v6 address reads back as the same address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const canonical = canonicalAddress(text);
        expect(canonical).not.toBeNull();
        expect(parseAddress(canonical ?? '')).toEqual(parseAddress(text));
      }),
    );
  });
});

describe('ranges', () => {
  test('a v4 prefix is 0 to 32, a v6 prefix 0 to 128', () => {
    expect(parseRange('10.0.0.0/33')).toEqual({ kind: 'prefix', max: 32 });
    expect(parseRange('10.0.0.0/')).toEqual({ kind: 'prefix', max: 32 });
    expect(parseRange('10.0.0.0/08')).toEqual({ kind: 'prefix', max: 32 });
    expect(parseRange('10.0.0.0/-1')).toEqual({ kind: 'prefix', max: 32 });
    expect(parseRange('10.0.0.0/8/8')).toEqual({ kind: 'prefix', max: 32 });
    expect(parseRange('2001:db8::/129')).toEqual({ kind: 'prefix', max: 128 });
    expect(parseRange('example.com/24')).toEqual({ kind: 'address' });
    expect(parseRange('fe80::1%eth0')).toEqual({ kind: 'address' });
  });

  test.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.77/24', '203.0.113.1', true],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['198.51.100.17', '198.51.100.17', true],
    ['198.51.100.17/32', '198.51.100.16', false],
    ['128.0.0.0/1', '200.1.1.1', true],
    ['128.0.0.0/1', '127.1.1.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['::/0', '2001:db8::1', true],
    // families stay apart, and a mapped address belongs to v4
    ['::/0', '8.8.8.8', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['203.0.113.0/24', '::ffff:203.0.113.9', true],
    ['203.0.113.0/24', '::FFFF:CB00:7109', true],
    ['::ffff:203.0.113.0/120', '203.0.113.9', true],
    ['::ffff:203.0.113.0/120', '203.0.114.9', false],
    ['::/0', '::ffff:203.0.113.9', false],
  ])('%s contains %s: %p', (range, address, expected) => {
    expect(compileAddressList(range).matches(address)).toBe(expected);
  });

  test('ranges match as the platform matches them', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4());
    const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }), fc.ipV6());
    fc.assert(
      fc.property(fc.oneof(v4, v6), fc.boolean(), ([network, prefix, other], near) => {
        fc.pre(['ipv4', 'ipv6'][isIP(network) === 4 ? 0 : 1] === parseAddress(network)?.kind());
        const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
        // Two random addresses rarely share a prefix, so half of the cases take the network's own address.
        const address = near ? network : other;
        fc.pre(parseAddress(address)?.kind() === family);
        const platform = new BlockList();
        platform.addSubnet(network, prefix, family);
        expect(compileAddressList(`${network}/${prefix}`).matches(address)).toBe(
          platform.check(address, family),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('every address is inside every range cut from itself', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, prefix) => {
        expect(compileAddressList(`${address}/${prefix}`).matches(address)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), fc.integer({ min: 0, max: 128 }), (address, prefix) => {
        fc.pre(parseAddress(address)?.kind() === 'ipv6');
        expect(compileAddressList(`${address}/${prefix}`).matches(address)).toBe(true);
      }),
    );
  });
});

describe('lists', () => {
  test('each invalid line is reported with its number', () => {
    const lines = checkAddressLines('203.0.113.0/24\r\n\n 198.51.100.17 \n10.0.0.0/33\nnonsense');
    expect(lines.map((line) => [line.line, line.text, line.problem?.kind ?? null])).toEqual([
      [1, '203.0.113.0/24', null],
      [2, '', null],
      [3, '198.51.100.17', null],
      [4, '10.0.0.0/33', 'prefix'],
      [5, 'nonsense', 'address'],
    ]);
  });

  test('blank lines and repetitions are not stored', () => {
    expect(tidyAddressLines('\n10.0.0.1 \r\n10.0.0.1\n\n::1\n')).toBe('10.0.0.1\n::1');
  });

  test('an empty list is marked empty; a list of invalid lines matches no address', () => {
    expect(compileAddressList(' \n ').empty).toBe(true);
    const broken = compileAddressList('nonsense');
    expect(broken.empty).toBe(false);
    expect(broken.matches('203.0.113.1')).toBe(false);
  });

  test('a text that is not an address matches no range', () => {
    expect(compileAddressList('0.0.0.0/0\n::/0').matches('unknown')).toBe(false);
  });
});
