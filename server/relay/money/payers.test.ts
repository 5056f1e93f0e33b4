import { expect, test } from 'bun:test';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { CallerPlan, CallerPlans } from '#server/relay/caller/load-token.ts';
import { payersOf, payWithPlans, planGroups, PlanEmptyError, type GroupParts } from './payers.ts';

const now = Math.floor(Date.now() / 1000);

/** `vip` has the model, `away` has it no more, `gone` has lost its ratio. */
const parts = {
  catalog: { current: { isOffered: (group: string) => group !== 'away' } },
  settings: { current: { GroupRatio: { default: 1, vip: 2, away: 1 } } },
} as unknown as GroupParts;

const plan = (id: number, group = '', more: Partial<CallerPlan> = {}): CallerPlan => ({
  id,
  group,
  startsAt: now - 100,
  endsAt: now + 100,
  models: undefined,
  ...more,
});

const callerWith = (list: readonly CallerPlan[], more: Partial<CallerPlans> = {}): Caller =>
  ({
    userId: 1,
    group: 'default',
    models: undefined,
    plans: { list, isWalletFirst: false, keepsGroup: false, ...more },
  }) as Partial<Caller> as Caller;

/** [group, subscriptions, the subscription pays first, nothing else may pay] of each way. */
const waysOf = (caller: Caller) =>
  payersOf(parts, caller, 'm').map(({ caller: { group, plans: left }, plans }) => {
    expect(left).toBeUndefined();
    return [group, plans?.ids ?? [], plans?.isPlanFirst ?? false, plans?.isRequired ?? false];
  });

test('in the user’s own group the balance pays what the subscriptions do not, also all of it', () => {
  expect(waysOf(callerWith([plan(1), plan(2, 'default')]))).toEqual([['default', [1, 2], true, false]]);
  expect(waysOf(callerWith([plan(1, 'away'), plan(2, 'gone')]))).toEqual([['default', [1, 2], true, false]]);
  expect(waysOf(callerWith([plan(1, 'vip')], { keepsGroup: true }))).toEqual([['default', [1], true, false]]);
});

test('the price of a plan’s group is paid only while a subscription of it has something left', () => {
  expect(waysOf(callerWith([plan(1, 'vip'), plan(2, 'vip')]))).toEqual([
    ['vip', [1, 2], true, true],
    ['default', [], false, false],
  ]);
  expect(waysOf(callerWith([plan(1), plan(2, 'vip'), plan(3)]))).toEqual([
    ['default', [1], true, true],
    ['vip', [2], true, true],
    ['default', [3], true, false],
  ]);
});

test('with the balance first every subscription pays the rest in the user’s own group', () => {
  expect(waysOf(callerWith([plan(1, 'vip'), plan(2)], { isWalletFirst: true }))).toEqual([
    ['default', [1, 2], false, false],
  ]);
});

test('a subscription that has not begun, is over, or has other models pays nothing', () => {
  const unusable = [
    plan(1, '', { startsAt: now + 50 }),
    plan(2, '', { endsAt: now - 1 }),
    plan(3, '', { models: new Set(['other']) }),
  ];
  expect(waysOf(callerWith(unusable))).toEqual([['default', [], false, false]]);
  expect(waysOf(callerWith([...unusable, plan(4, '', { models: new Set(['m']) })]))).toEqual([
    ['default', [4], true, false],
  ]);
});

test('the next way is tried only after one whose subscriptions are empty', async () => {
  const caller = callerWith([plan(1, 'vip')]);
  const tried: string[] = [];
  const pay = (emptyGroup: string, error: Error) =>
    payWithPlans(parts, caller, 'm', async ({ caller: { group } }) => {
      tried.push(group);
      if (group === emptyGroup) throw error;
      return group;
    });
  expect(await pay('vip', new PlanEmptyError())).toBe('default');
  expect(await pay('none', new PlanEmptyError())).toBe('vip');
  const refused = await pay('vip', new RangeError('no channel')).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(RangeError);
  expect(tried).toEqual(['vip', 'default', 'vip', 'vip']);
});

test('the groups of running subscriptions are offered, unless the balance pays first or the user keeps the own group', () => {
  const list = [
    plan(1, 'vip'),
    plan(2),
    plan(3, 'soon', { startsAt: now + 50 }),
    plan(4, 'over', { endsAt: now - 1 }),
  ];
  const groupsOf = (more: Partial<CallerPlans> = {}) =>
    planGroups(callerWith(list, more)).map(({ group }) => group);
  expect(groupsOf()).toEqual(['vip']);
  expect(groupsOf({ isWalletFirst: true })).toEqual([]);
  expect(groupsOf({ keepsGroup: true })).toEqual([]);
});
