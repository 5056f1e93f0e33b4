// The allowances of this node, in memory: how large the row of each is, and how much of it covers running calls. A token that is
// used again within two seconds gets one. It is given back when it was not used for two seconds, when its life is over, when the
// balance is no longer ample, and when the user or the token changes.
import { allowanceId } from '#server/billing/engine/allowance.ts';
import type { Keep, SettleResult, WriteHold } from '#server/billing/engine/operations.ts';
import type { RunningCall } from '#server/billing/running-call.ts';
import type { Identity } from './loaded.ts';

const idleMs = 2000;
/** No call is admitted from an older one. */
const lifeMs = 60_000;
/** Of its row: an allowance that this node has lost sight of is released then. */
const rowLifeSeconds = 180;
/** Below this many times the allowance the rest of the balance is not ample. */
const ampleTimes = 50;

interface Allowance {
  readonly userId: number;
  readonly tokenId: number;
  /** Empty: there is no row. */
  id: string;
  /** The amount of the row, as the operations that were sent leave it. */
  size: number;
  /** What covers running calls. */
  inUse: number;
  /** Settlements that are on their way and may enlarge the row. */
  growing: number;
  startedAt: number;
  usedAt: number;
  /** What the user could spend beside it after the last settlement. */
  balance: number;
}

/** What the settlement of a call asks for, and for which allowance. */
export interface Growth {
  keep: Keep;
  allowance: Allowance;
}

/** `now` is in milliseconds. */
export class Allowances {
  readonly #byUser = new Map<number, Map<number, Allowance>>();
  readonly #covering = new Map<RunningCall, Allowance>();
  /** No call is admitted from these; their rows end when no call needs them. */
  readonly #ending = new Set<Allowance>();
  readonly #identity: Identity;
  #count = 0;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** Covers the call if an allowance has room for it: what the user can still spend. */
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
    return allowance.balance + this.#spareOf(userId);
  }

  covered(): RunningCall[] {
    return [...this.#covering.keys()];
  }

  /** The call gets its own row, out of the allowance. Undefined: it has one, or has ended. */
  split(call: RunningCall): WriteHold | undefined {
    const { cover, requestId, userId, tokenId, expiresAt } = call;
    const allowance = call.isEnded ? undefined : this.#leave(call);
    if (cover === undefined || allowance === undefined) return undefined;
    allowance.size -= cover.amount;
    noteRow(allowance);
    return { kind: 'writeHold', requestId, cover, owner: { userId, tokenId }, expiresAt };
  }

  /** What the settlement of a call that has a row may set aside: nothing for a token that is seldom used. */
  growth(call: RunningCall, now: number): Growth | undefined {
    const { userId, tokenId, amount } = call;
    if (call.plans !== undefined || call.lifetime !== 'call' || tokenId === 0 || amount === 0)
      return undefined;
    const tokens = this.#tokensOf(userId);
    const allowance = tokens.get(tokenId);
    if (allowance === undefined) {
      tokens.set(tokenId, newAllowance(userId, tokenId, now));
      return undefined;
    }
    allowance.usedAt = now;
    const isNew = allowance.id === '';
    // The first settlement makes the row; until it is answered it may be that there is none.
    if (!isNew && (allowance.size === 0 || isOld(allowance, now))) return undefined;
    if (isNew) {
      this.#count += 1;
      allowance.id = allowanceId(this.#identity.nodeId, this.#identity.epoch, this.#count);
      allowance.startedAt = now;
    }
    allowance.growing += 1;
    const expiresAt = Math.floor(allowance.startedAt / 1000) + rowLifeSeconds;
    return { keep: { allowanceId: allowance.id, isNew, amount, expiresAt }, allowance };
  }

  /** `result` undefined: what the settlement has changed is not known. Returns what the user can still spend. */
  settled(call: RunningCall, growth: Growth | undefined, result: SettleResult | undefined): number {
    const allowance = this.#leave(call) ?? growth?.allowance;
    if (allowance !== undefined) {
      if (growth !== undefined) {
        allowance.growing -= 1;
        allowance.size += result?.kept ?? 0;
      }
      const isAmple = result !== undefined && result.balance >= allowance.size * ampleTimes;
      if (isAmple) allowance.balance = result.balance;
      else this.#end(allowance);
      if (result !== undefined) noteRow(allowance);
    }
    const balance = result?.balance ?? 0;
    return balance < 0 ? balance : balance + this.#spareOf(call.userId);
  }

  /** The call has ended without a charge. */
  returned(call: RunningCall): void {
    this.#leave(call);
  }

  /** Without an id: all of them. */
  end({ userId, tokenId }: { userId?: number | undefined; tokenId?: number | undefined }): void {
    for (const tokens of this.#byUser.values())
      for (const allowance of tokens.values()) {
        const isMeant =
          (userId === undefined || allowance.userId === userId) &&
          (tokenId === undefined || allowance.tokenId === tokenId);
        if (isMeant) this.#end(allowance);
      }
  }

  /** Ends what was not used for a while, or is old; returns the ids of the rows that no call needs any more. */
  takeUnneeded(now: number): string[] {
    for (const tokens of this.#byUser.values())
      for (const allowance of tokens.values()) {
        const isIdle = allowance.inUse === 0 && allowance.growing === 0 && now - allowance.usedAt > idleMs;
        if (isIdle || isOld(allowance, now)) this.#end(allowance);
      }
    const unneeded = [...this.#ending].filter(({ inUse, growing }) => inUse === 0 && growing === 0);
    for (const allowance of unneeded) this.#ending.delete(allowance);
    return unneeded.flatMap(({ id }) => (id === '' ? [] : [id]));
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

  #end(allowance: Allowance): void {
    const { userId, tokenId } = allowance;
    this.#ending.add(allowance);
    const tokens = this.#byUser.get(userId);
    if (tokens?.get(tokenId) !== allowance) return;
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

  #spareOf(userId: number): number {
    let spare = 0;
    for (const { size, inUse } of this.#byUser.get(userId)?.values() ?? []) spare += size - inUse;
    return spare;
  }
}

function newAllowance(userId: number, tokenId: number, now: number): Allowance {
  return { userId, tokenId, id: '', size: 0, inUse: 0, growing: 0, startedAt: now, usedAt: now, balance: 0 };
}

const isOld = ({ id, startedAt }: Allowance, now: number) => id !== '' && now - startedAt > lifeMs;

/** A row of nothing has been deleted; the next one gets another id. */
function noteRow(allowance: Allowance): void {
  if (allowance.size === 0 && allowance.growing === 0) allowance.id = '';
}
