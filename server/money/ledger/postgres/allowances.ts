// The allowances of this node, in memory: how large the row of each is, and how much of it covers running calls. A token that is
// used again within two seconds gets one. It is given back when it was not used for two seconds, when its life is over, when the
// balance is no longer ample, and when the user or the token changes.
import { allowanceId } from '#server/money/ledger/engine/allowance.ts';
import type { Keep, SettleResult, WriteHold } from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import type { Identity } from './loaded.ts';

const idleMs = 2000;
/** No call is admitted from an older one. */
const lifeMs = 60_000;
/** Nothing is set aside of a balance for so long after another call or node has needed all of it. */
const refrainMs = 5000;

interface Allowance {
  readonly userId: number;
  readonly tokenId: number;
  /** Empty: there is no row. */
  id: string;
  /** The amount of the row, as the operations that were sent leave it. */
  size: number;
  /** An answer was lost: how large the row is, or whether there is one, is not known. */
  isLost: boolean;
  /** What covers running calls. */
  inUse: number;
  /** Operations that change the row and are not answered. */
  changing: number;
  startedAt: number;
  usedAt: number;
  /** What was free beside it after the last settlement. */
  balance: number;
}

/** What the settlement of a call asks for, and for which allowance. */
export interface Growth {
  keep: Keep;
  allowance: Allowance;
}

/** A call gets its own row. */
interface Splitting {
  allowance: Allowance;
  operation: WriteHold;
  /** It was not written, or its answer was lost. */
  isLost: boolean;
}

/** `now` is in milliseconds. */
export class Allowances {
  readonly #byUser = new Map<number, Map<number, Allowance>>();
  readonly #covering = new Map<RunningCall, Allowance>();
  readonly #splitting = new Map<RunningCall, Splitting>();
  /** By user. No call is admitted from these; their rows end when no call needs them. */
  readonly #ending = new Map<number, Set<Allowance>>();
  /** By user: until when nothing is set aside. */
  readonly #refraining = new Map<number, number>();
  readonly #identity: Identity;
  #count = 0;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** Covers the call if an allowance has room for it: what was free beside it after the last settlement. */
  admit(call: RunningCall, now: number): number | undefined {
    const { userId, tokenId, amount } = call;
    const allowance = this.#byUser.get(userId)?.get(tokenId);
    if (allowance === undefined || allowance.size === 0 || call.plans !== undefined) return undefined;
    if (allowance.size - allowance.inUse < amount || isOld(allowance, now)) return undefined;
    allowance.inUse += amount;
    allowance.usedAt = now;
    call.isInMemory = true;
    call.cover = { allowanceId: allowance.id, amount };
    this.#covering.set(call, allowance);
    return allowance.balance;
  }

  /** The calls that have no row, or may have none. */
  covered(): RunningCall[] {
    return [...this.#covering.keys(), ...this.#splitting.keys()];
  }

  /** The call gets its own row, out of the allowance. Undefined: it has one, one is on its way, or the call has ended. */
  split(call: RunningCall): WriteHold | undefined {
    if (call.isEnded) return undefined;
    const before = this.#splitting.get(call);
    if (before?.isLost === true) {
      before.isLost = false;
      return { ...before.operation, isAgain: true };
    }
    const allowance = this.#leave(call);
    const { cover, requestId, userId, tokenId, expiresAt } = call;
    if (cover === undefined || allowance === undefined) return undefined;
    allowance.size -= cover.amount;
    allowance.changing += 1;
    const owner = { userId, tokenId };
    const operation: WriteHold = { kind: 'writeHold', requestId, cover, owner, expiresAt, isAgain: false };
    this.#splitting.set(call, { allowance, operation, isLost: false });
    return operation;
  }

  /** What was split has been answered. Until a lost row is written or its call ends, the row of the allowance stays. */
  written(call: RunningCall, isKnown: boolean): void {
    const splitting = this.#splitting.get(call);
    if (splitting === undefined) return;
    if (isKnown) call.cover = undefined;
    else this.#lose(splitting.allowance);
    splitting.isLost = !isKnown;
    if (isKnown || call.isEnded) this.#endSplitting(call, splitting);
  }

  /** What the settlement of a call that has a row may set aside: nothing for a token that is seldom used. */
  growth(call: RunningCall, now: number): Growth | undefined {
    const { userId, tokenId, amount } = call;
    if (call.plans !== undefined || call.lifetime !== 'call' || tokenId === 0 || amount === 0)
      return undefined;
    if ((this.#refraining.get(userId) ?? 0) > now) return undefined;
    const tokens = this.#tokensOf(userId);
    const allowance = tokens.get(tokenId);
    if (allowance === undefined) {
      tokens.set(tokenId, newAllowance(userId, tokenId, now));
      return undefined;
    }
    allowance.usedAt = now;
    const isNew = allowance.id === '';
    // Until the settlement that makes the row is answered, or after the last of it was split, it may be that there is none.
    if (!isNew && (allowance.size === 0 || isOld(allowance, now))) return undefined;
    if (isNew) {
      this.#count += 1;
      allowance.id = allowanceId(this.#identity.nodeId, this.#identity.epoch, this.#count);
      allowance.startedAt = now;
    }
    allowance.changing += 1;
    return { keep: { allowanceId: allowance.id, isNew, amount }, allowance };
  }

  /** `result` undefined, or without a balance: what the settlement has changed is not known. */
  settled(call: RunningCall, growth: Growth | undefined, result: SettleResult | undefined): void {
    const covering = this.#leave(call);
    const allowance = covering ?? growth?.allowance;
    this.#endLost(call);
    if (allowance === undefined) return;
    if (growth !== undefined) allowance.changing -= 1;
    if (result?.kept !== undefined) {
      // What the call has drawn on its part is gone.
      allowance.size += result.kept - (covering === undefined ? 0 : (call.cover?.amount ?? 0));
    }
    if (result === undefined || result.balance < 0) this.#lose(allowance);
    else if (result.canStay === true) allowance.balance = result.balance;
    else this.#end(allowance);
    noteRow(allowance);
  }

  /** The call has ended without a charge. */
  returned(call: RunningCall): void {
    this.#leave(call);
    this.#endLost(call);
  }

  /** Without an id: all of them. */
  end({ userId, tokenId }: { userId?: number | undefined; tokenId?: number | undefined }): void {
    const users = userId === undefined ? this.#byUser.values() : [this.#byUser.get(userId)];
    for (const tokens of users) {
      const ending = tokenId === undefined ? tokens?.values() : [tokens?.get(tokenId)];
      for (const allowance of ending ?? []) if (allowance !== undefined) this.#end(allowance);
    }
  }

  /** Ends those of the user, and makes no new ones for a while: the user needs the whole balance. */
  refrain(userId: number, now: number): void {
    this.#refraining.set(userId, now + refrainMs);
    this.end({ userId });
  }

  /** Something may be set aside, of this user's balance or of anybody's. */
  hasAny(userId: number | undefined): boolean {
    if (userId === undefined) return this.#byUser.size > 0 || this.#ending.size > 0;
    if (this.#ending.has(userId)) return true;
    for (const { id } of this.#byUser.get(userId)?.values() ?? []) if (id !== '') return true;
    return false;
  }

  /** Ends what was not used for a while, or is old; returns the ids of the rows that no call needs any more. */
  takeUnneeded(now: number): string[] {
    for (const [userId, until] of this.#refraining) if (until <= now) this.#refraining.delete(userId);
    for (const tokens of this.#byUser.values())
      for (const allowance of tokens.values()) {
        const isIdle = allowance.inUse === 0 && allowance.changing === 0 && now - allowance.usedAt > idleMs;
        if (isIdle || isOld(allowance, now)) this.#end(allowance);
      }
    const unneeded: string[] = [];
    for (const [userId, ending] of this.#ending) {
      for (const allowance of ending) {
        if (allowance.inUse > 0 || allowance.changing > 0) continue;
        ending.delete(allowance);
        if (allowance.id !== '') unneeded.push(allowance.id);
      }
      if (ending.size === 0) this.#ending.delete(userId);
    }
    return unneeded;
  }

  /** The call is covered no longer. */
  #leave(call: RunningCall): Allowance | undefined {
    const allowance = this.#covering.get(call);
    if (allowance === undefined) return undefined;
    this.#covering.delete(call);
    call.isInMemory = false;
    allowance.inUse -= call.cover?.amount ?? 0;
    return allowance;
  }

  #endLost(call: RunningCall): void {
    const splitting = this.#splitting.get(call);
    if (splitting?.isLost === true) this.#endSplitting(call, splitting);
  }

  #endSplitting(call: RunningCall, { allowance }: Splitting): void {
    this.#splitting.delete(call);
    allowance.changing -= 1;
    noteRow(allowance);
  }

  #lose(allowance: Allowance): void {
    allowance.isLost = true;
    this.#end(allowance);
  }

  #end(allowance: Allowance): void {
    const { userId, tokenId } = allowance;
    const tokens = this.#byUser.get(userId);
    // Otherwise it has ended before.
    if (tokens?.get(tokenId) !== allowance) return;
    const ending = this.#ending.get(userId);
    if (ending === undefined) this.#ending.set(userId, new Set([allowance]));
    else ending.add(allowance);
    tokens.delete(tokenId);
    if (tokens.size === 0) this.#byUser.delete(userId);
  }

  #tokensOf(userId: number): Map<number, Allowance> {
    let tokens = this.#byUser.get(userId);
    if (tokens === undefined) {
      tokens = new Map();
      this.#byUser.set(userId, tokens);
    }
    return tokens;
  }
}

function newAllowance(userId: number, tokenId: number, now: number): Allowance {
  const nothing = { id: '', size: 0, isLost: false, inUse: 0, changing: 0, balance: 0 };
  return { userId, tokenId, ...nothing, startedAt: now, usedAt: now };
}

const isOld = ({ id, startedAt }: Allowance, now: number) => id !== '' && now - startedAt > lifeMs;

/** A row of nothing has been deleted; the next one gets another id. */
function noteRow(allowance: Allowance): void {
  if (allowance.size === 0 && allowance.changing === 0 && !allowance.isLost) allowance.id = '';
}
