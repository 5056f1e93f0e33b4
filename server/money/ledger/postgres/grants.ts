// The slices that PostgreSQL has granted to this node, one for a token. A token that is used again within two seconds gets one. It is
// given back when it was not used for two seconds, when its life is over, when the balance is no longer ample, and when the user
// or the token changes: then no call is admitted from it, and its row ends when no call is inside.
import type { Growth, SettleResult } from '#server/money/ledger/engine/operations.ts';
import { sliceId } from '#server/money/ledger/engine/slice.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { Slices } from '#server/money/ledger/slices.ts';
import type { Identity } from './loaded.ts';

const IDLE_MS = 2000;
/** No call is admitted from an older one. */
const LIFE_MS = 60_000;
/** Nothing of a balance is asked for so long after another call or node has needed all of it. */
const REFRAIN_MS = 5000;

interface Grant {
  readonly userId: number;
  readonly tokenId: number;
  /** The counters that its row is taken from: calls that count in others are not inside. */
  readonly budgets: string;
  /** `seen`: the token was used once. `asked`: the settlement that makes the row has no answer. */
  state: 'seen' | 'asked' | 'open' | 'ending';
  /** Empty: there is no row. */
  id: string;
  startedAt: number;
  usedAt: number;
  /** What was free beside the slice after the last settlement. */
  balance: number;
}

/** `now` is in milliseconds. */
export class Grants {
  /** What the slices have room for. */
  readonly slices = new Slices(false);
  readonly #byToken = new Map<number, Grant>();
  /** By user: until when nothing is asked for. */
  readonly #refraining = new Map<number, number>();
  readonly #identity: Identity;
  #count = 0;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  /** Takes the hold inside the slice if it has room: what was free beside it after the last settlement. */
  admit(call: RunningCall, now: number): number | undefined {
    const grant = this.#byToken.get(call.tokenId);
    if (grant?.state !== 'open' || grant.budgets !== call.budgets || isOld(grant, now)) return undefined;
    if (this.slices.admit(call) === undefined) return undefined;
    grant.usedAt = now;
    call.slice = { id: grant.id, amount: call.amount };
    return grant.balance;
  }

  /** What the settlement of a call that has a row may add to the slice: nothing for a token that is seldom used. */
  growth(call: RunningCall, now: number): Growth | undefined {
    const { userId, tokenId, amount, budgets } = call;
    if (call.plans !== undefined || call.lifetime !== 'call' || tokenId === 0 || amount === 0)
      return undefined;
    if ((this.#refraining.get(userId) ?? 0) > now) return undefined;
    const grant = this.#byToken.get(tokenId);
    if (grant === undefined) {
      const seen = { state: 'seen', id: '', startedAt: now, usedAt: now, balance: 0 } as const;
      this.#byToken.set(tokenId, { userId, tokenId, budgets, ...seen });
      return undefined;
    }
    if (grant.budgets !== budgets) return undefined;
    grant.usedAt = now;
    const isNew = grant.state === 'seen';
    if (!isNew && (grant.state !== 'open' || isOld(grant, now))) return undefined;
    if (isNew) {
      this.#count += 1;
      const id = sliceId(this.#identity.nodeId, this.#identity.epoch, this.#count);
      Object.assign(grant, { state: 'asked', id, startedAt: now });
    }
    this.slices.expect(call, amount);
    return { id: grant.id, isNew, amount };
  }

  /** Of a call inside the slice, or with a growth. `result` undefined, or without a balance: what it has changed is not known. */
  settled(call: RunningCall, result: SettleResult | undefined): void {
    const kept = result?.sliceKept ?? 0;
    this.slices.answered(call, call.amount, kept);
    const grant = this.#byToken.get(call.tokenId);
    if (grant === undefined) return;
    const isKnown = result !== undefined && result.balance >= 0;
    // Without an answer the row may be there.
    if (grant.state === 'asked' && isKnown && kept === 0) grant.id = '';
    if (isKnown && result.isSliceOpen === true) {
      grant.balance = result.balance;
      if (grant.state === 'asked') {
        grant.state = 'open';
        this.slices.learn(call, { ofUser: 0, ofToken: kept, expiresAt: -1 });
      }
    } else grant.state = 'ending';
  }

  /** Of a user, of a token or of all. */
  end({ userId, tokenId }: { userId?: number | undefined; tokenId?: number | undefined }): void {
    for (const grant of this.#byToken.values())
      if ((userId ?? grant.userId) === grant.userId && (tokenId ?? grant.tokenId) === grant.tokenId)
        grant.state = 'ending';
  }

  /** Ends those of the user, and asks for no new ones for a while: the user needs the whole balance. */
  refrain(userId: number, now: number): void {
    this.#refraining.set(userId, now + REFRAIN_MS);
    this.end({ userId });
  }

  /** There may be a slice, of this user's balance or of anybody's. */
  hasAny(userId: number | undefined): boolean {
    for (const grant of this.#byToken.values())
      if (grant.id !== '' && (userId ?? grant.userId) === grant.userId) return true;
    return false;
  }

  /** Inside slices that are old, and without a row. */
  callsToWrite(now: number): RunningCall[] {
    const isInOld = (grant: Grant | undefined) => grant !== undefined && isOld(grant, now);
    return this.slices.calls().filter(({ tokenId }) => isInOld(this.#byToken.get(tokenId)));
  }

  /** Ends what was not used for a while, or is old; returns the ids of the rows that no call needs any more. */
  takeUnneeded(now: number): string[] {
    for (const [userId, until] of this.#refraining) if (until <= now) this.#refraining.delete(userId);
    const unneeded: string[] = [];
    for (const grant of this.#byToken.values()) {
      const { id, tokenId } = grant;
      const isIdle = this.slices.isIdle(tokenId);
      if ((isIdle && now - grant.usedAt > IDLE_MS) || isOld(grant, now)) grant.state = 'ending';
      if (grant.state !== 'ending' || !isIdle) continue;
      this.#byToken.delete(tokenId);
      this.slices.drop(tokenId);
      if (id !== '') unneeded.push(id);
    }
    return unneeded;
  }
}

const isOld = ({ id, startedAt }: Grant, now: number) => id !== '' && now - startedAt > LIFE_MS;
