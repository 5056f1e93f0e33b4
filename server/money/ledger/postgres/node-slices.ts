// The calls of this node and its slices, from admission to their end: which operations they send, which rows are given back, and what
// is asked of other nodes before anything is refused for want of money.
import type { ReleasedCall, Settlement } from '#server/money/ledger/backend.ts';
import {
  NOTHING_IN_MEMORY,
  type Operation,
  type ResultOf,
  type Settle,
  type SettleResult,
  type Shortage,
} from '#server/money/ledger/engine/operations.ts';
import type { RunningCall } from '#server/money/ledger/running-call.ts';
import { othersOf, type OtherNodesOptions } from './ask-others.ts';
import { Grants } from './grants.ts';

const SWEEP_EVERY_MS = 500;

export interface NodeSlicesOptions extends OtherNodesOptions {
  submit: <Op extends Operation>(operation: Op) => Promise<ResultOf<Op>>;
}

export type NodeSlices = ReturnType<typeof openNodeSlices>;

export function openNodeSlices(options: NodeSlicesOptions) {
  const { identity, changes, submit } = options;
  const grants = new Grants(identity);
  const { slices } = grants;
  const askOthers = othersOf(options);

  /** Sends the call's own row, if it has none yet; what is sent after it finds the row. */
  async function writeRow(call: RunningCall | undefined): Promise<null> {
    const slice = call?.slice;
    if (call === undefined || slice === undefined || !slices.take(call)) return null;
    const { requestId, userId, tokenId, budgets, expiresAt, mayHaveRow: isAgain } = call;
    const owner = { userId, tokenId, budgets };
    try {
      await submit({ kind: 'writeHold', requestId, slice, owner, expiresAt, isAgain });
    } catch (error) {
      call.mayHaveRow = true;
      grants.end({ tokenId });
      slices.putBack(call);
      throw error;
    }
    call.slice = undefined;
    slices.answered(call, slice.amount, 0);
    return null;
  }

  let givingBack: Promise<unknown> = Promise.resolve();

  /** Resolves when everything that was to be given back is. */
  async function giveBack(): Promise<void> {
    const released = { kind: 'release', at: 0, tokenDifference: 0, failure: undefined } as const;
    const ids = grants.takeUnneeded(Date.now());
    // One that is not released now is released when its row expires.
    givingBack = Promise.allSettled([
      givingBack,
      ...ids.map((requestId) => submit({ ...released, requestId })),
    ]);
    await givingBack;
  }

  /** Of one user, or all that this node has. Calls inside get rows of their own first. False: there was nothing. */
  async function giveAllBack(userId: number | undefined): Promise<boolean> {
    if (userId === undefined) grants.end({});
    else grants.refrain(userId, Date.now());
    if (!grants.hasAny(userId)) {
      await givingBack;
      return false;
    }
    await Promise.all(slices.calls(userId).map(writeRow));
    // It changes nothing, and what was sent before it is answered before it.
    await submit({ kind: 'rollPeriod', requestId: '', subscriptionId: 0 }).catch(() => {});
    await giveBack();
    return true;
  }

  /** A call that waits for its upstream gets its row, so that the row of an old slice need not outlive it. */
  function sweep(): void {
    void giveBack();
    for (const call of grants.callsToWrite(Date.now())) writeRow(call).catch(() => {});
  }

  const sweeping = setInterval(sweep, SWEEP_EVERY_MS);
  sweeping.unref();
  const subscriptions = [
    changes.subscribe('users', (detail) => grants.end({ userId: idOf(detail) })),
    changes.subscribe('budgets', (organization) => grants.end({ userId: idOf(organization) })),
    changes.subscribe('tokens', (detail) => grants.end({ tokenId: idOf(detail) })),
    changes.subscribe('allowances', (detail) => giveAllBack(idOf(detail))),
  ];

  return {
    /** Takes the hold if the slice has room for it: what the user can spend beside it. */
    admit: (call: RunningCall) => grants.admit(call, Date.now()),
    writeRow,
    /** Every call of this process ends here, inside a slice or not. */
    async settle(settlement: Settlement, call: RunningCall): Promise<SettleResult> {
      const isInside = slices.take(call);
      const { slice, mayHaveRow } = call;
      const growth = isInside ? undefined : grants.growth(call, Date.now());
      const own = { slice, isAgain: !isInside || mayHaveRow, growth };
      let result: SettleResult | undefined;
      try {
        result = await submit(settleOperation(settlement, own));
      } finally {
        if (isInside || growth !== undefined) grants.settled(call, result);
      }
      // What this call leaves in the slice is free: its statement has seen that no other call uses it.
      return { ...result, balance: result.balance + (result.sliceKept ?? 0) };
    },
    async release(released: ReleasedCall, call: RunningCall | undefined): Promise<boolean> {
      const operation = { kind: 'release', ...released } as const;
      if (call === undefined || !slices.take(call)) return submit(operation);
      try {
        if (call.mayHaveRow) return await submit(operation);
        // Without a failure nothing of this call was written, and nothing has to be.
        return released.failure === undefined || (await submit({ ...operation, slice: call.slice }));
      } finally {
        slices.answered(call, call.amount, call.amount);
      }
    },
    /** No call is admitted from the slices of now. */
    end: () => grants.end({}),
    /** Takes the slices of the user's balance back, from every node. False: nothing has come back since the refusal. */
    async relieve({ userId, held, isCoverable }: Shortage): Promise<boolean> {
      const hadOwn = await giveAllBack(userId);
      if (!isCoverable) return hadOwn;
      const { wereAsked, held: heldSince } = await askOthers(userId);
      return hadOwn || wereAsked || heldSince < held;
    },
    /**
     * Afterwards the tables show what every running call holds. Of one user: no node has a slice, unless it does not answer. Of
     * all users: this node has none.
     */
    async writeAll(userId: number | undefined): Promise<void> {
      await Promise.all([giveAllBack(userId), userId === undefined ? undefined : askOthers(userId)]);
    },
    async close(): Promise<void> {
      clearInterval(sweeping);
      for (const unsubscribe of subscriptions) unsubscribe();
      grants.end({});
      await giveBack();
    },
  };
}

/** One from the spool looks for the row of its call, and asks for no growth: this process would not know of it. */
export function settleOperation(
  settlement: Settlement & Pick<Settle, 'slice'>,
  { slice = settlement.slice, isAgain = true, growth }: Pick<Settle, 'slice' | 'isAgain' | 'growth'> = {},
): Settle {
  return { ...settlement, kind: 'settle', memoryHeld: NOTHING_IN_MEMORY, slice, isAgain, growth };
}

/** Announcements name the row that changed; without it every row may have. */
const idOf = (detail: string | undefined) => (detail === undefined ? undefined : Number(detail));
