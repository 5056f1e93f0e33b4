// What the relay is given by server/app.ts. It opens no database, reads no environment and starts no server itself.
import type { Log } from '#contract/context.ts';
import type { Ledger } from '#server/billing/ledger.ts';
import type { Egress, Timeouts } from '#server/egress/index.ts';
import type { SettingsReader } from '#server/settings/settings.ts';
import type { CallerSeconds } from '#server/relay/request/connection.ts';
import type { RenewKey } from '#server/store/channel-keys.ts';
import type { Store } from '#server/store/store.ts';

export interface SessionUser {
  readonly id: number;
  readonly username: string;
  readonly role: number;
  readonly group: string;
}

/** Counted down for each call that wants to begin; below zero it is refused. */
export interface CallGate {
  left: number;
  readonly retryAfterSeconds: number;
  /** When those who were refused may hear of it. */
  readonly nextLook: Promise<void>;
}

/** Admits every call. */
export const openGate = (): CallGate => ({
  left: Number.MAX_SAFE_INTEGER,
  retryAfterSeconds: 1,
  nextLook: Promise.resolve(),
});

export interface RelayTimeouts extends Timeouts {
  /** A caller that takes nothing of a stream for this long counts as gone. */
  stalledReaderSeconds: number;
}

export interface RelayDependencies {
  store: Store;
  settings: SettingsReader;
  ledger: Ledger;
  egress: Egress;
  log: Log;
  /** Who is signed in on this request, for /pg; null when nobody is, or the user-id header is missing or wrong. */
  sessionOf(request: Request): Promise<SessionUser | null>;
  /** Without it a login that has expired is used as it is. */
  renewKey?: RenewKey;
  /** Without one every call is admitted. */
  gate?: CallGate;
  /** Tests are less patient with callers. */
  callerSeconds?: Partial<CallerSeconds>;
  /** In place of the settings. */
  timeouts?: Partial<RelayTimeouts>;
  /** Comments sent while an upstream is silent, so that proxies keep the connection. 0 = never. */
  heartbeatSeconds?: number;
}

/** The other timeouts of a call are settings. */
export const stalledReaderSeconds = 60;
