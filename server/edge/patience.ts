// What a caller may keep us waiting. A body has some time to begin with and then has to come at a pace: were each byte to
// buy more time, a byte now and then would keep a connection for ever.

/** How long a caller may take to send. */
export interface Patience {
  headMilliseconds: number;
  bodyMilliseconds: number;
  /** How long the rest of a refused body is read before hanging up, so that the caller sees the refusal. */
  lingerMilliseconds: number;
}

export const usualPatience: Patience = {
  headMilliseconds: 15_000,
  bodyMilliseconds: 30_000,
  lingerMilliseconds: 5000,
};

export const limits = {
  /** Between two requests, and while a caller does not read. */
  idleMilliseconds: 60_000,
  /** What a caller may send ahead while a request is being answered. */
  aheadBytes: 256 * 1024,
} as const;

const leastBodyBytesPerMillisecond = 8;

/** Of a body that does not come together with its head. */
export class BodyPace {
  readonly #until: number;
  #receivedBytes = 0;

  constructor(patience: Patience) {
    this.#until = performance.now() + patience.bodyMilliseconds;
  }

  /** When the rest must have come, now that so many more bytes have. */
  deadlineAfter(bytes: number): number {
    this.#receivedBytes += bytes;
    return this.#until + this.#receivedBytes / leastBodyBytesPerMillisecond;
  }
}
