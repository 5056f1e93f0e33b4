import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { faultSeen } from '#tests/support/fault-report.ts';
import { endsEvent, EventSplitter, EventTooLargeError, readEvent, readEventText } from './sse.ts';

const encoder = new TextEncoder();
const limit = 1024 * 1024;

function split(text: string, sliceBytes: number): { events: string[]; rest: string } {
  const bytes = encoder.encode(text);
  const splitter = new EventSplitter(limit);
  const events: string[] = [];
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    for (const event of splitter.push(bytes.slice(at, at + sliceBytes)))
      events.push(Buffer.from(event).toString());
  }
  const rest = splitter.rest();
  return { events, rest: rest === undefined ? '' : Buffer.from(rest).toString() };
}

describe('whole events out of slices (U4)', () => {
  const line = fc.constantFrom(
    'data: {"a":1}',
    'data: 你好 🌍',
    'event: x',
    ': comment',
    'data:',
    'data: [DONE]',
    'id: 7',
  );
  const event = fc.array(line, { minLength: 1, maxLength: 4 });

  test('the bytes come out as they went in, whatever the slices and line ends (plan U4)', () => {
    let streams = 0;
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 40 }),
        (events, end, sliceBytes) => {
          const text = events.map((lines) => lines.join(end) + end + end).join('');
          const result = split(text, sliceBytes);
          expect(result.events.join('') + result.rest).toBe(text);
          const read = [...result.events, result.rest]
            .map((each) => readEventText(each))
            .filter(({ empty }) => !empty);
          const expected = events
            .map((lines) => readEventText(lines.join('\n')))
            .filter(({ empty }) => !empty);
          expect(read).toEqual(expected);
          streams += 1;
        },
      ),
      { numRuns: 500 },
    );
    expect(streams).toBe(500);
    faultSeen('U4', `${streams} random streams in slices of 1 to 40 bytes, 3 line ends`);
  });

  test('an event without an end stays in the rest', () => {
    expect(split('data: 1\n\ndata: 2', 3)).toEqual({ events: ['data: 1\n\n'], rest: 'data: 2' });
  });

  test('one event over the limit is refused, many small ones are not', () => {
    const splitter = new EventSplitter(1000);
    expect(() => splitter.push(encoder.encode('x'.repeat(1001)))).toThrow(EventTooLargeError);
    const other = new EventSplitter(1000);
    expect(other.push(encoder.encode('data: 1\n\n'.repeat(500)))).toHaveLength(500);
  });

  test('a megabyte in slices of one byte takes linear time', () => {
    const splitter = new EventSplitter(limit);
    const begun = process.cpuUsage();
    const byte = encoder.encode('x');
    for (let index = 0; index < 300_000; index += 1) splitter.push(byte);
    expect(process.cpuUsage(begun).user).toBeLessThan(2_000_000);
    expect(splitter.heldBytes).toBe(300_000);
  });
});

describe('one event', () => {
  test('several data lines are joined, a byte order mark and comments fall away', () => {
    const bytes = encoder.encode('\uFEFF: hi\r\nevent: x\r\ndata: a\r\ndata:b\r\n\r\n');
    expect(readEvent(bytes)).toEqual({ event: 'x', data: 'a\nb', empty: false });
    expect(readEventText(': only a comment\n\n').empty).toBe(true);
    expect(readEventText('data\n\n')).toEqual({ event: '', data: '', empty: false });
  });

  test('its end is seen in the last bytes', () => {
    for (const [text, ends] of [
      ['data: 1\n\n', true],
      ['data: 1\r\n\r\n', true],
      ['data: 1\n', false],
      ['data: 1\r\n', false],
      ['\n', false],
    ] as const) {
      const bytes = encoder.encode(text);
      expect(endsEvent(bytes, 0, bytes.length)).toBe(ends);
      expect(endsEvent(encoder.encode(`\r\n\r\n${text}`), 4, 4 + bytes.length)).toBe(ends);
    }
  });
});
