// The sizes of allowances in memory follow the rows, in every order in which settlements, rows of calls and answers can come.
import { describe, expect, test } from 'bun:test';
import type { SettleResult } from '#server/money/ledger/engine/operations.ts';
import { spooledResult } from '#server/money/ledger/outage.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { RunningCall } from '#server/money/ledger/running-call.ts';
import { Allowances, type Growth } from './allowances.ts';
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

const settled = (kept: number, balance = ample, canStay = true): SettleResult => ({
  charged: 10,
  balance,
  suspense: 0,
  aboveHold: 0,
  duplicate: false,
  hadHold: true,
  tokenStatus: 0,
  kept,
  canStay,
});

const open = () => new Allowances({ nodeId: 'node', epoch: 3 });

/** The settlement of a call that had a row. */
function growth(allowances: Allowances, call: RunningCall, now = start): Growth {
  const found = allowances.growth(call, now);
  if (found === undefined) throw new Error('nothing was asked for');
  return found;
}

/** With an allowance of 100 for token 2. */
function opened(): Allowances {
  const allowances = open();
  allowances.settled(newCall(), allowances.growth(newCall(), start), settled(0));
  const call = newCall();
  allowances.settled(call, growth(allowances, call), settled(100));
  return allowances;
}

test('a row that is sent again is looked for in the table, although its allowance is known', () => {
  const id = 'allowance:node:3:1';
  const known = new KnownRows('node');
  const nothing = { users: new Map(), tokens: new Map(), subscriptions: new Map() };
  const loaded = { ...nothing, holds: new Map([[id, { id, nodeId: 'node' }]]) };
  const changes = { deletedHolds: [], newHolds: [], changedHolds: [] };
  known.remember(loaded as never, changes as never, 1, Date.now());
  const cover = { allowanceId: id, amount: 1 };
  const operation = {
    kind: 'writeHold',
    requestId: 'call',
    cover,
    owner: { userId: 1, tokenId: 2 },
  } as const;
  const needsHolds = [false, true].map(
    (isAgain) => known.wantedBy([{ ...operation, expiresAt: 0, isAgain }]).needsHolds,
  );
  expect(needsHolds).toEqual([false, true]);
});

describe('an allowance', () => {
  test('is asked for with the second settlement of a token, once until the answer', () => {
    const allowances = open();
    expect(allowances.growth(newCall(), start)).toBeUndefined();
    const call = newCall();
    const asked = growth(allowances, call);
    expect(asked.keep).toEqual({
      allowanceId: 'allowance:node:3:1',
      isNew: true,
      amount: 100,
    });
    expect(allowances.growth(newCall(), start)).toBeUndefined();
    expect(allowances.admit(newCall(), start)).toBeUndefined();
    allowances.settled(call, asked, settled(100));
    expect(growth(allowances, newCall()).keep).toMatchObject({
      isNew: false,
      allowanceId: asked.keep.allowanceId,
    });
  });

  test('that the balance did not allow begins anew, with another id', () => {
    const allowances = open();
    allowances.growth(newCall(), start);
    const call = newCall();
    allowances.settled(call, growth(allowances, call), settled(0, ample, false));
    expect(allowances.admit(newCall(0), start)).toBeUndefined();
    expect(allowances.takeUnneeded(start)).toEqual([]);
    expect(allowances.growth(newCall(), start)).toBeUndefined();
    expect(growth(allowances, newCall()).keep).toMatchObject({
      isNew: true,
      allowanceId: 'allowance:node:3:2',
    });
  });

  test('covers what it has room for, and a call again after its answer only', () => {
    const allowances = opened();
    const [first, second] = [newCall(60), newCall(41)];
    expect(allowances.admit(first, start)).toBe(ample);
    expect([first.isInMemory, first.cover]).toEqual([
      true,
      { allowanceId: 'allowance:node:3:1', amount: 60 },
    ]);
    expect(allowances.admit(second, start)).toBeUndefined();
    allowances.settled(first, undefined, settled(60, ample - 10));
    expect(first.isInMemory).toBe(false);
    expect(allowances.admit(second, start)).toBe(ample - 10);
  });

  test('is neither made for a task nor of nothing', () => {
    const allowances = opened();
    expect(allowances.growth(Object.assign(newCall(), { lifetime: 'task' }), start)).toBeUndefined();
    expect(allowances.growth(newCall(0), start)).toBeUndefined();
    expect(allowances.growth(newCall(100, 0), start)).toBeUndefined();
    expect(allowances.growth(newCall(100, 0), start)).toBeUndefined();
  });

  test('serves its own token and no call that a subscription may pay for', () => {
    const allowances = opened();
    expect(allowances.admit(newCall(1, 3), start)).toBeUndefined();
    const planned = Object.assign(newCall(1), { plans: { ids: [1], isPlanFirst: true, isRequired: false } });
    expect(allowances.admit(planned, start)).toBeUndefined();
    expect(allowances.growth(planned, start)).toBeUndefined();
  });

  test('is smaller by the row that a call gets out of it, and has a new id when nothing is left', () => {
    const allowances = opened();
    const call = newCall();
    allowances.admit(call, start);
    expect(allowances.split(call)).toMatchObject({
      kind: 'writeHold',
      requestId: call.requestId,
      cover: { allowanceId: 'allowance:node:3:1', amount: 100 },
    });
    expect(allowances.split(call)).toBeUndefined();
    expect(allowances.admit(newCall(0), start)).toBeUndefined();
    expect(allowances.growth(newCall(), start)).toBeUndefined();
    allowances.written(call, true);
    expect(call.cover).toBeUndefined();
    expect(growth(allowances, call).keep).toMatchObject({ isNew: true, allowanceId: 'allowance:node:3:2' });
  });

  test('keeps its row while a settlement that may enlarge it is on its way', () => {
    const allowances = opened();
    const call = newCall();
    const asked = growth(allowances, call);
    const running = newCall();
    allowances.admit(running, start);
    allowances.split(running);
    expect(allowances.growth(newCall(), start)).toBeUndefined();
    allowances.settled(call, asked, settled(100));
    expect(allowances.admit(newCall(100), start)).toBeDefined();
    allowances.end({});
    expect(allowances.takeUnneeded(start)).toEqual([]);
  });

  test('ends when it is idle, old, or the balance is not ample, and its row when no call needs it', () => {
    const idle = opened();
    expect(idle.takeUnneeded(start + 2000)).toEqual([]);
    expect(idle.takeUnneeded(start + 2001)).toEqual(['allowance:node:3:1']);
    expect(idle.takeUnneeded(start + 9000)).toEqual([]);

    const old = opened();
    const call = newCall();
    old.admit(call, start);
    expect(old.admit(newCall(0), start + 60_001)).toBeUndefined();
    expect(old.takeUnneeded(start + 60_001)).toEqual([]);
    old.returned(call);
    expect(old.takeUnneeded(start + 60_001)).toEqual(['allowance:node:3:1']);

    const scarce = opened();
    const last = newCall();
    scarce.admit(last, start);
    scarce.settled(last, undefined, settled(100, 4999, false));
    expect(scarce.admit(newCall(0), start)).toBeUndefined();
    expect(scarce.takeUnneeded(start)).toEqual(['allowance:node:3:1']);
  });

  test('whose growth is unknown is given back whole', () => {
    const allowances = opened();
    const call = newCall();
    const asked = growth(allowances, call);
    allowances.settled(call, asked, undefined);
    expect(allowances.admit(newCall(0), start)).toBeUndefined();
    expect(allowances.takeUnneeded(start)).toEqual(['allowance:node:3:1']);
  });

  test('is smaller by what a call has drawn on it, and has no row when nothing is left (M23)', () => {
    const allowances = opened();
    const [one, rest] = [newCall(60), newCall(40)];
    allowances.admit(one, start);
    allowances.admit(rest, start);
    allowances.settled(one, undefined, settled(25));
    expect(allowances.admit(newCall(26), start)).toBeUndefined();
    const last = newCall(25);
    expect(allowances.admit(last, start)).toBe(ample);
    allowances.settled(rest, undefined, settled(0, 0, false));
    allowances.settled(last, undefined, settled(0, 0, false));
    expect(allowances.takeUnneeded(start)).toEqual([]);
  });

  test('is not made for a while after the whole balance was needed, for this user only (M22)', () => {
    const allowances = opened();
    allowances.refrain(1, start);
    expect(allowances.takeUnneeded(start)).toEqual(['allowance:node:3:1']);
    for (const now of [start, start, start + 4999]) {
      expect(allowances.growth(newCall(), now)).toBeUndefined();
      expect(allowances.takeUnneeded(now)).toEqual([]);
    }
    allowances.takeUnneeded(start + 5000);
    expect(allowances.growth(newCall(), start + 5000)).toBeUndefined();
    expect(allowances.growth(newCall(), start + 5000)).toBeDefined();
    const other = opened();
    other.refrain(7, start);
    expect(other.admit(newCall(), start)).toBeDefined();
  });

  test('whose growth went to the spool is given back, if it was made', () => {
    const allowances = open();
    allowances.growth(newCall(), start);
    const call = newCall();
    allowances.settled(call, growth(allowances, call), spooledResult(10));
    expect(allowances.takeUnneeded(start)).toEqual(['allowance:node:3:1']);
  });

  test('stays until the row of a call that was lost is written, or the call has ended', () => {
    for (const isWritten of [true, false]) {
      const allowances = opened();
      const call = newCall();
      allowances.admit(call, start);
      const first = allowances.split(call);
      allowances.written(call, false);
      expect(allowances.admit(newCall(0), start)).toBeUndefined();
      expect(allowances.covered()).toEqual([call]);
      expect(allowances.takeUnneeded(start)).toEqual([]);
      expect(allowances.split(call)).toMatchObject({ ...first, isAgain: true });
      expect(allowances.split(call)).toBeUndefined();
      if (isWritten) allowances.written(call, true);
      else {
        call.isEnded = true;
        allowances.returned(call);
        expect(allowances.takeUnneeded(start)).toEqual([]);
        allowances.written(call, false);
      }
      expect(allowances.covered()).toEqual([]);
      expect(allowances.takeUnneeded(start)).toEqual(['allowance:node:3:1']);
    }
  });

  test('of another user or token stays when one ends', () => {
    const allowances = opened();
    allowances.end({ userId: 7 });
    allowances.end({ tokenId: 7 });
    expect(allowances.admit(newCall(0), start)).toBeDefined();
    allowances.end({ tokenId: 2 });
    expect(allowances.admit(newCall(0), start)).toBeUndefined();
  });

  test('an ended call gets no row', () => {
    const allowances = opened();
    const call = newCall();
    allowances.admit(call, start);
    call.isEnded = true;
    expect(allowances.split(call)).toBeUndefined();
    expect(allowances.covered()).toEqual([call]);
  });
});
