// Running streams, visited once a second: silent ones get a heartbeat, long ones leave a checkpoint so that a crash
// loses no more than two seconds of output.
import { Roster, type RosterMember } from '#server/egress/index.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { EventStream } from './event-stream.ts';

export interface LiveStream extends RosterMember {
  readonly events: EventStream;
  readonly caller: Pick<Caller, 'userId' | 'tokenId'>;
  checkpoint(deliveredTokens: number): void;
  silentSince: number;
  checkpointAt: number;
  checkpointTokens: number;
}

export interface LiveStreams {
  add(live: LiveStream): void;
  remove(live: LiveStream): void;
  readonly size: number;
  all(): LiveStream[];
  close(): void;
}

const visitMilliseconds = 1000;
const checkpointMilliseconds = 2000;

export function createLiveStreams(heartbeatSeconds: number): LiveStreams {
  const live = new Roster<LiveStream>();
  const timer = setInterval(() => {
    const now = performance.now();
    live.visit((each) => visit(each, now, heartbeatSeconds));
  }, visitMilliseconds);
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

function visit(live: LiveStream, now: number, heartbeatSeconds: number): void {
  const { events } = live;
  if (events.hasWritten) {
    events.hasWritten = false;
    live.silentSince = now;
  } else if (heartbeatSeconds > 0 && now - live.silentSince >= heartbeatSeconds * 1000) events.heartbeat();
  if (now - live.checkpointAt < checkpointMilliseconds) return;
  live.checkpointAt = now;
  const tokens = events.deliveredTokens;
  if (tokens === live.checkpointTokens) return;
  live.checkpointTokens = tokens;
  live.checkpoint(tokens);
}
