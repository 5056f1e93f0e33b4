// Users and tokens as the last commit left them. Only this thread writes, and whoever else writes through it says so: until
// then a row need not be read again. Changed in memory, written once per batch, and only if a column really differs.
import type { TokenState, UserState } from '#server/billing/engine/rows.ts';
import { tokenState, userState } from '#server/billing/engine/states.ts';
import type { FloatingHolds } from './floating-holds.ts';
import type { Queries } from './queries.ts';

/** A row as the engine sees it, and its columns as they were last written. */
interface KnownUser {
  state: UserState;
  written: Pick<UserState, 'quota' | 'held' | 'used' | 'requestCount' | 'lowBalanceMailAt'>;
}

interface KnownToken {
  state: TokenState;
  written: Pick<TokenState, 'remain' | 'held' | 'used' | 'accessedTime'>;
}

const mostKnownRows = 20_000;

export class KnownRows {
  readonly #queries: Queries;
  readonly #floating: FloatingHolds;
  readonly #users = new Map<number, KnownUser>();
  readonly #tokens = new Map<number, KnownToken>();
  /** Those of them that the running batch has used. */
  readonly #usedUsers = new Set<KnownUser>();
  readonly #usedTokens = new Set<KnownToken>();

  constructor(queries: Queries, floating: FloatingHolds) {
    this.#queries = queries;
    this.#floating = floating;
  }

  begin(): void {
    if (this.#users.size + this.#tokens.size > mostKnownRows) this.forget();
    this.#usedUsers.clear();
    this.#usedTokens.clear();
  }

  forget(): void {
    this.#users.clear();
    this.#tokens.clear();
    this.#usedUsers.clear();
    this.#usedTokens.clear();
  }

  user(id: number): UserState | undefined {
    let known = this.#users.get(id);
    if (known === undefined) {
      const row = this.#queries.findUser.get(id);
      if (row === null) return undefined;
      const state = userState(id, row);
      const { quota, held, used, requestCount, lowBalanceMailAt } = state;
      known = { state, written: { quota, held, used, requestCount, lowBalanceMailAt } };
      state.held += this.#floating.ofUser(id).amount;
      this.#users.set(id, known);
    }
    this.#usedUsers.add(known);
    return known.state;
  }

  token(id: number): TokenState | undefined {
    let known = this.#tokens.get(id);
    if (known === undefined) {
      const row = this.#queries.findToken.get(id);
      if (row === null) return undefined;
      const state = tokenState(id, row);
      const { remain, held, used, accessedTime } = state;
      known = { state, written: { remain, held, used, accessedTime } };
      state.held += this.#floating.ofToken(id).amount;
      this.#tokens.set(id, known);
    }
    this.#usedTokens.add(known);
    return known.state;
  }

  get isChanged(): boolean {
    for (const user of this.#usedUsers) if (this.#isChangedUser(user)) return true;
    for (const token of this.#usedTokens) if (this.#isChangedToken(token)) return true;
    return false;
  }

  write(): void {
    for (const user of this.#usedUsers) if (this.#isChangedUser(user)) this.#writeUser(user);
    for (const token of this.#usedTokens) if (this.#isChangedToken(token)) this.#writeToken(token);
  }

  #isChangedUser({ state, written }: KnownUser): boolean {
    return (
      state.dirty &&
      (state.quota !== written.quota ||
        state.held - this.#floating.ofUser(state.id).amount !== written.held ||
        state.used !== written.used ||
        state.requestCount !== written.requestCount ||
        state.lowBalanceMailAt !== written.lowBalanceMailAt)
    );
  }

  #isChangedToken({ state, written }: KnownToken): boolean {
    return (
      state.dirty &&
      (state.statusChanged ||
        state.remain !== written.remain ||
        state.held - this.#floating.ofToken(state.id).amount !== written.held ||
        state.used !== written.used ||
        state.accessedTime !== written.accessedTime)
    );
  }

  #writeUser({ state, written }: KnownUser): void {
    written.quota = state.quota;
    written.held = state.held - this.#floating.ofUser(state.id).amount;
    written.used = state.used;
    written.requestCount = state.requestCount;
    written.lowBalanceMailAt = state.lowBalanceMailAt;
    state.dirty = false;
    const { quota, held, used, requestCount, lowBalanceMailAt } = written;
    this.#queries.updateUser.run(quota, held, used, requestCount, lowBalanceMailAt, state.id);
  }

  #writeToken({ state, written }: KnownToken): void {
    written.remain = state.remain;
    written.held = state.held - this.#floating.ofToken(state.id).amount;
    written.used = state.used;
    written.accessedTime = state.accessedTime;
    state.dirty = false;
    const { remain, held, used, accessedTime } = written;
    this.#queries.updateToken.run(remain, held, used, accessedTime, state.id);
    if (state.statusChanged) this.#queries.updateTokenStatus.run(state.status, state.id);
    state.statusChanged = false;
  }
}
