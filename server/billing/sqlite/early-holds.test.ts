import { beforeEach, describe, expect, test } from 'bun:test';
import type { HeldCall } from '#server/billing/backend.ts';
import { EarlyHolds, type Means } from './early-holds.ts';

const now = 1_800_000_000;
let serial = 0;

function call(amount: number, more: Partial<HeldCall> = {}): HeldCall {
  serial += 1;
  const base = { requestId: `call-${serial}`, userId: 1, tokenId: 10, createdAt: now, expiresAt: now + 60 };
  return { ...base, amount, earlyPlace: -1, ...more };
}

let early: EarlyHolds;

/** The writer was asked for a hold and granted it. */
function granted(amount: number, means: Means, more: Partial<HeldCall> = {}): HeldCall {
  const asked = call(amount, more);
  early.ask(asked, amount);
  early.answered(asked, amount, amount);
  early.learn(asked, means);
  return asked;
}

const ids = () => early.takeAhead()?.args.map(([id]) => id);

beforeEach(() => {
  early = new EarlyHolds();
});

describe('what is promised without asking', () => {
  test('nothing before the writer has spoken, then as much as it said and no more', () => {
    expect(early.admit(call(1))).toBeUndefined();
    granted(10, [100, null, -1]);
    expect(early.admit(call(60))).toBe(40);
    expect(early.admit(call(41))).toBeUndefined();
    expect(early.admit(call(40))).toBe(0);
    expect(early.admit(call(1))).toBeUndefined();
  });

  test('no more than the token may spend, and nothing of one that is used up, over or another user’s', () => {
    granted(10, [100, 20, -1]);
    expect(early.admit(call(21))).toBeUndefined();
    expect(early.admit(call(20))).toBe(80);
    expect(early.admit(call(0))).toBeUndefined();
    granted(1, [100, null, now], { tokenId: 11 });
    expect(early.admit(call(1, { tokenId: 11 }))).toBeUndefined();
    expect(early.admit(call(1, { tokenId: 11, createdAt: now - 1 }))).toBe(78);
    expect(early.admit(call(1, { tokenId: 10, userId: 2 }))).toBeUndefined();
  });

  test('two tokens of one user share what the user has', () => {
    granted(0, [100, null, -1]);
    granted(0, [100, null, -1], { tokenId: 11 });
    expect(early.admit(call(70))).toBe(30);
    expect(early.admit(call(70, { tokenId: 11 }))).toBeUndefined();
    expect(early.admit(call(30, { tokenId: 11 }))).toBe(0);
  });

  test('a call without a token is always asked for', () => {
    granted(0, [100, null, -1], { tokenId: 0 });
    expect(early.admit(call(1, { tokenId: 0 }))).toBeUndefined();
  });
});

describe('what was asked of the writer', () => {
  test('and has no answer yet is not promised to others', () => {
    const asked = call(50);
    early.ask(asked, 50);
    granted(10, [90, null, -1]);
    expect(early.admit(call(41))).toBeUndefined();
    expect(early.admit(call(40))).toBe(0);
    // Refused after all: it may be promised now.
    early.answered(asked, 50, 0);
    expect(early.admit(call(50))).toBe(0);
  });

  test('comes back as far as it was not taken', () => {
    granted(10, [90, null, -1]);
    const running = call(30);
    expect(early.admit(running)).toBe(60);
    early.settle(running);
    early.answered(running, 0, 12 - 30);
    expect(early.admit(call(78))).toBe(0);
  });

  test('is not promised to anybody once nobody knows what became of it', () => {
    const running = granted(10, [90, null, -1]);
    early.failed(running, 0);
    expect(early.admit(call(1))).toBeUndefined();
    granted(5, [80, null, -1]);
    expect(early.admit(call(80))).toBe(0);
  });
});

describe('the writer hears', () => {
  test('of every hold that was taken, once', () => {
    granted(0, [100, null, -1]);
    const [first, second, third] = [call(1), call(2), call(3)];
    for (const each of [first, second, third]) early.admit(each);
    expect(early.takeAhead()).toEqual({
      procedure: 'ledger.openHolds',
      args: [first, second, third].map((each) => [
        each?.requestId ?? '',
        1,
        10,
        each?.amount ?? 0,
        now,
        now + 60,
      ]),
    });
    expect(early.takeAhead()).toBeUndefined();
    expect(early.settle(second)).toBe(false);
  });

  test('of a hold whose settlement waits, until that is on its way', () => {
    granted(0, [100, null, -1]);
    const [first, second, third] = [call(1), call(2), call(3)];
    for (const each of [first, second, third]) early.admit(each);
    expect(early.settle(first)).toBe(true);
    expect(ids()).toEqual([third?.requestId ?? '', second?.requestId ?? '', first?.requestId ?? '']);
    const fourth = call(4);
    early.admit(fourth);
    expect(early.settle(fourth)).toBe(true);
    early.batchSent();
    expect(ids()).toBeUndefined();
  });
});

describe('while others write', () => {
  test('nothing is promised, and what was known before counts no more', () => {
    granted(0, [100, null, -1]);
    early.foreign(true);
    expect(early.admit(call(1))).toBeUndefined();
    granted(0, [100, null, -1]);
    expect(early.admit(call(1))).toBeUndefined();
    early.foreign(false);
    expect(early.admit(call(1))).toBeUndefined();
    granted(0, [50, null, -1]);
    expect(early.admit(call(51))).toBeUndefined();
    expect(early.admit(call(50))).toBe(0);
  });

  test('a pause inside a pause ends with the outer one', () => {
    early.pause();
    early.pause();
    early.resume();
    granted(0, [100, null, -1]);
    expect(early.admit(call(1))).toBeUndefined();
    early.resume();
    granted(0, [100, null, -1]);
    expect(early.admit(call(1))).toBe(99);
  });
});
