// Counts the running requests of each address (IPv6: of each /64, like the limits). The platform has no hook for connections, so requests stand for them; a
// streamed answer and a WebSocket count until their end.

import { networkOf } from './limits.ts';

const uncounted = () => {};

export class RunningRequests {
  readonly #most: () => number;
  readonly #byAddress = new Map<string, number>();

  constructor(mostPerAddress: () => number) {
    this.#most = mostPerAddress;
  }

  /** Call the result once the request has ended. undefined: the address has too many. */
  begin(from: string): (() => void) | undefined {
    const most = this.#most();
    if (most === 0) return uncounted;
    const address = networkOf(from);
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= most) return undefined;
    this.#byAddress.set(address, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left > 0) this.#byAddress.set(address, left);
      else this.#byAddress.delete(address);
    };
  }
}
