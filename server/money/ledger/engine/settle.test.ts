// The end of a call: what is charged, given back and counted, early, late and after a crash.
import { describe, expect, test } from 'bun:test';
import { factText } from '#contract/facts.ts';
import { ledgerRows, logged, NOW, releasing, settling, type Given } from '#tests/support/ledger-rows.ts';
import type { LogEntry } from './rows.ts';
import type { Recover, Settle } from './operations.ts';

const owner = { userId: 1, tokenId: 2 };
const running: Given = { holds: [{}], user: { held: 100 }, token: { held: 100 } };
const HOUR = NOW - (NOW % 3600);

describe('a settlement', () => {
  test('gives the hold back, charges, and counts the call once everywhere', () => {
    const world = ledgerRows({
      ...running,
      holds: [{ budgets: '10' }],
      counters: [{ held: 100 }],
    });
    const result = world.apply(settling(70, { cost: 25, budgets: undefined } as Partial<Settle>));
    expect(result).toMatchObject({ charged: 70, balance: 930, suspense: 0, aboveHold: 0, hadHold: true });
    expect(world.user).toMatchObject({ quota: 930, held: 0, used: 70, requestCount: 1 });
    expect(world.token).toMatchObject({ held: 0, used: 70, accessedTime: NOW });
    expect(world.counter()).toMatchObject({ held: 0, spent: 70 });
    const { usage, margins, channels, logs, entries, deletedHolds } = world.written;
    expect(usage).toEqual([
      {
        at: HOUR,
        ...owner,
        channelId: 7,
        modelName: 'm',
        count: 1,
        quota: 70,
        promptTokens: 6,
        completionTokens: 4,
        errorCount: 0,
        useTimeMs: 1200,
        firstTokenMs: 300,
      },
    ]);
    expect(margins).toMatchObject([{ count: 1, quota: 70, cost: 25, costedCount: 1, costedQuota: 70 }]);
    expect([channels, deletedHolds.length, entries.length]).toEqual([[{ id: 7, quota: 70 }], 1, 1]);
    expect(logs).toMatchObject([{ quota: 70, cost: 25, row: { budgets: '10' } }]);
  });

  test('of no channel counts for none, and one of nothing for no channel', () => {
    const channelsOf = (charge: number, channelId: number) => {
      const world = ledgerRows(running);
      world.apply(settling(charge, { channelId }));
      return world.written.channels;
    };
    expect([channelsOf(5, 0), channelsOf(0, 7), channelsOf(5, 7)]).toEqual([[], [], [{ id: 7, quota: 5 }]]);
  });

  test('corrects the tokens that were counted for its key and its user', () => {
    const minute = NOW - (NOW % 60);
    const limits = { tokensPerMinute: 500 };
    const world = ledgerRows({
      holds: [{}],
      user: { held: 100, ...limits },
      token: { held: 100, ...limits },
      windows: { [`user:1:tpm@${minute}`]: 90, [`token:2:tpm@${minute}`]: 60 },
    });
    world.apply(settling(5, { tokenDifference: -20 }));
    expect(world.written.windows.map(({ scope, used }) => [scope, used])).toEqual([
      ['user:1:tpm', 70],
      ['token:2:tpm', 40],
    ]);
  });

  test('never leaves less than nothing held or used, whatever the rows say', () => {
    const world = ledgerRows({
      ...running,
      holds: [{ budgets: '10' }],
      user: { held: 60 },
      token: { held: 50 },
      counters: [{ held: 30 }],
    });
    world.apply(settling(5));
    expect([world.user.held, world.token.held, world.counter().held]).toEqual([0, 0, 0]);
  });

  test('of a hold that is gone is charged to its owner and its budgets', () => {
    const world = ledgerRows({ counters: [{}] });
    const result = world.apply(settling(40, { owner: { ...owner, budgets: '10' }, held: 30 }));
    expect(result).toMatchObject({ charged: 40, aboveHold: 10, hadHold: false });
    expect([world.counter().spent, world.counter().held]).toEqual([40, 0]);
    expect(world.written.logs).toMatchObject([{ row: { budgets: '10' } }]);
  });

  test('of a hold inside a slice that was not noted was held as much as its part', () => {
    const world = ledgerRows();
    const slice = { id: 'allowance:gone:1:1', amount: 30 };
    expect(world.apply(settling(40, { slice, held: undefined }))).toMatchObject({
      aboveHold: 10,
      hadHold: true,
    });
  });

  test('is divided as its hold was: the first pocket first, and the log row names what the plan paid', () => {
    const paid = (isPlanFirst: boolean) => {
      const world = ledgerRows({
        holds: [{ subscriptionId: 3, planPeriod: 2, planAmount: 50, isPlanFirst }],
        subscription: { quota: 60, held: 50 },
        user: { held: 50, planHeld: 50 },
        token: { held: 100 },
      });
      world.apply(settling(70));
      const { other } = world.written.logs[0]?.row ?? {};
      return [world.subscription.quota, world.user.quota, world.user.used, JSON.parse(other ?? '{}')];
    };
    expect(paid(true)).toEqual([0, 990, 70, { plan: { subscription: 3, quota: 60 } }]);
    expect(paid(false)).toEqual([60, 930, 70, {}]);
  });

  test('notices a balance that falls through the threshold or to nothing, once in two hours', () => {
    const noticed = (given: Given, charge: number, more: Partial<Settle> = {}) => {
      const world = ledgerRows({
        ...running,
        lowBalanceThreshold: 500,
        ...given,
        user: { held: 100, ...given.user },
      });
      world.apply(settling(charge, more));
      return world.written.notices.map(({ event, userId, details, onceKey }) => [
        event,
        userId,
        details,
        onceKey,
      ]);
    };
    const notice = (balance: number, at = NOW) => [
      ['low_balance', 1, JSON.stringify({ balance }), `low-balance:1:${at}`],
    ];
    expect(noticed({}, 499)).toEqual([]);
    expect(noticed({}, 500)).toEqual(notice(500));
    expect(noticed({ user: { quota: 500 } }, 1)).toEqual([]);
    expect(noticed({ user: { quota: 400 } }, 400)).toEqual(notice(0));
    expect(noticed({ user: { quota: 400 } }, 399)).toEqual([]);
    expect(noticed({ lowBalanceThreshold: -1, user: { quota: 400 } }, 400)).toEqual([]);
    expect(noticed({ user: { lowBalanceNoticeAt: NOW - 7199 } }, 500)).toEqual([]);
    expect(noticed({ user: { lowBalanceNoticeAt: NOW - 7200 } }, 500)).toEqual(notice(500));
    // The subscription paid it: the balance has not fallen.
    const plan = { subscriptionId: 3, planPeriod: 2, planAmount: 100, isPlanFirst: true };
    const byPlan = {
      holds: [plan],
      subscription: { held: 100 },
      user: { quota: 500, held: 0, planHeld: 100 },
    };
    expect(noticed(byPlan, 100)).toEqual([]);
    const twice = ledgerRows({ lowBalanceThreshold: 500 });
    twice.apply(settling(500));
    expect(twice.user.lowBalanceNoticeAt).toBe(NOW);
  });
});

describe('a call that failed', () => {
  const failure = { channelId: 7, modelName: 'm', useTimeMs: 900, log: logged({ type: 5 }) };

  test('is an error of its channel and model, with its time, and no request', () => {
    const world = ledgerRows(running);
    expect(world.apply(releasing({ failure }))).toBe(true);
    const { usage, logs, margins, entries } = world.written;
    expect(usage).toMatchObject([
      {
        ...owner,
        channelId: 7,
        modelName: 'm',
        count: 0,
        quota: 0,
        errorCount: 1,
        useTimeMs: 900,
        firstTokenMs: 0,
      },
    ]);
    expect(logs).toMatchObject([{ quota: 0, cost: null, row: { type: 5 } }]);
    expect([margins, entries, world.user.requestCount]).toEqual([[], [], 0]);
  });

  test('gives the subscription back what it held, also of a period that is over', () => {
    const plan = { subscriptionId: 3, planPeriod: 1, planAmount: 80, isPlanFirst: true };
    const world = ledgerRows({
      holds: [plan],
      subscription: { quota: 580, held: 80 },
      user: { held: 20, planHeld: 80 },
      token: { held: 100 },
    });
    world.apply(releasing());
    expect(world.subscription).toMatchObject({ quota: 500, held: 0 });
    expect(world.written.entries).toMatchObject([
      { idem: 'call:plan:rest', debit: 'plan:3', credit: 'world:plan', amount: 80, reference: '' },
    ]);
  });
});

/** As recovery leaves a call: charged 60 under channel 5. */
const recoveredAt = NOW - 5000;
const recoveredLog: LogEntry = {
  at: recoveredAt,
  requestId: 'call',
  quota: 60,
  cost: 20,
  row: logged({
    channel_id: 5,
    model_name: 'old',
    prompt_tokens: 3,
    completion_tokens: 1,
    estimated: 1,
    group: 'vip',
  }),
};
const recovered = (more: Given = {}): Given => ({
  booked: { call: { amount: 60, reference: 'recovered', at: recoveredAt } },
  logs: [recoveredLog],
  ...more,
  user: { quota: 940, used: 60, requestCount: 1, ...more.user },
});

describe('a settlement after recovery', () => {
  test('takes back what recovery counted, and counts the call as it was, in its first hour', () => {
    const world = ledgerRows(recovered({ token: { used: 60 }, counters: [{ spent: 60 }] }));
    const late = settling(90, { cost: 35, owner: { ...owner, budgets: '10' } });
    expect(world.apply(late)).toMatchObject({ charged: 90, balance: 910, duplicate: false, hadHold: false });
    const at = recoveredAt - (recoveredAt % 3600);
    const { usage, channels, margins, correctedLogs } = world.written;
    expect(usage).toMatchObject([
      {
        at,
        channelId: 5,
        modelName: 'old',
        count: -1,
        quota: -60,
        promptTokens: -3,
        completionTokens: -1,
        errorCount: -1,
      },
      {
        at,
        channelId: 7,
        modelName: 'm',
        count: 1,
        quota: 90,
        promptTokens: 6,
        errorCount: 0,
        useTimeMs: 1200,
        firstTokenMs: 300,
      },
    ]);
    expect(channels).toEqual([
      { id: 5, quota: -60 },
      { id: 7, quota: 90 },
    ]);
    expect(margins).toMatchObject([
      { channelId: 5, group: 'vip', count: -1, quota: -60, cost: -20, costedCount: -1, costedQuota: -60 },
      { channelId: 7, group: 'default', count: 1, quota: 90, cost: 35, costedCount: 1, costedQuota: 90 },
    ]);
    expect(correctedLogs).toMatchObject([
      { at: recoveredAt, quota: 90, cost: 35, row: { budgets: '10', channel_id: 7 } },
    ]);
    expect([world.counter().spent, world.user.requestCount, world.token.used]).toEqual([90, 1, 90]);
    const unsent = [{ ...recoveredLog, row: logged({ channel_id: 0 }) }];
    const without = ledgerRows(recovered({ logs: unsent }));
    without.apply(settling(90));
    expect(without.written.channels).toEqual([{ id: 7, quota: 90 }]);
  });

  test('without a log row of its own gives that of recovery its figures', () => {
    const world = ledgerRows(recovered());
    world.apply(settling(90, { log: null, useTimeMs: 2600 }));
    expect(world.written.correctedLogs).toMatchObject([
      {
        quota: 90,
        cost: null,
        row: {
          channel_id: 7,
          model_name: 'm',
          prompt_tokens: 6,
          completion_tokens: 4,
          use_time: 3,
          content: '',
          group: 'vip',
          estimated: 1,
        },
      },
    ]);
    // In the group of the log row.
    expect(world.written.margins[1]).toMatchObject({ group: 'vip' });
  });

  test('whose log row was cleaned away counts the difference only, and no second call', () => {
    const world = ledgerRows(recovered({ logs: [] }));
    world.apply(settling(90, { cost: 35 }));
    const { usage, channels, margins, correctedLogs } = world.written;
    expect(usage).toMatchObject([
      { channelId: 7, count: 0, quota: 30, promptTokens: 0, errorCount: 0, useTimeMs: 0 },
    ]);
    expect(channels).toEqual([{ id: 7, quota: 30 }]);
    expect(margins).toMatchObject([{ count: 0, quota: 30, cost: 0, costedCount: 0, costedQuota: 0 }]);
    expect(correctedLogs).toEqual([]);
  });

  test('of a failed call gives everything back, and leaves the failure with its channel and time', () => {
    const failure = { channelId: 7, modelName: 'm', useTimeMs: 900, log: null };
    const world = ledgerRows(recovered());
    expect(world.apply(releasing({ failure, owner }))).toBe(false);
    expect(world.user).toMatchObject({ quota: 1000, used: 0, requestCount: 1 });
    expect(world.written.usage[1]).toMatchObject({
      channelId: 7,
      modelName: 'm',
      count: 1,
      quota: 0,
      errorCount: 1,
      useTimeMs: 900,
    });
    expect(world.written.correctedLogs).toMatchObject([
      { quota: 0, row: { channel_id: 7, model_name: 'm', use_time: 1 } },
    ]);
  });

  test('says which status it gave the key', () => {
    const token = { isUnlimited: false, remain: 20, used: 60 };
    const world = ledgerRows(recovered({ token }));
    expect(world.apply(settling(90))).toMatchObject({ tokenStatus: 4 });
    const back = ledgerRows(recovered({ token: { ...token, remain: 0, status: 4 } }));
    expect(back.apply(settling(10))).toMatchObject({ tokenStatus: 1 });
    expect(back.token).toMatchObject({ remain: 50, status: 1 });
    // It has got nothing back, and was used less than it gives back.
    const unlimited = ledgerRows(recovered({ token: { status: 4, used: 20 } }));
    expect(unlimited.apply(settling(10))).toMatchObject({ tokenStatus: 0 });
    expect(unlimited.token).toMatchObject({ status: 4, used: 0 });
  });

  test('of a user who is gone leaves the charge as it was', () => {
    const late = (charge: number) =>
      ledgerRows(recovered()).apply(settling(charge, { owner: { userId: 9, tokenId: 0 } }));
    expect(late(90)).toMatchObject({ charged: 60, suspense: 30, balance: -1 });
    expect(late(30)).toMatchObject({ charged: 60, suspense: 0, balance: -1 });
  });

  test('is divided between subscription and balance as it would have been then', () => {
    const plan = { subscriptionId: 3, planPeriod: 2, isPlanFirst: true };
    const late = (given: Given, charge: number, more: object = {}) => {
      const world = ledgerRows(
        recovered({
          ...given,
          booked: {
            call: { amount: 10, reference: 'recovered', at: recoveredAt },
            'call:plan': { amount: 50, reference: 'plan', at: recoveredAt },
          },
        }),
      );
      const result = world.apply(settling(charge, { owner: { ...owner, plan: { ...plan, ...more } } }));
      return [result.charged, world.subscription.quota, world.user.quota];
    };
    // 50 and 30 of the subscription, the rest of the balance, which gets its 10 back first.
    expect(late({ subscription: { quota: 30 } }, 100)).toEqual([100, 0, 930]);
    expect(late({ subscription: { quota: 30 } }, 100, { isPlanFirst: false })).toEqual([100, 80, 850]);
    // In the next period it pays no more than it had paid.
    expect(late({ subscription: { quota: 30, period: 3 } }, 100)).toEqual([100, 30, 900]);
    expect(late({ subscription: { quota: 30 } }, 0)).toEqual([0, 80, 950]);
  });

  test('that could not be paid adds what is missing to the loss, or takes it away', () => {
    const missing = { 'call:suspense': { amount: 15, kind: 'suspense' } };
    const booked = { call: { amount: 60, reference: 'recovered', at: recoveredAt }, ...missing };
    const loss = (charge: number) => {
      const world = ledgerRows(recovered({ booked, user: { quota: 0 } }));
      const { suspense } = world.apply(settling(charge));
      const entry = world.written.entries.find(({ kind }) => kind === 'suspense');
      return [suspense, entry?.idem, entry?.debit, entry?.amount];
    };
    expect(loss(100)).toEqual([25, 'call:late:suspense', 'suspense', 25]);
    expect(loss(70)).toEqual([0, 'call:late:suspense', 'revenue', 5]);
    expect(loss(75)).toEqual([0, undefined, undefined, undefined]);
  });
});

describe('recovery', () => {
  const recovering: Recover = { kind: 'recover', requestId: 'call', policy: 'checkpoint' };
  const progress = { quota: 40, promptTokens: 5, completionTokens: 3, channelId: 6, cost: 11 };
  const snapshot = JSON.stringify({
    price: { model: 'm' },
    log: { username: 'ann', model_name: 'm', group: 'vip', content: 'x', user_id: 99 },
  });
  const sent = { dispatched: true, checkpointQuota: 40, checkpoint: JSON.stringify(progress), snapshot };

  test('charges the checkpoint and writes the row of an estimate', () => {
    const world = ledgerRows({ ...running, holds: [{ ...sent, budgets: '10' }], counters: [{ held: 100 }] });
    expect(world.apply(recovering)).toEqual({ requestId: 'call', how: 'charged', charged: 40, userId: 1 });
    const { logs, usage, channels } = world.written;
    expect(logs).toMatchObject([
      {
        quota: 40,
        cost: 11,
        row: {
          type: 2,
          user_id: 1,
          token_id: 2,
          username: 'ann',
          model_name: 'm',
          group: 'vip',
          channel_id: 6,
          prompt_tokens: 5,
          completion_tokens: 3,
          estimated: 1,
          content: factText('recovered'),
          budgets: '10',
        },
      },
    ]);
    expect(JSON.parse(logs[0]?.row.other ?? '{}')).toEqual({ recovered: true, price: { model: 'm' } });
    expect(usage).toMatchObject([{ channelId: 6, modelName: 'm', count: 1, quota: 40, errorCount: 1 }]);
    expect([channels, world.counter()]).toMatchObject([[{ id: 6, quota: 40 }], { spent: 40, held: 0 }]);
  });

  test('leaves a sent call to a person, of no process', () => {
    const world = ledgerRows({ ...running, holds: [sent] });
    const answer = { requestId: 'call', how: 'review', charged: 0, userId: 1 } as const;
    expect(world.apply({ ...recovering, policy: 'review' })).toEqual(answer);
    expect(world.hold()).toMatchObject({ nodeId: 'review', epoch: 0, amount: 100 });
    expect(world.apply({ ...recovering, policy: 'review' })).toEqual(answer);
  });

  test('tells of calls, not of slices', () => {
    const id = 'allowance:node:1:1';
    const world = ledgerRows({ ...running, holds: [{ id }] });
    expect(world.apply({ ...recovering, requestId: id })).toMatchObject({ how: 'gone' });
    expect([world.user.held, world.token.held]).toEqual([0, 0]);
    expect(ledgerRows(running).apply(recovering)).toMatchObject({ how: 'released', charged: 0, userId: 1 });
    expect(ledgerRows().apply(recovering)).toMatchObject({ how: 'gone', userId: 0 });
  });
});

describe('a checkpoint', () => {
  const noting = (quota: number | undefined, completionTokens = 1, snapshot = '') =>
    ({
      kind: 'noteProgress',
      requestId: 'call',
      checkpoint:
        quota === undefined ? undefined : { quota, promptTokens: 1, completionTokens, channelId: 7 },
      snapshot,
    }) as const;

  test('says that the call was sent, also without a figure', () => {
    const world = ledgerRows(running);
    world.apply(noting(undefined, 1, '{}'));
    expect(world.hold()).toMatchObject({
      dispatched: true,
      checkpointQuota: 0,
      checkpoint: '',
      snapshot: '{}',
    });
    expect(world.written.changedHolds).toHaveLength(1);
  });

  test('of the same charge replaces the one before, a smaller one does not', () => {
    const world = ledgerRows(running);
    for (const [quota, tokens] of [
      [40, 1],
      [40, 2],
      [30, 3],
    ] as const)
      world.apply(noting(quota, tokens));
    const hold = world.hold();
    expect(hold?.checkpointQuota).toBe(40);
    expect(JSON.parse(hold?.checkpoint ?? '{}')).toMatchObject({ completionTokens: 2 });
  });
});
