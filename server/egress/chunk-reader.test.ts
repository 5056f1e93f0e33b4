import { describe, expect, test } from 'bun:test';
import { array, assert, boolean, nat, property, string } from 'fast-check';
import { ChunkReader, type ChunkRules } from './chunk-reader.ts';

const rulesOf = (isStrict: boolean): ChunkRules => ({
  isStrict,
  lineLimitBytes: 64,
  trailerLimitBytes: 128,
  error: (problem, message) => new Error(`${problem}: ${message}`),
});

interface Read {
  content: string;
  /** Where the body ends; undefined: not yet. */
  end: number | undefined;
}

function read(wire: string, isStrict: boolean, cuts: readonly number[] = []): Read | string {
  const reader = new ChunkReader(rulesOf(isStrict));
  const bytes = Buffer.from(wire);
  const parts: Buffer[] = [];
  const content = {
    data: (part: Buffer, start: number, end: number) => void parts.push(part.subarray(start, end)),
  };
  let at = 0;
  try {
    for (const cut of [...cuts, bytes.length].toSorted((left, right) => left - right)) {
      const stop = Math.max(at, Math.min(cut, bytes.length));
      at += reader.push(bytes.subarray(at, stop), 0, content);
      if (reader.isDone) break;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return { content: Buffer.concat(parts).toString(), end: reader.isDone ? at : undefined };
}

/** At every byte: nothing may depend on what came in one piece. */
const everywhere = (wire: string) => Array.from({ length: Buffer.byteLength(wire) }, (_, index) => index);

describe('a body in chunks', () => {
  test('reads the same however it is cut, and leaves alone what follows', () => {
    assert(
      property(
        array(string({ minLength: 1, maxLength: 40 }), { maxLength: 6 }),
        array(nat(300), { maxLength: 20 }),
        boolean(),
        (texts, cuts, isStrict) => {
          const body =
            texts.map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join('') +
            '0\r\nX-Trailer: 1\r\n\r\n';
          expect(read(`${body}GET /next`, isStrict, cuts)).toEqual({
            content: texts.join(''),
            end: Buffer.byteLength(body),
          });
        },
      ),
    );
  });

  test('is not done before its last line', () => {
    expect(read('1\r\na\r\n0\r\n', true)).toEqual({ content: 'a', end: undefined });
    expect(read('1\r\na\r\n0\r\n\r', true)).toEqual({ content: 'a', end: undefined });
  });

  test('a reader that is restarted knows nothing of the body before', () => {
    const reader = new ChunkReader(rulesOf(true));
    let content = '';
    const sink = {
      data: (bytes: Buffer, start: number, end: number) => {
        content += bytes.toString('latin1', start, end);
      },
    };
    reader.push(Buffer.from('5;a=b\r\nab'), 0, sink);
    reader.restart();
    reader.push(Buffer.from('1\r\nc\r\n0\r\n\r\n'), 0, sink);
    expect([content, reader.isDone]).toEqual(['abc', true]);
  });

  test.each([
    ['plain', '3\r\nabc\r\n0\r\n\r\n'],
    ['digits of either case', 'A\r\n0123456789\r\n00b\r\n0123456789a\r\n0\r\n\r\n'],
    ['extensions', '3;x;y="z"\r\nabc\r\n0;last\r\n\r\n'],
    ['space before an extension', '3 \t;x=y\r\nabc\r\n0 ;x\r\n\r\n'],
    ['several trailers', '1\r\na\r\n0\r\nA: b\r\nC: d\r\n\r\n'],
  ])('everybody may send: %s', (_what, wire) => {
    for (const isStrict of [true, false])
      for (const cuts of [[], everywhere(wire)])
        expect(read(wire, isStrict, cuts)).toMatchObject({ end: Buffer.byteLength(wire) });
  });

  test.each([
    ['lines that end with a line feed alone', '3\nabc\n0\n\n', 'bare line end'],
    ['a line feed alone after a chunk', '3\r\nabc\n0\r\n\r\n', 'bare line end'],
    ['a line feed alone after a trailer', '0\r\nA: b\n\r\n', 'bare line end'],
    ['a size padded with spaces', '3  \r\nabc\r\n0\r\n\r\n', 'bad chunk size'],
    ['control characters in an extension', '3;\0\r\nabc\r\n0\r\n\r\n', 'bad chunk extension'],
  ])('only an upstream may send: %s', (_what, wire, problem) => {
    for (const cuts of [[], everywhere(wire)]) {
      expect(read(wire, false, cuts)).toMatchObject({ end: wire.length });
      expect(read(wire, true, cuts)).toBe(`malformed: ${problem}`);
    }
  });

  test.each([
    ['no size', '\r\n', 'malformed: chunk without a size'],
    ['an extension without a size', ';x\r\n', 'malformed: chunk without a size'],
    ['space before the size', ' 3\r\nabc\r\n', 'malformed: chunk without a size'],
    ['a sign', '+3\r\nabc\r\n', 'malformed: chunk without a size'],
    ['a prefix', '0x3\r\nabc\r\n', 'malformed: bad chunk size'],
    ['two sizes', '3 0\r\nabc\r\n', 'malformed: bad chunk size'],
    ['a size with a carriage return in it', '1\r0\r\n0123456789abcdef\r\n', 'malformed: bare line end'],
    ['an extension with a carriage return in it', '3;a\rb\r\nabc\r\n', 'malformed: bare line end'],
    ['several carriage returns after a chunk', '1\r\na\r\r\n0\r\n\r\n', 'malformed: bare line end'],
    ['a carriage return in a trailer', '0\r\nA: \rb\r\n\r\n', 'malformed: bare line end'],
    ['a chunk longer than announced', '2\r\nabc\r\n', 'malformed: chunk longer than announced'],
    ['a size beyond all bounds', '100000000\r\n', 'chunk too large: chunk too large'],
    ['an endless extension', `1;${'x'.repeat(70)}`, 'malformed: chunk line too long'],
    ['endless zeros', '0'.repeat(70), 'malformed: chunk line too long'],
    ['endless trailers', `0\r\n${'A: b\r\n'.repeat(30)}`, 'trailers too large: trailers too large'],
  ])('nobody may send: %s', (_what, wire, problem) => {
    for (const isStrict of [true, false])
      for (const cuts of [[], everywhere(wire)]) expect(read(wire, isStrict, cuts)).toBe(problem);
  });
});
