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
  'not an address',
];

describe('public addresses only', () => {
  test.each(forbidden)('%s is refused', (address) => {
    expect(publicOnly.allows(address)).toBe(false);
  });

  test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s is allowed',
    (address) => {
      expect(publicOnly.allows(address)).toBe(true);
    },
  );
});

describe('addresses an operator opens', () => {
  const rule = publicAnd(['10.1.0.0/16', '127.0.0.1', '169.254.0.0/16', '::/0']);

  test('private addresses on the list are allowed, their neighbours are not', () => {
    expect(publicAnd(['10.1.0.0/16']).allows('10.1.9.9')).toBe(true);
    expect(publicAnd(['10.1.0.0/16']).allows('10.2.0.1')).toBe(false);
    expect(rule.allows('127.0.0.1')).toBe(true);
    expect(rule.allows('::ffff:127.0.0.1')).toBe(true);
  });

  test('link-local and multicast stay closed whatever the list says', () => {
    for (const address of ['169.254.169.254', 'fe80::1', 'ff02::1', '0.0.0.0', '::']) {
      expect(rule.allows(address)).toBe(false);
    }
  });
});
