// The database side of the ledger: runs operations in group commits and resolves after the commit is durable.
import type {
  NoteProgress,
  RecoverResult,
  Release,
  ReserveResult,
  Settle,
  SettleResult,
} from './engine/operations.ts';
import type { Heartbeat, LedgerConfiguration } from './ledger.ts';
import type { RunningCall } from './running-call.ts';

/** What the ledger says of an ending call; the backend adds what only it knows. */
export type Settlement = Omit<Settle, 'kind' | 'memoryHeld' | 'slice' | 'isAgain' | 'growth'>;
export type ReleasedCall = Omit<Release, 'kind' | 'slice' | 'isAgain'>;

export interface ProgressNote {
  call: RunningCall | undefined;
  operation: NoteProgress;
}

/** In every method `call` is undefined when another process, or an earlier run of this one, opened the call. */
export interface LedgerBackend {
  /** False: the database takes no writes now, and new spending is refused. */
  readonly isWritable: boolean;
  /** Takes the hold without waiting if that is certain to be right: what the user can still spend. undefined: use `reserve`. */
  admit(call: RunningCall): number | undefined;
  reserve(call: RunningCall, snapshot: string): Promise<ReserveResult>;
  extend(requestId: string, moreAmount: number, call: RunningCall | undefined): Promise<boolean>;
  /** `onResult` makes the value that is promised; it gets undefined when the settlement failed. */
  settle<T>(
    settlement: Settlement,
    call: RunningCall | undefined,
    onResult: (result: SettleResult | undefined) => T,
  ): Promise<T>;
  release(released: ReleasedCall, call: RunningCall | undefined): Promise<boolean>;
  /** False: the database does not take writes now, and nothing was noted. */
  noteProgress(notes: readonly ProgressNote[]): Promise<boolean>;
  /** Resolves up to `limit` holds of dead processes. */
  recover(limit: number): Promise<readonly RecoverResult[]>;
  /** Ends a period of the subscription that is over; true: something changed. */
  rollPeriod(subscriptionId: number): Promise<boolean>;
  /** Afterwards the tables show what every running call holds, of one user or of all. */
  writeHolds(userId: number | undefined): Promise<void>;
  /** Changes nothing; resolves when the writer has answered. */
  probe(): Promise<void>;
  readonly heartbeat?: Heartbeat;
  configure(configuration: LedgerConfiguration): Promise<void>;
  close(): Promise<void>;
}
