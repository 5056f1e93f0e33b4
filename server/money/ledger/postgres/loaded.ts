// The rows a batch names and works on.
import type {
  BookedEntry,
  CounterState,
  HoldState,
  LogEntry,
  Rows,
  SubscriptionState,
  TokenState,
  UserState,
} from '#server/money/ledger/engine/rows.ts';

/** What settings decide of a batch. */
export type BatchRules = Pick<Rows, 'lowBalanceThreshold' | 'budgets'>;

export interface Identity {
  nodeId: string;
  epoch: number;
}

/** `version`: the row's `xmin`, which changes with every write of the row. */
export type KnownUser = UserState & { version: number };
export type KnownToken = TokenState & { version: number };
export type KnownHold = HoldState & { version: number };
export type KnownCounter = CounterState & { version: number };
export type KnownSubscription = SubscriptionState & { version: number };

/** What earlier batches have booked for calls whose settlement found no hold. */
export interface BookedBefore {
  entries: ReadonlyMap<string, BookedEntry>;
  /** Log rows of calls that recovery charged. */
  logs: ReadonlyMap<string, LogEntry>;
}

export const nothingBooked: BookedBefore = { entries: new Map(), logs: new Map() };

/** What the operations of a batch name. */
export interface Wanted {
  requestIds: string[];
  userIds: number[];
  tokenIds: number[];
  subscriptionIds: number[];
  counterIds: number[];
  holds: KnownHold[];
  /** A hold is named that this node does not remember: the table must be read. */
  needsHolds: boolean;
}

export interface Loaded {
  /** Unix seconds and milliseconds, by the database's clock. */
  now: number;
  nowMs: number;
  users: Map<number, KnownUser>;
  tokens: Map<number, KnownToken>;
  subscriptions: Map<number, KnownSubscription>;
  counters: Map<number, KnownCounter>;
  holds: Map<string, KnownHold>;
  /** `scope@start` → used. */
  windows: Map<string, number>;
  /** `subject:id` → running calls. */
  running: Map<string, number>;
  /** `subject:id:hour` → quota. */
  spent: Map<string, number>;
}
