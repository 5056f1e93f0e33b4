// Holds of short calls, taken on the main thread. A hold is in memory until its call settles (the settlement then needs no
// row) or until it gets its row: with the first checkpoint, an extension, or before other code reads or changes balances.
//
// Admission without the writer is right because the free amount kept here is never more than the tables allow: it comes from
// an answer of the writer, less every hold in memory and every amount that operations in flight may still take; answers
// arrive in the order of the work; and while other code writes nothing is admitted here.
import type { MemoryHeld } from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import type { TableBalance } from './messages.ts';

/** What one user or one token can spend. */
class SpendableBalance {
  free = 0;
  /** Sum of its holds in memory: the tables do not show them. */
  inMemory = 0;
  /** What operations without an answer hold or may take. */
  #inFlight = 0;
  /** `free` is right in this generation only. */
  #generation = 0;

  isKnownIn(generation: number): boolean {
    return this.#generation === generation;
  }

  hold(amount: number): void {
    this.free -= amount;
    this.inMemory += amount;
  }

  /** An operation leaves that may take so much. */
  send(amount: number): void {
    this.free -= amount;
    this.#inFlight += amount;
  }

  sendFromMemory(amount: number): void {
    this.inMemory -= amount;
    this.#inFlight += amount;
  }

  /** `returned`: how much of the sent amount, and of the hold it ended, is free again. */
  answered(sent: number, returned: number): void {
    this.#inFlight -= sent;
    this.free += returned;
  }

  /** `tableFree`: what the tables show, by the answer that is being read now. */
  learn(tableFree: number, generation: number): void {
    if (this.#generation === generation) return;
    this.#generation = generation;
    this.free = tableFree - this.inMemory - this.#inFlight;
  }

  forget(): void {
    this.#generation = 0;
  }

  get isIdle(): boolean {
    return this.inMemory === 0 && this.#inFlight === 0;
  }
}

class TokenBalance extends SpendableBalance {
  /** 0 until the writer has named the token's user. */
  userId = 0;
  /** Unix seconds; -1 = never. */
  expiresAt = -1;
}

const mostBalances = 20_000;

export class MemoryHolds {
  readonly #users = new Map<number, SpendableBalance>();
  readonly #tokens = new Map<number, TokenBalance>();
  readonly #calls = new Set<RunningCall>();
  #generation = 1;
  #foreignWrites = 0;

  /** Takes the hold if that is certain to be right: what the user can still spend. undefined: the writer decides. */
  admit(call: RunningCall): number | undefined {
    // The writer chooses the subscription.
    if (call.plans !== undefined) return undefined;
    const { amount } = call;
    const user = this.#users.get(call.userId);
    const token = this.#tokens.get(call.tokenId);
    if (user === undefined || token === undefined || token.userId !== call.userId) return undefined;
    if (!user.isKnownIn(this.#generation) || !token.isKnownIn(this.#generation)) return undefined;
    if (user.free < amount || token.free < amount || token.free <= 0) return undefined;
    if (token.expiresAt !== -1 && token.expiresAt <= call.createdAt) return undefined;
    user.hold(amount);
    token.hold(amount);
    call.isInMemory = true;
    this.#calls.add(call);
    return user.free;
  }

  /** What the holds in memory of this call's user and token add up to. */
  heldBy(call: RunningCall): MemoryHeld {
    return { user: this.#user(call).inMemory, token: this.#token(call)?.inMemory ?? 0 };
  }

  all(): RunningCall[] {
    return [...this.#calls];
  }

  /** The hold leaves memory with an operation that is being sent; its amount counts as sent. False: it was not in memory. */
  take(call: RunningCall): boolean {
    if (!call.isInMemory) return false;
    call.isInMemory = false;
    this.#calls.delete(call);
    this.#user(call).sendFromMemory(call.amount);
    this.#token(call)?.sendFromMemory(call.amount);
    return true;
  }

  /** The row of the hold could not be written. An ended call needs it only while its end is in the spool. */
  putBack(call: RunningCall): void {
    this.failed(call, call.amount);
    if (!call.isEnded || call.isSpooled) this.restore(call);
  }

  /** The hold of an operation that failed is in memory again. */
  restore(call: RunningCall): void {
    call.isInMemory = true;
    this.#calls.add(call);
    this.#user(call).hold(call.amount);
    this.#token(call)?.hold(call.amount);
  }

  send(call: RunningCall, amount: number): void {
    this.#user(call).send(amount);
    this.#token(call)?.send(amount);
  }

  answered(call: RunningCall, sent: number, returned: number): void {
    this.#user(call).answered(sent, returned);
    this.#token(call)?.answered(sent, returned);
  }

  /** What became of the operation is not known: the writer decides about this user and token until it names them again. */
  failed(call: RunningCall, sent: number): void {
    this.answered(call, sent, 0);
    this.#user(call).forget();
    this.#token(call)?.forget();
  }

  learn(call: RunningCall, { userFree, tokenFree, tokenExpiresAt }: TableBalance): void {
    const token = this.#token(call);
    if (this.#foreignWrites > 0 || token === undefined) return;
    this.#user(call).learn(userFree, this.#generation);
    token.learn(tokenFree ?? Number.POSITIVE_INFINITY, this.#generation);
    token.userId = call.userId;
    token.expiresAt = tokenExpiresAt;
  }

  /** Other code is about to change balances: nothing is admitted here until it has ended, and no amount is known after it. */
  beginForeignWrite(): void {
    this.#foreignWrites += 1;
    this.#generation += 1;
    if (this.#users.size + this.#tokens.size < mostBalances) return;
    for (const [id, user] of this.#users) if (user.isIdle) this.#users.delete(id);
    for (const [id, token] of this.#tokens) if (token.isIdle) this.#tokens.delete(id);
  }

  endForeignWrite(): void {
    this.#foreignWrites -= 1;
  }

  #user({ userId }: RunningCall): SpendableBalance {
    let user = this.#users.get(userId);
    if (user === undefined) {
      user = new SpendableBalance();
      this.#users.set(userId, user);
    }
    return user;
  }

  /** A call without a token has none, and the writer decides about it. */
  #token({ tokenId }: RunningCall): TokenBalance | undefined {
    if (tokenId === 0) return undefined;
    let token = this.#tokens.get(tokenId);
    if (token === undefined) {
      token = new TokenBalance();
      this.#tokens.set(tokenId, token);
    }
    return token;
  }
}
