// The engine's view of PostgreSQL: rows remembered or loaded for the batch, changes collected for one writing statement.
import type { BudgetCalendar } from '#contract/money/budget-windows.ts';
import { hasLimits } from '#server/money/ledger/engine/limits.ts';
import { logValues } from '#server/money/ledger/engine/log-columns.ts';
import { BatchMemory, type Window } from '#server/money/ledger/engine/memory.ts';
import type { Subject } from '#server/money/ledger/engine/operations.ts';
import type {
  BookedEntry,
  CounterState,
  HoldState,
  LedgerEntry,
  LogEntry,
  MarginEntry,
  NoticeEntry,
  Rows,
  SubscriptionState,
  TokenState,
  HolderEntry,
  UsageEntry,
  UserState,
  WindowEntry,
} from '#server/money/ledger/engine/rows.ts';
import { spansOf, type MarginSpan } from '#server/money/sums/margin-spans.ts';
import type {
  BatchRules,
  BookedBefore,
  Identity,
  KnownCounter,
  KnownHold,
  KnownSubscription,
  KnownToken,
  KnownUser,
  Loaded,
} from './loaded.ts';
import { storableText } from './storable-text.ts';

/** A log row as it is bound: `values` in the order of `logColumns`. */
export interface StorableLog extends LogEntry {
  values: readonly (string | number)[];
}

export interface StorableNotice extends NoticeEntry {
  at: number;
}

export interface BatchChanges {
  /** Every row the batch has read, changed or not: a result may depend on each of them. */
  users: KnownUser[];
  tokens: KnownToken[];
  subscriptions: KnownSubscription[];
  counters: KnownCounter[];
  deletedHolds: KnownHold[];
  newHolds: HoldState[];
  changedHolds: KnownHold[];
  entries: LedgerEntry[];
  logs: StorableLog[];
  correctedLogs: StorableLog[];
  usage: UsageEntry[];
  holders: HolderEntry[];
  margins: MarginEntry[];
  unsummed: MarginSpan[];
  ended: WindowEntry[];
  windows: Window[];
  notices: StorableNotice[];
  channels: { id: number; quota: number }[];
}

const NO_SPANS: MarginSpan[] = [];
const NO_HOLDERS: HolderEntry[] = [];

export class PostgresRows extends BatchMemory implements Rows {
  readonly now: number;
  readonly nodeId: string;
  readonly epoch: number;
  readonly lowBalanceThreshold: number;
  readonly budgets: BudgetCalendar;

  readonly #loaded: Loaded;
  readonly #booked: BookedBefore;
  readonly #taken = new Map<string, KnownHold>();
  readonly #opened = new Map<string, HoldState>();
  readonly #changed = new Map<string, KnownHold>();
  readonly #openedBySubject = new Map<string, number>();
  readonly #entries: LedgerEntry[] = [];
  readonly #entryOf = new Map<string, LedgerEntry>();
  readonly #logs: StorableLog[] = [];
  readonly #correctedLogs: StorableLog[] = [];
  readonly #notices: StorableNotice[] = [];

  constructor(loaded: Loaded, booked: BookedBefore, identity: Identity, rules: BatchRules) {
    super();
    this.now = loaded.now;
    this.nodeId = identity.nodeId;
    this.epoch = identity.epoch;
    this.lowBalanceThreshold = rules.lowBalanceThreshold;
    this.budgets = rules.budgets;
    this.#loaded = loaded;
    this.#booked = booked;
  }

  changes(): BatchChanges {
    return {
      users: [...this.#loaded.users.values()],
      tokens: [...this.#loaded.tokens.values()],
      subscriptions: [...this.#loaded.subscriptions.values()],
      counters: [...this.#loaded.counters.values()],
      deletedHolds: [...this.#taken.values()],
      newHolds: [...this.#opened.values()],
      changedHolds: [...this.#changed.values()],
      entries: this.#entries,
      logs: this.#logs,
      correctedLogs: this.#correctedLogs,
      usage: [...this.usage.values()],
      holders: this.holders.size === 0 ? NO_HOLDERS : [...this.holders.values()],
      margins: [...this.margins.values()],
      unsummed: this.pastDays.size === 0 ? NO_SPANS : spansOf(this.pastDays),
      ended: [...this.ended.values()],
      windows: [...this.windows.values()].filter((window) => window.dirty),
      notices: this.#notices,
      channels: [...this.channels].map(([id, quota]) => ({ id, quota })),
    };
  }

  user(id: number): UserState | undefined {
    return this.#loaded.users.get(id);
  }

  token(id: number): TokenState | undefined {
    return this.#loaded.tokens.get(id);
  }

  subscription(id: number): SubscriptionState | undefined {
    return this.#loaded.subscriptions.get(id);
  }

  counter(id: number): CounterState | undefined {
    return this.#loaded.counters.get(id);
  }

  openHold(hold: HoldState): boolean {
    const known = this.findHold(hold.id);
    if (known === undefined) {
      this.#opened.set(hold.id, hold);
      this.#countOpened(hold, 1);
      this.#touchLimited(hold);
      return true;
    }
    const isSame =
      known.userId === hold.userId &&
      known.tokenId === hold.tokenId &&
      known.amount === hold.amount &&
      known.nodeId === hold.nodeId &&
      known.epoch === hold.epoch &&
      !this.#opened.has(hold.id);
    if (!isSame) throw new Error(`the request id ${hold.id} is in use`);
    return false;
  }

  findHold(id: string): HoldState | undefined {
    return this.#opened.get(id) ?? (this.#taken.has(id) ? undefined : this.#loaded.holds.get(id));
  }

  takeHold(id: string): HoldState | undefined {
    const hold = this.findHold(id);
    if (hold === undefined) return undefined;
    this.#countOpened(hold, -1);
    if (this.#opened.delete(id)) return hold;
    const known = this.#loaded.holds.get(id);
    this.#changed.delete(id);
    if (known !== undefined) this.#taken.set(id, known);
    return hold;
  }

  changeHold(hold: HoldState): void {
    if (this.#opened.has(hold.id)) {
      this.#opened.set(hold.id, hold);
      return;
    }
    const known = this.#loaded.holds.get(hold.id);
    if (known !== undefined) this.#changed.set(hold.id, Object.assign(known, hold));
  }

  /** Limits count rows of other tables: writing the limited row makes other nodes read those again. */
  #touchLimited({ userId, tokenId }: HoldState): void {
    const user = this.user(userId);
    if (user !== undefined && hasLimits(user)) user.dirty = true;
    const token = this.token(tokenId);
    if (token !== undefined && hasLimits(token)) token.dirty = true;
  }

  #countOpened(hold: HoldState, count: number): void {
    for (const key of [`user:${hold.userId}`, `token:${hold.tokenId}`]) {
      this.#openedBySubject.set(key, (this.#openedBySubject.get(key) ?? 0) + count);
    }
  }

  runningCalls(subject: Subject, id: number): number {
    const key = `${subject}:${id}`;
    return (this.#loaded.running.get(key) ?? 0) + (this.#openedBySubject.get(key) ?? 0);
  }

  protected override loadWindow(scope: string, windowStart: number): number {
    return this.#loaded.windows.get(`${scope}@${windowStart}`) ?? 0;
  }

  protected override loadSpent(subject: Subject, id: number, hour: number): number {
    return this.#loaded.spent.get(`${subject}:${id}:${hour}`) ?? 0;
  }

  booked(idem: string): BookedEntry | undefined {
    return this.#booked.entries.get(idem) ?? this.#entryOf.get(idem);
  }

  book(entry: LedgerEntry): void {
    this.#entries.push(entry);
    this.#entryOf.set(entry.idem, entry);
  }

  log(entry: LogEntry): void {
    this.#logs.push(storableLog(entry));
  }

  callLog(requestId: string): LogEntry | undefined {
    return this.#logs.find((log) => log.requestId === requestId) ?? this.#booked.logs.get(requestId);
  }

  correctLog(entry: LogEntry): void {
    const corrected = storableLog(entry);
    const index = this.#logs.findIndex((log) => log.requestId === entry.requestId);
    if (index === -1) this.#correctedLogs.push(corrected);
    else this.#logs[index] = corrected;
  }

  override countUsage(entry: UsageEntry): void {
    entry.modelName = storableText(entry.modelName);
    super.countUsage(entry);
  }

  override countHolder(entry: HolderEntry): void {
    const { modelName, tagValue } = entry;
    super.countHolder({ ...entry, modelName: storableText(modelName), tagValue: storableText(tagValue) });
  }

  override countMargin(entry: MarginEntry): void {
    entry.modelName = storableText(entry.modelName);
    entry.group = storableText(entry.group);
    super.countMargin(entry);
  }

  notice(notice: NoticeEntry): void {
    this.#notices.push({ ...notice, at: this.now });
  }
}

const storableLog = (entry: LogEntry): StorableLog => ({ ...entry, values: logValues(entry.row) });
