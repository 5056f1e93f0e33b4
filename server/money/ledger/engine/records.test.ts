// Rows as they are read and written: each column in its field, each sum under its own key, each hold of a dead process by its rule.
import { describe, expect, test } from 'bun:test';
import { factText } from '#contract/facts.ts';
import { ledgerRows, logged, NOW, reserving, settling, type Given } from '#tests/support/ledger-rows.ts';
import { LOG_COLUMNS, logRowOf, logValues } from './log-columns.ts';
import type { Recover } from './operations.ts';
import { sliceId } from './slice.ts';
import {
  counterState,
  holdState,
  subscriptionState,
  tokenState,
  userState,
  type CounterRow,
  type HoldRow,
  type SubscriptionRow,
  type TokenRow,
  type UserRow,
} from './states.ts';
import { addSums, BUDGET_WINDOWS, HOLDER_HOURS, MARGIN_DAYS, USAGE_HOURS } from './sum-tables.ts';

const HOUR = 3600;

describe('a row is read', () => {
  const limits = {
    requests_per_minute: 11,
    tokens_per_minute: 12,
    concurrent_calls: 13,
    day_budget: 14,
    month_budget: 15,
  };
  const limited = {
    requestsPerMinute: 11,
    tokensPerMinute: 12,
    concurrentCalls: 13,
    dayBudget: 14,
    monthBudget: 15,
  };

  test('of a user, who is active only if enabled and not deleted', () => {
    const row: UserRow = {
      status: 1,
      deleted_at: null,
      quota: 1,
      held_quota: 2,
      plan_held_quota: 3,
      used_quota: 4,
      request_count: 5,
      low_balance_mail_at: 6,
      ...limits,
    };
    expect(userState(9, row)).toEqual({
      id: 9,
      isActive: true,
      quota: 1,
      held: 2,
      planHeld: 3,
      isPlanHeldChanged: false,
      used: 4,
      requestCount: 5,
      lowBalanceNoticeAt: 6,
      ...limited,
      dirty: false,
    });
    expect([userState(9, { ...row, status: 2 }), userState(9, { ...row, deleted_at: 1 })]).toMatchObject([
      { isActive: false },
      { isActive: false },
    ]);
  });

  test('of a key, with the limits of its project where there are any', () => {
    const row: TokenRow = {
      user_id: 1,
      status: 2,
      deleted_at: null,
      project_id: 3,
      project_requests_per_minute: 0,
      project_tokens_per_minute: 0,
      expired_time: 4,
      unlimited_quota: 1,
      remain_quota: 5,
      held_quota: 6,
      used_quota: 7,
      accessed_time: 8,
      ...limits,
    };
    expect(tokenState(9, row)).toEqual({
      id: 9,
      userId: 1,
      status: 2,
      isDeleted: false,
      expiredTime: 4,
      isUnlimited: true,
      remain: 5,
      held: 6,
      used: 7,
      accessedTime: 8,
      ...limited,
      project: undefined,
      statusChanged: false,
      dirty: false,
    });
    expect(tokenState(9, { ...row, deleted_at: 1, unlimited_quota: 0 })).toMatchObject({
      isDeleted: true,
      isUnlimited: false,
    });
    const project = (requests: number, tokens: number) =>
      tokenState(9, { ...row, project_requests_per_minute: requests, project_tokens_per_minute: tokens })
        .project;
    expect(project(1, 0)).toEqual({ id: 3, requestsPerMinute: 1, tokensPerMinute: 0 });
    expect(project(0, 2)).toEqual({ id: 3, requestsPerMinute: 0, tokensPerMinute: 2 });
  });

  test('of a hold, a subscription and a budget', () => {
    const hold: HoldRow = {
      user_id: 1,
      token_id: 2,
      node_id: 'n',
      epoch: 3,
      amount: 4,
      created_at: 5,
      expires_at: 6,
      dispatched: 1,
      checkpoint_quota: 7,
      checkpoint: 'c',
      snapshot: 's',
      subscription_id: 8,
      plan_amount: 9,
      plan_period: 10,
      plan_first: 0,
      budgets: '1,2',
    };
    expect(holdState('h', hold)).toEqual({
      id: 'h',
      userId: 1,
      tokenId: 2,
      nodeId: 'n',
      epoch: 3,
      amount: 4,
      createdAt: 5,
      expiresAt: 6,
      dispatched: true,
      checkpointQuota: 7,
      checkpoint: 'c',
      snapshot: 's',
      subscriptionId: 8,
      planAmount: 9,
      planPeriod: 10,
      isPlanFirst: false,
      budgets: '1,2',
    });
    expect(holdState('h', { ...hold, dispatched: 0, plan_first: 1 })).toMatchObject({
      dispatched: false,
      isPlanFirst: true,
    });
    const subscription: SubscriptionRow = {
      user_id: 1,
      status: 'active',
      started_at: 2,
      ends_at: 3,
      interval_unit: 'month',
      interval_count: 4,
      periods: 5,
      period: 6,
      period_ends_at: 7,
      period_quota: 8,
      quota: 9,
      held: 10,
      ended_at: 11,
    };
    expect(subscriptionState(3, subscription)).toEqual({
      id: 3,
      userId: 1,
      isActive: true,
      startedAt: 2,
      endsAt: 3,
      intervalUnit: 'month',
      intervalCount: 4,
      periods: 5,
      period: 6,
      periodEndsAt: 7,
      periodQuota: 8,
      quota: 9,
      held: 10,
      endedAt: 11,
      dirty: false,
    });
    expect(subscriptionState(3, { ...subscription, status: 'ended' }).isActive).toBe(false);
    const counter: CounterRow = {
      organization_id: 1,
      name: 'n',
      value: 'v',
      period: 'week',
      is_hard: 1,
      quota: 2,
      extra: 3,
      spent: 4,
      held: 5,
      noticed: 6,
      window_start: 7,
      window_end: 8,
    };
    expect(counterState(10, counter)).toEqual({
      id: 10,
      organizationId: 1,
      name: 'n',
      value: 'v',
      period: 'week',
      isHard: true,
      quota: 2,
      extra: 3,
      spent: 4,
      held: 5,
      noticed: 6,
      windowStart: 7,
      windowEnd: 8,
      dirty: false,
    });
    expect(counterState(10, { ...counter, is_hard: 0 }).isHard).toBe(false);
  });

  test('of a log as it was written, also one that lacks what older ones lack', () => {
    const values = LOG_COLUMNS.map((name, index) => (name === 'other' ? '{}' : `${index}`));
    const row = logRowOf(values, '{}');
    expect(Object.keys(row).toSorted()).toEqual([...LOG_COLUMNS].toSorted());
    expect(logValues(row)).toEqual(values);
    expect(logValues({})).toEqual([
      2,
      0,
      '',
      0,
      '',
      '',
      '',
      0,
      '',
      '',
      0,
      0,
      0,
      0,
      0,
      '',
      '',
      '',
      0,
      0,
      0,
      '',
      '',
    ]);
    expect(logValues({ other: 'a' }, 'b')[17]).toBe('b');
  });
});

describe('sums', () => {
  test('are added to the row of their keys, figure by figure', () => {
    expect(addSums(BUDGET_WINDOWS, 'values (1)').replaceAll(/\s+/g, ' ')).toBe(
      'insert into budget_windows as t ("counter_id", "window_start", "window_end", "spent") values (1) ' +
        'on conflict ("counter_id", "window_start") do update set "spent" = t."spent" + excluded."spent"',
    );
    const shape = ({ keys, figures }: { keys: object; figures: object }) => [keys, figures];
    expect([USAGE_HOURS, HOLDER_HOURS, MARGIN_DAYS].map((table) => [table.name, ...shape(table)])).toEqual([
      [
        'usage_hours',
        {
          hour: 'at',
          user_id: 'userId',
          token_id: 'tokenId',
          channel_id: 'channelId',
          model_name: 'modelName',
        },
        {
          count: 'count',
          quota: 'quota',
          prompt_tokens: 'promptTokens',
          completion_tokens: 'completionTokens',
          error_count: 'errorCount',
          use_time_ms: 'useTimeMs',
          first_token_ms: 'firstTokenMs',
        },
      ],
      [
        'holder_hours',
        {
          user_id: 'userId',
          tag_key: 'tagKey',
          hour: 'at',
          tag_value: 'tagValue',
          member_id: 'memberId',
          service_account_id: 'serviceAccountId',
          project_id: 'projectId',
          token_id: 'tokenId',
          model_name: 'modelName',
        },
        {
          count: 'count',
          quota: 'quota',
          prompt_tokens: 'promptTokens',
          completion_tokens: 'completionTokens',
          error_count: 'errorCount',
          use_time_ms: 'useTimeMs',
          first_token_ms: 'firstTokenMs',
        },
      ],
      [
        'margin_days',
        { day: 'at', channel_id: 'channelId', model_name: 'modelName', group: 'group', user_id: 'userId' },
        {
          count: 'count',
          quota: 'quota',
          cost: 'cost',
          costed_count: 'costedCount',
          costed_quota: 'costedQuota',
        },
      ],
    ]);
  });

  test('of holders are kept for each holder, tag, key, model and hour, and every figure is added', () => {
    const world = ledgerRows();
    const row = { member_id: 1, service_account_id: 2, project_id: 3 };
    const calls = [
      [row, {}],
      [row, {}],
      [{ ...row, member_id: 9 }, {}],
      [{ ...row, service_account_id: 9 }, {}],
      [{ ...row, project_id: 9 }, {}],
      [row, { modelName: 'n' }],
      [row, { owner: { userId: 1, tokenId: 0 } }],
      [row, { owner: { userId: 5, tokenId: 2 } }],
      [row, { at: NOW - HOUR }],
      [{ ...row, tags: '{"a":"x"}' }, {}],
      [{ ...row, tags: '{"a":"y","b":"y"}' }, {}],
    ] as const;
    for (const [index, [log, more]] of calls.entries())
      world.apply(
        settling(10, {
          requestId: `${index}`,
          owner: { userId: 1, tokenId: 2 },
          log: logged(log),
          errorCount: 1,
          ...more,
        }),
      );
    const sums = world.written.holders.map((sum) => [
      [sum.userId, sum.memberId, sum.serviceAccountId, sum.projectId, sum.tokenId, sum.modelName].join(),
      `${sum.tagKey}=${sum.tagValue}`,
      NOW - sum.at < HOUR,
      sum.count,
    ]);
    expect(sums).toEqual([
      ['1,1,2,3,2,m', '=', true, 4],
      ['1,9,2,3,2,m', '=', true, 1],
      ['1,1,9,3,2,m', '=', true, 1],
      ['1,1,2,9,2,m', '=', true, 1],
      ['1,1,2,3,2,n', '=', true, 1],
      ['1,1,2,3,0,m', '=', true, 1],
      ['5,1,2,3,2,m', '=', true, 1],
      ['1,1,2,3,2,m', '=', false, 1],
      ['1,1,2,3,2,m', 'a=x', true, 1],
      ['1,1,2,3,2,m', 'a=y', true, 1],
      ['1,1,2,3,2,m', 'b=y', true, 1],
    ]);
    expect(world.written.holders[0]).toMatchObject({
      at: NOW - (NOW % HOUR),
      quota: 40,
      promptTokens: 24,
      completionTokens: 16,
      errorCount: 4,
      useTimeMs: 4800,
      firstTokenMs: 1200,
    });
    const apart = ledgerRows();
    for (const [requestId, log] of [
      ['a', { member_id: 1 }],
      ['b', { service_account_id: 1 }],
      ['c', { project_id: 1 }],
      ['d', {}],
    ] as const)
      apart.apply(settling(1, { requestId, log: logged(log) }));
    expect(apart.written.holders).toHaveLength(3);
  });

  test('of what a user or key has spent are of their own, from the hour on that is asked for', () => {
    const { rows } = ledgerRows({ spent: { [`user:1:${NOW - HOUR}`]: 7, [`token:1:${NOW}`]: 5 } });
    const spend = (at: number, quota: number, userId = 1, tokenId = 2) =>
      rows.countUsage({
        at,
        userId,
        tokenId,
        channelId: 7,
        modelName: 'm',
        count: 1,
        quota,
        promptTokens: 0,
        completionTokens: 0,
        errorCount: 0,
        useTimeMs: 0,
        firstTokenMs: 0,
      });
    const hour = NOW - (NOW % HOUR);
    spend(hour, 3);
    spend(hour, 11, 2, 1);
    expect([rows.spentSince('user', 1, NOW - HOUR), rows.spentSince('user', 1, hour)]).toEqual([10, 3]);
    expect([rows.spentSince('user', 1, hour + 1), rows.spentSince('token', 1, NOW)]).toEqual([0, 5]);
    spend(NOW, 20);
    expect([rows.spentSince('user', 1, NOW - HOUR), rows.spentSince('token', 1, NOW)]).toEqual([30, 5]);
    expect([rows.spentSince('user', 2, hour), rows.spentSince('token', 2, hour)]).toEqual([11, 23]);
  });
});

describe('a hold of a process that died', () => {
  const held: Given = { user: { held: 100 }, token: { held: 100 } };
  const recovering = (policy: Recover['policy']): Recover => ({ kind: 'recover', requestId: 'call', policy });
  const sent = { dispatched: true, checkpointQuota: 40 };
  const recovered = (given: Given, policy: Recover['policy'] = 'checkpoint') => {
    const world = ledgerRows({ ...held, ...given });
    return { result: world.apply(recovering(policy)), world };
  };

  test('is charged in full, or what its checkpoint says, for a call without a text of either', () => {
    const full = recovered({ holds: [sent] }, 'full');
    expect(full.result).toMatchObject({ how: 'charged', charged: 100 });
    const { result, world } = recovered({ holds: [sent] });
    expect(result).toMatchObject({ how: 'charged', charged: 40 });
    expect(world.written.logs).toMatchObject([
      {
        at: NOW,
        quota: 40,
        cost: null,
        row: { channel_id: 0, prompt_tokens: 0, completion_tokens: 0, content: factText('recovered') },
      },
    ]);
    expect(JSON.parse(world.written.logs[0]?.row.other ?? '')).toEqual({ recovered: true, price: null });
    expect(world.written.entries).toMatchObject([
      { idem: 'call', amount: 40, reference: 'recovered', at: NOW },
    ]);
    expect(world.written.margins).toMatchObject([{ group: '', modelName: '', costedCount: 0 }]);
    expect(world.written.channels).toEqual([]);
  });

  test('goes back whole if the call was not sent, or was settled before', () => {
    for (const given of [{ holds: [{}] }, { holds: [sent], booked: { call: { amount: 40 } } }]) {
      const { result, world } = recovered(given, 'full');
      expect(result).toEqual({ requestId: 'call', how: 'released', charged: 0, userId: 1 });
      expect([world.user.held, world.token.held, world.user.quota, world.written.entries]).toEqual([
        0,
        0,
        1000,
        [],
      ]);
    }
    expect(recovered({ holds: [{ ...sent, id: 'other' }] }).result).toMatchObject({
      how: 'gone',
      charged: 0,
    });
    expect(recovered({ holds: [{}] }, 'review').result.how).toBe('released');
  });

  test('that a person is to decide about stays as it is, and is noted once', () => {
    const { result, world } = recovered({ holds: [sent] }, 'review');
    expect(result).toEqual({ requestId: 'call', how: 'review', charged: 0, userId: 1 });
    expect(world.written.changedHolds).toMatchObject([{ nodeId: 'review', epoch: 0, amount: 100 }]);
    expect([world.user.held, world.written.deletedHolds]).toEqual([100, []]);
    const again = recovered({ holds: [{ ...sent, nodeId: 'review', epoch: 0 }] }, 'review');
    expect([again.result.how, again.world.written.changedHolds]).toEqual(['review', []]);
  });

  test('pays with its subscription what its hold took of it', () => {
    const plan = { subscriptionId: 3, planPeriod: 2, planAmount: 30, isPlanFirst: true };
    const { world } = recovered({
      holds: [{ ...sent, ...plan }],
      subscription: { quota: 30, held: 30 },
      user: { held: 70, planHeld: 30 },
    });
    expect(world.written.entries.map(({ idem, amount }) => [idem, amount])).toEqual([
      ['call:plan', 30],
      ['call', 10],
    ]);
  });

  test('of a slice is known by its name', () => {
    expect(sliceId('node', 4, 1)).toBe('allowance:node:4:1');
  });
});

describe('a batch', () => {
  test('knows what it has opened, taken and changed', () => {
    const world = ledgerRows({ holds: [{ id: 'old' }], user: { held: 100 }, token: { held: 100 } });
    world.apply(reserving({ requestId: 'new', amount: 50 }));
    world.apply({
      kind: 'extend',
      requestId: 'new',
      moreAmount: 5,
      memoryHeld: { user: 0, token: 0 },
    });
    world.apply({ kind: 'extend', requestId: 'old', moreAmount: 7, memoryHeld: { user: 0, token: 0 } });
    expect(world.written).toMatchObject({
      newHolds: [{ id: 'new', amount: 55 }],
      changedHolds: [{ id: 'old', amount: 107 }],
      deletedHolds: [],
    });
    for (const requestId of ['new', 'old']) world.apply(settling(1, { requestId }));
    expect(world.written).toMatchObject({ newHolds: [], changedHolds: [], deletedHolds: [{ id: 'old' }] });
    expect([world.user.held, world.token.held, world.user.requestCount]).toEqual([0, 0, 2]);
  });
});
