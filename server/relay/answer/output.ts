// The caller's end of a stream: keeps what comes before the response head has left, and tells when the caller reads slower
// than we write.
import type { StreamedBody, StreamSink } from '#server/edge/index.ts';
import { byteText, type ByteText } from '#server/egress/index.ts';

export interface OutputEvents {
  /** The caller reads too slowly: stop the upstream until `drained`. */
  full(): void;
  drained(): void;
  /** The caller hung up. */
  left(): void;
}

export class Output implements StreamedBody {
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
    for (const bytes of early) sink.write(bytes);
    sink.flush();
    if (this.#closed) sink.close();
  }

  full(): void {
    this.#events.full();
  }

  drained(): void {
    this.#events.drained();
  }

  left(): void {
    if (!this.#closed) this.#events.left();
  }

  write(bytes: ByteText): void {
    if (this.#sink === undefined) this.#early.push(bytes);
    else this.#sink.write(bytes);
  }

  writeInPlace(bytes: Buffer, start: number, end: number): void {
    if (this.#sink === undefined) this.#early.push(byteText(bytes, start, end));
    else this.#sink.writeInPlace(bytes, start, end);
  }

  flush(): void {
    this.#sink?.flush();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#sink?.close();
  }
}
