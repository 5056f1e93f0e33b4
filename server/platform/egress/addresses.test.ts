import { describe, expect, test } from 'bun:test';
import { publicAnd, publicOnly } from './addresses.ts';

const forbidden = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  // S14: ranges that were open.
  '::ffff:0:127.0.0.1',
  '::ffff:0:a9fe:a9fe',
  '::ffff:0:8.8.8.8',
  '192.88.99.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  '3fff::1',
  '3fff:fff:ffff::1',
  '5f00::1',
  '2001:2::1',
  '2001:4:112::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '100::1',
  '4000::1',
  '6000::1',
  '8000::1',
  'a000::1',
  'c000::1',
  'e000::1',
  'not an address',
];

describe('public addresses only', () => {
  test.each(forbidden)('%s is refused', (address) => {
    expect(publicOnly.allows(address, 443)).toBe(false);
  });

  test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s is allowed',
    (address) => {
      expect(publicOnly.allows(address, 443)).toBe(true);
    },
  );
});

describe('addresses an operator opens', () => {
  const rule = publicAnd(['10.1.0.0/16', '127.0.0.1', '169.254.0.0/16', '::/0']);

  test('private addresses on the list are allowed, their neighbours are not', () => {
    expect(publicAnd(['10.1.0.0/16']).allows('10.1.9.9', 443)).toBe(true);
    expect(publicAnd(['10.1.0.0/16']).allows('10.2.0.1', 443)).toBe(false);
    expect(rule.allows('127.0.0.1', 443)).toBe(true);
    expect(rule.allows('::ffff:127.0.0.1', 443)).toBe(true);
  });

  test('S14 the range of a translator opens nothing behind it', () => {
    const open = publicAnd(['64:ff9b::/96', '2002::/16', '2001::/32', '::ffff:0:0:0/96', '10.0.0.0/8']);
    for (const address of [
      '64:ff9b::169.254.169.254',
      '64:ff9b::192.168.0.1',
      '::ffff:0:169.254.169.254',
      '2002:a9fe:a9fe::1',
      '2002:c0a8:1::1',
      // 169.254.169.254 and 192.168.0.1 with inverted bits.
      '2001:0:1:2:3:4:5601:5601',
      '2001:0:1:2:3:4:3f57:fffe',
    ])
      expect([address, open.allows(address, 443)]).toEqual([address, false]);
    for (const address of ['64:ff9b::8.8.8.8', '64:ff9b::10.0.0.1', '2002:808:808::1', '::ffff:0:8.8.8.8'])
      expect([address, open.allows(address, 443)]).toEqual([address, true]);
    for (const address of ['64:ff9b::a9fe:a9fe', '::169.254.169.254', '2002:a9fe:a9fe::'])
      expect([address, publicAnd(['::/0']).allows(address, 443)]).toEqual([address, false]);
  });

  test('link-local and multicast stay closed whatever the list says', () => {
    for (const address of ['169.254.169.254', 'fe80::1', 'ff02::1', '0.0.0.0', '::']) {
      expect(rule.allows(address, 443)).toBe(false);
    }
  });
});
