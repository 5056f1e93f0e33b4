import { describe, expect, test } from 'bun:test';
import { array, assert, nat, property, string } from 'fast-check';
import { BodyReader } from './request-body.ts';
import { byteText } from '#server/egress/byte-text.ts';
import { HeadReader, RequestFormatError, RequestHead } from './request-head.ts';

const head = (...lines: string[]) => new RequestHead(lines.map((line) => `${line}\r\n`).join(''));
const refusal = (make: () => unknown): number => {
  try {
    make();
  } catch (error) {
    if (error instanceof RequestFormatError) return error.status;
    throw error;
  }
  return 0;
};

describe('D17 the head of a request', () => {
  test('is read as it was sent', () => {
    const read = head(
      'POST /v1/chat?a=1 HTTP/1.1',
      'Host: x',
      'Authorization:  Bearer k ',
      'Content-Length: 12',
    );
    expect(read).toMatchObject({ method: 'POST', target: '/v1/chat?a=1', isHttp11: true, contentLength: 12 });
    expect(read.get('authorization')).toBe('Bearer k');
    expect(read.get('x-none')).toBeNull();
    expect(read.isKeptAlive).toBe(true);
  });

  test('says whether the connection is kept', () => {
    expect(head('POST / HTTP/1.1', 'Host: x', 'Connection: Close').isKeptAlive).toBe(false);
    expect(head('GET / HTTP/1.0').isKeptAlive).toBe(false);
    expect(head('GET / HTTP/1.0', 'Connection: keep-alive').isKeptAlive).toBe(true);
  });

  test.each<[string, string[]]>([
    ['two framings', ['POST / HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Transfer-Encoding: chunked']],
    ['two lengths', ['POST / HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 2']],
    ['a signed length', ['POST / HTTP/1.1', 'Host: x', 'Content-Length: +1']],
    ['a length with a comma', ['POST / HTTP/1.1', 'Host: x', 'Content-Length: 1, 1']],
    ['an unknown encoding', ['POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip, chunked']],
    [
      'an encoding twice',
      ['POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ],
    ['chunks in HTTP/1.0', ['POST / HTTP/1.0', 'Transfer-Encoding: chunked']],
    ['no host', ['POST / HTTP/1.1']],
    ['two hosts', ['POST / HTTP/1.1', 'Host: x', 'Host: y']],
    ['a folded line', ['POST / HTTP/1.1', 'Host: x', ' folded']],
    ['a space before the colon', ['POST / HTTP/1.1', 'Host : x']],
    ['a bare line feed', ['POST / HTTP/1.1', 'Host: x\nX: y']],
    ['a bare carriage return', ['POST / HTTP/1.1', 'Host: x\rX: y']],
    ['a zero byte', ['POST / HTTP/1.1', 'Host: x\0']],
    ['another protocol', ['POST / HTTP/2.0', 'Host: x']],
    ['a space in the target', ['POST /a b HTTP/1.1', 'Host: x']],
  ])('%s is refused', (_what, lines) => {
    expect(refusal(() => head(...lines))).toBe(400);
  });
});

describe('D17 the body of a request', () => {
  const read = (reader: BodyReader, bytes: Buffer, cuts: readonly number[]) => {
    const parts: Buffer[] = [];
    let at = 0;
    for (const cut of [...cuts, bytes.length].toSorted((left, right) => left - right)) {
      const piece = bytes.subarray(at, cut);
      const end = reader.push(piece, 0, {
        data: (part, start, stop) => parts.push(part.subarray(start, stop)),
      });
      at += end;
      if (end < piece.length) break;
    }
    return { content: Buffer.concat(parts).toString(), end: at };
  };

  test('by length and in chunks it is the same however it is cut, and what follows is left alone', () => {
    assert(
      property(array(string({ minLength: 1, maxLength: 30 })), array(nat(400)), (texts, cuts) => {
        const content = texts.join('');
        const length = Buffer.byteLength(content);
        const chunked = Buffer.from(
          `${texts.map((text) => `${Buffer.byteLength(text).toString(16)};x=y\r\n${text}\r\n`).join('')}0\r\nT: r\r\n\r\n`,
        );
        for (const [reader, wire] of [
          [new BodyReader(length), Buffer.from(content)],
          [new BodyReader(-1), chunked],
        ] as const) {
          const all = Buffer.concat([wire, Buffer.from('GET /next')]);
          expect(
            read(
              reader,
              all,
              cuts.filter((cut) => cut < all.length),
            ),
          ).toEqual({ content, end: wire.length });
          expect(reader.isDone).toBe(true);
        }
      }),
    );
  });

  test.each([
    ['no size', '\r\n'],
    ['letters', 'xyz\r\n'],
    ['a bare line feed', '1\na\r\n'],
    ['a longer chunk', '1\r\nab\r\n'],
    ['two sizes', '1 0\r\na\r\n'],
    ['a padded size', '1 \r\na\r\n'],
    ['a size with a carriage return in it', '1\r0\r\n'],
    ['a size beyond all bounds', 'fffffffff\r\n'],
    ['an endless line', '1'.padEnd(5000, ';')],
  ])('chunks with %s are refused', (_what, wire) => {
    expect(refusal(() => new BodyReader(-1).push(Buffer.from(wire), 0, { data() {} }))).toBeGreaterThan(0);
  });
});

describe('a head that comes again', () => {
  const lines = ['POST /v1/chat?a=1 HTTP/1.1', 'Host: x', 'Content-Length: 12', 'Authorization: Bearer k'];
  const wire = (...changed: string[]) => [...changed, '', ''].join('\r\n');
  const first = wire(...lines);

  function read(...wires: string[]): (RequestHead | number)[] {
    const reader = new HeadReader();
    return wires.map((text) => {
      const bytes = Buffer.from(`${text}the body`, 'latin1');
      const seen = byteText(bytes, 0, bytes.length);
      let head: RequestHead | undefined;
      const status = refusal(() => {
        head = reader.read(bytes, seen, seen.indexOf('\r\n\r\n') + 2);
      });
      return head ?? status;
    });
  }

  test('is the one before, also with another length', () => {
    const [one, same, longer, back] = read(first, first, first.replace('12', '4096'), first);
    expect(same).toBe(one as RequestHead);
    for (const [head, length] of [
      [longer, 4096],
      [back, 12],
    ] as [RequestHead, number][]) {
      expect(head).toMatchObject({
        method: 'POST',
        path: '/v1/chat',
        contentLength: length,
        isKeptAlive: true,
      });
      expect(head.get('content-length')).toBe(String(length));
      expect(head.get('authorization')).toBe('Bearer k');
      expect(head.get('authorization')).toBe('Bearer k');
      expect(head.get('x-none')).toBeNull();
      expect(head.text).toBe(first.replace('12', String(length)).slice(0, -2));
    }
  });

  test.each<[string, string]>([
    ['another header value', first.replace('Bearer k', 'Bearer l')],
    ['one header more', wire(...lines, 'X: y')],
    ['one header less', wire(...lines.slice(0, 3))],
    ['another path', first.replace('/v1/chat', '/v1/chut')],
    ['chunks', first.replace('Content-Length: 12', 'Transfer-Encoding: chunked')],
    ['the length elsewhere', wire(lines[0] ?? '', lines[2] ?? '', lines[1] ?? '', lines[3] ?? '')],
  ])('%s makes it another', (_what, other) => {
    const [, second, third] = read(first, other, first);
    const [alone] = read(other);
    for (const member of ['method', 'target', 'path', 'contentLength', 'text'] as const)
      expect((second as RequestHead)[member]).toBe((alone as RequestHead)[member]);
    for (const name of ['content-length', 'transfer-encoding', 'authorization', 'x', 'host'])
      expect((second as RequestHead).get(name)).toBe((alone as RequestHead).get(name));
    expect((third as RequestHead).get('authorization')).toBe('Bearer k');
  });

  test.each<[string, string]>([
    ['no length', first.replace('12', '')],
    ['a length that is none', first.replace('12', '1x')],
    ['a signed one', first.replace('12', '-1')],
    ['a second one', first.replace('12', '12\r\nContent-Length: 13')],
    ['too many digits', first.replace('12', '1'.repeat(16))],
    ['a bare line end', first.replace('12', '12\n')],
  ])('with %s it is refused as ever', (_what, other) => {
    expect(read(first, first, other)[2]).toBe(400);
  });

  test('without a length it is the same only if it is', () => {
    const bare = wire('GET / HTTP/1.1', 'Host: x');
    const [one, same, more] = read(bare, bare, wire('GET / HTTP/1.1', 'Host: x', 'X: y'));
    expect(same).toBe(one as RequestHead);
    expect((one as RequestHead).get('content-length')).toBeNull();
    expect((more as RequestHead).get('x')).toBe('y');
  });
});
