// Frames of a WebSocket as a client writes and reads them (RFC 6455), without extensions.
import { randomBytes } from 'node:crypto';

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export class WebSocketError extends Error {
  override name = 'WebSocketError';
}

/** A whole message in one frame; a client's frames are masked. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + extended + 4);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) head.writeUInt16BE(length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  mask.copy(head, 2 + extended);
  const masked = Buffer.from(payload);
  for (let at = 0; at < length; at += 1) masked[at] = (masked[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return Buffer.concat([head, masked]);
}

export interface Message {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Whole messages out of any cut of the bytes; pieces of one message are put together. */
export class MessageReader {
  readonly #limitBytes: number;
  #kept: Buffer = Buffer.alloc(0);
  #opcode = 0;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  push(bytes: Uint8Array): Message[] {
    this.#kept = Buffer.concat([this.#kept, bytes]);
    const messages: Message[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      const message = this.#add(frame);
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  #next(): (Message & { isFinal: boolean }) | undefined {
    const kept = this.#kept;
    if (kept.length < 2) return undefined;
    const [first = 0, second = 0] = kept;
    if ((first & 0x70) !== 0) throw new WebSocketError('an extension nobody agreed on');
    if ((second & 0x80) !== 0) throw new WebSocketError('a masked frame from a server');
    const short = second & 0x7f;
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (kept.length < start) return undefined;
    const length =
      short < 126 ? short : short === 126 ? kept.readUInt16BE(2) : Number(kept.readBigUInt64BE(2));
    if (length > this.#limitBytes) throw new WebSocketError('a frame is too long');
    if (kept.length < start + length) return undefined;
    const payload = Buffer.from(kept.subarray(start, start + length));
    this.#kept = kept.subarray(start + length);
    return { isFinal: (first & 0x80) !== 0, opcode: first & 0x0f, payload };
  }

  #add({ isFinal, opcode, payload }: Message & { isFinal: boolean }): Message | undefined {
    // Control frames stand between the pieces of a message and are never cut.
    if (opcode >= opcodes.close) return { opcode, payload };
    if (opcode !== opcodes.continuation) {
      this.#opcode = opcode;
      this.#parts = [];
      this.#length = 0;
    }
    this.#parts.push(payload);
    this.#length += payload.length;
    if (this.#length > this.#limitBytes) throw new WebSocketError('a message is too long');
    if (!isFinal) return undefined;
    const message = { opcode: this.#opcode, payload: Buffer.concat(this.#parts) };
    this.#parts = [];
    return message;
  }
}
