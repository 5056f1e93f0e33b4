// Holds that are taken on the main thread, before the writer knows of them. What can still be promised to a user and a token
// without asking is kept in a purse: never more than the writer would grant. Only an admission is decided here, and only
// where no limit has to be looked at; whatever else is asked goes to the writer, which first hears of every hold taken here.
//
// Why a purse never holds too much: it is filled from an answer of the writer, less whatever was asked of it since; what an
// operation may take is taken out when it is sent and put back, as far as it was not taken, when its answer comes; and
// while anybody else writes there are no purses.
import type { HeldCall } from '#server/billing/backend.ts';
import type { WriterCompanion } from '#server/store/store.ts';

class Purse {
  /** The generation of purses in which it was filled; in any other it says nothing. */
  filledIn = 0;
  free = 0;
  /** What was asked of the writer and has no answer yet. */
  asked = 0;

  ask(amount: number): void {
    this.asked += amount;
    this.free -= amount;
  }

  /** Of what was asked `taken` is gone; less than nothing came back. */
  answered(amount: number, taken: number): void {
    this.asked -= amount;
    this.free += amount - taken;
  }

  fill(free: number, generation: number): void {
    if (this.filledIn === generation) return;
    this.filledIn = generation;
    this.free = free - this.asked;
  }
}

class TokenPurse extends Purse {
  readonly user: Purse;
  readonly userId: number;
  /** Unix seconds; -1 = never. */
  expiresAt = -1;

  constructor(userId: number, user: Purse) {
    super();
    this.userId = userId;
    this.user = user;
  }
}

/** What the writer says of those it admitted, if nothing but their balances limits them. */
export type Means = readonly [userFree: number, tokenFree: number | null, tokenExpiresAt: number];

/** As rows of `ledger.openHolds`. */
export type EarlyHoldArgs = readonly [
  requestId: string,
  userId: number,
  tokenId: number,
  amount: number,
  createdAt: number,
  expiresAt: number,
];

const mostPurses = 20_000;

export class EarlyHolds implements WriterCompanion {
  readonly #users = new Map<number, Purse>();
  readonly #tokens = new Map<number, TokenPurse>();
  /** Taken, and not known to the writer; each knows its place. */
  readonly #early: HeldCall[] = [];
  /** Those of them whose settlement is queued: it brings the hold along, unless others must know of it first. */
  #settling: HeldCall[] = [];
  #generation = 1;
  #isForeign = false;
  #pauses = 0;

  /** Takes the hold if that is certain; returns what the user can still spend, or undefined: ask the writer. */
  admit(call: HeldCall): number | undefined {
    const token = this.#tokens.get(call.tokenId);
    if (token === undefined || token.userId !== call.userId || this.#isPaused) return undefined;
    const { user } = token;
    if (token.filledIn !== this.#generation || user.filledIn !== this.#generation) return undefined;
    const { amount } = call;
    if (user.free < amount || token.free < amount || token.free <= 0) return undefined;
    if (token.expiresAt !== -1 && token.expiresAt <= call.createdAt) return undefined;
    user.free -= amount;
    token.free -= amount;
    call.earlyPlace = this.#early.length;
    this.#early.push(call);
    return user.free;
  }

  /** The call ends with this charge: does its settlement have to bring the hold along? */
  settle(call: HeldCall): boolean {
    if (call.earlyPlace < 0) return false;
    this.#leave(call);
    this.#settling.push(call);
    return true;
  }

  #leave(call: HeldCall): void {
    const place = call.earlyPlace;
    call.earlyPlace = -1;
    const last = this.#early.pop() as HeldCall;
    if (last === call) return;
    last.earlyPlace = place;
    this.#early[place] = last;
  }

  /** The writer is asked for so much on behalf of the call. */
  ask(call: HeldCall, amount: number): void {
    const token = this.#purse(call);
    token.ask(amount);
    token.user.ask(amount);
  }

  answered(call: HeldCall, amount: number, taken: number): void {
    const token = this.#purse(call);
    token.answered(amount, taken);
    token.user.answered(amount, taken);
  }

  /** Nobody knows what became of it. */
  failed(call: HeldCall, amount: number): void {
    this.answered(call, amount, 0);
    const token = this.#purse(call);
    token.filledIn = 0;
    token.user.filledIn = 0;
  }

  /** The writer's word on what user and token have, from the answer that was heard just now. */
  learn(call: HeldCall, [userFree, tokenFree, expiresAt]: Means): void {
    if (this.#isPaused || call.tokenId === 0) return;
    const token = this.#purse(call);
    token.user.fill(userFree, this.#generation);
    token.fill(tokenFree ?? Number.POSITIVE_INFINITY, this.#generation);
    token.expiresAt = expiresAt;
  }

  #purse({ userId, tokenId }: HeldCall): TokenPurse {
    let token = this.#tokens.get(tokenId);
    if (token !== undefined && token.userId === userId) return token;
    let user = this.#users.get(userId);
    if (user === undefined) {
      user = new Purse();
      this.#users.set(userId, user);
    }
    token = new TokenPurse(userId, user);
    this.#tokens.set(tokenId, token);
    return token;
  }

  get #isPaused(): boolean {
    return this.#isForeign || this.#pauses > 0;
  }

  /** Something is to be done whose effect on balances cannot be told beforehand. Ends with `resume`. */
  pause(): void {
    this.#pauses += 1;
    this.#forget();
  }

  resume(): void {
    this.#pauses -= 1;
  }

  takeAhead(): { procedure: string; args: readonly EarlyHoldArgs[] } | undefined {
    if (this.#early.length + this.#settling.length === 0) return undefined;
    const args = [...this.#early, ...this.#settling].map(
      ({ requestId, userId, tokenId, amount, createdAt, expiresAt }): EarlyHoldArgs => [
        requestId,
        userId,
        tokenId,
        amount,
        createdAt,
        expiresAt,
      ],
    );
    for (const call of this.#early) call.earlyPlace = -1;
    this.#early.length = 0;
    this.#settling = [];
    return { procedure: 'ledger.openHolds', args };
  }

  batchSent(): void {
    if (this.#settling.length > 0) this.#settling = [];
  }

  foreign(isWriting: boolean): void {
    this.#isForeign = isWriting;
    if (isWriting) this.#forget();
  }

  /** Purses of which something is asked stay, so that its answer is not taken for something else. */
  #forget(): void {
    this.#generation += 1;
    if (this.#tokens.size + this.#users.size < mostPurses) return;
    for (const [id, token] of this.#tokens) if (token.asked === 0) this.#tokens.delete(id);
    for (const [id, user] of this.#users) if (user.asked === 0) this.#users.delete(id);
  }
}
