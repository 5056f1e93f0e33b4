import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { ResponseFormatError, ResponseParser, type ResponseHead } from './response-parser.ts';

interface Read {
  head: ResponseHead | undefined;
  body: string;
  ended: boolean;
  reusable: boolean;
}

function read(wire: string, cuts: readonly number[] = [], closes = false, method = 'POST'): Read {
  const result: Read = { head: undefined, body: '', ended: false, reusable: false };
  const parser = new ResponseParser(
    {
      head: (head) => {
        result.head = head;
      },
      data: (bytes, start, end) => {
        result.body += bytes.toString('latin1', start, end);
      },
      end: (reusable) => {
        result.ended = true;
        result.reusable = reusable;
      },
    },
    method,
  );
  const bytes = Buffer.from(wire, 'latin1');
  let at = 0;
  for (const cut of [...cuts].sort((left, right) => left - right)) {
    const end = Math.min(cut, bytes.length);
    if (end > at) parser.push(bytes.subarray(at, end));
    at = Math.max(at, end);
  }
  if (at < bytes.length) parser.push(bytes.subarray(at));
  if (closes) parser.closed();
  return result;
}

const chunked =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '5\r\nhello\r\n10;name=value\r\n0123456789abcdef\r\n0\r\nX-Trailer: 1\r\n\r\n';
const sized = 'HTTP/1.1 200 OK\r\ncontent-length: 11\r\nX-A: b\r\n\r\nhello world';

describe('one response', () => {
  test('with a length', () => {
    const result = read(sized);
    expect(result).toMatchObject({ body: 'hello world', ended: true, reusable: true });
    expect(result.head?.status).toBe(200);
    expect(result.head?.header('x-a')).toBe('b');
    expect(result.head?.header('x-b')).toBeUndefined();
  });

  test('in chunks, with extensions and trailers', () => {
    expect(read(chunked)).toMatchObject({ body: 'hello0123456789abcdef', ended: true, reusable: true });
  });

  test('in chunks of a careless upstream', () => {
    const wire = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5  \r\nhello\n1\n!\r\n0\n\n';
    expect(read(wire)).toMatchObject({ body: 'hello!', ended: true, reusable: true });
  });

  test('cut at any places, it reads the same', () => {
    fc.assert(
      fc.property(fc.constantFrom(chunked, sized), fc.array(fc.nat(200), { maxLength: 60 }), (wire, cuts) => {
        const whole = read(wire);
        const sliced = read(wire, cuts);
        expect(sliced.body).toBe(whole.body);
        expect(sliced.ended).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('without framing ends with the connection', () => {
    const wire = 'HTTP/1.1 200 OK\r\n\r\nuntil the end';
    expect(read(wire)).toMatchObject({ body: 'until the end', ended: false });
    expect(read(wire, [], true)).toMatchObject({ ended: true, reusable: false });
  });

  test('without a body: 204, 304, HEAD and length 0', () => {
    for (const status of ['204 No Content', '304 Not Modified']) {
      expect(read(`HTTP/1.1 ${status}\r\n\r\n`)).toMatchObject({ body: '', ended: true });
    }
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', [], false, 'HEAD').ended).toBe(true);
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n').ended).toBe(true);
  });

  test('after interim responses', () => {
    const wire = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n' + sized;
    expect(read(wire)).toMatchObject({ body: 'hello world', ended: true });
  });

  test('is not reused when the other side says so, speaks HTTP/1.0 or sends more than it announced', () => {
    expect(read('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok').reusable).toBe(false);
    expect(read('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok').reusable).toBe(false);
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200').reusable).toBe(false);
    const both =
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
    expect(read(both)).toMatchObject({ body: 'ok', reusable: false });
  });
});

describe('what is refused', () => {
  test.each([
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx'],
    ['an unknown transfer encoding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['a bad chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a chunk longer than announced', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n'],
    [
      'a chunk size with a carriage return in it',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r0\r\n0123456789abcdef\r\n0\r\n\r\n',
    ],
    ['a huge chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n'],
    ['an endless chunk line', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(300)}`],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a flood of headers (U10)', `HTTP/1.1 200 OK\r\n${'X-A: 0123456789\r\n'.repeat(5000)}\r\n`],
    ['a head without end', `HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(70_000)}`],
  ])('%s', (_what, wire) => {
    expect(() => read(wire)).toThrow(ResponseFormatError);
  });
});
