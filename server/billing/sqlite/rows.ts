// The engine's view of SQLite, inside the writer thread. Each user, token, channel, hour and window is read at most once
// per batch, changed in memory and written once before COMMIT; holds, ledger and log rows are written as they come.
import type { WriterContext } from '#server/store/sqlite/writer-thread.ts';
import type { LogFields } from '#server/billing/engine/operations.ts';
import { taskNode } from '#server/billing/engine/reserve.ts';
import type {
  HoldState,
  LedgerEntry,
  LowBalanceMail,
  Rows,
  Subject,
  TakenHold,
  TokenState,
  UsageEntry,
  UserState,
} from '#server/billing/engine/rows.ts';
import { prepare, type Queries } from './queries.ts';

interface Window {
  scope: string;
  start: number;
  used: number;
}

export class SqliteRows implements Rows {
  now = 0;
  nodeId = '';
  epoch = 0;
  lowBalanceMail: LowBalanceMail = { threshold: 0, subject: '', body: '', quotaPerUnit: 1 };

  readonly #queries: Queries;
  readonly #users = new Map<number, UserState>();
  readonly #tokens = new Map<number, TokenState>();
  readonly #channels = new Map<number, number>();
  readonly #usage = new Map<string, UsageEntry>();
  readonly #windows = new Map<string, Window>();
  readonly #spent = new Map<string, { subject: Subject; id: number; hour: number; quota: number }>();

  constructor(context: WriterContext) {
    this.#queries = prepare(context);
  }

  start(): void {
    this.now = Math.floor(Date.now() / 1000);
    this.#users.clear();
    this.#tokens.clear();
    this.#channels.clear();
    this.#usage.clear();
    this.#windows.clear();
    this.#spent.clear();
  }

  /** Writes what changed; called before COMMIT and before a statement of someone else. */
  flush(): void {
    const queries = this.#queries;
    for (const user of this.#users.values()) {
      if (!user.dirty) continue;
      queries.updateUser.run(
        user.quota,
        user.held,
        user.used,
        user.requestCount,
        user.lowBalanceMailAt,
        user.id,
      );
      user.dirty = false;
    }
    for (const token of this.#tokens.values()) {
      if (!token.dirty) continue;
      queries.updateToken.run(
        token.status,
        token.remain,
        token.held,
        token.used,
        token.accessedTime,
        token.id,
      );
      token.dirty = false;
    }
    for (const [id, quota] of this.#channels) queries.addChannel.run(quota, id);
    this.#channels.clear();
    for (const entry of this.#usage.values()) {
      queries.addUsage.run(
        entry.at,
        entry.userId,
        entry.tokenId,
        entry.channelId,
        entry.modelName,
        entry.count,
        entry.quota,
        entry.promptTokens,
        entry.completionTokens,
        entry.errorCount,
        entry.useTimeMs,
        entry.firstTokenMs,
      );
    }
    this.#usage.clear();
    for (const window of this.#windows.values())
      queries.putWindow.run(window.scope, window.start, window.used);
    this.#windows.clear();
  }

  user(id: number): UserState | undefined {
    const known = this.#users.get(id);
    if (known !== undefined) return known;
    const row = this.#queries.findUser.get(id);
    if (row === null) return undefined;
    const state: UserState = {
      id,
      username: row.username,
      email: row.email,
      isActive: row.status === 1 && row.deleted_at === null,
      quota: row.quota,
      held: row.held_quota,
      used: row.used_quota,
      requestCount: row.request_count,
      lowBalanceMailAt: row.low_balance_mail_at,
      requestsPerMinute: row.requests_per_minute,
      tokensPerMinute: row.tokens_per_minute,
      concurrentCalls: row.concurrent_calls,
      dayBudget: row.day_budget,
      monthBudget: row.month_budget,
      dirty: false,
    };
    this.#users.set(id, state);
    return state;
  }

  token(id: number): TokenState | undefined {
    const known = this.#tokens.get(id);
    if (known !== undefined) return known;
    const row = this.#queries.findToken.get(id);
    if (row === null) return undefined;
    const state: TokenState = {
      id,
      userId: row.user_id,
      status: row.status,
      isDeleted: row.deleted_at !== null,
      expiredTime: row.expired_time,
      isUnlimited: row.unlimited_quota === 1,
      remain: row.remain_quota,
      held: row.held_quota,
      used: row.used_quota,
      accessedTime: row.accessed_time,
      requestsPerMinute: row.requests_per_minute,
      tokensPerMinute: row.tokens_per_minute,
      concurrentCalls: row.concurrent_calls,
      dayBudget: row.day_budget,
      monthBudget: row.month_budget,
      dirty: false,
    };
    this.#tokens.set(id, state);
    return state;
  }

  /** A second hold of the same id is a fault of the caller: the primary key throws and only that operation fails. */
  openHold(hold: HoldState): boolean {
    this.#queries.insertHold.run(
      hold.id,
      hold.userId,
      hold.tokenId,
      hold.nodeId,
      hold.epoch,
      hold.amount,
      hold.createdAt,
      hold.expiresAt,
      hold.snapshot,
    );
    return true;
  }

  findHold(id: string): HoldState | undefined {
    const row = this.#queries.findHold.get(id);
    if (row === null) return undefined;
    return {
      id,
      userId: row.user_id,
      tokenId: row.token_id,
      nodeId: row.node_id,
      epoch: row.epoch,
      amount: row.amount,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      dispatched: row.dispatched === 1,
      checkpointQuota: row.checkpoint_quota,
      checkpoint: row.checkpoint,
      snapshot: row.snapshot,
    };
  }

  takeHold(id: string): TakenHold | undefined {
    const row = this.#queries.deleteHold.get(id);
    if (row === null) return undefined;
    return { id, userId: row.user_id, tokenId: row.token_id, amount: row.amount, createdAt: row.created_at };
  }

  changeHold(hold: HoldState): void {
    this.#queries.updateHold.run(
      hold.nodeId,
      hold.epoch,
      hold.amount,
      hold.dispatched ? 1 : 0,
      hold.checkpointQuota,
      hold.checkpoint,
      hold.id,
    );
  }

  runningCalls(subject: Subject, id: number, userId: number): number {
    if (subject === 'user') return this.#queries.countUserHolds.get(id, taskNode)?.count ?? 0;
    return this.#queries.countTokenHolds.get(userId, id, taskNode)?.count ?? 0;
  }

  windowUsed(scope: string, windowStart: number): number {
    const known = this.#windows.get(`${scope}@${windowStart}`);
    return known?.used ?? this.#queries.findWindow.get(scope, windowStart)?.used ?? 0;
  }

  addToWindow(scope: string, windowStart: number, amount: number): void {
    const used = Math.max(0, this.windowUsed(scope, windowStart) + amount);
    this.#windows.set(`${scope}@${windowStart}`, { scope, start: windowStart, used });
  }

  spentSince(subject: Subject, id: number, hour: number): number {
    const key = `${subject}:${id}:${hour}`;
    let entry = this.#spent.get(key);
    if (entry === undefined) {
      const query = subject === 'user' ? this.#queries.sumUserHours : this.#queries.sumTokenHours;
      entry = { subject, id, hour, quota: query.get(id, hour)?.quota ?? 0 };
      for (const pending of this.#usage.values()) addSpent(entry, pending);
      this.#spent.set(key, entry);
    }
    return entry.quota;
  }

  booked(idem: string): { amount: number; reference: string } | undefined {
    return this.#queries.findEntry.get(idem) ?? undefined;
  }

  book(entry: LedgerEntry): void {
    const { idem, at, userId, debit, credit, amount, kind, reference } = entry;
    this.#queries.insertEntry.run(idem, at, userId, debit, credit, amount, kind, reference);
  }

  log(at: number, requestId: string, fields: LogFields, quota: number): void {
    this.#queries.insertLog.run(at, requestId, quota, ...fields);
  }

  countUsage(entry: UsageEntry): void {
    const hour = entry.at - (entry.at % 3600);
    const key = `${hour}:${entry.userId}:${entry.tokenId}:${entry.channelId}:${entry.modelName}`;
    for (const spent of this.#spent.values()) addSpent(spent, { ...entry, at: hour });
    const sum = this.#usage.get(key);
    if (sum === undefined) {
      this.#usage.set(key, { ...entry, at: hour });
      return;
    }
    sum.count += entry.count;
    sum.quota += entry.quota;
    sum.promptTokens += entry.promptTokens;
    sum.completionTokens += entry.completionTokens;
    sum.errorCount += entry.errorCount;
    sum.useTimeMs += entry.useTimeMs;
    sum.firstTokenMs += entry.firstTokenMs;
  }

  countChannel(channelId: number, quota: number): void {
    this.#channels.set(channelId, (this.#channels.get(channelId) ?? 0) + quota);
  }

  mail(recipient: string, subject: string, body: string, dedupeKey: string): void {
    this.#queries.insertMail.run(this.now, recipient, subject, body, dedupeKey);
  }

  /** Holds of processes that are gone, oldest first: SQLite serves one process, so all but this epoch's are. */
  abandonedHolds(limit: number): string[] {
    const known = [this.nodeId, this.epoch, this.now, limit] as const;
    return this.#queries.abandonedHolds.all(...known).map((row) => row.id);
  }

  beginEpoch(nodeId: string, host: string, version: string): number {
    this.now = Math.floor(Date.now() / 1000);
    this.nodeId = nodeId;
    this.epoch = this.#queries.beginEpoch.get(nodeId, this.now, this.now, host, version)?.epoch ?? 1;
    return this.epoch;
  }

  /** Removes minutes that no limit looks at any more. */
  forgetWindows(): void {
    this.#queries.forgetWindows.run(this.now - 3600);
  }
}

function addSpent(
  spent: { subject: Subject; id: number; hour: number; quota: number },
  entry: UsageEntry,
): void {
  const id = spent.subject === 'user' ? entry.userId : entry.tokenId;
  if (id === spent.id && entry.at >= spent.hour) spent.quota += entry.quota;
}
