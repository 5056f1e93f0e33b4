import { describe, expect, test } from 'bun:test';
import { crc32 } from 'node:zlib';
import { awsEventStreamReader } from './aws-event-stream.ts';
import type { Frame, FrameReader } from './frames.ts';
import { ndjsonReader } from './ndjson.ts';

const limitBytes = 1024 * 1024;

function message(headers: Record<string, string>, payload: string): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7]),
      length,
      Buffer.from(value),
    ]);
  });
  const head = Buffer.concat(lines);
  const body = Buffer.from(payload);
  const whole = Buffer.alloc(16 + head.length + body.length);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(head.length, 4);
  whole.writeUInt32BE(crc32(whole.subarray(0, 8)), 8);
  head.copy(whole, 12);
  body.copy(whole, 12 + head.length);
  whole.writeUInt32BE(crc32(whole.subarray(0, -4)), whole.length - 4);
  return whole;
}

function readIn(reader: FrameReader, bytes: Uint8Array, size: number): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
  return [...frames, ...reader.end()];
}

describe("Amazon's event stream", () => {
  const event = { ':message-type': 'event', ':content-type': 'application/json' };
  const inner = '{"type":"content_block_delta","delta":{"type":"text_delta","text":"你好"}}';
  const stream = Buffer.concat([
    message({ ...event, ':event-type': 'contentBlockDelta' }, '{"delta":{"text":"é"}}'),
    message(
      { ...event, ':event-type': 'chunk' },
      JSON.stringify({ bytes: Buffer.from(inner).toString('base64') }),
    ),
    message(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      '{"message":"Too many requests"}',
    ),
  ]);
  const expected = [
    { event: 'contentBlockDelta', data: '{"delta":{"text":"é"}}' },
    { event: 'content_block_delta', data: inner },
    {
      event: 'error',
      data: '{"type":"error","error":{"type":"throttlingException","message":"Too many requests"}}',
    },
  ];

  test.each([1, 2, 3, 7, 64, 10_000])('cut into pieces of %i bytes it says the same', (size) => {
    expect(readIn(awsEventStreamReader(limitBytes), stream, size)).toEqual(expected);
  });

  test('a wrong checksum, an impossible length and an end inside a message are refused', () => {
    for (const at of [9, 40, stream.length - 1]) {
      const broken = Buffer.from(stream);
      broken[at] = (broken[at] ?? 0) ^ 1;
      expect(() => readIn(awsEventStreamReader(limitBytes), broken, 100)).toThrow();
    }
    expect(() => awsEventStreamReader(100).push(stream)).toThrow('impossible length');
    expect(() => readIn(awsEventStreamReader(limitBytes), stream.subarray(0, -3), 100)).toThrow(
      'inside a message',
    );
  });
});

describe('lines of JSON', () => {
  const text = Buffer.from('{"a":"é"}\r\n\n{"b":2}\n{"c":3}');
  test.each([1, 2, 5, 1000])('cut into pieces of %i bytes they say the same', (size) => {
    expect(readIn(ndjsonReader(limitBytes), text, size).map(({ data }) => data)).toEqual([
      '{"a":"é"}',
      '{"b":2}',
      '{"c":3}',
    ]);
  });

  test('a line without end is refused', () => {
    expect(() => ndjsonReader(10).push(Buffer.from('x'.repeat(11)))).toThrow('too long');
  });
});
