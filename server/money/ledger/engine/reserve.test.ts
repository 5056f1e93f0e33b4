// Who is admitted, how much is held and of what, and what a refusal says.
import { describe, expect, test } from 'bun:test';
import { ledgerRows, NOW, reserving, type Given } from '#tests/support/ledger-rows.ts';
import type { Reserve, ReserveResult } from './operations.ts';

const HOUR = 3600;
const plans = (more: object = {}) => ({ ids: [3], isPlanFirst: true, isRequired: false, ...more });
const ask = (given: Given, more: Partial<Reserve> = {}) => ledgerRows(given).apply(reserving(more));
const refused = (result: ReserveResult) => {
  if (result.ok) throw new Error('admitted');
  return result;
};

describe('a call is refused', () => {
  test('with the key of another user, and with one that is deleted, disabled or over', () => {
    const reason = (token: Given['token']) => refused(ask({ token: token ?? {} })).reason;
    expect(reason({ userId: 9 })).toBe('token_unavailable');
    expect(reason({ isDeleted: true })).toBe('token_unavailable');
    expect(reason({ status: 2 })).toBe('token_unavailable');
    expect(ask({ token: { expiredTime: NOW + 1 } }).ok).toBe(true);
    const world = ledgerRows({ token: { expiredTime: NOW } });
    expect(world.apply(reserving())).toMatchObject({
      reason: 'token_expired',
      subject: 'token',
      tokenStatus: 3,
    });
    expect(world.token).toMatchObject({ status: 3, statusChanged: true, dirty: true });
  });

  test('for want of balance, with what it could hold at most', () => {
    expect(ask({ user: { quota: 99 } })).toMatchObject({
      reason: 'insufficient_user_quota',
      subject: 'user',
      balance: 99,
      available: 99,
      retryAfterSeconds: 0,
    });
    // More is held than there is.
    expect(ask({ user: { quota: 50, held: 80 } })).toMatchObject({ balance: -30, available: 0 });
  });

  test('and says whether what is held would be enough if it came back', () => {
    const shortage = (given: Given, more: Partial<Reserve> = {}) => refused(ask(given, more)).shortage;
    expect(shortage({ user: { quota: 99 } })).toBeUndefined();
    expect(shortage({ user: { quota: 100, held: 1 } })).toEqual({ userId: 1, held: 1, isCoverable: true });
    expect(shortage({ user: { quota: 98, held: 1 } })).toEqual({ userId: 1, held: 1, isCoverable: false });
    const token = { isUnlimited: false, remain: 100, held: 30 };
    expect(shortage({ token, user: { held: 40 } })).toEqual({ userId: 1, held: 40, isCoverable: true });
    const counters = [{ quota: 100, held: 20 }];
    const budgets = '10';
    expect(shortage({ counters, user: { held: 25 } }, { budgets })).toEqual({
      userId: 1,
      held: 25,
      isCoverable: true,
    });
  });

  test('by the limit of its key before that of its user, for its least amount', () => {
    const limited = { token: { dayBudget: 50 }, user: { dayBudget: 40 } };
    expect(ask(limited)).toMatchObject({ reason: 'day_budget', subject: 'token', available: 50 });
    expect(ask({ user: { monthBudget: 40 } })).toMatchObject({ reason: 'month_budget', subject: 'user' });
    // It can do with less: it gets what every one of them leaves.
    expect(ask(limited, { least: 30 })).toMatchObject({ ok: true, amount: 40 });
    expect(ask({ user: { quota: 60 } }, { least: 60 })).toMatchObject({ ok: true, amount: 60 });
    expect(ask({ token: { isUnlimited: false, remain: 70 } }, { least: 60 })).toMatchObject({ amount: 70 });
  });

  test('by a budget: which one, what it leaves, and until when', () => {
    const end = NOW + 2 * HOUR;
    const day = { period: 'day', windowStart: NOW - HOUR, windowEnd: end } as const;
    const counters = [{ quota: 500 }, { ...day, quota: 90, spent: 40 }, { ...day, quota: 90, spent: 30 }];
    const world = ledgerRows({ counters });
    const result = world.apply(reserving({ budgets: '10,11,12' }));
    expect(result).toMatchObject({
      reason: 'organization_budget',
      counterId: 11,
      available: 50,
      retryAfterSeconds: 2 * HOUR,
    });
    const spent = { counters: [{ quota: 90, spent: 95 }] };
    expect(ask(spent, { budgets: '10' })).toMatchObject({ available: 0, retryAfterSeconds: 0 });
    // Nothing is left, and nothing is asked for.
    expect(ask(spent, { budgets: '10', amount: 0 })).toMatchObject({ ok: true, amount: 0 });
  });

  test('by a budget, of which the organization hears unless slices may come back', () => {
    const noticed = (held: number, amount: number) => {
      const world = ledgerRows({ counters: [{ quota: 100, held }], user: { held } });
      world.apply(reserving({ budgets: '10', amount }));
      return world.written.notices.map(({ event, userId }) => [event, userId]);
    };
    expect(noticed(0, 101)).toEqual([['organization_budget', 1]]);
    expect(noticed(5, 101)).toEqual([['organization_budget', 1]]);
    expect(noticed(5, 100)).toEqual([]);
  });

  test('where none of its subscriptions has anything and the price is that of their group', () => {
    const empty = { subscription: { quota: 0 } };
    expect(ask(empty, { plans: plans({ isRequired: true }) })).toMatchObject({ reason: 'plan_empty' });
    expect(ask(empty, { plans: plans() })).toMatchObject({ ok: true });
  });
});

describe('an admitted call', () => {
  test('holds its amount of the user, the key and each budget', () => {
    const world = ledgerRows({ counters: [{}, { isHard: false, quota: 1 }] });
    expect(world.apply(reserving({ budgets: '10,11' }))).toEqual({ ok: true, balance: 900, amount: 100 });
    expect([world.user.held, world.token.held, world.counter(0).held, world.counter(1).held]).toEqual([
      100, 100, 100, 100,
    ]);
    expect(world.hold()).toMatchObject({
      amount: 100,
      budgets: '10,11',
      nodeId: 'here',
      epoch: 4,
      createdAt: NOW,
    });
  });

  test('of a task belongs to no process', () => {
    const world = ledgerRows();
    world.apply(reserving({ lifetime: 'task' }));
    expect(world.hold()).toMatchObject({ nodeId: 'task', epoch: 0 });
  });

  test('counts in the limits that there are, of its key and of its user', () => {
    const minute = NOW - (NOW % 60);
    const counted = (given: Given) => {
      const world = ledgerRows(given);
      world.apply(reserving({ tokens: 30 }));
      return world.written.windows.map(({ scope, start, used }) => [scope, start, used]);
    };
    const limits = { requestsPerMinute: 5, tokensPerMinute: 500 };
    expect(counted({ token: limits, user: { requestsPerMinute: 9 } })).toEqual([
      ['token:2:rpm', minute, 1],
      ['token:2:tpm', minute, 30],
      ['user:1:rpm', minute, 1],
    ]);
    expect(counted({ user: { tokensPerMinute: 500 } })).toEqual([['user:1:tpm', minute, 30]]);
    expect(counted({})).toEqual([]);
  });

  test('is paid by the subscription and then the balance, or the other way', () => {
    const held = (isPlanFirst: boolean, given: Given = {}) => {
      const world = ledgerRows({ subscription: { quota: 60 }, ...given });
      const result = world.apply(reserving({ plans: plans({ isPlanFirst }) }));
      const { user, token, subscription } = world;
      expect([result.ok && result.plan?.isPlanFirst, world.hold()?.isPlanFirst]).toEqual([
        isPlanFirst,
        isPlanFirst,
      ]);
      return [
        result.balance,
        user.held,
        user.planHeld,
        token.held,
        subscription.held,
        world.hold()?.planAmount,
      ];
    };
    expect(held(true)).toEqual([960, 40, 60, 100, 60, 60]);
    expect(held(false)).toEqual([900, 100, 0, 100, 0, 0]);
    expect(held(false, { user: { quota: 45 } })).toEqual([0, 45, 55, 100, 55, 55]);
  });

  test('of a user whose balance is overdrawn is paid by the subscription alone, and no more of it than it has', () => {
    const owing = { user: { quota: 10, held: 40 }, subscription: { quota: 150 } };
    const world = ledgerRows(owing);
    const result = world.apply(reserving({ plans: plans({ isPlanFirst: false }) }));
    expect(result).toMatchObject({ ok: true, amount: 100, plan: { subscriptionId: 3, isPlanFirst: false } });
    expect(world.hold()).toMatchObject({ planAmount: 100, planPeriod: 2, isPlanFirst: false });
    expect([world.user.held, world.subscription.held]).toEqual([40, 100]);
    expect(ask(owing, { plans: plans(), amount: 151 })).toMatchObject({
      reason: 'insufficient_user_quota',
      available: 150,
    });
  });

  test('that is sent again by another process is refused, and by its own one admitted once', () => {
    const world = ledgerRows({ holds: [{}], user: { held: 100 }, token: { held: 100 } });
    expect(world.apply(reserving())).toEqual({ ok: true, balance: 900, amount: 100 });
    expect([world.user.held, world.token.held]).toEqual([100, 100]);
    for (const other of [{ nodeId: 'there' }, { epoch: 3 }, { userId: 9 }, { tokenId: 9 }, { amount: 99 }])
      expect(() => ledgerRows({ holds: [other] }).apply(reserving())).toThrow('in use');
    const twice = ledgerRows();
    twice.apply(reserving());
    expect(() => twice.apply(reserving())).toThrow('in use');
  });
});

describe('an extension', () => {
  const extending = (moreAmount: number) =>
    ({ kind: 'extend', requestId: 'call', moreAmount, memoryHeld: { user: 0, token: 0 } }) as const;
  const extend = (given: Given, more: number) => ledgerRows({ holds: [{}], ...given }).apply(extending(more));
  const running = { user: { held: 100 }, token: { held: 100 } };

  test('is added to the hold, the user, the key, the budgets and the subscription', () => {
    const world = ledgerRows({
      holds: [{ subscriptionId: 3, planAmount: 100, planPeriod: 2, isPlanFirst: true, budgets: '10' }],
      subscription: { quota: 130, held: 100 },
      counters: [{ quota: 150, held: 100 }],
      user: { planHeld: 100 },
      token: { held: 100 },
    });
    expect(world.apply(extending(50))).toEqual({ isLarger: true });
    expect(world.hold()).toMatchObject({ amount: 150, planAmount: 130 });
    const { user, token, subscription } = world;
    expect([user.held, user.planHeld, token.held, subscription.held, world.counter().held]).toEqual([
      20, 130, 150, 130, 150,
    ]);
    expect(world.apply(extending(1))).toMatchObject({ isLarger: false });
  });

  test('is refused with a key that was deleted, disabled or used up, and for a user who was', () => {
    expect(extend({ ...running, token: { held: 100, isDeleted: true } }, 1)).toEqual({ isLarger: false });
    expect(extend({ ...running, token: { held: 100, status: 2 } }, 1)).toEqual({ isLarger: false });
    expect(extend({ ...running, user: { held: 100, isActive: false } }, 1)).toEqual({ isLarger: false });
    expect(extend(running, 900)).toEqual({ isLarger: true });
  });

  test('is refused for what is missing; only what others hold may come back', () => {
    const of = (given: Given, more: number) => extend(given, more).shortage;
    expect(of({ ...running, user: { quota: 120, held: 100 } }, 21)).toBeUndefined();
    expect(of({ ...running, user: { quota: 121, held: 101 } }, 21)).toEqual({
      userId: 1,
      held: 101,
      isCoverable: true,
    });
    const token = { isUnlimited: false, remain: 130 };
    expect(of({ user: { held: 100 }, token: { ...token, held: 100 } }, 31)).toBeUndefined();
    expect(of({ user: { held: 120 }, token: { ...token, held: 120 } }, 31)).toEqual({
      userId: 1,
      held: 120,
      isCoverable: false,
    });
    const holds = [{ budgets: '10' }];
    expect(of({ ...running, holds, counters: [{ quota: 120, held: 100 }] }, 21)).toBeUndefined();
    expect(of({ ...running, holds, counters: [{ quota: 121, held: 101 }] }, 21)).toMatchObject({
      isCoverable: true,
    });
  });
});
