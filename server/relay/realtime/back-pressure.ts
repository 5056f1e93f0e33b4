// Back-pressure between two WebSockets: the sender is paused while too much of what it sent waits for the receiver.

interface Sender {
  pause(): void;
  resume(): void;
}

const LIMIT_BYTES = 1024 * 1024;
const LOOK_MILLISECONDS = 50;

export class BackPressure {
  readonly #sender: Sender;
  readonly #bufferedBytes: () => number;
  readonly #stalledSeconds: number;
  readonly #onStalled: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `onStalled`: the receiver was over the limit for `stalledSeconds`. */
  constructor(sender: Sender, bufferedBytes: () => number, stalledSeconds: number, onStalled: () => void) {
    this.#sender = sender;
    this.#bufferedBytes = bufferedBytes;
    this.#stalledSeconds = stalledSeconds;
    this.#onStalled = onStalled;
  }

  /** Called after each message that was handed to the receiver. */
  check(): void {
    if (this.#timer !== undefined || this.#bufferedBytes() <= LIMIT_BYTES) return;
    this.#sender.pause();
    const until = performance.now() + this.#stalledSeconds * 1000;
    // The platform's client has no event for an empty buffer.
    this.#timer = setInterval(() => {
      if (this.#bufferedBytes() <= LIMIT_BYTES / 2) this.release();
      else if (performance.now() > until) this.#onStalled();
    }, LOOK_MILLISECONDS);
  }

  release(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#sender.resume();
  }
}
