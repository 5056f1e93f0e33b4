// What the engine needs of a database. SQLite reads row by row inside the writer thread; PostgreSQL works on rows that were
// locked and loaded for the whole batch. The rules are written once, in this folder.
import type { BudgetCalendar, BudgetPeriod } from '#contract/money/budget-windows.ts';
import type { UserNoticeEvent } from '#contract/admin/notice-events.ts';
import type { HeldPlan, LogRow, Subject } from './operations.ts';
import type { Schedule } from './periods.ts';

export interface SubjectLimits {
  requestsPerMinute: number;
  tokensPerMinute: number;
  concurrentCalls: number;
  dayBudget: number;
  monthBudget: number;
  /** Of a token: limits that it shares with the other keys of its project. */
  project?: ProjectLimits | undefined;
}

export interface ProjectLimits {
  id: number;
  requestsPerMinute: number;
  tokensPerMinute: number;
}

/** Changed in place; `dirty` rows are written once, when the batch ends. */
export interface UserState extends SubjectLimits {
  id: number;
  isActive: boolean;
  quota: number;
  held: number;
  /** What running calls hold of the user's subscriptions. */
  planHeld: number;
  isPlanHeldChanged: boolean;
  used: number;
  requestCount: number;
  lowBalanceNoticeAt: number;
  dirty: boolean;
}

export interface TokenState extends SubjectLimits {
  id: number;
  userId: number;
  status: number;
  isDeleted: boolean;
  expiredTime: number;
  isUnlimited: boolean;
  remain: number;
  held: number;
  used: number;
  accessedTime: number;
  statusChanged: boolean;
  dirty: boolean;
}

/** Changed in place, like a user's row. */
export interface SubscriptionState extends Schedule {
  id: number;
  userId: number;
  isActive: boolean;
  /** How many were bought. */
  periods: number;
  /** -1 before the start. */
  period: number;
  periodEndsAt: number;
  /** The last period ends then, also where it is shorter than the others. */
  endsAt: number;
  periodQuota: number;
  quota: number;
  held: number;
  endedAt: number;
  dirty: boolean;
}

export type CounterPeriod = BudgetPeriod | 'total';

/** Of a budget of an organization; changed in place, like a user's row. */
export interface CounterState {
  id: number;
  organizationId: number;
  /** Of the budget. */
  name: string;
  /** Of the tag, where each value has a counter. */
  value: string;
  period: CounterPeriod;
  isHard: boolean;
  quota: number;
  /** On top, in this window. */
  extra: number;
  spent: number;
  held: number;
  noticed: number;
  windowStart: number;
  windowEnd: number;
  dirty: boolean;
}

/** Spent in a window of a counter that is over. */
export interface WindowEntry {
  counterId: number;
  start: number;
  end: number;
  spent: number;
}

export interface HoldState extends HeldPlan {
  id: string;
  userId: number;
  tokenId: number;
  nodeId: string;
  epoch: number;
  amount: number;
  /** Part of `amount` that the subscription covers; the balance covers the rest. */
  planAmount: number;
  createdAt: number;
  expiresAt: number;
  dispatched: boolean;
  checkpointQuota: number;
  checkpoint: string;
  snapshot: string;
  /** The counters of budgets it is taken from, as a comma list. */
  budgets: string;
}

export interface LedgerEntry {
  idem: string;
  userId: number;
  debit: string;
  credit: string;
  amount: number;
  kind: string;
  reference: string;
  at: number;
}

export interface BookedEntry {
  amount: number;
  kind: string;
  reference: string;
  at: number;
}

export interface LogEntry {
  at: number;
  requestId: string;
  quota: number;
  /** Null: unknown. */
  cost: number | null;
  row: LogRow;
}

/** A row of `notices`; server/platform/notices finds the receiver's ways later. */
export interface NoticeEntry {
  event: UserNoticeEvent;
  userId: number;
  /** JSON of the values of the event. */
  details: string;
  /** A second notice with the same key is not stored. */
  onceKey: string;
}

export interface UsageEntry {
  at: number;
  userId: number;
  tokenId: number;
  channelId: number;
  modelName: string;
  count: number;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  errorCount: number;
  useTimeMs: number;
  firstTokenMs: number;
}

/** Of an organization's call: whose it was. */
export interface HolderEntry {
  at: number;
  userId: number;
  /** Blank: the whole call; else one of its tags. */
  tagKey: string;
  tagValue: string;
  memberId: number;
  serviceAccountId: number;
  projectId: number;
  tokenId: number;
  modelName: string;
  count: number;
  quota: number;
  promptTokens: number;
  completionTokens: number;
  errorCount: number;
  useTimeMs: number;
  firstTokenMs: number;
}

/** A call, or the correction of one, in the sums of its day. */
export interface MarginEntry {
  at: number;
  channelId: number;
  modelName: string;
  group: string;
  userId: number;
  count: number;
  quota: number;
  /** Of calls whose cost is known, like the next two. */
  cost: number;
  costedCount: number;
  costedQuota: number;
}

export interface Rows {
  /** Unix seconds by the database's clock (SQLite: this machine's). */
  readonly now: number;
  readonly nodeId: string;
  readonly epoch: number;
  /** A user whose balance falls to it is notified; negative: no user is. */
  readonly lowBalanceThreshold: number;
  /** The days, weeks and months of budgets. */
  readonly budgets: BudgetCalendar;

  user(id: number): UserState | undefined;
  token(id: number): TokenState | undefined;
  subscription(id: number): SubscriptionState | undefined;
  counter(id: number): CounterState | undefined;
  /** False when the same hold exists already: the batch was committed before and its answer was lost. */
  openHold(hold: HoldState): boolean;
  findHold(id: string): HoldState | undefined;
  /** Removes the hold and returns it; a second call for the same id returns undefined. */
  takeHold(id: string): HoldState | undefined;
  changeHold(hold: HoldState): void;

  /** Calls that run now; tasks do not count. */
  runningCalls(subject: Subject, id: number, userId: number): number;
  windowUsed(scope: string, windowStart: number): number;
  addToWindow(scope: string, windowStart: number, amount: number): void;
  /** Quota used by finished calls since that hour. */
  spentSince(subject: Subject, id: number, hour: number): number;

  /** The entry of this idempotency key, if it was booked in an earlier batch. */
  booked(idem: string): BookedEntry | undefined;
  book(entry: LedgerEntry): void;
  log(entry: LogEntry): void;
  /** The log row of a charged call; undefined when there is none or it was cleaned away. */
  callLog(requestId: string): LogEntry | undefined;
  /** Replaces quota and columns of the call's log row; its time stays. */
  correctLog(entry: LogEntry): void;
  countUsage(entry: UsageEntry): void;
  countHolder(entry: HolderEntry): void;
  countMargin(entry: MarginEntry): void;
  countWindow(entry: WindowEntry): void;
  countChannel(channelId: number, quota: number): void;
  notice(notice: NoticeEntry): void;
}
