// Holds that are in memory only. A crash releases a hold that was not marked as sent, and that mark is written a quarter of
// a second after the call began; until then a row would say nothing that its absence does not. Most calls end sooner.
import type { HoldState } from '#server/billing/engine/rows.ts';

interface Sum {
  amount: number;
  count: number;
}

type Step = { undo: 'opened' | 'taken' | 'replaced'; hold: HoldState };

const nothing: Readonly<Sum> = { amount: 0, count: 0 };

export class FloatingHolds {
  readonly #holds = new Map<string, HoldState>();
  readonly #users = new Map<number, Sum>();
  readonly #tokens = new Map<number, Sum>();
  /** What the running transaction did, to be taken back if it does not commit. */
  #steps: Step[] = [];

  ofUser(id: number): Readonly<Sum> {
    return this.#users.get(id) ?? nothing;
  }

  ofToken(id: number): Readonly<Sum> {
    return this.#tokens.get(id) ?? nothing;
  }

  get(id: string): HoldState | undefined {
    return this.#holds.get(id);
  }

  all(): HoldState[] {
    return [...this.#holds.values()];
  }

  open(hold: HoldState): void {
    this.#put(hold);
    this.#steps.push({ undo: 'opened', hold });
  }

  take(id: string): HoldState | undefined {
    const hold = this.#holds.get(id);
    if (hold === undefined) return undefined;
    this.#remove(hold);
    this.#steps.push({ undo: 'taken', hold });
    return hold;
  }

  replace(hold: HoldState): void {
    const before = this.#holds.get(hold.id);
    if (before === undefined) return;
    this.#remove(before);
    this.#put(hold);
    this.#steps.push({ undo: 'replaced', hold: before });
  }

  mark(): number {
    return this.#steps.length;
  }

  committed(): void {
    this.#steps = [];
  }

  rolledBack(mark: number): void {
    for (const { undo, hold } of this.#steps.splice(mark).toReversed()) {
      const current = this.#holds.get(hold.id);
      if (current !== undefined) this.#remove(current);
      if (undo !== 'opened') this.#put(hold);
    }
  }

  #put(hold: HoldState): void {
    this.#holds.set(hold.id, hold);
    add(this.#users, hold.userId, hold.amount, 1);
    if (hold.tokenId !== 0) add(this.#tokens, hold.tokenId, hold.amount, 1);
  }

  #remove(hold: HoldState): void {
    this.#holds.delete(hold.id);
    add(this.#users, hold.userId, -hold.amount, -1);
    if (hold.tokenId !== 0) add(this.#tokens, hold.tokenId, -hold.amount, -1);
  }
}

function add(sums: Map<number, Sum>, id: number, amount: number, count: number): void {
  const sum = sums.get(id);
  if (sum === undefined) sums.set(id, { amount, count });
  else {
    sum.amount += amount;
    sum.count += count;
    if (sum.count === 0) sums.delete(id);
  }
}
