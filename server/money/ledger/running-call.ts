// A call of this process with its hold. The ledger makes it; its backend notes where the hold is and how large it is.
import { unixSeconds } from '#contract/time.ts';
import type {
  HeldPlan,
  HoldOwner,
  Lifetime,
  MemoryHeld,
  PlanChoice,
  Reserve,
  SlicePart,
} from './engine/operations.ts';
import type { HoldSnapshot, LedgerCall, ReserveRequest } from './ledger.ts';

export class RunningCall implements LedgerCall, HoldOwner {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  /** Tokens counted at admission. */
  readonly tokens: number;
  readonly lifetime: Lifetime;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The counters of budgets that apply, as a comma list; blank: none. */
  readonly budgets: string;
  /** Only for a user with a subscription. */
  readonly plans: PlanChoice | undefined;
  /** The one that the hold has chosen. */
  plan: HeldPlan | undefined = undefined;
  /** Of the hold, with its extensions. Before the hold is taken: what it should be. */
  amount: number;
  /** What the call holds now, by the answers of the backend. */
  held = 0;
  /** The smallest hold that the call can use; undefined: `amount`. */
  readonly least: number | undefined;
  /** Among the calls whose holds are in memory. */
  placeInSet = -1;
  /** Its part of the slice, until it is known that the call has a row (PostgreSQL). */
  slice: SlicePart | undefined = undefined;
  /** A row was sent, and its answer was lost (PostgreSQL). */
  mayHaveRow = false;
  /** Settled or released. */
  isEnded = false;
  /** Its end is in the spool and not yet in the database (SQLite). */
  isSpooled = false;
  /** It goes on as a call of another model than the one that it was admitted for. */
  isRenewed = false;
  #snapshot: HoldSnapshot | undefined;

  constructor(request: ReserveRequest) {
    this.requestId = request.requestId;
    this.userId = request.userId;
    this.tokenId = request.tokenId;
    this.tokens = request.limits.tokens;
    this.lifetime = request.lifetime ?? 'call';
    this.createdAt = unixSeconds();
    this.expiresAt = request.expiresAt;
    this.amount = request.amount;
    this.least = request.least;
    this.plans = request.plans;
    this.budgets = request.budgets ?? '';
    this.#snapshot = request.snapshot;
  }

  /** The hold is inside the slice of this node and has no row yet. */
  get isInMemory(): boolean {
    return this.placeInSet >= 0;
  }

  reservation(snapshot: string, memoryHeld: MemoryHeld): Reserve {
    const { requestId, userId, tokenId, amount, least, tokens, expiresAt, lifetime, plans } = this;
    const call = { requestId, userId, tokenId, amount, least, tokens, expiresAt, lifetime, plans };
    const reserve: Reserve = { kind: 'reserve', ...call, snapshot, memoryHeld };
    if (this.budgets !== '') reserve.budgets = this.budgets;
    return reserve;
  }

  /** The snapshot is written once: with the hold of a task, with the first checkpoint of a call. */
  takeSnapshot(): HoldSnapshot | undefined {
    const snapshot = this.#snapshot;
    this.#snapshot = undefined;
    return snapshot;
  }

  renew(snapshot: HoldSnapshot): void {
    this.#snapshot = snapshot;
    this.isRenewed = true;
  }
}
