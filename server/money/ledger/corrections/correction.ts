// Corrections of calls, before and after they are booked.
import type { Shares } from './shares.ts';

export interface CallCorrection {
  logId: number;
  /** Of the log row, and of the call's figures. */
  createdAt: number;
  requestId: string;
  modelName: string;
  tokenId: number;
  channelId: number;
  group: string;
  /** What the call cost the operator is known. */
  isCosted: boolean;
  subscriptionId: number;
  before: Shares;
  wanted: Shares;
  /** Of an undo: what the undone correction changed in the token's remaining quota. */
  undoneTokenChange?: number;
}

export interface CorrectionNote {
  /** Key of the ledger row; those of subscriptions and suspense begin with it. */
  idem: string;
  userId: number;
  runId: number;
  /** YYYY-MM-DD; the user reads it. */
  day: string;
  isUndo: boolean;
  calls: readonly CallCorrection[];
}

export interface BookedCall extends CallCorrection {
  after: Shares;
  /** Change of the token's remaining quota. */
  tokenChange: number;
}

export interface BookedNote extends Shares {
  calls: BookedCall[];
  /** Tokens whose status has changed: to be announced after the commit. */
  changedTokens: number[];
}

export type Dialect = 'sqlite' | 'postgres';
