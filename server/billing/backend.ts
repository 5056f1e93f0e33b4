// The database side of the ledger: runs engine operations in group commits and resolves after the commit is durable.
import type {
  CheckpointArgs,
  OperationName,
  Operations,
  RecoverResult,
  SettleArgs,
  SettleResult,
} from './engine/operations.ts';
import type { Heartbeat, LedgerConfiguration } from './ledger.ts';

export type AskedOperation = Exclude<OperationName, 'checkpoint' | 'recover' | 'settle' | 'lateSettle'>;

/** A call with its hold, as the process knows it that runs the call. */
export interface HeldCall {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  /** Of the hold, and of what it has been enlarged by. */
  amount: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Where it stands among the holds that the database does not know of; -1 when it does not. Only its backend changes it. */
  earlyPlace: number;
}

export interface LedgerBackend {
  /** A hold's snapshot is wanted with its first checkpoint (on SQLite its row is written then), not before. */
  readonly writesHoldsLate: boolean;
  /** Afterwards the tables show what every running call holds. */
  writeHolds(): Promise<void>;
  /** Takes a hold at once, where that cannot be wrong: what the user can still spend. undefined: `reserve` has to be run. */
  admit(call: HeldCall): number | undefined;
  /** `call`: unless another process took the hold. */
  run<Name extends AskedOperation>(
    name: Name,
    args: Operations[Name]['args'],
    call: HeldCall | undefined,
  ): Promise<Operations[Name]['result']>;
  /** `tell` makes of the result what is promised; undefined when it failed. Once it is given away `args` is the backend's. */
  settle<T>(
    args: SettleArgs,
    call: HeldCall | undefined,
    tell: (result: SettleResult | undefined) => T,
  ): Promise<T>;
  checkpoints(list: readonly CheckpointArgs[]): Promise<void>;
  /** Resolves up to `limit` holds of dead processes; returns what became of each. */
  recover(limit: number): Promise<readonly (readonly [requestId: string, RecoverResult])[]>;
  readonly heartbeat?: Heartbeat;
  configure(configuration: LedgerConfiguration): Promise<void>;
  close(): Promise<void>;
}
