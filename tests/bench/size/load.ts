// Calls of the ledger at full speed, and how many of them ended in a time.
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createWorld, logRow, outcome, reserve, type World } from '#tests/integration/money/ledger/world.ts';

const IN_FLIGHT = 64;
const USERS = 50;

export interface Load {
  world: World;
  /** Calls per second over this time. */
  during(milliseconds: number): Promise<number>;
  stop(): Promise<void>;
}

export async function startLoad(store: Store, dataDir: string): Promise<Load> {
  const world = await createWorld(store, { dataDir });
  const users = await Promise.all(Array.from({ length: USERS }, () => world.user(1_000_000_000)));
  const state = { isOver: false, calls: 0 };
  const callers = Array.from({ length: IN_FLIGHT }, (_, index) => call(world.ledger, users, index, state));
  return {
    world,
    async during(milliseconds) {
      const before = state.calls;
      const started = performance.now();
      await Bun.sleep(milliseconds);
      return ((state.calls - before) / (performance.now() - started)) * 1000;
    },
    async stop() {
      state.isOver = true;
      await Promise.all(callers);
    },
  };
}

async function call(
  ledger: Ledger,
  users: readonly number[],
  index: number,
  state: { isOver: boolean; calls: number },
): Promise<void> {
  for (let turn = index; !state.isOver; turn += 1) {
    const userId = users[turn % users.length] ?? 0;
    const { requestId } = await reserve(ledger, userId, 0, 100);
    await ledger.settle(requestId, outcome(3, { log: logRow(userId, 0) }));
    state.calls += 1;
  }
}
