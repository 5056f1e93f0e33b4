// Users, tokens and holds as this node's last batch left them, so that the next batch need not read them. Another node may have
// written meanwhile: the writing statement verifies the version of every row, and rows that were not current are forgotten.
// A version is valid on the connection it came from only: a server that crashed may give the same number twice.
import { counterIds } from '#server/money/ledger/engine/budgets.ts';
import { hasLimits } from '#server/money/ledger/engine/limits.ts';
import type { HoldOwner, Operation } from '#server/money/ledger/engine/operations.ts';
import type {
  KnownCounter,
  KnownHold,
  KnownSubscription,
  KnownToken,
  KnownUser,
  Loaded,
  Wanted,
} from './loaded.ts';
import type { BatchChanges } from './rows.ts';

const MOST_KNOWN_ROWS = 20_000;
const SHORTEST_DOUBT_MS = 50;
const LONGEST_DOUBT_MS = 2000;

export class KnownRows {
  readonly #users = new Map<number, KnownUser>();
  readonly #tokens = new Map<number, KnownToken>();
  readonly #subscriptions = new Map<number, KnownSubscription>();
  readonly #counters = new Map<number, KnownCounter>();
  readonly #holds = new Map<string, KnownHold>();
  readonly #nodeId: string;
  #clockAheadMs = 0;
  #doubtMs = 0;
  #doubtUntil = 0;
  #lockUntil = 0;

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  forgetAll(): void {
    this.#users.clear();
    this.#tokens.clear();
    this.#subscriptions.clear();
    this.#counters.clear();
    this.#holds.clear();
  }

  wantedBy(operations: readonly Operation[]): Wanted {
    const requestIds = new Set<string>();
    const userIds = new Set<number>();
    const tokenIds = new Set<number>();
    const subscriptionIds = new Set<number>();
    const counters = new Set<number>();
    const holds = new Set<KnownHold>();
    let needsHolds = false;
    const want = (userId: number, tokenId: number) => {
      if (userId !== 0) userIds.add(userId);
      if (tokenId !== 0) tokenIds.add(tokenId);
    };
    const wantSlice = (id: string, isNew: boolean) => {
      requestIds.add(id);
      const known = this.#holds.get(id);
      if (known !== undefined) holds.add(known);
      else if (!isNew) needsHolds = true;
    };
    for (const operation of operations) {
      const { requestId } = operation;
      requestIds.add(requestId);
      const owner = ownerOf(operation);
      if (owner !== undefined) want(owner.userId, owner.tokenId);
      for (const id of subscriptionsOf(operation)) subscriptionIds.add(id);
      for (const id of counterIds(budgetsOf(operation))) counters.add(id);
      const hold = this.#holds.get(requestId);
      if (hold !== undefined) {
        want(hold.userId, hold.tokenId);
        if (hold.subscriptionId !== 0) subscriptionIds.add(hold.subscriptionId);
        for (const id of counterIds(hold.budgets)) counters.add(id);
        holds.add(hold);
      } else if (hasRow(operation)) needsHolds = true;
      if (operation.kind !== 'settle' && operation.kind !== 'writeHold') continue;
      // A call that has its row is not inside the slice.
      if (operation.slice !== undefined && hold === undefined) wantSlice(operation.slice.id, false);
      if (operation.kind === 'settle' && operation.growth !== undefined)
        wantSlice(operation.growth.id, operation.growth.isNew);
    }
    return {
      requestIds: [...requestIds],
      userIds: [...userIds],
      tokenIds: [...tokenIds],
      subscriptionIds: [...subscriptionIds],
      counterIds: [...counters],
      holds: [...holds],
      needsHolds,
    };
  }

  /** The rows of a batch, if all of them are remembered and no limit applies. */
  find(wanted: Wanted): Loaded | undefined {
    if (Date.now() < this.#doubtUntil) return undefined;
    const users = pick(this.#users, wanted.userIds);
    const tokens = pick(this.#tokens, wanted.tokenIds);
    const subscriptions = pickAll(this.#subscriptions, wanted.subscriptionIds);
    const counters = pickAll(this.#counters, wanted.counterIds);
    if (users === undefined || tokens === undefined || subscriptions === undefined || counters === undefined)
      return undefined;
    const nowMs = Date.now() + this.#clockAheadMs;
    return {
      now: Math.floor(nowMs / 1000),
      nowMs,
      users,
      tokens,
      subscriptions,
      counters,
      holds: new Map(wanted.holds.map((hold) => [hold.id, hold])),
      windows: new Map(),
      running: new Map(),
      spent: new Map(),
    };
  }

  /** The batch is committed. `version`: of the rows it wrote. */
  remember(loaded: Loaded, changes: BatchChanges, version: number, nowMs: number): void {
    this.#clockAheadMs = nowMs - Date.now();
    for (const user of loaded.users.values()) user.isPlanHeldChanged = false;
    for (const token of loaded.tokens.values()) token.statusChanged = false;
    rememberRows(this.#users, loaded.users, version);
    rememberRows(this.#tokens, loaded.tokens, version);
    rememberRows(this.#subscriptions, loaded.subscriptions, version);
    rememberRows(this.#counters, loaded.counters, version);
    if (this.#holds.size > MOST_KNOWN_ROWS) this.#holds.clear();
    for (const hold of loaded.holds.values()) this.#rememberHold(hold);
    for (const { id } of changes.deletedHolds) this.#holds.delete(id);
    for (const hold of [...changes.newHolds, ...changes.changedHolds]) {
      this.#rememberHold(Object.assign(hold, { version }));
    }
  }

  /** Holds of other nodes and of tasks may end elsewhere, without notice. */
  #rememberHold(hold: KnownHold): void {
    if (hold.nodeId === this.#nodeId) this.#holds.set(hold.id, hold);
  }

  /** The batch was not committed, but may have changed its rows in memory. */
  forget({ userIds, tokenIds, subscriptionIds, counterIds: ids, requestIds }: Wanted): void {
    for (const id of ids) this.#counters.delete(id);
    for (const id of subscriptionIds) this.#subscriptions.delete(id);
    for (const id of userIds) this.#users.delete(id);
    for (const id of tokenIds) this.#tokens.delete(id);
    for (const id of requestIds) this.#holds.delete(id);
  }

  /**
   * Were the rows still current when they were to be written? While another node serves the same users, remembered ones
   * often are not, and asking first is cheaper; if even those that were just read are not, locking is.
   */
  judge(isCurrent: boolean, isRemembered: boolean): void {
    if (isCurrent) {
      if (isRemembered) this.#doubtMs = 0;
      return;
    }
    this.#doubtMs = Math.min(LONGEST_DOUBT_MS, Math.max(SHORTEST_DOUBT_MS, this.#doubtMs * 2));
    const until = Date.now() + this.#doubtMs;
    this.#doubtUntil = until;
    if (!isRemembered) this.#lockUntil = until;
  }

  get isContended(): boolean {
    return Date.now() < this.#lockUntil;
  }
}

/** False: the operation expects no hold under its request id. */
function hasRow(operation: Operation): boolean {
  if (operation.kind === 'settle' || operation.kind === 'release')
    return operation.slice === undefined || operation.isAgain === true;
  if (operation.kind === 'writeHold') return operation.isAgain;
  return operation.kind !== 'reserve' && operation.kind !== 'rollPeriod';
}

/** Whose rows the operation reads, as far as it says so itself. */
function ownerOf(operation: Operation): HoldOwner | undefined {
  if (operation.kind === 'reserve') return operation;
  return 'owner' in operation ? operation.owner : undefined;
}

const NONE: readonly number[] = [];

function subscriptionsOf(operation: Operation): readonly number[] {
  if (operation.kind === 'reserve') return operation.plans?.ids ?? NONE;
  if (operation.kind === 'rollPeriod') return [operation.subscriptionId];
  const plan = ownerOf(operation)?.plan;
  return plan === undefined ? NONE : [plan.subscriptionId];
}

function budgetsOf(operation: Operation): string {
  if (operation.kind === 'reserve') return operation.budgets ?? '';
  return ownerOf(operation)?.budgets ?? '';
}

function rememberRows<Row extends { id: number; version: number; dirty: boolean }>(
  known: Map<number, Row>,
  rows: ReadonlyMap<number, Row>,
  version: number,
): void {
  if (known.size > MOST_KNOWN_ROWS) known.clear();
  for (const row of rows.values()) {
    if (row.dirty) row.version = version;
    row.dirty = false;
    known.set(row.id, row);
  }
}

/** Undefined if a row is unknown. */
function pickAll<Row>(rows: ReadonlyMap<number, Row>, ids: readonly number[]): Map<number, Row> | undefined {
  const picked = new Map<number, Row>();
  for (const id of ids) {
    const row = rows.get(id);
    if (row === undefined) return undefined;
    picked.set(id, row);
  }
  return picked;
}

/** Undefined if a row is unknown or has limits: these count rows of other tables, which are not remembered. */
function pick<Row extends KnownUser | KnownToken>(
  rows: ReadonlyMap<number, Row>,
  ids: readonly number[],
): Map<number, Row> | undefined {
  const picked = pickAll(rows, ids);
  if (picked !== undefined) for (const row of picked.values()) if (hasLimits(row)) return undefined;
  return picked;
}
