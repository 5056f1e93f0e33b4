// The order of channels inside a priority: each setting, exploration, and that figures are used again until they change.
import { describe, expect, test } from 'bun:test';
import { CHANNEL_ORDERS, type ChannelOrder } from '#contract/money/margin-settings.ts';
import { openai } from '#server/models/providers/openai-compatible/openai.ts';
import { createBreaker } from './breaker.ts';
import type { Candidate, Channel, Tiers } from './catalog.ts';
import type { OrderParts } from './channel-order.ts';
import { createChannelOrders, selectChannel } from './select.ts';

const candidate = (id: number, weight = 0, weightFactor = 1): Candidate => ({
  channel: {
    id,
    maxConcurrency: 0,
    weightFactor,
    provider: openai,
    modelMapping: new Map(),
    refusedFormats: new Set(),
  } as unknown as Channel,
  weight,
});

const wanted = { endpoint: { format: 'openai-chat' }, model: 'gpt-4o' } as const;

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface World {
  order: ChannelOrder;
  costs?: Record<number, number>;
  speeds?: Record<number, number>;
}

function world({ order, costs = {}, speeds = {} }: World) {
  const asked = { count: 0 };
  const parts: OrderParts = {
    order: () => order,
    costs: {
      version: 0,
      usualCost({ channelId }) {
        asked.count += 1;
        return costs[channelId] ?? null;
      },
    },
    speeds: { version: 0, firstToken: (id) => speeds[id] ?? 0, refresh: async () => {} },
  };
  return { orders: createChannelOrders(parts), parts, asked };
}

/** How many of the calls each channel gets first. */
function shares(tiers: Tiers, rules: World, rounds = 4000): Record<number, number> {
  const { orders } = world(rules);
  const random = seeded(7);
  const breaker = createBreaker();
  const counts: Record<number, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const selection = selectChannel(orders.of(tiers, 'gpt-4o', random), [], breaker, wanted, random);
    const id = 'channel' in selection ? selection.channel.id : 0;
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

const tier = [candidate(1, 10), candidate(2, 30), candidate(3, 20), candidate(4, 0)];
const tiers: Tiers = [tier, [candidate(9, 100)]];

describe('order inside a priority', () => {
  test('weight: the tiers are the same objects, so that a call computes nothing', () => {
    const { orders, asked } = world({ order: 'weight' });
    expect(orders.of(tiers, 'gpt-4o')).toBe(tiers);
    expect(asked.count).toBe(0);
  });

  test('priority: the heaviest takes every call; the others follow when it was tried', () => {
    expect(shares(tiers, { order: 'priority' })).toEqual({ 2: 4000 });
    const { orders } = world({ order: 'priority' });
    const ids = orders.of(tiers, 'gpt-4o').map((place) => place.map(({ channel }) => channel.id));
    expect(ids).toEqual([[2], [3], [1], [4], [9]]);
  });

  test('cheapest: the lowest cost first, equal costs share by weight, unknown costs last, reserves after all', () => {
    const costs = { 1: 5, 2: 9, 4: 1 };
    const { orders } = world({ order: 'cheapest', costs });
    const ids = orders.of(tiers, 'gpt-4o').map((place) => place.map(({ channel }) => channel.id));
    expect(ids).toEqual([[1], [2], [3], [4], [9]]);
    const equal = shares(tiers, { order: 'cheapest', costs: { 1: 5, 2: 5, 3: 7 } });
    expect(Object.keys(equal)).toEqual(['1', '2']);
    expect(equal[1]).toBeGreaterThan(850);
    expect(equal[1]).toBeLessThan(1150);
  });

  test('fastest: the quickest first; a channel that is not measured gets a few calls, never all', () => {
    const speeds = { 1: 400, 2: 250 };
    const counts = shares(tiers, { order: 'fastest', speeds });
    expect(Object.keys(counts)).toEqual(['2', '3']);
    expect(counts[3]).toBeGreaterThan(120);
    expect(counts[3]).toBeLessThan(280);
    // Nothing is measured, or everything is: no call is spent on trying.
    expect(Object.keys(shares(tiers, { order: 'fastest' }))).toEqual(['1', '2', '3']);
    const all = { 1: 400, 2: 250, 3: 640, 4: 100 };
    expect(shares(tiers, { order: 'fastest', speeds: all })).toEqual({ 2: 4000 });
  });

  test('balanced: twice the price or the wait is half the calls, and a dear channel keeps some', () => {
    const even: Tiers = [[candidate(1, 10), candidate(2, 10), candidate(3, 10)]];
    const counts = shares(even, {
      order: 'balanced',
      costs: { 1: 1, 2: 2, 3: 1000 },
      speeds: { 1: 250, 2: 250, 3: 250 },
    });
    const [first = 0, second = 0, third = 0] = [counts[1], counts[2], counts[3]];
    expect(first / second).toBeGreaterThan(1.8);
    expect(first / second).toBeLessThan(2.25);
    expect(third).toBeGreaterThan(70);
    // Free channels beside paid ones, and figures that are not known, divide by no zero.
    const free = shares(even, { order: 'balanced', costs: { 1: 0, 2: 5 } });
    expect(Object.values(free).reduce((sum, count) => sum + count, 0)).toBe(4000);
    expect(free[1]).toBeGreaterThan(free[2] ?? 0);
  });

  test('the order is kept until a figure changes, and with the same seed it is the same', () => {
    const { orders, parts, asked } = world({ order: 'cheapest', costs: { 1: 1 } });
    const before = orders.of(tiers, 'gpt-4o');
    expect(orders.of(tiers, 'gpt-4o')).toBe(before);
    const count = asked.count;
    (parts.costs as { version: number }).version = 1;
    expect(orders.of(tiers, 'gpt-4o')).not.toBe(before);
    expect(asked.count).toBe(2 * count);
    const rules: World = { order: 'fastest', speeds: { 1: 250, 3: 400 } };
    expect(shares(tiers, rules)).toEqual(shares(tiers, rules));
  });

  test('a factor leaves that part of the calls in every order, and the channel still serves alone', () => {
    const costs = { 1: 1, 2: 2 };
    const speeds = { 1: 250, 2: 400 };
    for (const order of CHANNEL_ORDERS)
      for (const [first, second] of [
        [30, 10],
        [0, 0],
      ] as const) {
        const rules: World = { order, costs, speeds };
        const trusted = shares([[candidate(1, first), candidate(2, second)]], rules);
        const lowered = shares([[candidate(1, first, 0.1), candidate(2, second)]], rules);
        const [before = 0, after = 0] = [trusted[1], lowered[1]];
        expect([order, first, after > 0, after < 0.6 * before]).toEqual([order, first, true, true]);
        const alone: Tiers = [[candidate(1, first, 0.1)], [candidate(9, 5)]];
        expect([order, shares(alone, rules)]).toEqual([order, { 1: 4000 }]);
      }
  });

  test('a lowered channel that is not measured gets its part of the calls that try channels', () => {
    const rules: World = { order: 'fastest', speeds: { 1: 250 } };
    const counts = shares([[candidate(1, 10), candidate(2, 10, 0.1)]], rules, 20_000);
    expect(counts[2]).toBeGreaterThan(40);
    expect(counts[2]).toBeLessThan(180);
  });
});
