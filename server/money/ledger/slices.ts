// What this node may promise to calls. A node holds a slice of a balance, on SQLite all of it, on PostgreSQL the part that the
// database has granted. A hold inside the slice is in memory only, until its call settles (the settlement then needs no row) or
// gets its row: with the first checkpoint, an extension, or before other code or another node needs what the slice has.
//
// Admission without the database is right because `free` is never more than the slice has: it comes from an answer of the
// database, less every hold in memory and every amount that operations without an answer may still take.
import { IndexedSet } from '#server/platform/egress/index.ts';
import { counterIds } from './engine/budgets.ts';
import type { MemoryHeld } from './engine/operations.ts';
import type { RunningCall } from './running-call.ts';

/** Of one user's balance, of one token's quota, or of a budget. */
class Slice {
  free = 0;
  /** Sum of the holds inside it that have no row. */
  inMemory = 0;
  /** What operations without an answer hold or may take. */
  sent = 0;
  /** `free` is right in this generation only. */
  generation = 0;
  /** Of a token: 0 until the database has named its user. */
  userId = 0;
  /** Of a token, unix seconds; -1 = never. */
  expiresAt = -1;
  /** Of a budget: when its window ends. */
  windowEnd = 0;

  /** `size`: all of it, by the answer that is being read now. */
  learn(size: number, generation: number): void {
    if (this.generation === generation) return;
    this.generation = generation;
    this.free = size - this.inMemory - this.sent;
  }

  add(free: number, inMemory: number, sent: number): void {
    this.free += free;
    this.inMemory += inMemory;
    this.sent += sent;
  }

  get isIdle(): boolean {
    return this.inMemory === 0 && this.sent === 0;
  }
}

/** How much an answer of the database leaves to this node. */
export interface SliceSize {
  /** PostgreSQL: the part of a token is granted out of the user's balance, and nothing else is asked of the user. */
  ofUser: number;
  /** null = unlimited. */
  ofToken: number | null;
  /** Unix seconds; -1 = never. */
  expiresAt: number;
  /** Of the budgets that apply to the call; null = it counts only. Only where a slice is all of a balance. */
  ofBudgets?: readonly { id: number; size: number | null; windowEnd: number }[];
}

const MOST_SLICES = 20_000;

export class Slices {
  readonly #users = new Map<number, Slice>();
  readonly #tokens = new Map<number, Slice>();
  readonly #budgets = new Map<number, Slice>();
  readonly #calls = new IndexedSet<RunningCall>();
  readonly #isWhole: boolean;
  #generation = 1;
  #foreignWrites = 0;

  /** `isWhole`: a call's hold is inside the slice of its user and that of its token, with a row or without. Otherwise its token's only. */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  /** Takes the hold if that is certain to be right: what is free beside it. undefined: the database decides. */
  admit(call: RunningCall): number | undefined {
    // The database chooses the subscription.
    if (call.plans !== undefined) return undefined;
    const token = this.#tokens.get(call.tokenId);
    const user = this.#isWhole ? this.#users.get(call.userId) : token;
    if (user === undefined || token === undefined || token.userId !== call.userId) return undefined;
    if (user.generation !== this.#generation || token.generation !== this.#generation) return undefined;
    if (user.free < call.amount || token.free < call.amount || token.free <= 0) return undefined;
    if (token.expiresAt !== -1 && token.expiresAt <= call.createdAt) return undefined;
    if (call.budgets !== '' && this.#isWhole && !this.#budgetsAdmit(call)) return undefined;
    this.restore(call);
    return user.free;
  }

  #budgetsAdmit({ budgets, amount, createdAt }: RunningCall): boolean {
    return counterIds(budgets).every((id) => {
      const budget = this.#budgets.get(id);
      if (budget === undefined || budget.generation !== this.#generation) return false;
      // What was granted on top of a window ends with it, so the next one may have less.
      return createdAt < budget.windowEnd && budget.free >= amount;
    });
  }

  /** What the holds in memory of this call's user and token add up to. */
  heldBy({ userId, tokenId, budgets }: RunningCall): MemoryHeld {
    const user = this.#users.get(userId)?.inMemory ?? 0;
    const token = this.#tokens.get(tokenId)?.inMemory ?? 0;
    if (budgets === '') return { user, token };
    return { user, token, budgets: counterIds(budgets).map((id) => this.#budgets.get(id)?.inMemory ?? 0) };
  }

  /** The calls whose holds are in memory, of one user or of all. */
  calls(userId?: number): RunningCall[] {
    const calls = this.#calls.all();
    return userId === undefined ? calls : calls.filter((call) => call.userId === userId);
  }

  /** The hold leaves memory with an operation that is being sent; its amount counts as sent. False: it was not in memory. */
  take(call: RunningCall): boolean {
    if (!call.isInMemory) return false;
    this.#calls.remove(call);
    this.#add(call, 0, -call.amount, call.amount);
    return true;
  }

  /** The hold is in memory, also that of an operation that failed. */
  restore(call: RunningCall): void {
    this.#calls.add(call);
    this.#add(call, -call.amount, call.amount, 0);
  }

  /** The row of the hold could not be written. An ended call needs it only while its end is in the spool. */
  putBack(call: RunningCall): void {
    this.failed(call, call.amount);
    if (!call.isEnded || call.isSpooled) this.restore(call);
  }

  /** An operation leaves that may take so much. */
  send(call: RunningCall, amount: number): void {
    this.#add(call, -amount, 0, amount);
  }

  /** An operation leaves that may add so much. */
  expect(call: RunningCall, amount: number): void {
    this.#add(call, 0, 0, amount);
  }

  /** `returned`: how much of the sent amount, and of the hold it ended, is free again. */
  answered(call: RunningCall, sent: number, returned: number): void {
    this.#add(call, returned, 0, -sent);
  }

  /** What became of the operation is not known: the database decides until it names the size again. */
  failed(call: RunningCall, sent: number): void {
    this.answered(call, sent, 0);
    const { userId, tokenId, budgets } = call;
    sliceIn(this.#tokens, tokenId).generation = 0;
    if (!this.#isWhole) return;
    sliceIn(this.#users, userId).generation = 0;
    for (const id of counterIds(budgets)) sliceIn(this.#budgets, id).generation = 0;
  }

  learn(call: RunningCall, { ofUser, ofToken, expiresAt, ofBudgets = [] }: SliceSize): void {
    if (this.#foreignWrites > 0 || call.tokenId === 0) return;
    const token = sliceIn(this.#tokens, call.tokenId);
    if (this.#isWhole) sliceIn(this.#users, call.userId).learn(ofUser, this.#generation);
    token.learn(ofToken ?? Number.POSITIVE_INFINITY, this.#generation);
    token.userId = call.userId;
    token.expiresAt = expiresAt;
    for (const { id, size, windowEnd } of ofBudgets) {
      const budget = sliceIn(this.#budgets, id);
      // In the next window more may be spent, or less.
      if (budget.windowEnd !== windowEnd) budget.generation = 0;
      budget.windowEnd = windowEnd;
      budget.learn(size ?? Number.POSITIVE_INFINITY, this.#generation);
    }
  }

  isIdle(tokenId: number): boolean {
    return this.#tokens.get(tokenId)?.isIdle !== false;
  }

  /** The slice of the token is given back. */
  drop(tokenId: number): void {
    this.#tokens.delete(tokenId);
  }

  /** Other code is about to change balances: nothing is admitted here until it has ended, and no size is known after it. */
  beginForeignWrite(): void {
    this.#foreignWrites += 1;
    this.#generation += 1;
    if (this.#users.size + this.#tokens.size + this.#budgets.size < MOST_SLICES) return;
    for (const slices of [this.#users, this.#tokens, this.#budgets])
      for (const [id, slice] of slices) if (slice.isIdle) slices.delete(id);
  }

  endForeignWrite(): void {
    this.#foreignWrites -= 1;
  }

  #add({ userId, tokenId, budgets }: RunningCall, free: number, inMemory: number, sent: number): void {
    sliceIn(this.#tokens, tokenId).add(free, inMemory, sent);
    if (!this.#isWhole) return;
    sliceIn(this.#users, userId).add(free, inMemory, sent);
    if (budgets === '') return;
    for (const id of counterIds(budgets)) sliceIn(this.#budgets, id).add(free, inMemory, sent);
  }
}

function sliceIn(slices: Map<number, Slice>, id: number): Slice {
  let slice = slices.get(id);
  if (slice === undefined) {
    slice = new Slice();
    slices.set(id, slice);
  }
  return slice;
}
