// The caller's end of a stream: keeps what comes before the response head has left, and says when the caller reads slower
// than is written.
import { bytesOf, isAscii, type ByteText } from '#server/egress/index.ts';
import type { StreamedBody, StreamSink } from '#server/relay/caller/stream-response.ts';

export interface OutputEvents {
  /** The caller reads too slowly: stop the upstream until `drained`. */
  full(): void;
  drained(): void;
  /** The caller hung up. */
  left(): void;
}

export class Output implements StreamedBody {
  /** The caller has not taken what was flushed last. */
  isBehind = false;
  readonly #events: OutputEvents;
  #sink: StreamSink | undefined;
  #early: ByteText[] = [];
  #closed = false;

  constructor(events: OutputEvents) {
    this.#events = events;
  }

  attach(sink: StreamSink): void {
    this.#sink = sink;
    const early = this.#early;
    this.#early = [];
    for (const bytes of early) this.write(bytes);
    this.flush();
    if (this.#closed) sink.close();
  }

  left(): void {
    if (!this.#closed) this.#events.left();
  }

  write(bytes: ByteText): void {
    if (this.#sink === undefined) this.#early.push(bytes);
    else this.#sink.write(isAscii(bytes) ? bytes : bytesOf(bytes));
  }

  flush(): void {
    const taken = this.#sink?.flush();
    if (taken === undefined || this.isBehind) return;
    this.isBehind = true;
    this.#events.full();
    void taken.then(() => {
      this.isBehind = false;
      this.#events.drained();
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#sink?.close();
  }
}
