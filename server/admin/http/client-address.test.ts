import { connect } from 'node:net';
import { describe, expect, test } from 'bun:test';
import { createClientAddresses } from './client-address.ts';

const request = (headers: Record<string, string>) => new Request('http://gateway/', { headers });

/** `fetch` joins repeated headers before it sends them, so the lines are written to a socket. */
async function rawRequest(port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(['GET / HTTP/1.1', 'Host: gateway', 'Connection: close', ...lines, '', ''].join('\r\n'));
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe('client address', () => {
  const behind = createClientAddresses(['10.0.0.0/8', '::1']);

  test.each([
    ['no proxy trusted: the header is ignored', [], '203.0.113.5', '1.1.1.1', '203.0.113.5'],
    [
      'the header of a caller that is not a trusted proxy is ignored',
      ['10.0.0.0/8'],
      '203.0.113.5',
      '1.1.1.1',
      '203.0.113.5',
    ],
    ['one proxy', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    [
      'members left of the caller are ignored',
      ['10.0.0.0/8'],
      '10.0.0.1',
      '1.1.1.1, 203.0.113.5',
      '203.0.113.5',
    ],
    ['a chain of proxies', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5, 10.9.9.9, 10.0.0.2', '203.0.113.5'],
    ['only proxies: the furthest one', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['an invalid member ends the walk', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5, evil', '10.0.0.1'],
    ['an empty header', ['10.0.0.0/8'], '10.0.0.1', '', '10.0.0.1'],
    ['mapped v6 is v4', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:cb00:7105', '203.0.113.5'],
    ['ports are dropped', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['v6 with a port', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
    ['v6 in brackets', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
    ['v6 without brackets', ['10.0.0.0/8'], '10.0.0.1', '2001:DB8:0::1', '2001:db8::1'],
    ['a v6 proxy', ['2001:db8:1::/48'], '2001:db8:1::9', '203.0.113.5, [2001:db8:1::7]:443', '203.0.113.5'],
    ['an open bracket', ['10.0.0.0/8'], '10.0.0.1', '[2001:db8::1', '10.0.0.1'],
    ['two ports', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.5:1:2', '10.0.0.1'],
    ['a host name', ['10.0.0.0/8'], '10.0.0.1', 'caller.example', '10.0.0.1'],
    ['spaces and tabs', ['10.0.0.0/8'], '10.0.0.1', ' 1.1.1.1 ,\t203.0.113.5 \t, 10.0.0.2 ', '203.0.113.5'],
    ['no spaces', ['10.0.0.0/8'], '10.0.0.1', '1.1.1.1,203.0.113.5', '203.0.113.5'],
    ['empty members', ['10.0.0.0/8'], '10.0.0.1', ',, 203.0.113.5, ,10.0.0.2,, ', '203.0.113.5'],
    ['only commas', ['10.0.0.0/8'], '10.0.0.1', ' , ,', '10.0.0.1'],
    ['an invalid member left of the caller', ['10.0.0.0/8'], '10.0.0.1', 'x, 203.0.113.5', '203.0.113.5'],
    ['octal is not an address', ['10.0.0.0/8'], '10.0.0.1', '010.0.0.7', '10.0.0.1'],
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

  test('S3 repeated X-Forwarded-For lines are one list: the last line is from the proxy', async () => {
    const loopback = createClientAddresses(['127.0.0.1']);
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (incoming, self) =>
        new Response(loopback.addressOf(incoming, self.requestIP(incoming)?.address)),
    });
    try {
      const answer = await rawRequest(server.port ?? 0, [
        'X-Forwarded-For: 198.51.100.7',
        'x-forwarded-for:',
        'X-FORWARDED-FOR: 203.0.113.5, 127.0.0.1',
      ]);
      expect(answer).toEndWith('203.0.113.5');
    } finally {
      await server.stop(true);
    }
  });

  test('no connection, as in a call within the process', () => {
    expect(behind.originOf(request({ 'X-Forwarded-For': '1.1.1.1' }), null).address).toBe('');
  });
});
