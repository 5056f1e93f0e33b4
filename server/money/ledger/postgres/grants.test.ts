// The sizes of slices in memory follow the rows, in every order in which settlements, rows of calls and answers can come.
import { describe, expect, test } from 'bun:test';
import type { Growth, SettleResult } from '#server/money/ledger/engine/operations.ts';
import { spooledResult } from '#server/money/ledger/outage.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { RunningCall } from '#server/money/ledger/running-call.ts';
import { Grants } from './grants.ts';
import { KnownRows } from './known.ts';

const price: PriceSnapshot = {
  version: 1,
  kind: 'price',
  model: 'm',
  group: 'default',
  groupRatio: 1,
  quotaPerUnit: 500_000,
  source: 'operator',
  modelPrice: 0,
};
const ample = 1_000_000;
const start = 1_000_000;
const firstId = 'allowance:node:3:1';

let serial = 0;

function newCall(amount = 100, tokenId = 2): RunningCall {
  serial += 1;
  return new RunningCall({
    requestId: `call-${serial}`,
    userId: 1,
    tokenId,
    amount,
    limits: { tokens: 0 },
    snapshot: { price, log: () => ({}) },
    expiresAt: 0,
  });
}

const settled = (sliceKept: number, balance = ample, isSliceOpen = true): SettleResult => ({
  charged: 10,
  balance,
  suspense: 0,
  aboveHold: 0,
  duplicate: false,
  hadHold: true,
  tokenStatus: 0,
  sliceKept,
  isSliceOpen,
});

const open = () => new Grants({ nodeId: 'node', epoch: 3 });

/** The settlement of a call that had a row. */
function growth(grants: Grants, call: RunningCall, now = start): Growth {
  const found = grants.growth(call, now);
  if (found === undefined) throw new Error('nothing was asked for');
  return found;
}

/** With a slice of 100 for token 2. */
function opened(): Grants {
  const grants = open();
  grants.growth(newCall(), start);
  const call = newCall();
  growth(grants, call);
  grants.settled(call, settled(100));
  return grants;
}

/** The settlement of a call inside the slice. */
function end(grants: Grants, call: RunningCall, result: SettleResult | undefined): void {
  expect(grants.slices.take(call)).toBe(true);
  grants.settled(call, result);
}

test('a row that is sent again is looked for in the table, although its slice is known', () => {
  const known = new KnownRows('node');
  const nothing = { users: new Map(), tokens: new Map(), subscriptions: new Map(), counters: new Map() };
  const loaded = { ...nothing, holds: new Map([[firstId, { id: firstId, nodeId: 'node' }]]) };
  const changes = { deletedHolds: [], newHolds: [], changedHolds: [] };
  known.remember(loaded as never, changes as never, 1, Date.now());
  const slice = { id: firstId, amount: 1 };
  const operation = {
    kind: 'writeHold',
    requestId: 'call',
    slice,
    owner: { userId: 1, tokenId: 2 },
  } as const;
  const needsHolds = [false, true].map(
    (isAgain) => known.wantedBy([{ ...operation, expiresAt: 0, isAgain }]).needsHolds,
  );
  expect(needsHolds).toEqual([false, true]);
});

describe('a slice', () => {
  test('is asked for with the second settlement of a token, once until the answer', () => {
    const grants = open();
    expect(grants.growth(newCall(), start)).toBeUndefined();
    const call = newCall();
    expect(growth(grants, call)).toEqual({ id: firstId, isNew: true, amount: 100 });
    expect(grants.growth(newCall(), start)).toBeUndefined();
    expect(grants.admit(newCall(), start)).toBeUndefined();
    grants.settled(call, settled(100));
    expect(growth(grants, newCall())).toMatchObject({ isNew: false, id: firstId });
  });

  test('that the balance did not allow begins anew, with another id', () => {
    const grants = open();
    grants.growth(newCall(), start);
    const call = newCall();
    growth(grants, call);
    grants.settled(call, settled(0, ample, false));
    expect(grants.admit(newCall(0), start)).toBeUndefined();
    expect(grants.hasAny(1)).toBe(false);
    expect(grants.takeUnneeded(start)).toEqual([]);
    expect(grants.growth(newCall(), start)).toBeUndefined();
    expect(growth(grants, newCall())).toMatchObject({ isNew: true, id: 'allowance:node:3:2' });
  });

  test('admits what it has room for, and a call again after its answer only', () => {
    const grants = opened();
    const [first, second] = [newCall(60), newCall(41)];
    expect(grants.admit(first, start)).toBe(ample);
    expect([first.isInMemory, first.slice]).toEqual([true, { id: firstId, amount: 60 }]);
    expect(grants.admit(second, start)).toBeUndefined();
    grants.slices.take(first);
    expect(grants.admit(second, start)).toBeUndefined();
    grants.settled(first, settled(60, ample - 10));
    expect(first.isInMemory).toBe(false);
    expect(grants.admit(second, start)).toBe(ample - 10);
  });

  test('is neither made for a task nor of nothing', () => {
    const grants = opened();
    expect(grants.growth(Object.assign(newCall(), { lifetime: 'task' }), start)).toBeUndefined();
    expect(grants.growth(newCall(0), start)).toBeUndefined();
    expect(grants.growth(newCall(100, 0), start)).toBeUndefined();
    expect(grants.growth(newCall(100, 0), start)).toBeUndefined();
  });

  test('serves its own token and no call that a subscription may pay for', () => {
    const grants = opened();
    expect(grants.admit(newCall(1, 3), start)).toBeUndefined();
    const planned = Object.assign(newCall(1), { plans: { ids: [1], isPlanFirst: true, isRequired: false } });
    expect(grants.admit(planned, start)).toBeUndefined();
    expect(grants.growth(planned, start)).toBeUndefined();
  });

  test('is smaller by the row that a call gets out of it, and grows by what the call gives back', () => {
    const grants = opened();
    const call = newCall();
    grants.admit(call, start);
    grants.slices.take(call);
    grants.slices.answered(call, 100, 0);
    expect(grants.admit(newCall(1), start)).toBeUndefined();
    expect(growth(grants, call)).toEqual({ id: firstId, isNew: false, amount: 100 });
    grants.settled(call, settled(100));
    expect(grants.admit(newCall(101), start)).toBeUndefined();
    expect(grants.admit(newCall(100), start)).toBeDefined();
  });

  test('keeps its row while a settlement that may enlarge it is on its way', () => {
    const grants = opened();
    const call = newCall();
    growth(grants, call);
    grants.end({});
    expect(grants.takeUnneeded(start)).toEqual([]);
    grants.settled(call, settled(100));
    expect(grants.admit(newCall(1), start)).toBeUndefined();
    expect(grants.takeUnneeded(start)).toEqual([firstId]);
  });

  test('ends when it is idle, old, or the balance is not ample, and its row when no call needs it', () => {
    const idle = opened();
    expect(idle.takeUnneeded(start + 2000)).toEqual([]);
    expect(idle.takeUnneeded(start + 2001)).toEqual([firstId]);
    expect(idle.takeUnneeded(start + 9000)).toEqual([]);

    const scarce = opened();
    const last = newCall();
    scarce.admit(last, start);
    end(scarce, last, settled(100, 4999, false));
    expect(scarce.admit(newCall(1), start)).toBeUndefined();
    expect(scarce.takeUnneeded(start)).toEqual([firstId]);
  });

  test('that is old stays while a call is inside, and names the call to be written', () => {
    const grants = opened();
    const call = newCall(60);
    grants.admit(call, start);
    expect(grants.takeUnneeded(start + 59_000)).toEqual([]);
    expect(grants.callsToWrite(start + 59_000)).toEqual([]);
    expect(grants.admit(newCall(1), start + 60_001)).toBeUndefined();
    expect(grants.takeUnneeded(start + 60_001)).toEqual([]);
    expect(grants.callsToWrite(start + 60_001)).toEqual([call]);
    grants.slices.take(call);
    expect(grants.takeUnneeded(start + 60_001)).toEqual([]);
    grants.slices.answered(call, 60, 0);
    expect(grants.takeUnneeded(start + 60_001)).toEqual([firstId]);
  });

  test('whose growth is unknown is given back whole', () => {
    const grants = opened();
    const call = newCall();
    growth(grants, call);
    grants.settled(call, undefined);
    expect(grants.admit(newCall(1), start)).toBeUndefined();
    expect(grants.takeUnneeded(start)).toEqual([firstId]);
  });

  test('is smaller by what a call has drawn on it (M23)', () => {
    const grants = opened();
    const [one, rest] = [newCall(60), newCall(40)];
    grants.admit(one, start);
    grants.admit(rest, start);
    end(grants, one, settled(25));
    expect(grants.admit(newCall(26), start)).toBeUndefined();
    const last = newCall(25);
    expect(grants.admit(last, start)).toBe(ample);
    end(grants, rest, settled(0, 0, false));
    end(grants, last, settled(0, 0, false));
    expect(grants.takeUnneeded(start)).toEqual([firstId]);
  });

  test('is not asked for after the whole balance was needed, for a while and for this user only (M22)', () => {
    const grants = opened();
    grants.refrain(1, start);
    expect(grants.takeUnneeded(start)).toEqual([firstId]);
    for (const now of [start, start, start + 4999]) {
      expect(grants.growth(newCall(), now)).toBeUndefined();
      expect(grants.takeUnneeded(now)).toEqual([]);
    }
    grants.takeUnneeded(start + 5000);
    expect(grants.growth(newCall(), start + 5000)).toBeUndefined();
    expect(grants.growth(newCall(), start + 5000)).toBeDefined();
    const other = opened();
    other.refrain(7, start);
    expect(other.admit(newCall(), start)).toBeDefined();
  });

  test('whose growth went to the spool is given back, if it was made', () => {
    const grants = open();
    grants.growth(newCall(), start);
    const call = newCall();
    growth(grants, call);
    grants.settled(call, spooledResult(10));
    expect(grants.takeUnneeded(start)).toEqual([firstId]);
  });

  test('stays until the row of a call that was lost is written, or the call has ended', () => {
    for (const isWritten of [true, false]) {
      const grants = opened();
      const call = newCall();
      grants.admit(call, start);
      grants.slices.take(call);
      grants.end({ tokenId: 2 });
      grants.slices.putBack(call);
      expect(grants.admit(newCall(1), start)).toBeUndefined();
      expect(grants.slices.calls()).toEqual([call]);
      expect(grants.takeUnneeded(start)).toEqual([]);
      grants.slices.take(call);
      if (isWritten) grants.slices.answered(call, 100, 0);
      else {
        call.isEnded = true;
        grants.slices.putBack(call);
      }
      expect(grants.slices.calls()).toEqual([]);
      expect(grants.takeUnneeded(start)).toEqual([firstId]);
    }
  });

  test('of another user or token stays when one ends', () => {
    const grants = opened();
    grants.end({ userId: 7 });
    grants.end({ tokenId: 7 });
    const call = newCall(1);
    expect(grants.admit(call, start)).toBeDefined();
    expect(grants.slices.calls(1)).toEqual([call]);
    expect(grants.slices.calls(7)).toEqual([]);
    grants.end({ tokenId: 2 });
    expect(grants.admit(newCall(1), start)).toBeUndefined();
  });
});

describe('a slice of budgets, and one in use', () => {
  const withBudgets = (budgets: string) => {
    const call = newCall();
    Object.assign(call, { budgets });
    return call;
  };

  test('does not grow by a call that counts in other budgets, and admits none of them', () => {
    const grants = opened();
    expect(grants.growth(withBudgets('7'), start)).toBeUndefined();
    expect(grants.admit(withBudgets('7'), start)).toBeUndefined();
    expect(grants.growth(newCall(), start)).toMatchObject({ id: firstId });
  });

  test('is not idle while a call is inside, however long that takes', () => {
    const grants = opened();
    const call = newCall();
    expect(grants.admit(call, start)).toBe(ample);
    expect(grants.takeUnneeded(start + 30_000)).toEqual([]);
    end(grants, call, settled(100));
    // Still open: it was not given back behind the call.
    expect(grants.admit(newCall(), start + 30_000)).toBe(ample);
  });

  test('that is old neither grows nor admits, and is given back when no call is inside', () => {
    const grants = opened();
    const call = newCall();
    grants.admit(call, start + 59_000);
    const old = start + 60_001;
    expect(grants.growth(newCall(), old)).toBeUndefined();
    expect(grants.admit(newCall(), old)).toBeUndefined();
    expect(grants.takeUnneeded(old)).toEqual([]);
    end(grants, call, settled(100));
    expect(grants.takeUnneeded(old)).toEqual([firstId]);
  });

  test('leaves nothing behind that the next one could admit calls from', () => {
    const grants = opened();
    grants.end({});
    expect(grants.takeUnneeded(start)).toEqual([firstId]);
    grants.growth(newCall(), start);
    const call = newCall(30);
    growth(grants, call);
    grants.settled(call, settled(30));
    expect([grants.admit(newCall(31), start), grants.admit(newCall(30), start)]).toEqual([undefined, ample]);
  });
});
