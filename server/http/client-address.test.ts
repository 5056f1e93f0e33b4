import { describe, expect, test } from 'bun:test';
import { createClientAddresses } from './client-address.ts';

const request = (headers: Record<string, string>) => new Request('http://gateway/', { headers });

describe('client address', () => {
  const behind = createClientAddresses(['10.0.0.0/8', '::1']);

  test.each([
    ['no proxy trusted: the header is ignored', [], '203.0.113.5', '1.1.1.1', '203.0.113.5'],
    [
      'a caller who is no proxy cannot speak for others',
      ['10.0.0.0/8'],
      '203.0.113.5',
      '1.1.1.1',
      '203.0.113.5',
    ],
    ['one proxy', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    [
      'what the caller wrote stands left and is ignored',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '1.1.1.1, 203.0.113.5',
      '203.0.113.5',
    ],
    ['a chain of proxies', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5, 10.9.9.9, 10.0.0.2', '203.0.113.5'],
    ['only proxies: the furthest one', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['garbage ends the belief', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5, evil', '10.0.0.1'],
    ['an empty header', ['10.0.0.0/8'], '10.0.0.1', '', '10.0.0.1'],
    ['mapped v6 is v4', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:cb00:7105', '203.0.113.5'],
    ['ports are dropped', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['v6 with a port', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ] as const)('%s', (_, trusted, connection, forwarded, expected) => {
    const addresses = createClientAddresses(trusted);
    const { address } = addresses.originOf(request({ 'X-Forwarded-For': forwarded }), connection);
    expect(address).toBe(expected);
  });

  test('https is believed from a trusted proxy only', () => {
    const headers = { 'X-Forwarded-Proto': 'https' };
    expect(behind.originOf(request(headers), '10.0.0.1').secure).toBe(true);
    expect(behind.originOf(request(headers), '203.0.113.5').secure).toBe(false);
    expect(behind.originOf(request({}), '10.0.0.1').secure).toBe(false);
  });

  test('a header of thousands of hops is cut, not walked', () => {
    const forwarded = Array.from({ length: 5000 }, () => '10.0.0.9').join(', ');
    const startedAt = performance.now();
    expect(behind.originOf(request({ 'X-Forwarded-For': forwarded }), '10.0.0.1').address).toBe('10.0.0.9');
    expect(performance.now() - startedAt).toBeLessThan(250);
  });

  test('no connection, as in a call within the process', () => {
    expect(behind.originOf(request({ 'X-Forwarded-For': '1.1.1.1' }), null).address).toBe('');
  });
});
