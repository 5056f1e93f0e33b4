// The edges of each rule: the last unit, the last second, nothing at all; and that what has changed is marked to be written.
import { describe, expect, test } from 'bun:test';
import { budgetCalendar, BUDGETS_OF_UTC } from '#contract/money/budget-windows.ts';
import { ledgerRows, NOW, releasing, reserving, settling, type Given } from '#tests/support/ledger-rows.ts';
import {
  counterIds,
  counterList,
  countersOf,
  exceededCounter,
  leftOfCounters,
  WHOLE_TIME,
} from './budgets.ts';
import { brokenLimit } from './limits.ts';
import type { Extend, MemoryHeld, Reserve } from './operations.ts';
import { choosePlan } from './subscriptions.ts';
import type { Rows } from './rows.ts';

const owner = { userId: 1, tokenId: 2 };
const nothing: MemoryHeld = { user: 0, token: 0 };
const extending = (moreAmount: number, memoryHeld = nothing): Extend => ({
  kind: 'extend',
  requestId: 'call',
  moreAmount,
  memoryHeld,
});
const plans = { ids: [3], isPlanFirst: true, isRequired: false };
const ofPlan = { subscriptionId: 3, planPeriod: 2, planAmount: 100, isPlanFirst: true, budgets: '10' };

function marks(world: ReturnType<typeof ledgerRows>) {
  const { user, token, subscription } = world;
  return {
    user: user.dirty,
    planHeld: user.isPlanHeldChanged,
    token: token.dirty,
    subscription: subscription?.dirty,
    counter: world.counter()?.dirty,
  };
}

describe('rows are marked to be written', () => {
  const free: Given = { subscription: {}, counters: [{ quota: 1000 }] };
  const running: Given = {
    holds: [ofPlan],
    subscription: { held: 100 },
    counters: [{ quota: 1000, held: 100 }],
    user: { planHeld: 100 },
    token: { held: 100 },
  };
  const all = { user: true, planHeld: true, token: true, subscription: true, counter: true };

  test('by an admission, as far as it takes from them', () => {
    const admitted = (more: Partial<Reserve>, given = free) => {
      const world = ledgerRows(given);
      expect(world.apply(reserving({ budgets: '10', ...more }))).toMatchObject({ ok: true });
      return marks(world);
    };
    expect(admitted({ plans })).toEqual(all);
    expect(admitted({})).toEqual({ ...all, planHeld: false, subscription: false });
    expect(admitted({ amount: 0, plans })).toEqual({
      user: false,
      planHeld: false,
      token: false,
      subscription: false,
      counter: false,
    });
  });

  test('by an extension, a settlement, a release, and a charge without a hold', () => {
    const extended = ledgerRows(running);
    extended.apply(extending(50));
    expect(marks(extended)).toEqual(all);
    const settled = ledgerRows(running);
    settled.apply(settling(0));
    expect(marks(settled)).toEqual(all);
    expect([settled.user.planHeld, settled.user.held, settled.user.requestCount]).toEqual([0, 0, 1]);
    const released = ledgerRows(running);
    released.apply(releasing());
    expect(marks(released)).toEqual(all);
    expect(released.user.requestCount).toBe(0);
    const late = ledgerRows(free);
    late.apply(settling(5, { owner: { ...owner, budgets: '10' } }));
    expect(marks(late)).toEqual({ ...all, planHeld: false, subscription: false });
    const wallet = ledgerRows({ holds: [{}], user: { held: 100 }, token: { held: 100 } });
    wallet.apply(releasing());
    expect([wallet.user.dirty, wallet.token.dirty, wallet.user.isPlanHeldChanged]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('by a notice of a budget, which is told once', () => {
    const world = ledgerRows({ counters: [{ quota: 100 }] });
    for (const requestId of ['a', 'b']) world.apply(reserving({ requestId, amount: 101, budgets: '10' }));
    expect([world.counter().noticed, world.counter().dirty, world.written.notices.length]).toEqual([
      100,
      true,
      1,
    ]);
    expect(JSON.parse(world.written.notices[0]?.details ?? '')).toMatchObject({ percent: 100, spent: 0 });
  });

  test('by a status that a refusal gives the key', () => {
    const expired = ledgerRows({ token: { expiredTime: NOW } });
    expect(expired.apply(reserving())).toMatchObject({
      reason: 'token_expired',
      tokenStatus: 3,
      available: 0,
    });
    expect(expired.token).toMatchObject({ status: 3, statusChanged: true, dirty: true });
    const lasting = ledgerRows({ token: { expiredTime: NOW + 1 } });
    expect(lasting.apply(reserving())).toMatchObject({ ok: true });
    expect(lasting.token).toMatchObject({ status: 1, statusChanged: false });
  });
});

describe('the balance that counts', () => {
  const left = (given: Given, more: Partial<Reserve>) => {
    const result = ledgerRows(given).apply(reserving(more));
    return result.ok
      ? ['ok', result.amount, result.balance]
      : [result.reason, result.available, result.balance];
  };

  test('is what other calls of the same process hold in memory less, of user and key', () => {
    const limited = { token: { isUnlimited: false, remain: 300, held: 50 } };
    expect(left({}, { amount: 990, memoryHeld: { user: 10, token: 0 } })).toEqual(['ok', 990, 0]);
    expect(left({}, { amount: 991, memoryHeld: { user: 10, token: 0 } })).toEqual([
      'insufficient_user_quota',
      990,
      990,
    ]);
    expect(left(limited, { amount: 240, memoryHeld: { user: 0, token: 10 } })).toEqual(['ok', 240, 760]);
    expect(left(limited, { amount: 241, memoryHeld: { user: 0, token: 10 } })).toEqual([
      'insufficient_token_quota',
      240,
      1000,
    ]);
    const running = { ...limited, holds: [{ amount: 50 }], user: { held: 50 } };
    const isLarger = (more: number, memory: MemoryHeld) =>
      ledgerRows(running).apply(extending(more, memory)).isLarger;
    expect([isLarger(240, { user: 0, token: 10 }), isLarger(241, { user: 0, token: 10 })]).toEqual([
      true,
      false,
    ]);
    expect([isLarger(200, { user: 750, token: 0 }), isLarger(201, { user: 750, token: 0 })]).toEqual([
      true,
      false,
    ]);
  });

  test('is nobody’s for a user who is gone, and a key that is another’s', () => {
    expect(left({}, { userId: 9 })).toEqual(['user_unavailable', 0, 0]);
    expect(left({ user: { isActive: false } }, {})).toEqual(['user_unavailable', 0, 0]);
    for (const token of [{ userId: 9 }, { isDeleted: true }, { status: 2 }, { status: 4 }])
      expect(left({ token }, {})).toEqual(['token_unavailable', 0, 1000]);
    expect(left({}, { tokenId: 9 })).toEqual(['token_unavailable', 0, 1000]);
    expect(left({ token: { status: 2 } }, { tokenId: 0 })).toEqual(['ok', 100, 900]);
  });

  test('of a key that has nothing left admits no call, also not one of nothing, and marks the key', () => {
    const empty = ledgerRows({ token: { isUnlimited: false, remain: 0 } });
    expect(empty.apply(reserving({ amount: 0 }))).toMatchObject({
      reason: 'insufficient_token_quota',
      tokenStatus: 4,
      available: 0,
    });
    expect(empty.token).toMatchObject({ status: 4, statusChanged: true });
    const last = ledgerRows({ token: { isUnlimited: false, remain: 1 } });
    expect(last.apply(reserving({ amount: 2 }))).toMatchObject({ tokenStatus: 0, available: 1 });
    expect(last.apply(reserving({ amount: 1 }))).toMatchObject({ ok: true });
    const charged = ledgerRows({ holds: [{}], token: { isUnlimited: false, remain: 100, held: 100 } });
    expect(charged.apply(settling(99))).toMatchObject({ tokenStatus: 0 });
    const usedUp = ledgerRows({ holds: [{}], token: { isUnlimited: false, remain: 100, held: 100 } });
    expect(usedUp.apply(settling(100))).toMatchObject({ tokenStatus: 4 });
  });

  test('grows no call beyond the day or month of its user or key, which count what is spent and held', () => {
    const isLarger = (given: Given, more: number) =>
      ledgerRows({ holds: [{}], ...given }).apply(extending(more)).isLarger;
    const day = NOW - (NOW % 86_400);
    const both = (given: (budget: number) => Given) => [isLarger(given(150), 30), isLarger(given(149), 30)];
    const user = { held: 100 };
    const spent = { [`user:1:${day}`]: 20, [`token:2:${day}`]: 20 };
    expect(both((dayBudget) => ({ user: { ...user, dayBudget }, token: user, spent }))).toEqual([
      true,
      false,
    ]);
    expect(both((dayBudget) => ({ user, token: { ...user, dayBudget }, spent }))).toEqual([true, false]);
    const planned = { holds: [ofPlan], subscription: { held: 100 }, counters: [{ quota: 1000, held: 100 }] };
    expect(
      both((dayBudget) => ({ ...planned, user: { planHeld: 100, dayBudget }, token: user, spent })),
    ).toEqual([true, false]);
    expect(isLarger({ user: { ...user, isActive: false }, token: user }, 1)).toBe(false);
    expect(isLarger({ holds: [{ id: 'other' }], user, token: user }, 1)).toBe(false);
    expect(isLarger({ holds: [{ tokenId: 9 }], user, token: user }, 1)).toBe(false);
    expect(isLarger({ holds: [{ tokenId: 0 }], user, token: { status: 2 } }, 1)).toBe(true);
  });
});

describe('budgets', () => {
  test('are listed once, in one order, and read again as they were listed', () => {
    expect(counterList([12, 3, 12, 100])).toBe('3,12,100');
    expect(counterIds('3,12,100')).toEqual([3, 12, 100]);
    expect([counterIds(''), counterList([]), WHOLE_TIME.start]).toEqual([[], '', 0]);
  });

  test('without other calls in memory leave all of it; of two that leave the same the first refuses', () => {
    const { rows } = ledgerRows({ counters: [{ quota: 100 }, { quota: 100 }] });
    const counted = countersOf(rows, '10,11');
    expect([leftOfCounters(counted), exceededCounter(counted, 101)?.counter.id]).toEqual([100, 10]);
    expect(leftOfCounters(countersOf(rows, '10,99'))).toBe(100);
    expect(leftOfCounters(countersOf(rows, '10', { user: 0, token: 0, budgets: [1] }))).toBe(99);
    expect(leftOfCounters([])).toBe(Number.POSITIVE_INFINITY);
  });

  test('a charge in the first second of a window counts in it', () => {
    const start = NOW - (NOW % 86_400);
    const counters = [{ period: 'day', windowStart: start, windowEnd: start + 86_400, quota: 1000 }] as const;
    const world = ledgerRows({ counters });
    world.apply(settling(5, { at: start, owner: { ...owner, budgets: '10' } }));
    world.apply(settling(7, { requestId: 'b', at: start - 1, owner: { ...owner, budgets: '10' } }));
    expect([world.counter().spent, world.written.ended.map(({ spent }) => spent)]).toEqual([5, [7]]);
  });
});

describe('limits of a minute', () => {
  /** 45 seconds into a minute: a quarter of the one before counts. */
  const now = NOW - (NOW % 60) + 45;
  const wait = (used: { previous?: number; current?: number }, limits: object, tokens = 0) => {
    const windows: Record<number, number> = {
      [now - 45]: used.current ?? 0,
      [now - 105]: used.previous ?? 0,
    };
    const rows = {
      now,
      budgets: budgetCalendar(BUDGETS_OF_UTC),
      windowUsed: (_: string, start: number) => windows[start] ?? 0,
      runningCalls: () => 3,
    } as unknown as Rows;
    const none = {
      requestsPerMinute: 0,
      tokensPerMinute: 0,
      concurrentCalls: 0,
      dayBudget: 0,
      monthBudget: 0,
    };
    const row = { id: 1, held: 0, ...none, ...limits };
    const broken = brokenLimit(rows, 'user', row, { userId: 1, amount: 0, tokens });
    return broken === undefined ? 0 : [broken.reason, broken.retryAfterSeconds];
  };

  test('say when the next call fits, to the second', () => {
    const requests = { requestsPerMinute: 10 };
    expect(wait({ current: 9 }, requests)).toBe(0);
    expect(wait({ current: 10 }, requests)).toEqual(['requests_per_minute', 21]);
    expect(wait({ previous: 12, current: 7 }, requests)).toEqual(['requests_per_minute', 5]);
    expect(wait({ previous: 12, current: 9 }, requests)).toEqual(['requests_per_minute', 15]);
    expect(wait({ previous: 12, current: 10 }, requests)).toEqual(['requests_per_minute', 21]);
    const tokens = { tokensPerMinute: 100 };
    expect(wait({}, tokens, 100)).toBe(0);
    expect(wait({ current: 1 }, tokens, 100)).toEqual(['tokens_per_minute', 75]);
    expect(wait({}, tokens, 101)).toEqual(['tokens_per_minute', 60]);
    expect(wait({ previous: 200, current: 10 }, tokens, 41)).toEqual(['tokens_per_minute', 1]);
    expect(wait({ previous: 200, current: 10 }, tokens, 40)).toBe(0);
  });

  test('and how many calls may run', () => {
    expect(wait({}, { concurrentCalls: 4 })).toBe(0);
    expect(wait({}, { concurrentCalls: 3 })).toEqual(['concurrent_calls', 1]);
  });
});

describe('subscriptions', () => {
  test('are tried in their order; the first that has something pays', () => {
    const chosen = (subscription: Given['subscription'], ids = [8, 3]) =>
      choosePlan(ledgerRows({ subscription: subscription ?? {} }).rows, 1, { ...plans, ids })?.id;
    expect(chosen({})).toBe(3);
    expect(chosen({ quota: 40, held: 39 })).toBe(3);
    expect(chosen({ quota: 40, held: 40 })).toBeUndefined();
    expect(chosen({}, [])).toBeUndefined();
    expect(chosen({ period: 0, periodEndsAt: NOW + 1 })).toBe(3);
    expect(chosen({ period: -1, periodEndsAt: NOW + 1 })).toBeUndefined();
  });
});

test('a late settlement of a user of whom more is held than there is keeps what recovery charged', () => {
  const world = ledgerRows({
    booked: { call: { amount: 60, reference: 'recovered' } },
    user: { quota: 10, held: 50, used: 60, requestCount: 1 },
    token: { used: 60 },
  });
  expect(world.apply(settling(60, { owner }))).toMatchObject({ charged: 60, suspense: 0 });
  expect([world.user.quota, world.user.used, world.token.used]).toEqual([10, 60, 60]);
  const more = ledgerRows({
    booked: { call: { amount: 60, reference: 'recovered' } },
    user: { quota: 10, held: 50, used: 60 },
  });
  expect(more.apply(settling(75, { owner }))).toMatchObject({ charged: 60, suspense: 15 });
});
