// Everything that one operation writes, row by row: what a call leaves in the ledger, the figures and the log, and nothing beside it.
import { describe, expect, test } from 'bun:test';
import { ledgerRows, logged, NOW, releasing, settling, type Given } from '#tests/support/ledger-rows.ts';
import type { LogEntry } from './rows.ts';
import type { Settle } from './operations.ts';

const owner = { userId: 1, tokenId: 2, budgets: '10' };
const plan = { subscriptionId: 3, planPeriod: 2, isPlanFirst: true };
const AT = NOW - 7200;
const hourOf = (at: number) => at - (at % 3600);
const dayOf = (at: number) => at - (at % 86_400);
const held: Given = {
  holds: [{ budgets: '10', ...plan, planAmount: 30 }],
  user: { held: 70, planHeld: 30, quota: 100 },
  token: { held: 100 },
  subscription: { quota: 40, held: 30 },
  counters: [{ held: 100, quota: 1000 }],
};
const ofTeam = { member_id: 21, service_account_id: 22, project_id: 23, tags: '{"team":"blue"}' };
const team = { userId: 1, tokenId: 2, memberId: 21, serviceAccountId: 22, projectId: 23 };
const keyed = { ...team, tagKey: '', tagValue: '' };
const tagged = { ...team, tagKey: 'team', tagValue: 'blue' };
const row = () => logged({ ...ofTeam, prompt_tokens: 6, completion_tokens: 4 });

const shown = ({ at, requestId, quota, cost, row: written }: LogEntry): LogEntry => ({
  at,
  requestId,
  quota,
  cost,
  row: written,
});

function changed(world: ReturnType<typeof ledgerRows>) {
  const { entries, usage, holders, margins, channels, windows, ended, notices } = world.written;
  const logs = world.written.logs.map(shown);
  const correctedLogs = world.written.correctedLogs.map(shown);
  const others = { windows, ended, notices };
  return { entries, usage, holders, margins, channels, logs, correctedLogs, ...others };
}

const NOTHING_ELSE = { windows: [], ended: [], notices: [] };
const figures = { promptTokens: 6, completionTokens: 4, errorCount: 0 };
const times = { useTimeMs: 1200, firstTokenMs: 300 };

describe('a settlement writes', () => {
  test('what plan, balance and loss each have of the charge, at its time', () => {
    const world = ledgerRows(held);
    const operation = settling(200, { at: AT, cost: 9, errorCount: 1, log: row() });
    expect(world.apply(operation)).toEqual({
      charged: 140,
      balance: 0,
      suspense: 60,
      aboveHold: 40,
      duplicate: false,
      hadHold: true,
      tokenStatus: 0,
    });
    const booked = { userId: 1, at: AT };
    const log = { ...row(), budgets: '10', other: JSON.stringify({ plan: { subscription: 3, quota: 40 } }) };
    const call = { ...figures, errorCount: 1, count: 1, quota: 140 };
    expect(changed(world)).toEqual({
      entries: [
        {
          ...booked,
          idem: 'call:plan',
          debit: 'plan:3',
          credit: 'revenue',
          amount: 40,
          kind: 'use',
          reference: 'plan',
        },
        {
          ...booked,
          idem: 'call',
          debit: 'user:1',
          credit: 'revenue',
          amount: 100,
          kind: 'use',
          reference: 'logged',
        },
        {
          ...booked,
          idem: 'call:suspense',
          debit: 'suspense',
          credit: 'revenue',
          amount: 60,
          kind: 'suspense',
          reference: 'call',
        },
        {
          ...booked,
          idem: 'call:above-hold',
          debit: 'world:above-hold',
          credit: 'world:hold',
          amount: 40,
          kind: 'above_hold',
          reference: 'call',
        },
      ],
      usage: [{ at: hourOf(AT), userId: 1, tokenId: 2, channelId: 7, modelName: 'm', ...call, ...times }],
      holders: [keyed, tagged].map((each) => ({
        ...each,
        at: hourOf(AT),
        modelName: 'm',
        ...call,
        ...times,
      })),
      margins: [
        {
          at: dayOf(AT),
          userId: 1,
          channelId: 7,
          modelName: 'm',
          group: 'default',
          count: 1,
          quota: 140,
          cost: 9,
          costedCount: 1,
          costedQuota: 140,
        },
      ],
      channels: [{ id: 7, quota: 140 }],
      logs: [{ at: AT, requestId: 'call', quota: 140, cost: 9, row: log }],
      correctedLogs: [],
      ...NOTHING_ELSE,
    });
    expect(world.user).toMatchObject({ quota: 0, held: 0, planHeld: 0, used: 140, requestCount: 1 });
    expect(world.token).toMatchObject({ held: 0, used: 140, accessedTime: AT });
    expect(world.subscription).toMatchObject({ quota: 0, held: 0 });
    expect(world.counter()).toMatchObject({ spent: 140, held: 0 });
  });

  test('no log row and no key where a task has none, and calls its charge unlogged', () => {
    const world = ledgerRows({ holds: [{ tokenId: 0 }], user: { held: 100 } });
    world.apply(settling(30, { log: null, channelId: 0 }));
    const { entries, logs, holders, channels } = changed(world);
    expect(entries).toMatchObject([{ idem: 'call', amount: 30, reference: 'unlogged', at: NOW }]);
    expect([logs, holders, channels, world.token.used]).toEqual([[], [], [], 0]);
  });

  test('the failure of a call with its holder and its time, and no money', () => {
    const world = ledgerRows(held);
    const failure = { channelId: 7, modelName: 'm', useTimeMs: 900, log: row() };
    expect(world.apply(releasing({ at: AT, failure }))).toBe(true);
    const call = { count: 0, quota: 0, promptTokens: 0, completionTokens: 0, errorCount: 1 };
    const took = { useTimeMs: 900, firstTokenMs: 0 };
    const usage = { userId: 1, tokenId: 2, channelId: 7, ...call, ...took };
    expect(changed(world)).toEqual({
      entries: [],
      usage: [{ at: hourOf(AT), modelName: 'm', ...usage }],
      holders: [keyed, tagged].map((each) => ({ ...each, at: hourOf(AT), modelName: 'm', ...call, ...took })),
      margins: [],
      channels: [],
      logs: [{ at: AT, requestId: 'call', quota: 0, cost: null, row: row() }],
      correctedLogs: [],
      ...NOTHING_ELSE,
    });
    expect(world.user).toMatchObject({ quota: 100, held: 0, planHeld: 0, used: 0, requestCount: 0 });
    expect([world.subscription.quota, world.subscription.held, world.counter().held]).toEqual([40, 0, 0]);
  });
});

describe('a late settlement writes', () => {
  /** As recovery left it: 50 of the subscription, 10 of the balance, 15 lost, 5 above the hold. */
  const recoveredLog: LogEntry = {
    at: AT,
    requestId: 'call',
    quota: 60,
    cost: 20,
    row: logged({ ...ofTeam, channel_id: 5, model_name: 'old', prompt_tokens: 3, completion_tokens: 1 }),
  };
  const late = (more: Given, operation: Partial<Settle>) => {
    const world = ledgerRows({
      booked: {
        call: { amount: 10, reference: 'recovered', at: AT },
        'call:plan': { amount: 50, reference: 'plan', at: AT },
        'call:suspense': { amount: 15, kind: 'suspense', reference: 'call', at: AT },
        'call:above-hold': { amount: 5, kind: 'above_hold', reference: 'call', at: AT },
      },
      logs: [recoveredLog],
      user: { quota: 25, used: 60, requestCount: 1 },
      token: { used: 60, accessedTime: AT },
      subscription: { quota: 7 },
      counters: [{ spent: 60, quota: 1000 }],
      ...more,
    });
    const result = world.apply(
      settling(0, { owner: { ...owner, plan }, held: 55, log: row(), ...operation }),
    );
    return { world, result };
  };
  const entry = (idem: string, debit: string, credit: string, amount: number) => ({
    idem,
    userId: 1,
    debit,
    credit,
    amount,
    at: NOW,
  });
  const before = {
    count: -1,
    quota: -60,
    promptTokens: -3,
    completionTokens: -1,
    errorCount: -1,
    useTimeMs: 0,
    firstTokenMs: 0,
  };

  test('what is charged more: of both pockets, then as a loss', () => {
    const { world, result } = late({}, { charge: 100, cost: 35 });
    // 50 + 7 of the subscription, 10 + 25 of the balance.
    expect(result).toEqual({
      charged: 92,
      balance: 0,
      suspense: 0,
      aboveHold: 32,
      duplicate: false,
      hadHold: false,
      tokenStatus: 0,
    });
    const log = { ...row(), budgets: '10', other: JSON.stringify({ plan: { subscription: 3, quota: 57 } }) };
    const call = { ...figures, count: 1, quota: 92 };
    const margin = { at: dayOf(AT), userId: 1, group: 'default' };
    const usage = { at: hourOf(AT), userId: 1, tokenId: 2 };
    expect(changed(world)).toEqual({
      entries: [
        { ...entry('call:late', 'user:1', 'revenue', 25), kind: 'use', reference: 'late' },
        { ...entry('call:late:plan', 'plan:3', 'revenue', 7), kind: 'use', reference: 'late' },
        { ...entry('call:late:suspense', 'revenue', 'suspense', 7), kind: 'suspense', reference: 'call' },
        {
          ...entry('call:late:above-hold', 'world:above-hold', 'world:hold', 32),
          kind: 'above_hold',
          reference: 'call',
        },
      ],
      usage: [
        { ...usage, channelId: 5, modelName: 'old', ...before },
        { ...usage, channelId: 7, modelName: 'm', ...call, ...times },
      ],
      holders: [
        { ...keyed, at: hourOf(AT), modelName: 'old', ...before },
        { ...tagged, at: hourOf(AT), modelName: 'old', ...before },
        { ...keyed, at: hourOf(AT), modelName: 'm', ...call, ...times },
        { ...tagged, at: hourOf(AT), modelName: 'm', ...call, ...times },
      ],
      margins: [
        {
          ...margin,
          channelId: 5,
          modelName: 'old',
          count: -1,
          quota: -60,
          cost: -20,
          costedCount: -1,
          costedQuota: -60,
        },
        {
          ...margin,
          channelId: 7,
          modelName: 'm',
          count: 1,
          quota: 92,
          cost: 35,
          costedCount: 1,
          costedQuota: 92,
        },
      ],
      channels: [
        { id: 5, quota: -60 },
        { id: 7, quota: 92 },
      ],
      logs: [],
      correctedLogs: [{ at: AT, requestId: 'call', quota: 92, cost: 35, row: log }],
      ...NOTHING_ELSE,
    });
    expect(world.user).toMatchObject({ quota: 0, used: 92, requestCount: 1 });
    expect(world.token).toMatchObject({ used: 92, accessedTime: NOW });
    expect([world.subscription.quota, world.counter().spent]).toEqual([0, 92]);
  });

  test('what is charged less: back into both pockets, at the time of the settlement', () => {
    const at = NOW - 60;
    const { world, result } = late({}, { charge: 20, at, log: null });
    expect(result).toMatchObject({ charged: 20, balance: 35, suspense: 0, aboveHold: 0 });
    const { entries, correctedLogs, margins, holders } = changed(world);
    expect(entries).toEqual([
      { ...entry('call:late', 'revenue', 'user:1', 10), kind: 'refund', reference: 'late', at },
      { ...entry('call:late:plan', 'revenue', 'plan:3', 30), kind: 'refund', reference: 'late', at },
      { ...entry('call:late:suspense', 'revenue', 'suspense', 15), kind: 'suspense', reference: 'call', at },
      {
        ...entry('call:late:above-hold', 'world:hold', 'world:above-hold', 5),
        kind: 'above_hold',
        reference: 'call',
        at,
      },
    ]);
    // Without a row of its own it keeps the holder and the group of that of recovery; what it cost is not known.
    expect(correctedLogs).toMatchObject([
      { at: AT, quota: 20, cost: null, row: { ...ofTeam, budgets: '10' } },
    ]);
    expect(correctedLogs[0]?.row).toMatchObject({ channel_id: 7, model_name: 'm', use_time: 1, content: '' });
    expect(JSON.parse(correctedLogs[0]?.row.other ?? '')).toEqual({ plan: { subscription: 3, quota: 20 } });
    expect(margins[1]).toMatchObject({
      quota: 20,
      cost: 0,
      costedCount: 0,
      costedQuota: 0,
      group: 'default',
    });
    expect(holders[3]).toEqual({
      ...tagged,
      at: hourOf(AT),
      modelName: 'm',
      ...figures,
      ...times,
      count: 1,
      quota: 20,
    });
    expect(world.user).toMatchObject({ quota: 35, used: 20 });
    expect(world.token).toMatchObject({ used: 20, accessedTime: NOW - 60 });
    expect([world.subscription.quota, world.counter().spent]).toEqual([37, 20]);
  });

  test('the same charge: a record of nothing, so that it counts once', () => {
    const { world } = late({ subscription: { quota: 0 } }, { charge: 60, held: 55 });
    const { entries } = changed(world);
    expect(entries).toEqual([
      { ...entry('call:late', 'user:1', 'revenue', 0), kind: 'use', reference: 'late' },
      { ...entry('call:late:suspense', 'revenue', 'suspense', 15), kind: 'suspense', reference: 'call' },
    ]);
    const again = world.apply(settling(90, { owner: { ...owner, plan }, held: 55 }));
    expect([again.charged, again.duplicate, changed(world).entries.length]).toEqual([60, true, 2]);
  });

  test('the difference alone where the log row is gone, for its holder, its key and its channel', () => {
    const { world } = late({ logs: [] }, { charge: 80, cost: 4 });
    const { usage, holders, margins, channels, logs, correctedLogs } = changed(world);
    const spent = { quota: 20, promptTokens: 0, completionTokens: 0 };
    const difference = { count: 0, ...spent, errorCount: 0, useTimeMs: 0, firstTokenMs: 0 };
    const at = hourOf(AT);
    expect(usage).toEqual([
      {
        at,
        userId: 1,
        tokenId: 2,
        channelId: 7,
        modelName: 'm',
        ...difference,
      },
    ]);
    expect(holders).toEqual([keyed, tagged].map((each) => ({ ...each, at, modelName: 'm', ...difference })));
    expect(margins).toEqual([
      {
        at: dayOf(AT),
        userId: 1,
        channelId: 7,
        modelName: 'm',
        group: 'default',
        count: 0,
        quota: 20,
        cost: 0,
        costedCount: 0,
        costedQuota: 0,
      },
    ]);
    expect([channels, logs, correctedLogs]).toEqual([[{ id: 7, quota: 20 }], [], []]);
    expect(changed(late({ logs: [] }, { charge: 80, channelId: 0 }).world).channels).toEqual([]);
  });

  test('nothing for who did not open the call, and nothing without a charge of recovery', () => {
    const stranger = late({}, { charge: 90, owner: undefined });
    expect([stranger.result.charged, stranger.result.duplicate]).toEqual([60, true]);
    expect(changed(stranger.world).entries).toEqual([]);
    const ended = { call: { amount: 60, reference: 'logged', at: AT } };
    const settled = late({ booked: ended }, { charge: 90 });
    expect([settled.result.charged, settled.result.duplicate]).toEqual([60, true]);
    expect(changed(settled.world).entries).toEqual([]);
    const none = late({ booked: {} }, { charge: 90, owner: undefined });
    expect(none.result).toMatchObject({ charged: 0, duplicate: true });
  });

  test('the record alone for a user who is gone: nobody pays, and the plan stays as it is', () => {
    const { world, result } = late({}, { charge: 80, owner: { userId: 9, tokenId: 0, plan } });
    expect(result).toMatchObject({ charged: 60, suspense: 5, balance: -1 });
    const { entries } = changed(world);
    expect(entries.map(({ idem, amount, userId }) => [idem, amount, userId])).toEqual([
      ['call:late', 0, 9],
      ['call:late:suspense', 5, 9],
    ]);
    expect([world.user.quota, world.subscription.quota, world.token.used]).toEqual([25, 7, 60]);
  });

  test('the figures of the first channel and key that there are', () => {
    const first = ledgerRows({ holds: [{ tokenId: 1 }], token: { id: 1, held: 100 }, user: { held: 100 } });
    first.apply(settling(30, { channelId: 1 }));
    expect([changed(first).channels, first.token.used]).toEqual([[{ id: 1, quota: 30 }], 30]);
    const gone = late({ logs: [] }, { charge: 80, channelId: 1 });
    expect(changed(gone.world).channels).toEqual([{ id: 1, quota: 20 }]);
    const corrected = late({}, { charge: 80, channelId: 1 });
    expect(changed(corrected.world).channels).toEqual([
      { id: 5, quota: -60 },
      { id: 1, quota: 80 },
    ]);
  });

  test('what was given back and charged since counts in what a call has paid', () => {
    const paid = (booked: Given['booked']) => {
      const world = ledgerRows({ booked: { call: { amount: 60, reference: 'recovered' }, ...booked } });
      return world.apply(settling(5)).charged;
    };
    const more = { amount: 25, reference: 'late', kind: 'use' };
    const less = { amount: 25, reference: 'late', kind: 'refund' };
    expect(paid({ 'call:late': more, 'call:late:plan': less, 'call:plan': { amount: 7 } })).toBe(67);
    expect(paid({ 'call:late': less })).toBe(35);
    expect(paid({ 'call:late': more, 'call:late:plan': { ...more, amount: 4 } })).toBe(89);
  });
});

describe('a failure after recovery gives back', () => {
  test('what recovery took, as of the call that failed', () => {
    const world = ledgerRows({
      booked: { call: { amount: 60, reference: 'recovered', at: AT } },
      user: { quota: 940, used: 60, requestCount: 1 },
      token: { used: 60 },
    });
    expect(world.apply(releasing({ at: AT + 60, owner: { userId: 1, tokenId: 2 } }))).toBe(false);
    const { entries, usage, channels } = changed(world);
    expect(entries).toMatchObject([
      { idem: 'call:late', debit: 'revenue', credit: 'user:1', amount: 60, kind: 'refund', at: AT + 60 },
    ]);
    expect(usage).toMatchObject([{ channelId: 0, modelName: '', quota: -60, count: 0, useTimeMs: 0 }]);
    expect([channels, world.user.quota, world.token.used]).toEqual([[], 1000, 0]);
    const unknown = ledgerRows({ booked: { call: { amount: 60, reference: 'recovered', at: AT } } });
    expect(unknown.apply(releasing())).toBe(false);
    expect(changed(unknown).entries).toEqual([]);
  });
});
