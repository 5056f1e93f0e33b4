// The engine's view of SQLite, inside the writer thread. Users and tokens are read once in a batch, changed in memory and
// written before COMMIT; holds, ledger and log rows are written as they come.
import { BUDGETS_OF_UTC, budgetCalendar } from '#contract/money/budget-windows.ts';
import { unixSeconds } from '#contract/time.ts';
import { countersOf, holdOfCounters } from '#server/money/ledger/engine/budgets.ts';
import { logValues } from '#server/money/ledger/engine/log-columns.ts';
import { BatchMemory } from '#server/money/ledger/engine/memory.ts';
import type { Subject } from '#server/money/ledger/engine/operations.ts';
import { addHeld, emptyHold, TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import type {
  BookedEntry,
  CounterState,
  HoldState,
  LedgerEntry,
  LogEntry,
  NoticeEntry,
  Rows,
  SubscriptionState,
  TokenState,
  UserState,
} from '#server/money/ledger/engine/rows.ts';
import {
  callLogOf,
  counterState,
  holdState,
  subscriptionState,
  tokenState,
  userState,
} from '#server/money/ledger/engine/states.ts';
import {
  BUDGET_WINDOWS,
  fieldsOf,
  HOLDER_HOURS,
  MARGIN_DAYS,
  USAGE_HOURS,
} from '#server/money/ledger/engine/sum-tables.ts';
import { spansOf } from '#server/money/sums/margin-spans.ts';
import type { WriterContext } from '#server/platform/store/sqlite/writer-thread.ts';
import type { HoldToWrite } from './messages.ts';
import { prepare, type Queries } from './queries.ts';

const usageFields = fieldsOf(USAGE_HOURS);
const holderFields = fieldsOf(HOLDER_HOURS);
const marginFields = fieldsOf(MARGIN_DAYS);
const windowFields = fieldsOf(BUDGET_WINDOWS);

export class SqliteRows extends BatchMemory implements Rows {
  now = 0;
  nodeId = '';
  epoch = 0;
  lowBalanceThreshold = -1;
  budgets = budgetCalendar(BUDGETS_OF_UTC);

  readonly #queries: Queries;
  readonly #users = new Map<number, UserState>();
  readonly #tokens = new Map<number, TokenState>();
  readonly #subscriptions = new Map<number, SubscriptionState>();
  readonly #counters = new Map<number, CounterState>();

  constructor(context: WriterContext) {
    super();
    this.#queries = prepare(context);
  }

  /** A batch begins, or goes on after a statement of other code: every row is read again. */
  start(): void {
    this.now = unixSeconds();
    this.#users.clear();
    this.#tokens.clear();
    if (this.#subscriptions.size > 0) this.#subscriptions.clear();
    if (this.#counters.size > 0) this.#counters.clear();
    this.forget();
  }

  /** Writes what changed; called before COMMIT and before a statement of other code. */
  flush(): void {
    const queries = this.#queries;
    for (const user of this.#users.values()) if (user.dirty) this.#writeUser(user);
    for (const token of this.#tokens.values()) if (token.dirty) this.#writeToken(token);
    for (const subscription of this.#subscriptions.values())
      if (subscription.dirty) this.#writeSubscription(subscription);
    for (const counter of this.#counters.values()) if (counter.dirty) this.#writeCounter(counter);
    for (const entry of this.ended.values())
      queries.addWindow.run(...windowFields.map(([, field]) => entry[field]));
    for (const [id, quota] of this.channels) queries.addChannel.run(quota, id);
    for (const entry of this.usage.values())
      queries.addUsage.run(...usageFields.map(([, field]) => entry[field]));
    for (const entry of this.holders.values())
      queries.addHolder.run(...holderFields.map(([, field]) => entry[field]));
    for (const entry of this.margins.values())
      queries.addMargin.run(...marginFields.map(([, field]) => entry[field]));
    if (this.pastDays.size > 0)
      for (const { days, day } of spansOf(this.pastDays)) queries.unsumMargins.run(days, day);
    for (const { scope, start, used, dirty } of this.windows.values()) {
      if (dirty) queries.putWindow.run(scope, start, used);
    }
    // A second flush of the same transaction must not add the sums again.
    this.start();
  }

  #writeUser(user: UserState): void {
    const { id, quota, held, used, requestCount, lowBalanceNoticeAt } = user;
    this.#queries.updateUser.run(quota, held, used, requestCount, lowBalanceNoticeAt, id);
    if (user.isPlanHeldChanged) this.#queries.updateUserPlanHeld.run(user.planHeld, id);
  }

  #writeSubscription(subscription: SubscriptionState): void {
    const { id, isActive, period, periodEndsAt, quota, held, endedAt } = subscription;
    const status = isActive ? 'active' : 'ended';
    this.#queries.updateSubscription.run(status, period, periodEndsAt, quota, held, endedAt, id);
  }

  #writeCounter({ id, extra, spent, held, noticed, windowStart, windowEnd }: CounterState): void {
    this.#queries.updateCounter.run(extra, spent, held, noticed, windowStart, windowEnd, id);
  }

  #writeToken({ id, remain, held, used, accessedTime, status, statusChanged }: TokenState): void {
    this.#queries.updateToken.run(remain, held, used, accessedTime, id);
    if (statusChanged) this.#queries.updateTokenStatus.run(status, id);
  }

  user(id: number): UserState | undefined {
    return this.#users.get(id) ?? read(this.#users, id, this.#queries.findUser.get(id), userState);
  }

  token(id: number): TokenState | undefined {
    return this.#tokens.get(id) ?? read(this.#tokens, id, this.#queries.findToken.get(id), tokenState);
  }

  subscription(id: number): SubscriptionState | undefined {
    const known = this.#subscriptions.get(id);
    return known ?? read(this.#subscriptions, id, this.#queries.findSubscription.get(id), subscriptionState);
  }

  counter(id: number): CounterState | undefined {
    return (
      this.#counters.get(id) ?? read(this.#counters, id, this.#queries.findCounter.get(id), counterState)
    );
  }

  /** A request id in use fails: only that operation fails. */
  openHold(hold: HoldState): boolean {
    if (!this.#insertHold(hold)) throw new Error(`the request id ${hold.id} is in use`);
    if (hold.subscriptionId > 0) this.#writeHoldPlan(hold);
    return true;
  }

  #insertHold({
    id,
    userId,
    tokenId,
    nodeId,
    epoch,
    amount,
    createdAt,
    expiresAt,
    snapshot,
    budgets,
  }: HoldState): boolean {
    const owner = [userId, tokenId, nodeId, epoch] as const;
    const { changes } = this.#queries.insertHold.run(id, ...owner, amount, createdAt, expiresAt, snapshot);
    if (changes === 1 && budgets !== '') this.#queries.setHoldBudgets.run(budgets, id);
    return changes === 1;
  }

  #writeHoldPlan({ id, subscriptionId, planAmount, planPeriod, isPlanFirst }: HoldState): void {
    this.#queries.setHoldPlan.run(subscriptionId, planAmount, planPeriod, isPlanFirst ? 1 : 0, id);
  }

  /** A request id in use is skipped: it must not keep the other holds of the message from being written. */
  writeHold({ requestId: id, createdAt, ...call }: HoldToWrite): void {
    const { userId, tokenId, amount, budgets } = call;
    if (!this.#insertHold({ ...emptyHold(this, { id, ...call }), createdAt })) return;
    addHeld(this.user(userId), tokenId === 0 ? undefined : this.token(tokenId), amount, 0);
    holdOfCounters(countersOf(this, budgets), amount);
  }

  findHold(id: string): HoldState | undefined {
    const row = this.#queries.findHold.get(id);
    return row === null ? undefined : holdState(id, row);
  }

  takeHold(id: string): HoldState | undefined {
    const row = this.#queries.deleteHold.get(id);
    return row === null ? undefined : holdState(id, row);
  }

  changeHold(hold: HoldState): void {
    this.#queries.updateHold.run(
      hold.nodeId,
      hold.epoch,
      hold.amount,
      hold.dispatched ? 1 : 0,
      hold.checkpointQuota,
      hold.checkpoint,
      hold.snapshot,
      hold.id,
    );
    if (hold.subscriptionId > 0) this.#writeHoldPlan(hold);
  }

  runningCalls(subject: Subject, id: number, userId: number): number {
    if (subject === 'user') return this.#queries.countUserHolds.get(id, TASK_NODE)?.count ?? 0;
    return this.#queries.countTokenHolds.get(userId, id, TASK_NODE)?.count ?? 0;
  }

  protected override loadWindow(scope: string, windowStart: number): number {
    return this.#queries.findWindow.get(scope, windowStart)?.used ?? 0;
  }

  protected override loadSpent(subject: Subject, id: number, hour: number): number {
    const query = subject === 'user' ? this.#queries.sumUserHours : this.#queries.sumTokenHours;
    return query.get(id, hour)?.quota ?? 0;
  }

  booked(idem: string): BookedEntry | undefined {
    return this.#queries.findEntry.get(idem) ?? undefined;
  }

  book(entry: LedgerEntry): void {
    const { idem, at, userId, debit, credit, amount, kind, reference } = entry;
    this.#queries.insertEntry.run(idem, at, userId, debit, credit, amount, kind, reference);
  }

  log({ at, requestId, quota, cost, row }: LogEntry): void {
    this.#queries.insertLog.run(at, requestId, quota, cost, ...logValues(row));
  }

  callLog(requestId: string): LogEntry | undefined {
    const row = this.#queries.findCallLog.get(requestId);
    return row === null ? undefined : callLogOf(row);
  }

  correctLog({ requestId, quota, cost, row }: LogEntry): void {
    this.#queries.updateCallLog.run(quota, cost, ...logValues(row), requestId);
  }

  notice({ event, userId, details, onceKey }: NoticeEntry): void {
    this.#queries.insertNotice.run(this.now, userId, event, details, onceKey);
  }

  /** Holds of earlier runs and expired ones, oldest first. */
  abandonedHolds(limit: number): string[] {
    return this.#queries.abandonedHolds.all(this.nodeId, this.epoch, this.now, limit).map((row) => row.id);
  }

  beginEpoch(nodeId: string, host: string, version: string): number {
    this.nodeId = nodeId;
    this.epoch = this.#queries.beginEpoch.get(nodeId, this.now, this.now, host, version)?.epoch ?? 1;
    return this.epoch;
  }

  /** Removes minutes outside every window. */
  forgetWindows(): void {
    this.#queries.forgetWindows.run(this.now - 3600);
  }
}

/** Undefined: there is no such row. */
function read<Row, State>(
  states: Map<number, State>,
  id: number,
  row: Row | null,
  stateOf: (id: number, row: Row) => State,
): State | undefined {
  if (row === null) return undefined;
  const state = stateOf(id, row);
  states.set(id, state);
  return state;
}
