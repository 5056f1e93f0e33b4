// Carries what is not on the fast way to the server behind: bytes go through as they are, one connection there for each
// connection here, so no caller can disturb another's. Only the ends of messages are watched.
import type { Socket } from 'bun';
import { ResponseParser } from '#server/egress/response-parser.ts';
import { SocketWriter } from '#server/egress/socket-writer.ts';

export interface LinkOwner {
  /** Bytes of the answer. */
  answerBytes(bytes: Buffer): void;
  /** The answer is complete. `isOpen`: another request may follow on either side. */
  answered(isOpen: boolean): void;
  /** The server behind hung up in the middle. */
  broken(): void;
  /** It takes bytes again. */
  linkDrained(): void;
}

export class ConsoleLink {
  readonly #owner: LinkOwner;
  #socket: Socket<ConsoleLink> | undefined;
  #writer: SocketWriter | undefined;
  #early: Buffer[] = [];
  #parser: ResponseParser | undefined;
  #isSpliced = false;
  #isClosed = false;
  #isKept = true;
  #isFinished = false;

  constructor(unix: string, owner: LinkOwner) {
    this.#owner = owner;
    Bun.connect<ConsoleLink>({ unix, data: this, socket: handlers, allowHalfOpen: true }).catch(() =>
      this.onClosed(),
    );
  }

  get isUsable(): boolean {
    return !this.#isClosed && this.#isKept;
  }

  /** A request begins. `isSpliced`: the protocol changes, and only the end of the connection ends it. */
  begin(method: string, isSpliced: boolean): void {
    this.#isSpliced = isSpliced;
    if (isSpliced) return;
    this.#parser = new ResponseParser(
      {
        head: () => {},
        data: () => {},
        end: (isReusable) => {
          this.#isKept = isReusable;
        },
        allAtOnce: (_head, _bytes, _start, _text, isReusable) => {
          this.#isKept = isReusable;
        },
      },
      method,
    );
  }

  /** False: it is full; `linkDrained` follows. */
  send(bytes: Buffer): boolean {
    if (this.#isClosed) return true;
    if (this.#writer !== undefined) return this.#writer.write(bytes);
    this.#early.push(bytes);
    return true;
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** The caller sends no more. */
  finish(): void {
    this.#isFinished = true;
    this.#socket?.shutdown();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.end();
  }

  onOpen(socket: Socket<ConsoleLink>): void {
    if (this.#isClosed) {
      socket.end();
      return;
    }
    this.#socket = socket;
    this.#writer = new SocketWriter(socket);
    for (const bytes of this.#early) this.#writer.write(bytes);
    this.#early = [];
    if (this.#isFinished) socket.shutdown();
  }

  onData(bytes: Buffer): void {
    if (this.#isClosed) return;
    this.#owner.answerBytes(bytes);
    const parser = this.#parser;
    if (this.#isSpliced || parser === undefined) return;
    try {
      parser.push(bytes);
    } catch {
      // Our own server answered in a way we do not understand: nothing more can follow on this connection.
      this.#parser = undefined;
      this.close();
      this.#owner.answered(false);
      return;
    }
    if (!parser.done) return;
    this.#parser = undefined;
    this.#owner.answered(this.#isKept);
  }

  onDrain(): void {
    if (this.#writer?.drain() === true) this.#owner.linkDrained();
  }

  onClosed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket?.end();
    const parser = this.#parser;
    this.#parser = undefined;
    if (parser?.closed() === true) this.#owner.answered(false);
    else this.#owner.broken();
  }
}

const handlers: Bun.SocketHandler<ConsoleLink> = {
  open: (socket) => socket.data.onOpen(socket),
  data: (socket, bytes) => socket.data.onData(bytes),
  drain: (socket) => socket.data.onDrain(),
  end: (socket) => socket.data.onClosed(),
  close: (socket) => socket.data.onClosed(),
  error: (socket) => socket.data.onClosed(),
};
