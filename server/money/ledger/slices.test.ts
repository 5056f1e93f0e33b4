import { beforeEach, describe, expect, test } from 'bun:test';
import { RunningCall } from '#server/money/ledger/running-call.ts';
import type { ReserveRequest } from '#server/money/ledger/ledger.ts';
import { price } from '#tests/integration/money/ledger/world.ts';
import { Slices, type SliceSize } from './slices.ts';

const now = Math.floor(Date.now() / 1000);
let serial = 0;

function call(amount: number, more: Partial<ReserveRequest> = {}): RunningCall {
  serial += 1;
  const base = { requestId: `call-${serial}`, userId: 1, tokenId: 10, expiresAt: now + 60 };
  return new RunningCall({
    ...base,
    amount,
    limits: { tokens: 0 },
    snapshot: { price, log: () => ({}) },
    ...more,
  });
}

let slices: Slices;

const unlimited = (ofUser: number): SliceSize => ({ ofUser, ofToken: null, expiresAt: -1 });

/** The writer was asked for a hold, granted it and named the balance. */
function granted(amount: number, table: SliceSize, more: Partial<ReserveRequest> = {}): RunningCall {
  const asked = call(amount, more);
  slices.send(asked, amount);
  slices.answered(asked, amount, 0);
  slices.learn(asked, table);
  return asked;
}

/** A settlement within the hold: sent, then answered with this charge. */
function settled(ended: RunningCall, charged: number): void {
  slices.take(ended);
  slices.answered(ended, ended.amount, ended.amount - charged);
}

beforeEach(() => {
  slices = new Slices(true);
});

describe('admission in memory', () => {
  test('nothing before the database has named the balance, then as much as it named and no more', () => {
    expect(slices.admit(call(1))).toBeUndefined();
    granted(10, unlimited(100));
    expect(slices.admit(call(60))).toBe(40);
    expect(slices.admit(call(41))).toBeUndefined();
    expect(slices.admit(call(40))).toBe(0);
    expect(slices.admit(call(1))).toBeUndefined();
  });

  test('no more than the token may spend, and nothing for an exhausted, expired or foreign token', () => {
    granted(10, { ofUser: 100, ofToken: 20, expiresAt: -1 });
    expect(slices.admit(call(21))).toBeUndefined();
    expect(slices.admit(call(20))).toBe(80);
    expect(slices.admit(call(0))).toBeUndefined();
    granted(1, { ofUser: 100, ofToken: null, expiresAt: now - 1 }, { tokenId: 11 });
    expect(slices.admit(call(1, { tokenId: 11 }))).toBeUndefined();
    granted(1, { ofUser: 100, ofToken: null, expiresAt: now + 60 }, { tokenId: 12 });
    expect(slices.admit(call(1, { tokenId: 12 }))).toBe(77);
    // Also when the balance of the other user is known.
    granted(1, unlimited(100), { tokenId: 20, userId: 2 });
    expect(slices.admit(call(1, { tokenId: 12, userId: 2 }))).toBeUndefined();
  });

  test('two tokens of one user share the balance of the user', () => {
    granted(0, unlimited(100));
    granted(0, unlimited(100), { tokenId: 11 });
    expect(slices.admit(call(70))).toBe(30);
    expect(slices.admit(call(70, { tokenId: 11 }))).toBeUndefined();
    expect(slices.admit(call(30, { tokenId: 11 }))).toBe(0);
  });

  test('a call that a subscription may pay for is always decided by the database', () => {
    granted(0, unlimited(100));
    const plans = { ids: [3], isPlanFirst: false, isRequired: false };
    expect(slices.admit(call(1, { plans }))).toBeUndefined();
    expect(slices.admit(call(1))).toBe(99);
  });

  test('nothing while either the balance or the token is known no more', () => {
    granted(0, unlimited(100));
    granted(0, unlimited(100), { tokenId: 11 });
    // Another token of the user: the balance is not known, this token is.
    slices.failed(call(1, { tokenId: 11 }), 0);
    expect(slices.admit(call(1))).toBeUndefined();
    slices.learn(call(1), unlimited(80));
    expect(slices.admit(call(1))).toBe(79);
    // The balance is known again, the other token is not.
    expect(slices.admit(call(1, { tokenId: 11 }))).toBeUndefined();
  });

  test('a call without a token is always decided by the database', () => {
    granted(0, unlimited(100), { tokenId: 0 });
    expect(slices.admit(call(1, { tokenId: 0 }))).toBeUndefined();
  });
});

test('a token is idle when nothing of it is in memory and nothing on its way', () => {
  expect(slices.isIdle(10)).toBe(true);
  granted(0, unlimited(100));
  expect(slices.isIdle(10)).toBe(true);
  const [running, asked] = [call(5), call(7)];
  slices.admit(running);
  expect([slices.isIdle(10), slices.isIdle(11)]).toEqual([false, true]);
  slices.send(asked, 7);
  settled(running, 5);
  expect(slices.isIdle(10)).toBe(false);
  slices.answered(asked, 7, 7);
  expect(slices.isIdle(10)).toBe(true);
});

describe('budgets', () => {
  const sized = (size: number | null, more: { id?: number; windowEnd?: number } = {}) => ({
    id: 5,
    windowEnd: now + 600,
    size,
    ...more,
  });
  const of = (...ofBudgets: NonNullable<SliceSize['ofBudgets']>): SliceSize => ({
    ...unlimited(1000),
    ofBudgets,
  });
  const inBudget = (amount: number, budgets = '5') => call(amount, { budgets });

  test('admit no more than each of them leaves beside the holds in memory, which they give back', () => {
    granted(0, of(sized(100), sized(60, { id: 6 })), { budgets: '5,6' });
    expect(slices.admit(inBudget(61, '5,6'))).toBeUndefined();
    const running = inBudget(60, '5,6');
    expect(slices.admit(running)).toBe(940);
    expect(slices.heldBy(inBudget(0, '5,6'))).toEqual({ user: 60, token: 60, budgets: [60, 60] });
    expect(slices.heldBy(inBudget(0, '6,7'))).toEqual({ user: 60, token: 60, budgets: [60, 0] });
    expect(slices.heldBy(call(0))).toEqual({ user: 60, token: 60 });
    expect(slices.admit(inBudget(41))).toBeUndefined();
    settled(running, 20);
    expect(slices.admit(inBudget(81))).toBeUndefined();
    expect(slices.admit(inBudget(41, '6'))).toBeUndefined();
    expect(slices.admit(inBudget(40, '5,6'))).toBe(940);
    expect(slices.admit(inBudget(1, '7'))).toBeUndefined();
  });

  test('that only count admit everything', () => {
    granted(0, of(sized(null)), { budgets: '5' });
    expect(slices.admit(inBudget(1000))).toBe(0);
  });

  test('decide in the database from the end of their window on: what was granted on top of it is gone', () => {
    granted(0, of(sized(150, { windowEnd: now + 60 })), { budgets: '5' });
    const [last, first] = [inBudget(150), inBudget(1)];
    Object.assign(last, { createdAt: now + 59 });
    Object.assign(first, { createdAt: now + 60 });
    expect(slices.admit(first)).toBeUndefined();
    expect(slices.admit(last)).toBe(850);
  });

  test('have the size of the next window at once, and in the same one what they had', () => {
    granted(0, of(sized(10)), { budgets: '5' });
    slices.learn(inBudget(0), of(sized(90)));
    expect(slices.admit(inBudget(11))).toBeUndefined();
    slices.learn(inBudget(0), of(sized(90, { windowEnd: now + 700 })));
    expect(slices.admit(inBudget(91))).toBeUndefined();
    expect(slices.admit(inBudget(90))).toBe(910);
  });

  test('of other nodes’ slices are in the database alone', () => {
    const parts = new Slices(false);
    const running = inBudget(5);
    parts.learn(running, { ofUser: 0, ofToken: 50, expiresAt: -1 });
    expect(parts.admit(running)).toBe(45);
    expect(parts.heldBy(running)).toEqual({ user: 0, token: 5, budgets: [0] });
  });
});

describe('a slice that is given back', () => {
  test('admits nothing more, and no other token loses its own', () => {
    granted(0, unlimited(100));
    granted(0, unlimited(100), { tokenId: 11 });
    slices.drop(10);
    expect(slices.admit(call(1))).toBeUndefined();
    expect(slices.admit(call(1, { tokenId: 11 }))).toBe(99);
  });

  test('of many that nobody uses is forgotten, one with a hold is not', () => {
    granted(0, unlimited(100));
    const running = call(30);
    expect(slices.admit(running)).toBe(70);
    for (let id = 100; id < 10_100; id += 1) slices.learn(call(0, { userId: id, tokenId: id }), unlimited(5));
    slices.beginForeignWrite();
    slices.endForeignWrite();
    expect(slices.heldBy(running)).toEqual({ user: 30, token: 30 });
    slices.learn(running, unlimited(100));
    expect(slices.admit(call(71))).toBeUndefined();
    expect(slices.admit(call(70))).toBe(0);
  });
});

test('calls in memory are those of one user, or of all', () => {
  granted(0, unlimited(100));
  granted(0, unlimited(100), { tokenId: 20, userId: 2 });
  const [own, other] = [call(1), call(1, { tokenId: 20, userId: 2 })];
  for (const each of [own, other]) slices.admit(each);
  expect([slices.calls(1), slices.calls(2), slices.calls(3), slices.calls()]).toEqual([
    [own],
    [other],
    [],
    [own, other],
  ]);
});

describe('operations in flight', () => {
  test('what the database was asked for is not free until it answers', () => {
    const asked = call(50);
    granted(10, unlimited(90));
    slices.send(asked, 50);
    expect(slices.admit(call(41))).toBeUndefined();
    expect(slices.admit(call(40))).toBe(0);
    // Refused: the amount is free again.
    slices.answered(asked, 50, 50);
    expect(slices.admit(call(50))).toBe(0);
  });

  test('what was asked before the balance is known counts against it', () => {
    const asked = call(50);
    slices.send(asked, 50);
    granted(10, unlimited(90));
    expect(slices.admit(call(41))).toBeUndefined();
    expect(slices.admit(call(40))).toBe(0);
  });

  test('a settled call gives back its hold less the charge, not the whole hold', () => {
    granted(10, unlimited(90));
    const running = call(30);
    expect(slices.admit(running)).toBe(60);
    settled(running, 12);
    expect(slices.admit(call(79))).toBeUndefined();
    expect(slices.admit(call(78))).toBe(0);
  });

  test('after a failed operation the database decides until it names the balance again', () => {
    const running = granted(10, unlimited(90));
    slices.failed(running, 0);
    expect(slices.admit(call(1))).toBeUndefined();
    granted(5, unlimited(80));
    expect(slices.admit(call(80))).toBe(0);
  });

  test('after a failed operation the database decides about its budgets too, also when it has named the balance to another token', () => {
    const of = (size: number): SliceSize => ({
      ...unlimited(100),
      ofBudgets: [{ id: 5, size, windowEnd: now + 60 }],
    });
    const running = granted(10, of(90), { budgets: '5' });
    slices.failed(running, 0);
    granted(1, unlimited(100), { tokenId: 11 });
    expect(slices.admit(call(1, { tokenId: 11, budgets: '5' }))).toBeUndefined();
    expect(slices.admit(call(1, { tokenId: 11 }))).toBe(99);
    granted(1, of(40), { tokenId: 11, budgets: '5' });
    expect(slices.admit(call(41, { tokenId: 11, budgets: '5' }))).toBeUndefined();
    expect(slices.admit(call(40, { tokenId: 11, budgets: '5' }))).toBe(58);
  });

  test('M10 an answer that was under way while holds were taken and an operation failed does not count them as free', () => {
    granted(10, unlimited(100));
    const other = { tokenId: 11 };
    const asked = call(5, other);
    slices.send(asked, 5);
    expect(slices.admit(call(60))).toBe(35);
    // The queue of the database is full: this operation is refused before the answer to the first one arrives.
    const refused = call(1);
    slices.send(refused, 1);
    slices.failed(refused, 1);
    slices.answered(asked, 5, 0);
    // The tables do not show the hold of 60.
    slices.learn(asked, unlimited(95));
    expect(slices.admit(call(36, other))).toBeUndefined();
    expect(slices.admit(call(35, other))).toBe(0);
  });

  test('a settlement in flight keeps its hold out of a balance that arrives before its answer', () => {
    granted(0, unlimited(100));
    const running = call(60);
    slices.admit(running);
    const asked = call(1000);
    slices.send(asked, 1000);
    slices.take(running);
    slices.failed(call(0), 0);
    slices.answered(asked, 1000, 1000);
    slices.learn(asked, unlimited(100));
    expect(slices.admit(call(41))).toBeUndefined();
    slices.answered(running, 60, 10);
    expect(slices.admit(call(50))).toBe(0);
  });
});

describe('holds in memory', () => {
  test('are summed by user and token for the database, and leave the sum when they are taken', () => {
    granted(0, unlimited(100));
    granted(0, unlimited(100), { tokenId: 11 });
    const [first, second] = [call(1), call(2, { tokenId: 11 })];
    for (const each of [first, second]) slices.admit(each);
    expect(slices.heldBy(call(0))).toEqual({ user: 3, token: 1 });
    expect(slices.heldBy(call(0, { tokenId: 0 }))).toEqual({ user: 3, token: 0 });
    expect(slices.calls()).toEqual([first, second]);
    expect(slices.take(first)).toBe(true);
    expect(slices.take(first)).toBe(false);
    expect(slices.heldBy(call(0))).toEqual({ user: 2, token: 0 });
  });

  test('go back when their rows could not be written, unless the call has ended', () => {
    granted(0, unlimited(100));
    const [running, ended] = [call(10), call(20)];
    for (const each of [running, ended]) slices.admit(each);
    for (const each of [running, ended]) slices.take(each);
    ended.isEnded = true;
    for (const each of [running, ended]) slices.putBack(each);
    expect(slices.calls()).toEqual([running]);
    expect(slices.heldBy(running)).toEqual({ user: 10, token: 10 });
    granted(0, unlimited(100));
    expect(slices.admit(call(91))).toBeUndefined();
    expect(slices.admit(call(90))).toBe(0);
  });
});

describe('while other code writes', () => {
  test('nothing is admitted, and no balance from before is known afterwards', () => {
    granted(0, unlimited(100));
    slices.beginForeignWrite();
    expect(slices.admit(call(1))).toBeUndefined();
    granted(0, unlimited(100));
    expect(slices.admit(call(1))).toBeUndefined();
    slices.endForeignWrite();
    expect(slices.admit(call(1))).toBeUndefined();
    granted(0, unlimited(50));
    expect(slices.admit(call(51))).toBeUndefined();
    expect(slices.admit(call(50))).toBe(0);
  });

  test('two writes at once: nothing is admitted until both have ended', () => {
    slices.beginForeignWrite();
    slices.beginForeignWrite();
    slices.endForeignWrite();
    granted(0, unlimited(100));
    expect(slices.admit(call(1))).toBeUndefined();
    slices.endForeignWrite();
    granted(0, unlimited(100));
    expect(slices.admit(call(1))).toBe(99);
  });
});

describe('an end that could not be written', () => {
  test('M10 keeps its hold, also when a reservation that was on its way is answered afterwards', () => {
    granted(10, unlimited(100));
    const ending = call(60);
    expect(slices.admit(ending)).toBe(40);
    const asked = call(10);
    slices.send(asked, 10);
    slices.take(ending);
    slices.failed(ending, 60);
    slices.restore(ending);
    expect(slices.admit(call(1))).toBeUndefined();
    // The tables do not show the hold of the call that could not end.
    slices.answered(asked, 10, 0);
    slices.learn(asked, unlimited(90));
    expect(slices.admit(call(31))).toBeUndefined();
    expect(slices.admit(call(30))).toBe(0);
  });

  test('of a row that could not be written is dropped with a call that has ended, unless its end is in the spool', () => {
    granted(10, unlimited(100));
    const [ended, spooled] = [call(20), call(20)];
    for (const running of [ended, spooled]) {
      expect(slices.admit(running)).toBeDefined();
      slices.take(running);
      running.isEnded = true;
    }
    spooled.isSpooled = true;
    for (const running of [ended, spooled]) slices.putBack(running);
    expect(slices.calls()).toEqual([spooled]);
    expect(slices.heldBy(spooled)).toEqual({ user: 20, token: 20 });
  });
});
