// The engine's view of PostgreSQL: rows known or loaded for the batch, changes collected for one writing statement.
import { hasLimits } from '#server/billing/engine/limits.ts';
import { BatchMemory, type Window } from '#server/billing/engine/memory.ts';
import type { LogFields } from '#server/billing/engine/operations.ts';
import type {
  HoldState,
  LedgerEntry,
  LowBalanceMail,
  Rows,
  Subject,
  TokenState,
  UsageEntry,
  UserState,
} from '#server/billing/engine/rows.ts';

export interface Identity {
  nodeId: string;
  epoch: number;
}

/** `version`: the row's `xmin`, which changes with every writing of it, whoever writes. */
export type KnownUser = UserState & { version: number };
export type KnownToken = TokenState & { version: number };
export type KnownHold = HoldState & { version: number };

/** The rows a batch works on. */
export interface Loaded {
  /** Unix seconds and milliseconds, by the database's clock. */
  now: number;
  nowMs: number;
  users: Map<number, KnownUser>;
  tokens: Map<number, KnownToken>;
  holds: Map<string, KnownHold>;
  /** `scope@start` → used. */
  windows: Map<string, number>;
  /** `subject:id` → running calls. */
  running: Map<string, number>;
  /** `subject:id:hour` → quota. */
  spent: Map<string, number>;
}

export interface LogEntry {
  at: number;
  requestId: string;
  quota: number;
  fields: LogFields;
}

export interface MailEntry {
  at: number;
  recipient: string;
  subject: string;
  body: string;
  dedupeKey: string;
}

export interface BatchChanges {
  /** All that the batch has read, changed or not: an answer may rest on each of them. */
  users: KnownUser[];
  tokens: KnownToken[];
  deletedHolds: KnownHold[];
  newHolds: HoldState[];
  changedHolds: KnownHold[];
  entries: LedgerEntry[];
  logs: LogEntry[];
  usage: UsageEntry[];
  windows: Window[];
  mails: MailEntry[];
  channels: { id: number; quota: number }[];
}

export class PostgresRows extends BatchMemory implements Rows {
  readonly now: number;
  readonly nodeId: string;
  readonly epoch: number;
  readonly lowBalanceMail: LowBalanceMail;

  readonly #loaded: Loaded;
  readonly #booked: ReadonlyMap<string, { amount: number; reference: string }>;
  readonly #taken = new Map<string, KnownHold>();
  readonly #opened = new Map<string, HoldState>();
  readonly #changed = new Map<string, KnownHold>();
  readonly #openedBySubject = new Map<string, number>();
  readonly #entries: LedgerEntry[] = [];
  readonly #logs: LogEntry[] = [];
  readonly #mails: MailEntry[] = [];

  constructor(
    loaded: Loaded,
    booked: ReadonlyMap<string, { amount: number; reference: string }>,
    identity: Identity,
    lowBalanceMail: LowBalanceMail,
  ) {
    super();
    this.now = loaded.now;
    this.nodeId = identity.nodeId;
    this.epoch = identity.epoch;
    this.lowBalanceMail = lowBalanceMail;
    this.#loaded = loaded;
    this.#booked = booked;
  }

  changes(): BatchChanges {
    return {
      users: [...this.#loaded.users.values()],
      tokens: [...this.#loaded.tokens.values()],
      deletedHolds: [...this.#taken.values()],
      newHolds: [...this.#opened.values()],
      changedHolds: [...this.#changed.values()],
      entries: this.#entries,
      logs: this.#logs,
      usage: [...this.usage.values()],
      windows: [...this.windows.values()].filter((window) => window.dirty),
      mails: this.#mails,
      channels: [...this.channels].map(([id, quota]) => ({ id, quota })),
    };
  }

  user(id: number): UserState | undefined {
    return this.#loaded.users.get(id);
  }

  token(id: number): TokenState | undefined {
    return this.#loaded.tokens.get(id);
  }

  openHold(hold: HoldState): boolean {
    const known = this.findHold(hold.id);
    if (known === undefined) {
      this.#opened.set(hold.id, hold);
      this.#countOpened(hold, 1);
      this.#renewLimited(hold);
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
    const known = this.#loaded.holds.get(hold.id);
    // What the engine found is the known hold itself, so it has the change already.
    if (known !== undefined && !this.#opened.has(hold.id)) this.#changed.set(hold.id, known);
  }

  /** What limits count lies in other rows: writing the limited one tells the other nodes that its figures have changed. */
  #renewLimited({ userId, tokenId }: HoldState): void {
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

  booked(idem: string): { amount: number; reference: string } | undefined {
    return this.#booked.get(idem) ?? this.#entries.find((entry) => entry.idem === idem);
  }

  book(entry: LedgerEntry): void {
    this.#entries.push(entry);
  }

  log(at: number, requestId: string, fields: LogFields, quota: number): void {
    const storable = fields.map((field) => (typeof field === 'string' ? storableText(field) : field));
    this.#logs.push({ at, requestId, fields: storable, quota });
  }

  override countUsage(entry: UsageEntry): void {
    entry.modelName = storableText(entry.modelName);
    super.countUsage(entry);
  }

  mail(recipient: string, subject: string, body: string, dedupeKey: string): void {
    this.#mails.push({ at: this.now, recipient, subject, body: storableText(body), dedupeKey });
  }
}

/** PostgreSQL stores neither NUL nor half a character. A charge must not fail because an upstream sent one in a name. */
function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}
