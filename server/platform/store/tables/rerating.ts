// Corrections of past charges by another version of the prices, written by server/money/rerating.
import type { Default, Flag } from './column.ts';

export type RerateState = 'rating' | 'ready' | 'applying' | 'applied' | 'undone' | 'discarded';

/** One row for each dry run; applying the run updates the row. An undo is another row, which names the run it undoes. */
export interface RerateRunsTable {
  id: Default<number>;
  created_at: number;
  created_by: number;
  kind: Default<'rerate' | 'undo'>;
  /** The run that this one undoes; 0 for a re-rating. */
  undoes_id: Default<number>;
  version_id: Default<number>;
  /** Only calls that were charged by this version; 0: all. */
  charged_version: Default<number>;
  /** Unix seconds; `to_at` is the first second after the range. */
  from_at: number;
  to_at: number;
  /** JSON lists; empty: all. */
  models: Default<string>;
  groups: Default<string>;
  /** For the users, in their notice. */
  reason: Default<string>;
  state: Default<RerateState>;
  /** The first second that is not rated yet. */
  position: Default<number>;
  /** Calls that the range and the filter select. */
  examined: Default<number>;
  /** Calls whose charge changes. */
  calls: Default<number>;
  users: Default<number>;
  /** Sum of what calls cost less, and of what they cost more. */
  credit: Default<number>;
  debit: Default<number>;
  /** JSON: reason → calls and quota of calls that keep their charge. */
  left_out: Default<string>;
  /** What the figures of the range were when the rating began; compared before anything is booked. */
  fingerprint: Default<string>;
  rated_at: Default<number>;
  /** Counts the runs in the order in which they began to book; 0: nothing is booked. */
  booking: Default<number>;
  applied_at: Default<number>;
  applied_by: Default<number>;
  undone_at: Default<number>;
  undone_by: Default<number>;
}

/** What a dry run found, by user, day and model; only calls whose charge changes. */
export interface RerateSumsTable {
  run_id: number;
  user_id: number;
  /** Unix seconds of 00:00 UTC. */
  day: number;
  model_name: string;
  calls: number;
  before: number;
  after: number;
}

/** One transaction of a run: the notes of a user and day, or of a part of it where the day has many calls. */
export interface ReratePartsTable {
  id: Default<number>;
  run_id: number;
  user_id: number;
  day: number;
  part: number;
  /** Key of its note in the ledger; the keys of subscriptions and suspense begin with it. */
  idem: string;
  created_at: number;
  /** `changed`: the calls are not those of the dry run any more; nothing was booked. */
  state: Default<'booked' | 'changed'>;
  /** 1: nothing of this user and day is left. */
  last: Default<Flag>;
  calls: Default<number>;
  /** What the balance, subscriptions and suspense paid; negative: got back. */
  wallet: Default<number>;
  plan: Default<number>;
  suspense: Default<number>;
}

/** One corrected call. What paid for it, before and after; the log row's quota is balance and subscription together. */
export interface RerateCallsTable {
  run_id: number;
  log_id: number;
  user_id: number;
  day: number;
  part: number;
  created_at: number;
  request_id: string;
  model_name: string;
  token_id: number;
  channel_id: number;
  group: string;
  /** 1: what the call cost the operator is known. */
  is_costed: Default<Flag>;
  /** 0: the balance paid alone. */
  subscription_id: number;
  wallet_before: number;
  plan_before: number;
  suspense_before: number;
  wallet_after: number;
  plan_after: number;
  suspense_after: number;
  /** Change of the token's remaining quota, which stops at zero. */
  token_change: number;
}
