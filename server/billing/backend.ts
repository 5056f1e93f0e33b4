// The database side of the ledger: runs engine operations in group commits and resolves after the commit is durable.
import type { CheckpointArgs, OperationName, Operations, RecoverResult } from './engine/operations.ts';
import type { LedgerConfiguration } from './ledger.ts';

export type SpendingOperation = Exclude<OperationName, 'checkpoint' | 'recover' | 'lateSettle'>;

/** Who the hold belongs to, for a settlement that may have to be replayed after another node resolved its hold. */
export interface Owner {
  userId: number;
  tokenId: number;
}

export interface LedgerBackend {
  /** A hold's snapshot is wanted with its first checkpoint (on SQLite its row is written then), not before. */
  readonly writesHoldsLate: boolean;
  /** Afterwards the tables show what every running call holds. */
  writeHolds(): Promise<void>;
  run<Name extends SpendingOperation>(
    name: Name,
    args: Operations[Name]['args'],
    owner?: Owner,
  ): Promise<Operations[Name]['result']>;
  checkpoints(list: readonly CheckpointArgs[]): Promise<void>;
  /** Resolves up to `limit` holds of dead processes; returns what became of each. */
  recover(limit: number): Promise<readonly (readonly [requestId: string, RecoverResult])[]>;
  configure(configuration: LedgerConfiguration): Promise<void>;
  close(): Promise<void>;
}
