// The calls that an allowance of this node covers, from admission to their end: which operations they send, and which rows are given
// back.
import type { ReleasedCall, Settlement } from '#server/billing/backend.ts';
import {
  nothingInMemory,
  type Operation,
  type Release,
  type ResultOf,
  type Settle,
  type SettleResult,
} from '#server/billing/engine/operations.ts';
import type { RunningCall } from '#server/billing/running-call.ts';
import type { Changes } from '#server/store/changes.ts';
import { Allowances } from './allowances.ts';
import type { Identity } from './loaded.ts';

const sweepEveryMs = 500;

export interface CoveredCallsOptions {
  identity: Identity;
  changes: Changes;
  submit: <Op extends Operation>(operation: Op) => Promise<ResultOf<Op>>;
}

export interface CoveredCalls {
  /** Takes the hold if an allowance covers it: what the user can still spend. */
  admit(call: RunningCall): number | undefined;
  /** Sends the call's own row, if it has none yet; what is sent after it finds the row. */
  writeRow(call: RunningCall | undefined): Promise<null>;
  /** Every call of this process ends here, covered or not. */
  settle(settlement: Settlement, call: RunningCall): Promise<SettleResult>;
  release(released: ReleasedCall, call: RunningCall | undefined): Promise<boolean>;
  /** No call is admitted from what was set aside before. */
  end(): void;
  /** Gives back what is set aside for the user and covers no call; false: nothing is set aside. */
  giveBackOf(userId: number): Promise<boolean>;
  /** Afterwards the tables show what every running call holds, of one user or of all, and nothing is set aside. */
  writeAll(userId: number | undefined): Promise<void>;
  close(): Promise<void>;
}

export function coverCalls({ identity, changes, submit }: CoveredCallsOptions): CoveredCalls {
  const allowances = new Allowances(identity);

  function writeRow(call: RunningCall | undefined): Promise<null> {
    const operation = call === undefined ? undefined : allowances.split(call);
    if (call === undefined || operation === undefined) return Promise.resolve(null);
    const written = submit(operation);
    written.then(
      () => allowances.written(call, true),
      () => allowances.written(call, false),
    );
    return written;
  }

  let givingBack: Promise<unknown> = Promise.resolve();

  /** Resolves when everything that was to be given back is. */
  async function giveBack(): Promise<void> {
    givingBack = Promise.all([givingBack, releaseUnneeded()]);
    await givingBack;
  }

  async function releaseUnneeded(): Promise<void> {
    const released = { kind: 'release', at: 0, tokenDifference: 0, failure: undefined } as const;
    const ids = allowances.takeUnneeded(Date.now());
    // One that is not released now is released when its row expires.
    await Promise.allSettled(
      ids.map((requestId): Promise<unknown> => {
        const answered = () => allowances.givenBack(requestId);
        return submit({ ...released, requestId, memoryOwner: undefined }).then(answered, answered);
      }),
    );
  }

  const sweeping = setInterval(() => void giveBack(), sweepEveryMs);
  sweeping.unref();
  const subscriptions = [
    changes.subscribe('users', (detail) => allowances.end({ userId: idOf(detail) })),
    changes.subscribe('tokens', (detail) => allowances.end({ tokenId: idOf(detail) })),
  ];

  return {
    admit: (call) => allowances.admit(call, Date.now()),
    writeRow,
    async settle(settlement, call) {
      const { cover, isInMemory: isHoldInMemory } = call;
      const growth = isHoldInMemory ? undefined : allowances.growth(call, Date.now());
      const operation = settleOperation(settlement, { isHoldInMemory, cover, keep: growth?.keep });
      let result: SettleResult | undefined;
      let balance = 0;
      try {
        result = await submit(operation);
      } finally {
        balance = allowances.settled(call, growth, result);
      }
      return { ...result, balance };
    },
    async release(released, call) {
      const operation: Release = { kind: 'release', ...released, memoryOwner: undefined };
      if (call === undefined) return submit(operation);
      const { userId, tokenId } = call;
      try {
        if (!call.isInMemory) return await submit(operation);
        // Without a failure nothing of this call was written, and nothing has to be.
        return (
          released.failure === undefined || (await submit({ ...operation, memoryOwner: { userId, tokenId } }))
        );
      } finally {
        allowances.returned(call);
      }
    },
    end: () => allowances.end({}),
    async giveBackOf(userId) {
      if (!allowances.hasAny(userId)) return false;
      allowances.end({ userId });
      await giveBack();
      return true;
    },
    async writeAll(userId) {
      const calls = allowances.covered();
      await Promise.all(calls.filter((call) => userId === undefined || call.userId === userId).map(writeRow));
      if (allowances.hasAny(userId)) {
        // It changes nothing, and what was sent before it is answered before it.
        await submit({ kind: 'rollPeriod', requestId: '', subscriptionId: 0 }).catch(() => {});
        allowances.end({ userId });
      }
      await giveBack();
    },
    async close() {
      clearInterval(sweeping);
      for (const unsubscribe of subscriptions) unsubscribe();
      allowances.end({});
      await giveBack();
    },
  };
}

/**
 * `own` is known for calls of this process only. A settlement from the spool looks for the row of its call and asks for no
 * allowance: this process would not know of it.
 */
export function settleOperation(
  settlement: Settlement,
  own: Pick<Settle, 'isHoldInMemory' | 'cover' | 'keep'> = { isHoldInMemory: false, cover: settlement.cover },
): Settle {
  const { isHoldInMemory, cover, keep } = own;
  return { ...settlement, kind: 'settle', isHoldInMemory, memoryHeld: nothingInMemory, cover, keep };
}

/** Announcements name the row that changed; without it every row may have. */
function idOf(detail: string | undefined): number | undefined {
  return detail === undefined ? undefined : Number(detail);
}
