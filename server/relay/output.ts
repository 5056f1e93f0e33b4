// The caller's end of a stream: a body that is written to directly, tells when the caller reads slower than we write, and
// keeps what comes before the response head has left.

interface DirectController {
  write(bytes: Uint8Array | string): number | Promise<number>;
  flush(): number | Promise<number>;
  close(error?: Error): void;
}

export interface OutputEvents {
  /** The caller reads too slowly: stop the upstream until `drained`. */
  full(): void;
  drained(): void;
  /** The caller hung up. */
  left(): void;
}

export class Output {
  readonly #events: OutputEvents;
  readonly #finished = Promise.withResolvers<void>();
  #controller: DirectController | undefined;
  #early: (Uint8Array | string)[] = [];
  #closed = false;

  constructor(events: OutputEvents) {
    this.#events = events;
  }

  body(): ReadableStream {
    const source = {
      type: 'direct',
      pull: (controller: DirectController): Promise<void> => {
        this.#attach(controller);
        return this.#finished.promise;
      },
      cancel: () => {
        if (!this.#closed) this.#events.left();
      },
    };
    return new ReadableStream(source as unknown as Bun.UnderlyingSource);
  }

  #attach(controller: DirectController): void {
    this.#controller = controller;
    const early = this.#early;
    this.#early = [];
    for (const bytes of early) this.write(bytes);
    this.flush();
    if (this.#closed) this.#end();
  }

  write(bytes: Uint8Array | string): void {
    const controller = this.#controller;
    if (controller === undefined) {
      this.#early.push(bytes);
      return;
    }
    const written = controller.write(bytes);
    if (typeof written !== 'number') {
      this.#events.full();
      written.then(
        () => this.#events.drained(),
        () => this.#events.left(),
      );
    }
  }

  flush(): void {
    void this.#controller?.flush();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#controller !== undefined) this.#end();
  }

  #end(): void {
    this.#controller?.close();
    this.#finished.resolve();
  }
}
