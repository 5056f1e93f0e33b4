// The engine's view of SQLite, inside the writer thread. Each user, token, channel, hour and window is read at most once
// per batch, changed in memory and written once before COMMIT; holds, ledger and log rows are written as they come.
import { BatchMemory } from '#server/billing/engine/memory.ts';
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
  UserState,
} from '#server/billing/engine/rows.ts';
import { holdState, tokenState, userState } from '#server/billing/engine/states.ts';
import { noLowBalanceMail } from '#server/billing/low-balance.ts';
import type { WriterContext } from '#server/store/sqlite/writer-thread.ts';
import { prepare, type Queries } from './queries.ts';

export class SqliteRows extends BatchMemory implements Rows {
  now = 0;
  nodeId = '';
  epoch = 0;
  lowBalanceMail: LowBalanceMail = noLowBalanceMail;

  readonly #queries: Queries;
  readonly #users = new Map<number, UserState>();
  readonly #tokens = new Map<number, TokenState>();

  constructor(context: WriterContext) {
    super();
    this.#queries = prepare(context);
  }

  /** A transaction has begun: nothing remembered from an earlier one counts. */
  start(): void {
    this.now = Math.floor(Date.now() / 1000);
    this.#users.clear();
    this.#tokens.clear();
    this.forget();
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
    }
    for (const token of this.#tokens.values()) {
      if (!token.dirty) continue;
      queries.updateToken.run(token.remain, token.held, token.used, token.accessedTime, token.id);
      if (token.statusChanged) queries.updateTokenStatus.run(token.status, token.id);
    }
    for (const [id, quota] of this.channels) queries.addChannel.run(quota, id);
    for (const entry of this.usage.values()) {
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
    for (const { scope, start, used, dirty } of this.windows.values()) {
      if (dirty) queries.putWindow.run(scope, start, used);
    }
    // Written is forgotten: a second flush of the same transaction must not add the sums again.
    this.start();
  }

  user(id: number): UserState | undefined {
    const known = this.#users.get(id);
    if (known !== undefined) return known;
    const row = this.#queries.findUser.get(id);
    if (row === null) return undefined;
    const state = userState(id, row);
    this.#users.set(id, state);
    return state;
  }

  token(id: number): TokenState | undefined {
    const known = this.#tokens.get(id);
    if (known !== undefined) return known;
    const row = this.#queries.findToken.get(id);
    if (row === null) return undefined;
    const state = tokenState(id, row);
    this.#tokens.set(id, state);
    return state;
  }

  /** A second hold of the same id is a fault of the caller: the primary key throws and only that operation fails. */
  openHold(hold: HoldState): boolean {
    const { id, userId, tokenId, nodeId, epoch, amount, createdAt, expiresAt, snapshot } = hold;
    this.#queries.insertHold.run(id, userId, tokenId, nodeId, epoch, amount, createdAt, expiresAt, snapshot);
    return true;
  }

  findHold(id: string): HoldState | undefined {
    const row = this.#queries.findHold.get(id);
    return row === null ? undefined : holdState(id, row);
  }

  takeHold(id: string): TakenHold | undefined {
    const row = this.#queries.deleteHold.get(id);
    if (row === null) return undefined;
    return { id, userId: row.user_id, tokenId: row.token_id, amount: row.amount, createdAt: row.created_at };
  }

  changeHold(hold: HoldState): void {
    const { id, nodeId, epoch, amount, checkpointQuota, checkpoint } = hold;
    this.#queries.updateHold.run(
      nodeId,
      epoch,
      amount,
      hold.dispatched ? 1 : 0,
      checkpointQuota,
      checkpoint,
      id,
    );
  }

  runningCalls(subject: Subject, id: number, userId: number): number {
    if (subject === 'user') return this.#queries.countUserHolds.get(id, taskNode)?.count ?? 0;
    return this.#queries.countTokenHolds.get(userId, id, taskNode)?.count ?? 0;
  }

  protected override loadWindow(scope: string, windowStart: number): number {
    return this.#queries.findWindow.get(scope, windowStart)?.used ?? 0;
  }

  protected override loadSpent(subject: Subject, id: number, hour: number): number {
    const query = subject === 'user' ? this.#queries.sumUserHours : this.#queries.sumTokenHours;
    return query.get(id, hour)?.quota ?? 0;
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

  mail(recipient: string, subject: string, body: string, dedupeKey: string): void {
    this.#queries.insertMail.run(this.now, recipient, subject, body, dedupeKey);
  }

  /** Holds of processes that are gone, oldest first: SQLite serves one process, so all but this epoch's are. */
  abandonedHolds(limit: number): string[] {
    return this.#queries.abandonedHolds.all(this.nodeId, this.epoch, this.now, limit).map((row) => row.id);
  }

  beginEpoch(nodeId: string, host: string, version: string): number {
    this.nodeId = nodeId;
    this.epoch = this.#queries.beginEpoch.get(nodeId, this.now, this.now, host, version)?.epoch ?? 1;
    return this.epoch;
  }

  /** Removes minutes that no limit looks at any more. */
  forgetWindows(): void {
    this.#queries.forgetWindows.run(this.now - 3600);
  }
}
