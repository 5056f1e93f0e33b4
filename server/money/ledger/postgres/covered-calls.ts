// The calls that an allowance of this node covers, from admission to their end: which operations they send, and which rows are given
// back.
import type { ReleasedCall, Settlement } from '#server/money/ledger/backend.ts';
import {
  nothingInMemory,
  type Operation,
  type Release,
  type ResultOf,
  type Settle,
  type SettleResult,
  type Shortage,
} from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { Allowances } from './allowances.ts';
import { askForAllowances, type ForeignAllowancesOptions } from './foreign-allowances.ts';

const sweepEveryMs = 500;

export interface CoveredCallsOptions extends ForeignAllowancesOptions {
  submit: <Op extends Operation>(operation: Op) => Promise<ResultOf<Op>>;
}

export interface CoveredCalls {
  /** Takes the hold if an allowance covers it: what the user can spend beside it. */
  admit(call: RunningCall): number | undefined;
  /** Sends the call's own row, if it has none yet; what is sent after it finds the row. */
  writeRow(call: RunningCall | undefined): Promise<null>;
  /** Every call of this process ends here, covered or not. */
  settle(settlement: Settlement, call: RunningCall): Promise<SettleResult>;
  release(released: ReleasedCall, call: RunningCall | undefined): Promise<boolean>;
  /** No call is admitted from what was set aside before. */
  end(): void;
  /** Takes back what is set aside of the user's balance, on every node. False: nothing has come back since the refusal. */
  relieve(shortage: Shortage): Promise<boolean>;
  /**
   * Afterwards the tables show what every running call holds. Of one user: no node has anything set aside, unless it does not
   * answer. Of all users: this node has not.
   */
  writeAll(userId: number | undefined): Promise<void>;
  close(): Promise<void>;
}

export function coverCalls(options: CoveredCallsOptions): CoveredCalls {
  const { identity, changes, submit } = options;
  const allowances = new Allowances(identity);
  const foreign = askForAllowances(options);

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
      ids.map((requestId) => submit({ ...released, requestId, memoryOwner: undefined })),
    );
  }

  /** Of one user, or all that this node has set aside. Covered calls get rows of their own first. False: there was nothing. */
  async function giveAllBack(userId: number | undefined): Promise<boolean> {
    if (userId === undefined) allowances.end({});
    else allowances.refrain(userId, Date.now());
    if (!allowances.hasAny(userId)) {
      await givingBack;
      return false;
    }
    const calls = allowances.covered().filter((call) => userId === undefined || call.userId === userId);
    await Promise.all(calls.map(writeRow));
    // It changes nothing, and what was sent before it is answered before it.
    await submit({ kind: 'rollPeriod', requestId: '', subscriptionId: 0 }).catch(() => {});
    await giveBack();
    return true;
  }

  const sweeping = setInterval(() => void giveBack(), sweepEveryMs);
  sweeping.unref();
  const subscriptions = [
    changes.subscribe('users', (detail) => allowances.end({ userId: idOf(detail) })),
    changes.subscribe('tokens', (detail) => allowances.end({ tokenId: idOf(detail) })),
    changes.subscribe('allowances', (detail) => giveAllBack(idOf(detail))),
  ];

  return {
    admit: (call) => allowances.admit(call, Date.now()),
    writeRow,
    async settle(settlement, call) {
      const { cover, isInMemory: isHoldInMemory } = call;
      const growth = isHoldInMemory ? undefined : allowances.growth(call, Date.now());
      const operation = settleOperation(settlement, { isHoldInMemory, cover, keep: growth?.keep });
      let result: SettleResult | undefined;
      try {
        result = await submit(operation);
      } finally {
        allowances.settled(call, growth, result);
      }
      // What this call leaves set aside is free: its statement has seen that no other call uses it.
      return { ...result, balance: result.balance + (result.kept ?? 0) };
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
    async relieve({ userId, held, isCoverable }) {
      const hadOwn = await giveAllBack(userId);
      if (!isCoverable) return hadOwn;
      const { wereAsked, held: heldSince } = await foreign.askFor(userId);
      return hadOwn || wereAsked || heldSince < held;
    },
    async writeAll(userId) {
      await Promise.all([giveAllBack(userId), userId === undefined ? undefined : foreign.askFor(userId)]);
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
