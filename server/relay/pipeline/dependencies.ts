// What server/app/app.ts gives to the relay. The relay itself opens no database, reads no environment and starts no server.
import type { Log } from '#contract/context.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Egress, Timeouts } from '#server/platform/egress/index.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { CallerSeconds } from '#server/relay/request/connection.ts';
import type { AnswerObserver } from '#server/relay/call/answer-observer.ts';
import type { CallWatcher } from '#server/relay/money/call-watcher.ts';
import type { RenewKey } from '#server/relay/channel-choice/key-renewal.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface SessionUser {
  readonly id: number;
  readonly username: string;
  readonly role: number;
  readonly group: string;
}

/** Each call that wants to begin decrements `left`; below zero the call is refused. */
export interface CallGate {
  left: number;
  readonly retryAfterSeconds: number;
  /** Refusals are answered when it resolves. */
  readonly nextLook: Promise<void>;
}

/** Admits every call. */
export const openGate = (): CallGate => ({
  left: Number.MAX_SAFE_INTEGER,
  retryAfterSeconds: 1,
  nextLook: Promise.resolve(),
});

export interface RelayTimeouts extends Timeouts {
  /** A caller that reads nothing of a stream for this long counts as gone. */
  stalledReaderSeconds: number;
}

export interface RelayDependencies {
  store: Store;
  settings: SettingsReader;
  ledger: Ledger;
  egress: Egress;
  log: Log;
  /**
   * The user signed in on this request, for /pg; null without a session, or when the user-id header is missing or wrong.
   */
  sessionOf(request: Request): Promise<SessionUser | null>;
  /** Metrics and traces; without it calls are not watched. */
  watcher?: CallWatcher;
  /** Checks of suppliers; without it answers are not sampled. */
  observer?: AnswerObserver;
  /** Without it an expired login is sent unchanged. */
  renewKey?: RenewKey;
  /** Without a gate every call is admitted. */
  gate?: CallGate;
  /** Tests shorten the time limits for callers. */
  callerSeconds?: Partial<CallerSeconds>;
  /** Overrides the settings. */
  timeouts?: Partial<RelayTimeouts>;
  /** Interval of the comments sent while an upstream is silent, so that proxies keep the connection open. 0 = never. */
  heartbeatSeconds?: number;
}

/** A constant; the other timeouts of a call are settings. */
export const STALLED_READER_SECONDS = 60;
