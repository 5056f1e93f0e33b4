// Amazon's binary event stream: length, headers, payload and two checksums per message, read into frames.
import { crc32 } from 'node:zlib';
import type { Frame, FrameReader } from './frames.ts';

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const TEXT_HEADER = 7;
/** Bytes of a value by its type, for types of fixed size. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

export class AwsEventStreamError extends Error {
  override name = 'AwsEventStreamError';
}

export function awsEventStreamReader(limitBytes: number): FrameReader {
  let kept: Buffer = Buffer.alloc(0);
  return {
    push(bytes) {
      kept = kept.length === 0 ? Buffer.from(bytes) : Buffer.concat([kept, bytes]);
      const frames: Frame[] = [];
      let start = 0;
      while (kept.length - start >= PRELUDE_BYTES) {
        const total = kept.readUInt32BE(start);
        if (total < PRELUDE_BYTES + CHECKSUM_BYTES || total > limitBytes)
          throw new AwsEventStreamError('a message of impossible length');
        if (crc32(kept.subarray(start, start + 8)) !== kept.readUInt32BE(start + 8))
          throw new AwsEventStreamError('the checksum of a prelude is wrong');
        if (kept.length - start < total) break;
        frames.push(frameOf(kept.subarray(start, start + total)));
        start += total;
      }
      // Copied, so that a few buffered bytes do not keep a whole chunk in memory.
      if (start > 0) kept = Buffer.from(kept.subarray(start));
      return frames;
    },
    end() {
      if (kept.length > 0) throw new AwsEventStreamError('the stream ended inside a message');
      return [];
    },
  };
}

function frameOf(message: Buffer): Frame {
  const end = message.length - CHECKSUM_BYTES;
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end))
    throw new AwsEventStreamError('the checksum of a message is wrong');
  const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
  if (headersEnd > end) throw new AwsEventStreamError('the headers are longer than their message');
  const headers = readHeaders(message, headersEnd);
  const payload = message.toString('utf8', headersEnd, end);
  const kind = headers.get(':message-type');
  if (kind === 'exception' || kind === 'error') {
    const type = headers.get(':exception-type') ?? headers.get(':error-code') ?? 'unknown';
    return { event: 'error', data: errorData(type, headers.get(':error-message') ?? messageIn(payload)) };
  }
  const event = headers.get(':event-type') ?? '';
  return event === 'chunk' ? chunkFrame(payload) : { event, data: payload };
}

/** InvokeModel wraps the vendor's own events: the bytes inside are the event. */
function chunkFrame(payload: string): Frame {
  const { bytes } = JSON.parse(payload) as { bytes?: unknown };
  const data = Buffer.from(typeof bytes === 'string' ? bytes : '', 'base64').toString();
  const type: unknown = (JSON.parse(data) as { type?: unknown }).type;
  return { event: typeof type === 'string' ? type : '', data };
}

function errorData(type: string, message: string): string {
  return JSON.stringify({ type: 'error', error: { type, message } });
}

function messageIn(payload: string): string {
  try {
    const value = JSON.parse(payload) as { message?: unknown; Message?: unknown };
    const message = value.message ?? value.Message;
    return typeof message === 'string' ? message : payload;
  } catch {
    return payload;
  }
}

function readHeaders(message: Buffer, end: number): Map<string, string> {
  const headers = new Map<string, string>();
  let at = PRELUDE_BYTES;
  while (at < end) {
    const nameEnd = at + 1 + message.readUInt8(at);
    const name = message.toString('utf8', at + 1, nameEnd);
    const type = message.readUInt8(nameEnd);
    const fixed = FIXED_BYTES[type];
    const start = nameEnd + 1 + (fixed === undefined ? 2 : 0);
    const length = fixed ?? message.readUInt16BE(nameEnd + 1);
    if (type === TEXT_HEADER) headers.set(name, message.toString('utf8', start, start + length));
    at = start + length;
  }
  return headers;
}
