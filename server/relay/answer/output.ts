// The caller's end of a stream: keeps what is written before the response head has been sent.
import type { StreamedBody, StreamSink } from '#server/relay/caller/stream-response.ts';

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
