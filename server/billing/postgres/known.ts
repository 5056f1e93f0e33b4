// Users, tokens and holds as this node's last batch left them, so that the next one need not ask for them. Others may have
// written meanwhile: the statement that writes verifies the version of every row, and what was not current is forgotten.
// A version is worth something only on the connection it came from: a server that crashed may give a number twice.
import { hasLimits } from '#server/billing/engine/limits.ts';
import type { LateSettleArgs, ReserveArgs } from '#server/billing/engine/operations.ts';
import type { Operation } from './batch.ts';
import type { BatchChanges, KnownHold, KnownToken, KnownUser, Loaded } from './rows.ts';

/** What the operations of a batch name. */
export interface Wanted {
  requestIds: string[];
  userIds: number[];
  tokenIds: number[];
  holds: KnownHold[];
  /** A hold is meant that only the table can tell of. */
  needsHolds: boolean;
}

const mostKnownRows = 20_000;
const shortestDoubtMs = 50;
const longestDoubtMs = 2000;

export class KnownRows {
  readonly #users = new Map<number, KnownUser>();
  readonly #tokens = new Map<number, KnownToken>();
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
    this.#holds.clear();
  }

  wantedBy(operations: readonly Operation[]): Wanted {
    const requestIds = new Set<string>();
    const userIds = new Set<number>();
    const tokenIds = new Set<number>();
    const holds = new Set<KnownHold>();
    let needsHolds = false;
    const want = (requestId: string, userId: number, tokenId: number) => {
      requestIds.add(requestId);
      if (userId !== 0) userIds.add(userId);
      if (tokenId !== 0) tokenIds.add(tokenId);
    };
    for (const { name, args } of operations) {
      const requestId = args[name === 'lateSettle' ? 2 : 0] as string;
      if (name === 'reserve') {
        const [, userId, tokenId] = args as unknown as ReserveArgs;
        want(requestId, userId, tokenId);
      } else if (name === 'lateSettle') {
        const [userId, tokenId] = args as unknown as LateSettleArgs;
        want(requestId, userId, tokenId);
      }
      const hold = this.#holds.get(requestId);
      if (hold !== undefined) {
        want(requestId, hold.userId, hold.tokenId);
        holds.add(hold);
      } else if (name !== 'reserve') {
        requestIds.add(requestId);
        needsHolds = true;
      }
    }
    return {
      requestIds: [...requestIds],
      userIds: [...userIds],
      tokenIds: [...tokenIds],
      holds: [...holds],
      needsHolds,
    };
  }

  /** The rows of a batch, if all of them are known and nothing else counts. */
  find(wanted: Wanted): Loaded | undefined {
    if (Date.now() < this.#doubtUntil) return undefined;
    const users = pick(this.#users, wanted.userIds);
    const tokens = pick(this.#tokens, wanted.tokenIds);
    if (users === undefined || tokens === undefined) return undefined;
    const nowMs = Date.now() + this.#clockAheadMs;
    return {
      now: Math.floor(nowMs / 1000),
      nowMs,
      users,
      tokens,
      holds: new Map(wanted.holds.map((hold) => [hold.id, hold])),
      windows: new Map(),
      running: new Map(),
      spent: new Map(),
    };
  }

  /** The batch is written: its rows are what it made of them, and `version` is that of those it wrote. */
  remember(loaded: Loaded, changes: BatchChanges, version: number, nowMs: number): void {
    this.#clockAheadMs = nowMs - Date.now();
    if (this.#users.size + this.#tokens.size > mostKnownRows) {
      this.#users.clear();
      this.#tokens.clear();
    }
    for (const user of loaded.users.values()) {
      if (user.dirty) user.version = version;
      user.dirty = false;
      this.#users.set(user.id, user);
    }
    for (const token of loaded.tokens.values()) {
      if (token.dirty) token.version = version;
      token.dirty = false;
      token.statusChanged = false;
      this.#tokens.set(token.id, token);
    }
    if (this.#holds.size > mostKnownRows) this.#holds.clear();
    for (const { id } of changes.deletedHolds) this.#holds.delete(id);
    for (const hold of [...changes.newHolds, ...changes.changedHolds]) {
      // Others' holds, and tasks', may end on another node, and nobody would tell.
      if (hold.nodeId === this.#nodeId) this.#holds.set(hold.id, Object.assign(hold, { version }));
    }
  }

  /** The batch came to nothing, but may have changed its rows in memory. */
  forget({ userIds, tokenIds, requestIds }: Wanted): void {
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
    this.#doubtMs = Math.min(longestDoubtMs, Math.max(shortestDoubtMs, this.#doubtMs * 2));
    const until = Date.now() + this.#doubtMs;
    this.#doubtUntil = until;
    if (!isRemembered) this.#lockUntil = until;
  }

  get isContended(): boolean {
    return Date.now() < this.#lockUntil;
  }
}

/** Limits count rows of other tables, which are not known here. */
function pick<Row extends KnownUser | KnownToken>(
  rows: ReadonlyMap<number, Row>,
  ids: readonly number[],
): Map<number, Row> | undefined {
  const picked = new Map<number, Row>();
  for (const id of ids) {
    const row = rows.get(id);
    if (row === undefined || hasLimits(row)) return undefined;
    picked.set(id, row);
  }
  return picked;
}
