// Writes to a socket without losing what it does not take at once, and says when it is full and when it is empty again.
import { bytesOf, type ByteText } from './byte-text.ts';

/** The part of Bun's sockets that is needed here. `write` answers how many bytes it took. */
export interface WritableSocket {
  write(data: string | Uint8Array, byteOffset?: number, byteLength?: number): number;
}

/** An encoding is taken in place of an offset; the types of the platform do not tell. */
const latin1 = 'latin1' as unknown as number;

export class SocketWriter {
  readonly #socket: WritableSocket;
  #unsent: Buffer | undefined;

  constructor(socket: WritableSocket) {
    this.#socket = socket;
  }

  get isFull(): boolean {
    return this.#unsent !== undefined;
  }

  /** False: the socket is full; `drain` will be called when it can take more. */
  write(data: Buffer): boolean {
    return this.writePart(data, 0, data.length);
  }

  /** The same from `start` to `end`; no view is made of what the socket takes at once. */
  writePart(data: Buffer, start: number, end: number): boolean {
    if (this.#unsent !== undefined) {
      this.#unsent = Buffer.concat([this.#unsent, data.subarray(start, end)]);
      return false;
    }
    const written = this.#socket.write(data, start, end - start);
    if (written < 0 || written >= end - start) return true;
    this.#unsent = Buffer.from(data.subarray(start + written, end));
    return false;
  }

  writeAny(data: Buffer | ByteText): boolean {
    return typeof data === 'string' ? this.writeBytes(data) : this.write(data);
  }

  /** The same for bytes as text. */
  writeBytes(bytes: ByteText): boolean {
    if (this.#unsent !== undefined) return this.write(bytesOf(bytes));
    const written = this.#socket.write(bytes, latin1);
    if (written < 0 || written >= bytes.length) return true;
    this.#unsent = bytesOf(bytes).subarray(written);
    return false;
  }

  /** The socket can take more. True: nothing is left to send. */
  drain(): boolean {
    const unsent = this.#unsent;
    if (unsent === undefined) return true;
    this.#unsent = undefined;
    return this.write(unsent);
  }
}
