// Writes to a socket without losing what it does not take at once, and says when it is full and when it is empty again.
import { bytesOf, type ByteText } from '#server/egress/byte-text.ts';

/** The part of Bun's sockets that is needed here. */
export interface WritableSocket {
  write(data: string | Uint8Array, byteOffset?: number): number;
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
  write(data: Buffer | string): boolean {
    if (this.#unsent !== undefined) {
      this.#unsent = Buffer.concat([this.#unsent, asBytes(data)]);
      return false;
    }
    const written = this.#socket.write(data);
    if (written < 0) return true;
    // Every character is at least one byte, so as many bytes as characters may still be all or not all of it.
    if (written >= data.length && (typeof data !== 'string' || written >= Buffer.byteLength(data)))
      return true;
    this.#unsent = Buffer.from(asBytes(data).subarray(written));
    return false;
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

const asBytes = (data: Buffer | string): Buffer => (typeof data === 'string' ? Buffer.from(data) : data);
