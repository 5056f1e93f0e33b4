// What a caller receives of a streamed answer, byte for byte, whichever way its parts were written.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { ascii, bytesOf, byteText, type ByteText } from '#server/egress/byte-text.ts';
import { SocketWriter } from '#server/egress/socket-writer.ts';
import { ChunkedBody } from './answer-writer.ts';

/** A socket that takes so many bytes at a time. */
class Taking {
  taken = '';
  writes = 0;
  room = Number.POSITIVE_INFINITY;

  write(data: string | Uint8Array, start: number | string = 0, length = data.length): number {
    const bytes = typeof data === 'string' ? bytesOf(ascii(data)) : Buffer.from(data);
    const from = typeof start === 'number' ? start : 0;
    const count = Math.min(length, this.room);
    this.taken += byteText(bytes, from, from + count);
    this.room -= count;
    this.writes += 1;
    return count;
  }
}

function open() {
  const socket = new Taking();
  const writer = new SocketWriter(socket);
  let full = 0;
  const answer = { status: 200, headers: {}, body: null };
  const body = new ChunkedBody(
    writer,
    answer,
    true,
    () => (full += 1),
    () => {},
  );
  return { socket, writer, body, full: () => full };
}

/** As it lies in what one read brought: a chunk of an upstream, of which the last `cut` bytes are not shown. */
function framed(part: ByteText, { cut = 0, before = 0 } = {}) {
  const size = `${(part.length + cut).toString(16)}\r\n`.slice(before);
  const bytes = bytesOf(ascii(`${size}${part}${'x'.repeat(cut)}\r\n`));
  return { bytes, start: size.length, end: size.length + part.length };
}

const parts = fc.array(
  fc.record({
    text: fc.string({ minLength: 1, maxLength: 600, unit: 'grapheme-ascii' }).map(ascii),
    isInPlace: fc.boolean(),
    cut: fc.constantFrom(0, 2, 13),
    before: fc.constantFrom(0, 0, 3),
    room: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 7),
  }),
  { maxLength: 12 },
);

describe('a streamed answer', () => {
  test('is the same in order and length, in place or not, with room around or without, on a slow socket too', () => {
    fc.assert(
      fc.property(parts, (list) => {
        const { socket, writer, body, full } = open();
        let expected = '';
        let expectedFull = 0;
        for (const { text, isInPlace, cut, before, room } of list) {
          const wasFull = writer.isFull;
          if (!wasFull) socket.room = room;
          if (isInPlace) {
            const { bytes, start, end } = framed(text, { cut, before });
            body.writeInPlace(bytes, start, end);
          } else body.write(text);
          body.flush();
          expected += text;
          if (writer.isFull) expectedFull += 1;
        }
        socket.room = Number.POSITIVE_INFINITY;
        writer.drain();
        body.close();
        const content = socket.taken.slice(socket.taken.indexOf('\r\n\r\n') + 4);
        expect(contentOf(content)).toBe(expected);
        expect(full()).toBe(expectedFull);
      }),
      { numRuns: 500 },
    );
  });

  test('takes one write and no copy for an event that came alone', () => {
    const { socket, body } = open();
    body.write(ascii('head'));
    body.flush();
    const { bytes, start, end } = framed(ascii('data: shown\n\n'), { cut: 250 });
    socket.taken = '';
    socket.writes = 0;
    body.writeInPlace(bytes, start, end);
    body.flush();
    expect([socket.taken, socket.writes]).toEqual(['d\r\ndata: shown\n\n\r\n', 1]);
  });

  test('keeps the order when something waits, and says nothing after its end', () => {
    const { socket, body } = open();
    body.write(ascii('first '));
    const { bytes, start, end } = framed(ascii('second'));
    body.writeInPlace(bytes, start, end);
    body.close();
    const taken = socket.taken;
    expect(taken).toEndWith('c\r\nfirst second\r\n0\r\n\r\n');
    const late = framed(ascii('late'));
    body.writeInPlace(late.bytes, late.start, late.end);
    body.flush();
    expect(socket.taken).toBe(taken);
  });
});

function contentOf(chunks: string): string {
  let content = '';
  let at = 0;
  for (;;) {
    const line = chunks.indexOf('\r\n', at);
    const size = Number.parseInt(chunks.slice(at, line), 16);
    content += chunks.slice(line + 2, line + 2 + size);
    expect(chunks.slice(line + 2 + size, line + 4 + size)).toBe('\r\n');
    at = line + 4 + size;
    if (size === 0) break;
  }
  expect(at).toBe(chunks.length);
  return content;
}
