// Writes to a socket without losing what it does not take at once, and says when it is full and when it is empty again.

/** The part of Bun's sockets that is needed here. */
export interface WritableSocket {
  write(data: string | Uint8Array): number;
}

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

  /** The socket can take more. True: nothing is left to send. */
  drain(): boolean {
    const unsent = this.#unsent;
    if (unsent === undefined) return true;
    this.#unsent = undefined;
    return this.write(unsent);
  }
}

const asBytes = (data: Buffer | string): Buffer => (typeof data === 'string' ? Buffer.from(data) : data);
