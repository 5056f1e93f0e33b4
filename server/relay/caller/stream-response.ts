// A streamed answer on the platform's direct stream. Written bytes are sent by `flush`; a promise resolves when the
// caller has read enough to be sent more.
import type { CallerConnection } from '#server/relay/request/connection.ts';

/** Sink of a stream. Written bytes are sent by `flush`. */
export interface StreamSink {
  write(bytes: Uint8Array | string): void;
  /**
   * A promise while the caller reads slower than the relay writes; it resolves when the caller has caught up or has
   * left.
   */
  flush(): void | Promise<void>;
  close(): void;
  /** Cuts the connection: the caller sees that the answer is not whole. */
  cut(): void;
}

export interface StreamedBody {
  /** Connects the stream to the caller: bytes written after this call are sent. */
  attach(sink: StreamSink): void;
  /** The caller hung up. */
  left(): void;
}

interface DirectController {
  write(bytes: Uint8Array | string): number | Promise<number>;
  flush(): number | Promise<number>;
  close(error?: Error): void;
}

class ControllerSink implements StreamSink {
  readonly #controller: DirectController;
  readonly #onClose: () => void;
  #behind: Promise<void> | undefined;

  constructor(controller: DirectController, onClose: () => void) {
    this.#controller = controller;
    this.#onClose = onClose;
  }

  write(bytes: Uint8Array | string): void {
    const written = this.#controller.write(bytes);
    if (typeof written !== 'number') this.#wait(written);
  }

  flush(): void | Promise<void> {
    const flushed = this.#controller.flush();
    if (typeof flushed !== 'number') this.#wait(flushed);
    return this.#behind;
  }

  close(): void {
    this.#controller.close();
    this.#onClose();
  }

  cut(): void {
    this.#controller.close(new Error('the answer broke off'));
    this.#onClose();
  }

  #wait(taken: Promise<number>): void {
    const settle = () => {
      if (this.#behind === behind) this.#behind = undefined;
    };
    const behind: Promise<void> = Promise.resolve(taken).then(settle, settle);
    this.#behind = behind;
  }
}

export function streamResponse(
  body: StreamedBody,
  headers: Headers,
  connection: CallerConnection,
  status = 200,
): Response {
  const ended = connection.keepOpen();
  const finished = Promise.withResolvers<void>();
  const finish = () => {
    ended();
    finished.resolve();
  };
  const source = {
    type: 'direct',
    pull: (controller: DirectController): Promise<void> => {
      body.attach(new ControllerSink(controller, finish));
      return finished.promise;
    },
    cancel: () => {
      finish();
      body.left();
    },
  };
  return new Response(new ReadableStream(source as unknown as Bun.UnderlyingSource), { headers, status });
}

/** The caller's end of a stream: keeps what is written before the response head has been sent. */
export class Output implements StreamedBody {
  readonly #onLeft: () => void;
  readonly #attached = Promise.withResolvers<void>();
  #sink: StreamSink | undefined;
  #early = '';
  #isClosed = false;

  /** `onLeft`: the caller hung up. */
  constructor(onLeft: () => void) {
    this.#onLeft = onLeft;
  }

  attach(sink: StreamSink): void {
    this.#sink = sink;
    if (this.#early !== '') sink.write(this.#early);
    this.#early = '';
    if (this.#isClosed) sink.close();
    else this.#attached.resolve(sink.flush());
  }

  left(): void {
    if (!this.#isClosed) this.#onLeft();
  }

  write(text: string): void {
    if (this.#sink === undefined) this.#early += text;
    else this.#sink.write(text);
  }

  /** A promise when the caller has not taken enough of what was written; it resolves when it has. */
  flush(): void | Promise<void> {
    return this.#sink === undefined ? this.#attached.promise : this.#sink.flush();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sink?.close();
  }
}
