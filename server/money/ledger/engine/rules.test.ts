// Budgets, subscriptions, slices and the sums of a batch, over rows in memory.
import { describe, expect, test } from 'bun:test';
import { ledgerRows, NOW, releasing, reserving, settling, type Given } from '#tests/support/ledger-rows.ts';
import { countersOf, exceededCounter, leftOfCounters } from './budgets.ts';
import type { MemoryHeld } from './operations.ts';
import { hasLimits } from './limits.ts';

const HOUR = 3600;
const DAY = 86_400;
const owner = { userId: 1, tokenId: 2 };
const noLimits = {
  requestsPerMinute: 0,
  tokensPerMinute: 0,
  concurrentCalls: 0,
  dayBudget: 0,
  monthBudget: 0,
};

describe('budgets', () => {
  const list = '10,11';

  test('what other calls hold in memory counts against its own budget', () => {
    const world = ledgerRows({ counters: [{ quota: 100 }, { quota: 100 }] });
    const memory: MemoryHeld = { user: 0, token: 0, budgets: [30, 70] };
    const counted = countersOf(world.rows, list, memory);
    expect(counted.map(({ inMemory }) => inMemory)).toEqual([30, 70]);
    expect([leftOfCounters(counted), exceededCounter(counted, 31)?.counter.id]).toEqual([30, 11]);
    expect(exceededCounter(counted, 30)).toBeUndefined();
    // Of two that refuse a call, the one that has less.
    expect(exceededCounter(counted, 80)?.counter.id).toBe(11);
    const swapped = countersOf(world.rows, list, { ...memory, budgets: [70, 30] });
    expect(exceededCounter(swapped, 80)?.counter.id).toBe(10);
  });

  test('a budget that is overspent leaves nothing, and refuses nothing to a call that asks for nothing', () => {
    const world = ledgerRows({ counters: [{ quota: 100, spent: 130 }] });
    const counted = countersOf(world.rows, '10');
    expect([
      leftOfCounters(counted),
      exceededCounter(counted, 0),
      exceededCounter(counted, 1) === undefined,
    ]).toEqual([0, undefined, false]);
  });

  test('the first call in a new window writes what the old one spent, and begins with nothing', () => {
    const old = { windowStart: NOW - 3 * DAY, windowEnd: NOW - 2 * DAY };
    const counters = [{ ...old, period: 'day', spent: 90, held: 4, extra: 50, noticed: 80 }] as const;
    const world = ledgerRows({ counters });
    world.apply(reserving({ budgets: '10', amount: 1 }));
    const start = NOW - (NOW % DAY);
    expect(world.counter()).toMatchObject({
      spent: 0,
      extra: 0,
      noticed: 0,
      held: 5,
      windowStart: start,
      windowEnd: start + DAY,
      dirty: true,
    });
    expect(world.written.ended).toEqual([
      { counterId: 10, start: old.windowStart, end: old.windowEnd, spent: 90 },
    ]);
    const free = ledgerRows({ counters });
    free.apply(reserving({ budgets: '10', amount: 0 }));
    expect(free.counter()).toMatchObject({ spent: 0, dirty: true });
    // Its window ends with this second.
    const last = ledgerRows({ counters: [{ ...counters[0], windowEnd: NOW }] });
    expect(countersOf(last.rows, '10')[0]?.counter.spent).toBe(0);
    const running = ledgerRows({ counters: [{ ...counters[0], windowEnd: NOW + 1 }] });
    expect(countersOf(running.rows, '10')[0]?.counter.spent).toBe(90);
  });

  test('a charge of an earlier day counts in the window of its day, one of all time in the only one', () => {
    const start = NOW - (NOW % DAY);
    const day = { period: 'day', windowStart: start, windowEnd: start + DAY } as const;
    const world = ledgerRows({ counters: [day, { windowStart: NOW }] });
    const at = start - HOUR;
    for (const requestId of ['a', 'b'])
      world.apply(settling(30, { requestId, at, owner: { ...owner, budgets: list } }));
    expect([world.counter(0).spent, world.counter(1).spent]).toEqual([0, 60]);
    expect(world.written.ended).toEqual([{ counterId: 10, start: start - DAY, end: start, spent: 60 }]);
  });

  test('what a late settlement corrects counts in the window of its call', () => {
    const start = NOW - (NOW % DAY);
    const corrected = (charge: number, at: number) => {
      const world = ledgerRows({
        booked: { call: { amount: 60, reference: 'recovered', at } },
        counters: [{ period: 'day', windowStart: start, windowEnd: start + DAY, spent: 70 }],
        user: { quota: 940, used: 60 },
      });
      world.apply(settling(charge, { owner: { ...owner, budgets: '10' } }));
      return [world.counter().spent, world.written.ended];
    };
    const before = (spent: number) => [{ counterId: 10, start: start - DAY, end: start, spent }];
    expect(corrected(90, start - 1)).toEqual([70, before(30)]);
    expect(corrected(20, start - 1)).toEqual([70, before(-40)]);
    expect(corrected(90, start)).toEqual([100, []]);
  });

  test('two windows that are over are written for each budget', () => {
    const start = NOW - (NOW % DAY);
    const day = { period: 'day', windowStart: start, windowEnd: start + DAY } as const;
    const world = ledgerRows({ counters: [day, day] });
    for (const back of [1, 2])
      world.apply(
        settling(10, { requestId: `${back}`, at: start - back * DAY, owner: { ...owner, budgets: list } }),
      );
    expect(
      world.written.ended.map(({ counterId, start: begun }) => [counterId, (start - begun) / DAY]),
    ).toEqual([
      [10, 1],
      [11, 1],
      [10, 2],
      [11, 2],
    ]);
  });

  test('each level is noticed at its exact part of quota and grant, by a charge alone', () => {
    const noticed = (spent: number, charge: number, more: object = {}) => {
      const world = ledgerRows({ counters: [{ quota: 100, extra: 100, spent, ...more }] });
      world.apply(settling(charge, { owner: { ...owner, budgets: '10' } }));
      return world.written.notices.map(({ details, ...notice }) => ({
        ...notice,
        ...(JSON.parse(details) as object),
      }));
    };
    expect(noticed(0, 99)).toEqual([]);
    expect(noticed(0, 100)).toMatchObject([
      {
        event: 'organization_budget',
        userId: 1,
        onceKey: 'organization-budget:10:0:50',
        budget: 'budget 0',
        value: '',
        percent: 50,
        spent: 100,
        limit: 200,
        is_hard: true,
        resets_at: 0,
      },
    ]);
    expect(noticed(0, 160)).toMatchObject([{ percent: 80 }]);
    expect(noticed(0, 200)).toMatchObject([{ percent: 100 }]);
    expect(noticed(150, 10, { noticed: 80 })).toEqual([]);
    expect(noticed(100, 50, { noticed: 50 })).toEqual([]);
    const end = NOW + HOUR;
    const day = {
      period: 'day',
      windowStart: NOW - HOUR,
      windowEnd: end,
      isHard: false,
      value: 'blue',
    } as const;
    expect(noticed(0, 100, day)).toMatchObject([
      { resets_at: end, is_hard: false, value: 'blue', onceKey: `organization-budget:10:${NOW - HOUR}:50` },
    ]);
  });

  test('what a late settlement gives back notices nothing and leaves no less than nothing spent', () => {
    const booked = { call: { amount: 60, reference: 'recovered', at: NOW - 60 } };
    const world = ledgerRows({
      booked,
      counters: [{ spent: 40, quota: 10 }],
      user: { quota: 940, used: 60 },
    });
    world.apply(releasing({ owner: { ...owner, budgets: '10' } }));
    expect([world.counter().spent, world.written.notices]).toEqual([0, []]);
    const full = ledgerRows({ booked, counters: [{ spent: 100 }], user: { quota: 940, used: 60 } });
    full.apply(settling(50, { owner: { ...owner, budgets: '10' } }));
    expect([full.counter().spent, full.written.notices]).toEqual([90, []]);
  });
});

describe('subscriptions', () => {
  const plans = { ids: [3], isPlanFirst: true, isRequired: false };
  const startedAt = NOW - 2 * DAY - HOUR;

  test('pay for nothing before they begin, after they end, and when they are empty', () => {
    const pays = (subscription: Given['subscription']) => {
      const world = ledgerRows({ subscription: subscription ?? {} });
      world.apply(reserving({ plans }));
      return (world.hold()?.planAmount ?? 0) > 0;
    };
    expect(pays({})).toBe(true);
    expect(pays({ quota: 0 })).toBe(false);
    expect(pays({ quota: 50, held: 50 })).toBe(false);
    expect(pays({ isActive: false })).toBe(false);
    expect(pays({ userId: 9 })).toBe(false);
    expect(pays({ period: -1, startedAt: NOW + HOUR, periodEndsAt: NOW + HOUR })).toBe(false);
  });

  test('end a period in its last second: the rest goes, and the next one is granted beside what calls hold', () => {
    const rolled = (subscription: Given['subscription']) => {
      const world = ledgerRows({ subscription: { quota: 300, held: 120, ...subscription } });
      const isChanged = world.apply({ kind: 'rollPeriod', requestId: '', subscriptionId: 3 });
      return { isChanged, world };
    };
    expect(rolled({ periodEndsAt: NOW + 1 }).isChanged).toBe(false);
    const { isChanged, world } = rolled({ period: 1, periodEndsAt: NOW });
    expect(isChanged).toBe(true);
    expect(world.subscription).toMatchObject({
      period: 2,
      quota: 620,
      held: 120,
      periodEndsAt: startedAt + 3 * DAY,
    });
    expect(world.written.entries).toMatchObject([
      {
        idem: 'plan:3:rest:1',
        debit: 'plan:3',
        credit: 'world:plan',
        amount: 180,
        kind: 'plan_return',
        userId: 1,
      },
      {
        idem: 'plan:3:grant:2',
        debit: 'world:plan',
        credit: 'plan:3',
        amount: 500,
        kind: 'plan_grant',
        reference: '2',
      },
    ]);
    // Two periods were missed: only the one of now is granted, and the last one is shorter.
    const late = rolled({ period: 0, periodEndsAt: NOW - DAY, endsAt: startedAt + 2 * DAY + 2 * HOUR }).world;
    expect(late.subscription).toMatchObject({
      period: 2,
      quota: 620,
      periodEndsAt: startedAt + 2 * DAY + 2 * HOUR,
    });
    const over = rolled({ period: 1, periodEndsAt: NOW, periods: 2 }).world;
    expect(over.subscription).toMatchObject({ isActive: false, endedAt: NOW, quota: 120, period: 1 });
    expect(rolled({ period: 1, periodEndsAt: NOW, endsAt: NOW }).world.subscription.isActive).toBe(false);
  });

  test('that were ended inside their period get back what their last calls leave over, for a reopening', () => {
    const hold = { subscriptionId: 3, planPeriod: 2, planAmount: 80, isPlanFirst: true };
    const world = ledgerRows({
      holds: [hold],
      subscription: { isActive: false, quota: 80, held: 80 },
      user: { held: 20, planHeld: 80 },
      token: { held: 100 },
    });
    world.apply(settling(30));
    expect(world.subscription).toMatchObject({ quota: 0, held: 0 });
    expect(world.written.entries.filter(({ debit }) => debit === 'plan:3')).toMatchObject([
      { idem: 'call:plan', amount: 30, kind: 'use' },
      { idem: 'call:plan:rest', amount: 50, kind: 'plan_return', reference: 'ended' },
    ]);
  });

  test('get back what a late settlement returns, and lose it again when they have ended', () => {
    const late = (subscription: Given['subscription']) => {
      const world = ledgerRows({
        subscription: { quota: 10, ...subscription },
        booked: {
          call: { amount: 0, reference: 'recovered', at: NOW - 60 },
          'call:plan': { amount: 60, reference: 'plan', at: NOW - 60 },
        },
      });
      const plan = { subscriptionId: 3, planPeriod: 2, isPlanFirst: true };
      world.apply(settling(20, { owner: { ...owner, plan } }));
      const rest = world.written.entries.find(({ idem }) => idem === 'call:late:plan:rest');
      return [world.subscription.quota, rest?.amount, rest?.reference];
    };
    expect(late({})).toEqual([50, undefined, undefined]);
    expect(late({ isActive: false })).toEqual([10, 40, 'ended']);
    expect(late({ period: 3 })).toEqual([10, 40, '']);
  });

  test('name what they paid in the log row once, and nothing where they paid nothing', () => {
    const hold = { subscriptionId: 3, planPeriod: 2, planAmount: 80, isPlanFirst: true };
    const shown = (charge: number) => {
      const world = ledgerRows({
        holds: [hold],
        subscription: { held: 80 },
        user: { held: 20, planHeld: 80 },
        token: { held: 100 },
      });
      const other = JSON.stringify({ plan: 'an older word', path: '/v1' });
      world.apply(settling(charge, { log: { type: 2, user_id: 1, other } }));
      return JSON.parse(world.written.logs[0]?.row.other ?? '{}') as unknown;
    };
    expect(shown(30)).toEqual({ path: '/v1', plan: { subscription: 3, quota: 30 } });
    expect(shown(0)).toEqual({ plan: 'an older word', path: '/v1' });
  });
});

describe('a slice', () => {
  const id = 'allowance:here:4:1';
  const grown = (given: Given, growth: { isNew: boolean; amount?: number } = { isNew: true }) => {
    const world = ledgerRows({
      holds: [{}],
      ...given,
      user: { quota: 1_000_000, held: 100, ...given.user },
      token: { held: 100, ...given.token },
    });
    const result = world.apply(settling(40, { growth: { id, amount: 100, ...growth } }));
    return { result, world };
  };

  test('is made of an ample balance, with the budgets of its call', () => {
    const { result, world } = grown({
      holds: [{ budgets: '10' }],
      counters: [{ quota: 1_000_000, held: 100 }],
    });
    expect(result).toMatchObject({ sliceKept: 100, isSliceOpen: true, balance: 1_000_000 - 40 - 100 });
    expect(world.hold(id)).toMatchObject({ amount: 100, budgets: '10', expiresAt: NOW + 180 });
    expect([world.user.held, world.token.held, world.counter().held]).toEqual([100, 100, 100]);
  });

  test('is a hundredth of what is free at most, and a tenth of it with all that is held', () => {
    const kept = (given: Given) => grown(given).result.sliceKept;
    expect(kept({ user: { quota: 10_140 } })).toBe(100);
    expect(kept({ user: { quota: 10_139 } })).toBe(0);
    // 1,900 beside the call is held.
    const others = { held: 2000 };
    expect(kept({ user: { ...others, quota: 22_040 } })).toBe(100);
    expect(kept({ user: { ...others, quota: 22_039 } })).toBe(0);
    expect(kept({ user: { quota: 1_000_000 }, token: { isUnlimited: false, remain: 10_139 } })).toBe(0);
    expect(kept({ holds: [{ budgets: '10' }], counters: [{ quota: 10_139, held: 100 }] })).toBe(0);
  });

  test('is not made where more than the balance decides about the calls of its key', () => {
    const kept = (given: Given) => grown(given).result.sliceKept;
    for (const limit of [
      'requestsPerMinute',
      'tokensPerMinute',
      'concurrentCalls',
      'dayBudget',
      'monthBudget',
    ] as const) {
      expect(kept({ user: { [limit]: 1_000_000 } })).toBe(0);
      expect(kept({ token: { [limit]: 1_000_000 } })).toBe(0);
    }
    expect(kept({ token: { isDeleted: true } })).toBe(0);
    expect(kept({ token: { status: 2 } })).toBe(0);
    expect(kept({ token: { userId: 9 } })).toBe(0);
    expect(kept({ user: { isActive: false } })).toBe(0);
    // The key is over while the slice lasts.
    expect(kept({ token: { expiredTime: NOW + 180 } })).toBe(0);
    expect(kept({ token: { expiredTime: NOW + 181 } })).toBe(100);
  });

  test('grows by what each call leaves, as long as its row is there', () => {
    const slice = { id, amount: 300, expiresAt: NOW + 50 };
    const { result, world } = grown(
      { holds: [{}, slice], user: { held: 400 }, token: { held: 400 } },
      { isNew: false },
    );
    expect([result.sliceKept, world.hold(id)]).toMatchObject([100, { amount: 400, expiresAt: NOW + 50 }]);
    expect(grown({}, { isNew: false }).result.sliceKept).toBe(0);
    const both = { holds: [{}, slice], user: { held: 400 }, token: { held: 400 } };
    expect(grown(both, { isNew: true }).result.sliceKept).toBe(0);
  });

  test('closes when half of what made it ample is gone', () => {
    const slice = { id, amount: 100 };
    const isOpen = (quota: number, held = 200) =>
      grown({ holds: [{}, slice], user: { quota, held }, token: { held } }, { isNew: false, amount: 0 })
        .result.isSliceOpen;
    // After the charge of 40, with 100 in the slice.
    expect([isOpen(5140), isOpen(5139)]).toEqual([true, false]);
    expect([isOpen(12_040, 2100), isOpen(12_039, 2100)]).toEqual([true, false]);
  });

  test('gives a call its own row: what is left of its part, what is free without it, nothing a second time', () => {
    const writing = (given: Given, amount = 80) => {
      const world = ledgerRows(given);
      world.apply({
        kind: 'writeHold',
        requestId: 'call',
        slice: { id, amount },
        owner: { ...owner, budgets: '10' },
        expiresAt: NOW + 600,
        isAgain: true,
      });
      return [
        world.hold()?.amount,
        world.hold(id)?.amount,
        world.user.held,
        world.token.held,
        world.counter().held,
      ];
    };
    const holds = [{ id, amount: 100, budgets: '10' }];
    const held = { user: { held: 100 }, token: { held: 100 }, counters: [{ quota: 500, held: 100 }] };
    expect(writing({ holds, ...held })).toEqual([80, 20, 100, 100, 100]);
    expect(writing({ holds: [{ ...holds[0], amount: 30 }], ...held })).toEqual([80, 0, 150, 150, 150]);
    expect(writing({ counters: [{ quota: 500 }], user: { quota: 50 } })).toEqual([50, undefined, 50, 50, 50]);
    expect(writing({ holds: [...holds, { id: 'call', amount: 5 }], ...held })).toEqual([
      5, 100, 100, 100, 100,
    ]);
    expect(writing({ holds, ...held, booked: { call: {} } })).toEqual([undefined, 100, 100, 100, 100]);
  });

  test('is drawn on for what the free balance lacks, and not beyond the part of the call', () => {
    const drawn = (quota: number, charge: number, amount = 60) => {
      const world = ledgerRows({
        holds: [{ id, amount: 100 }],
        user: { quota, held: 100 },
        token: { held: 100 },
      });
      const result = world.apply(settling(charge, { owner, slice: { id, amount }, held: amount }));
      return [result.charged, result.suspense, result.sliceKept, world.hold(id)?.amount, world.user.held];
    };
    expect(drawn(1000, 50)).toEqual([50, 0, 60, 100, 100]);
    expect(drawn(120, 50)).toEqual([50, 0, 30, 70, 70]);
    expect(drawn(120, 90)).toEqual([80, 10, 0, 40, 40]);
  });
});

describe('the sums of a batch', () => {
  test('are kept for each key, channel, model, group and day of their own', () => {
    const world = ledgerRows();
    const calls = [
      {},
      {},
      { modelName: 'n' },
      { channelId: 8 },
      { group: 'vip' },
      { owner: { userId: 1, tokenId: 0 } },
      { at: NOW - DAY },
    ];
    for (const [index, more] of calls.entries())
      world.apply(settling(10, { requestId: `${index}`, owner, cost: 4, errorCount: 1, ...more }));
    const { usage, margins, channels, unsummed } = world.written;
    const hours = usage.map(({ at, tokenId, channelId, modelName, count }) => [
      NOW - at < DAY,
      tokenId,
      channelId,
      modelName,
      count,
    ]);
    expect(hours).toEqual([
      [true, 2, 7, 'm', 3],
      [true, 2, 7, 'n', 1],
      [true, 2, 8, 'm', 1],
      [true, 0, 7, 'm', 1],
      [false, 2, 7, 'm', 1],
    ]);
    expect(usage[0]).toMatchObject({
      quota: 30,
      promptTokens: 18,
      completionTokens: 12,
      errorCount: 3,
      useTimeMs: 3600,
      firstTokenMs: 900,
    });
    const days = margins.map(({ at, channelId, modelName, group, count }) => [
      NOW - at < DAY,
      channelId,
      modelName,
      group,
      count,
    ]);
    expect(days).toEqual([
      [true, 7, 'm', 'default', 3],
      [true, 7, 'n', 'default', 1],
      [true, 8, 'm', 'default', 1],
      [true, 7, 'm', 'vip', 1],
      [false, 7, 'm', 'default', 1],
    ]);
    expect(margins[0]).toMatchObject({ quota: 30, cost: 12, costedCount: 3, costedQuota: 30 });
    expect(channels).toEqual([
      { id: 7, quota: 60 },
      { id: 8, quota: 10 },
    ]);
    const yesterday = NOW - (NOW % DAY) - DAY;
    expect(unsummed.filter(({ days: length }) => length === 1)).toEqual([{ days: 1, day: yesterday }]);
  });

  test('a day that ended with this second may be summed already', () => {
    const midnight = NOW - (NOW % DAY);
    const world = ledgerRows({ now: midnight });
    world.apply(settling(1, { at: midnight - 1 }));
    expect(world.written.unsummed.length).toBeGreaterThan(0);
    const before = ledgerRows({ now: midnight - 1 });
    before.apply(settling(1));
    expect(before.written.unsummed).toEqual([]);
  });

  test('each user has margins of their own', () => {
    const world = ledgerRows();
    world.apply(settling(1, { requestId: 'a' }));
    world.apply(settling(1, { requestId: 'b', owner: { userId: 5, tokenId: 0 } }));
    expect(world.written.margins.map(({ userId, count }) => [userId, count])).toEqual([
      [1, 1],
      [5, 1],
    ]);
  });

  test('a budget of a day has what earlier calls of the batch were charged, from its first hour on', () => {
    const start = NOW - (NOW % DAY);
    const world = ledgerRows({
      user: { quota: 100_000, dayBudget: 100 },
      spent: { [`user:1:${start}`]: 20 },
    });
    const left = () => {
      const result = world.apply(reserving({ requestId: 'x', amount: 1000, least: 1000 }));
      return result.ok ? undefined : result.available;
    };
    expect(left()).toBe(80);
    world.apply(settling(30, { requestId: 'a' }));
    expect(left()).toBe(50);
    world.apply(settling(30, { requestId: 'b', at: start }));
    expect(left()).toBe(20);
    world.apply(settling(30, { requestId: 'c', at: start - 1 }));
    expect(left()).toBe(20);
  });

  test('a minute never counts less than nothing', () => {
    const minute = NOW - (NOW % 60);
    const limits = { tokensPerMinute: 500 };
    const world = ledgerRows({ user: limits, holds: [{}], windows: { [`user:1:tpm@${minute}`]: 10 } });
    world.apply(settling(5, { tokenDifference: -20 }));
    expect(world.written.windows).toMatchObject([{ scope: 'user:1:tpm', used: 0 }]);
  });

  test('calls that run, and those that the batch begins and ends, count for their key and user', () => {
    const world = ledgerRows({ token: { concurrentCalls: 3 }, running: { 'token:2': 1 } });
    const open = (requestId: string) => world.apply(reserving({ requestId, amount: 1 })).ok;
    expect([open('a'), open('b'), open('c')]).toEqual([true, true, false]);
    world.apply(releasing({ requestId: 'a' }));
    expect([open('d'), open('e')]).toEqual([true, false]);
    expect([world.token.dirty, world.written.newHolds.map(({ id }) => id)]).toEqual([true, ['b', 'd']]);
  });

  test('every kind of limit is one', () => {
    expect(hasLimits(noLimits)).toBe(false);
    for (const name of Object.keys(noLimits)) expect(hasLimits({ ...noLimits, [name]: 1 })).toBe(true);
  });
});
