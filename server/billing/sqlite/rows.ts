// The engine's view of SQLite, inside the writer thread. Users and tokens are remembered from batch to batch, changed in
// memory and written once before COMMIT; ledger and log rows are written as they come, holds only if they live long.
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
import { holdState } from '#server/billing/engine/states.ts';
import { noLowBalanceMail } from '#server/billing/low-balance.ts';
import type { WriterContext } from '#server/store/sqlite/writer-thread.ts';
import { FloatingHolds } from './floating-holds.ts';
import { KnownRows } from './known-rows.ts';
import { prepare, type Queries } from './queries.ts';

export class SqliteRows extends BatchMemory implements Rows {
  now = 0;
  nodeId = '';
  epoch = 0;
  lowBalanceMail: LowBalanceMail = noLowBalanceMail;

  readonly #queries: Queries;
  readonly #floating = new FloatingHolds();
  readonly #known: KnownRows;
  /** Holds of this process that have a row. */
  readonly #written = new Set<string>();

  constructor(context: WriterContext) {
    super();
    this.#queries = prepare(context);
    this.#known = new KnownRows(this.#queries, this.#floating);
  }

  /** A batch begins. */
  start(): void {
    this.now = Math.floor(Date.now() / 1000);
    this.#known.begin();
    this.forget();
  }

  /** Somebody else has written, or a transaction was taken back: the tables must be asked again. */
  forgetRows(): void {
    this.#known.forget();
  }

  mark(): number {
    return this.#floating.mark();
  }

  committed(): void {
    this.#floating.committed();
  }

  rolledBack(mark: number): void {
    this.#floating.rolledBack(mark);
    for (const id of this.#written) if (this.#floating.get(id) !== undefined) this.#written.delete(id);
    this.forgetRows();
    this.forget();
  }

  /** Is there anything `flush` would write? */
  get isPending(): boolean {
    return this.#known.isChanged || this.channels.size > 0 || this.usage.size > 0 || this.hasDirtyWindows;
  }

  /** Writes what changed; called before COMMIT and before a statement of someone else. */
  flush(): void {
    const queries = this.#queries;
    this.#known.write();
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
    return this.#known.user(id);
  }

  token(id: number): TokenState | undefined {
    return this.#known.token(id);
  }

  /** A second hold of the same id is a fault of the caller: only that operation fails. */
  openHold(hold: HoldState): boolean {
    if (this.isOwnHold(hold.id)) throw new Error(`hold ${hold.id} is there already`);
    if (hold.nodeId === taskNode) this.#insertHold(hold);
    else this.#floating.open(hold);
    return true;
  }

  #insertHold(hold: HoldState): void {
    const { id, userId, tokenId, nodeId, epoch, amount, createdAt, expiresAt, snapshot } = hold;
    const { dispatched, checkpointQuota, checkpoint } = hold;
    this.#queries.insertHold.run(
      id,
      userId,
      tokenId,
      nodeId,
      epoch,
      amount,
      createdAt,
      expiresAt,
      snapshot,
      dispatched ? 1 : 0,
      checkpointQuota,
      checkpoint,
    );
  }

  /** Gives a floating hold its row. */
  writeHold(hold: HoldState): void {
    if (this.#land(hold.id) === undefined) return;
    this.#insertHold(hold);
    this.#written.add(hold.id);
    const user = this.user(hold.userId);
    if (user !== undefined) user.dirty = true;
    const token = hold.tokenId === 0 ? undefined : this.token(hold.tokenId);
    if (token !== undefined) token.dirty = true;
  }

  /** Takes a hold out of memory. Its owners are known before: what they hold counts it until then. */
  #land(id: string): HoldState | undefined {
    const hold = this.#floating.get(id);
    if (hold === undefined) return undefined;
    this.user(hold.userId);
    if (hold.tokenId !== 0) this.token(hold.tokenId);
    return this.#floating.take(id);
  }

  writeHolds(): void {
    for (const hold of this.#floating.all()) this.writeHold(hold);
  }

  findHold(id: string): HoldState | undefined {
    const floating = this.#floating.get(id);
    if (floating !== undefined) return { ...floating };
    const row = this.#queries.findHold.get(id);
    return row === null ? undefined : holdState(id, row);
  }

  isOwnHold(id: string): boolean {
    return this.#floating.get(id) !== undefined || this.#written.has(id);
  }

  /** A hold that this process has told of; the table is not asked for any other. */
  takeOwnHold(id: string): TakenHold | undefined {
    return this.#written.has(id) ? this.takeHold(id) : this.#land(id);
  }

  takeHold(id: string): TakenHold | undefined {
    const floating = this.#land(id);
    if (floating !== undefined) return floating;
    const row = this.#queries.deleteHold.get(id);
    if (row === null) return undefined;
    this.#written.delete(id);
    return { id, userId: row.user_id, tokenId: row.token_id, amount: row.amount, createdAt: row.created_at };
  }

  changeHold(hold: HoldState): void {
    const { id, nodeId, epoch, amount, checkpointQuota, checkpoint } = hold;
    if (this.#floating.get(id) !== undefined) {
      this.#floating.replace(hold);
      // Sent: from now on a crash charges for it, so it needs its row.
      if (hold.dispatched) this.writeHold(hold);
      return;
    }
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
    if (subject === 'user')
      return this.#floating.ofUser(id).count + (this.#queries.countUserHolds.get(id, taskNode)?.count ?? 0);
    const rows = this.#queries.countTokenHolds.get(userId, id, taskNode)?.count ?? 0;
    return this.#floating.ofToken(id).count + rows;
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
    const late = this.#floating.all().filter(({ expiresAt }) => expiresAt < this.now);
    for (const hold of late) this.writeHold(hold);
    return this.#queries.abandonedHolds.all(this.nodeId, this.epoch, this.now, limit).map((row) => row.id);
  }

  beginEpoch(nodeId: string, host: string, version: string): number {
    // A ledger that is opened anew over the same thread finds what the last one left.
    this.writeHolds();
    this.nodeId = nodeId;
    this.epoch = this.#queries.beginEpoch.get(nodeId, this.now, this.now, host, version)?.epoch ?? 1;
    return this.epoch;
  }

  /** Removes minutes that no limit looks at any more. */
  forgetWindows(): void {
    this.#queries.forgetWindows.run(this.now - 3600);
  }
}
