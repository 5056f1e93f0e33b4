// Running streams and realtime sessions, visited once a second: they leave checkpoints there, so that a crash loses no more
// than two seconds of output, and each does what else depends on time.
import { IndexedSet, type IndexedSetMember } from '#server/platform/egress/index.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { RelayError } from '#server/relay/errors/relay-error.ts';

export interface LiveStream extends IndexedSetMember {
  readonly caller: Pick<Caller, 'userId' | 'tokenId' | 'organization'>;
  /** `now` by the clock of `performance.now`. */
  visit(now: number): void;
  /** The user or the token may no longer call: the stream ends with this refusal. */
  revoke(refusal: RelayError): void;
}

export interface LiveStreams {
  add(live: LiveStream): void;
  remove(live: LiveStream): void;
  readonly size: number;
  all(): LiveStream[];
  close(): void;
}

const VISIT_MILLISECONDS = 1000;

export function createLiveStreams(): LiveStreams {
  const live = new IndexedSet<LiveStream>();
  const timer = setInterval(() => {
    const now = performance.now();
    live.visit((each) => each.visit(now));
  }, VISIT_MILLISECONDS);
  timer.unref();
  return {
    add: (each) => live.add(each),
    remove: (each) => live.remove(each),
    get size() {
      return live.size;
    },
    all: () => live.all(),
    close: () => clearInterval(timer),
  };
}
