// The cost of a call: buy prices in dollars, recomputed here with whole numbers only.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import type { Log } from '#contract/context.ts';
import { buyPrice, buyPriceFault, readBuyPrice } from '#contract/money/channel-costs.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import type { ListPrice } from '#server/money/prices/price.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import type { Store } from '#server/platform/store/store.ts';
import { buyPriceOf, openCostBook } from './cost-book.ts';
import { costSnapshot } from './snapshot.ts';

const list: Record<string, ListPrice> = {
  chat: { input: 2.5, output: 10, cacheRead: 1.25 },
  picture: { perCall: 0.04 },
  film: { perSecond: 0.3, resolutions: { '1080p': 0.5 } },
};
const lookup = (model: string): ListPrice | undefined => list[model];

function costOf(
  price: Record<string, unknown>,
  model: string,
  usage: Parameters<typeof usageOf>[0],
  perUnit = 500_000,
) {
  const snapshot = costSnapshot(buyPrice.parse(price), [model], lookup, perUnit);
  return snapshot === null ? null : cappedChargeOf(snapshot, usageOf(usage));
}

describe('cost of a call', () => {
  test('a multiple of the list price and the recharge rate, to the unit', () => {
    // 1,000 × $2.5/M + 200 × $10/M = $0.0045 = 2,250 units.
    const usage = { input: 1000, output: 200 };
    expect(costOf({ kind: 'list', multiplier: 1 }, 'chat', usage)).toBe(2250);
    expect(costOf({ kind: 'list', multiplier: 0.8, recharge_rate: 0.7 }, 'chat', usage)).toBe(1260);
    expect(costOf({ kind: 'list', multiplier: 0.5 }, 'picture', { pieces: 3 })).toBe(30_000);
    expect(costOf({ kind: 'list', multiplier: 1 }, 'film', { pieces: 4, resolution: '1080p' })).toBe(
      1_000_000,
    );
  });

  test('is so many dollars whatever a dollar is in quota', () => {
    const usage = { input: 1000, output: 200 };
    expect(costOf({ kind: 'list', multiplier: 1 }, 'chat', usage, 1_000_000)).toBe(4500);
    expect(costOf({ kind: 'list', multiplier: 1 }, 'picture', {}, 1_000_000)).toBe(40_000);
  });

  test('by an own table: classes, calls and seconds; a model that is not in it is unknown', () => {
    const table = {
      kind: 'table',
      models: { chat: { input: 1, output: 3 }, picture: { perCall: 0.01 }, film: { perSecond: 0.1 } },
      recharge_rate: 0.5,
    };
    expect(costOf(table, 'chat', { input: 1_000_000, output: 1_000_000 })).toBe(1_000_000);
    expect(costOf(table, 'picture', { pieces: 2 })).toBe(5000);
    expect(costOf(table, 'film', { pieces: 10 })).toBe(250_000);
    expect(costOf(table, 'unlisted', { input: 10 })).toBeNull();
    expect(costOf(table, 'constructor', { input: 10 })).toBeNull();
  });

  test('of a plan is nothing for each call, also of models without a list price, or a part of it', () => {
    expect(costOf({ kind: 'plan', monthly_fee: 200 }, 'chat', { input: 1000 })).toBe(0);
    expect(costOf({ kind: 'plan', monthly_fee: 200 }, 'unlisted', { input: 1000 })).toBe(0);
    expect(costOf({ kind: 'plan', monthly_fee: 200, multiplier: 0.1 }, 'chat', { input: 10_000 })).toBe(1250);
    expect(costOf({ kind: 'plan', monthly_fee: 200, multiplier: 0.1 }, 'unlisted', { input: 1 })).toBeNull();
    expect(costOf({ kind: 'list', multiplier: 0 }, 'unlisted', { input: 1 })).toBeNull();
    const plan = buyPrice.parse({ kind: 'plan', monthly_fee: 200 });
    expect(costSnapshot(plan, ['unlisted', 'chat'], () => undefined, 500_000)?.model).toBe('unlisted');
  });

  test('is unknown without a list price, and the first name with a price decides', () => {
    expect(costOf({ kind: 'list', multiplier: 1 }, 'unlisted', { input: 10 })).toBeNull();
    const price = buyPrice.parse({ kind: 'list', multiplier: 1 });
    expect(costSnapshot(price, ['deployment-7', 'chat'], lookup, 500_000)?.model).toBe('chat');
    expect(costSnapshot(price, ['picture', 'chat'], lookup, 500_000)?.model).toBe('picture');
  });

  test('equals a recomputation in whole numbers', () => {
    // Hundredths of a cent per million tokens, thousandths of a ratio. The input divides every price without a rest.
    const input = fc.constantFrom(25, 100, 5000, 20_000, 25_000, 160_000);
    const price = fc.integer({ min: 0, max: 400_000 });
    const thousandths = fc.integer({ min: 1, max: 5000 });
    const tokens = fc.integer({ min: 0, max: 3_000_000 });
    const sample = fc.record({
      input,
      output: price,
      cacheRead: price,
      reasoning: price,
      recharge: thousandths,
      counts: fc.tuple(tokens, tokens, tokens, tokens),
      perUnit: fc.constantFrom(500_000, 1_000_000, 100_000),
    });
    fc.assert(
      fc.property(sample, ({ input: first, output, cacheRead, reasoning, recharge, counts, perUnit }) => {
        const dollars = (hundredths: number) => hundredths / 10_000;
        const model = {
          input: dollars(first),
          output: dollars(output),
          cacheRead: dollars(cacheRead),
          reasoning: dollars(reasoning),
        };
        const [inputs, outputs, reads, thoughts] = counts;
        const usage = { input: inputs, output: outputs, cacheRead: reads, reasoning: thoughts };
        const cost = costOf(
          { kind: 'table', models: { m: model }, recharge_rate: recharge / 1000 },
          'm',
          usage,
          perUnit,
        );
        const sum =
          BigInt(inputs) * BigInt(first) +
          BigInt(outputs) * BigInt(output) +
          BigInt(reads) * BigInt(cacheRead) +
          BigInt(thoughts) * BigInt(reasoning);
        // Hundredths of a cent per million → dollars: 10^10; thousandths of the recharge rate: 10^3.
        const scaled = sum * BigInt(recharge) * BigInt(perUnit);
        const divisor = 10n ** 13n;
        const rounded = (scaled * 2n + divisor) / (2n * divisor);
        const used = inputs + outputs + reads + thoughts > 0;
        expect(BigInt(cost ?? -1)).toBe(rounded === 0n && used ? 1n : rounded);
      }),
      { seed: 20, numRuns: 400 },
    );
  });
});

describe('buy prices', () => {
  test('a channel has its own, else that of its supplier, else none', () => {
    const own = '{"kind":"list","multiplier":0.5}';
    const shared = { buy_price: '{"kind":"list","multiplier":0.9}' };
    expect(buyPriceOf({ buy_price: own }, shared)).toMatchObject({ multiplier: 0.5, recharge_rate: 1 });
    expect(buyPriceOf({ buy_price: '' }, shared)).toMatchObject({ multiplier: 0.9 });
    expect(buyPriceOf({ buy_price: '' }, undefined)).toBeUndefined();
    expect(readBuyPrice('{')).toBeUndefined();
    expect(readBuyPrice('{"kind":"gift"}')).toBeUndefined();
  });

  test('a fault is named by its member', () => {
    expect(buyPriceFault({ kind: 'list', multiplier: 1 })).toBeUndefined();
    expect(buyPriceFault({ kind: 'list', multiplier: -1 })).toBe('multiplier');
    expect(buyPriceFault({ kind: 'list', multiplier: 1, recharge_rate: 0 })).toBe('recharge_rate');
    expect(buyPriceFault({ kind: 'table', models: { m: { output: 1 } } })).toBe('models.m');
    // Ratios are relative to the input: a free input with a paid output cannot be computed.
    expect(buyPriceFault({ kind: 'table', models: { m: { input: 0, output: 1 } } })).toBe('models.m');
    expect(buyPriceFault({ kind: 'table', models: { m: { input: 0, output: 0 } } })).toBeUndefined();
    expect(buyPriceFault({ kind: 'other' })).toBe('kind');
  });
});

interface Rows {
  channels: { id: number; supplier_id: number; buy_price: string }[];
  suppliers: { id: number; buy_price: string }[];
}

const textOf = (price: object) => JSON.stringify(buyPrice.parse(price));

/** A cost book of these rows, with what it logs, and a function that announces a change of channels. */
async function openBook(rows: Rows, settings = { current: { QuotaPerUnit: 500_000 } }) {
  const logged: unknown[] = [];
  let announce = async () => {};
  const store = {
    db: { selectFrom: (table: keyof Rows) => ({ select: () => ({ execute: async () => rows[table] }) }) },
    changes: { subscribe: (_: string, follow: typeof announce) => ((announce = follow), () => {}) },
  } as unknown as Store;
  const note = (...line: unknown[]) => void logged.push(line);
  const book = await openCostBook(store, settings, { warn: note, error: note } as unknown as Log);
  return { book, logged, announce: () => announce() };
}

/** A cost book of one channel, number 1. */
async function bookOf(price: object, settings?: { current: { QuotaPerUnit: number } }) {
  const channels = [{ id: 1, supplier_id: 0, buy_price: textOf(price) }];
  return (await openBook({ channels, suppliers: [] }, settings)).book;
}

const million = usageOf({ input: 1_000_000 });

test('surcharges are no cost; other models of the same call cost what their buy price says', async () => {
  const book = await bookOf({ kind: 'table', models: { talk: { input: 1 }, scribe: { input: 4 } } });
  const call = { channelId: 1, upstreamModel: 'talk', model: 'talk' };
  const fees = [{ name: 'call_fee', count: 1, dollarsEach: 7 }];
  const used = (model: string) => [{ model, usage: usageOf({ input: 100_000 }) }];
  const usage = usageOf({ input: 1_000_000, surcharges: fees });
  expect(book.costOf(call, usage)).toBe(500_000);
  expect(book.costOf(call, { ...usage, otherModels: used('scribe') })).toBe(700_000);
  expect(book.costOf(call, { ...usage, otherModels: used('unlisted') })).toBeNull();
});

test('a batch costs its part of the supplier’s price, before and after calls of the same model (M21)', async () => {
  const book = await bookOf({ kind: 'table', models: { talk: { input: 1 } }, batch_ratio: 0.4 });
  const call = { channelId: 1, upstreamModel: 'talk', model: 'talk' };
  expect(book.costOf(call, million, true)).toBe(200_000);
  expect(book.costOf(call, million)).toBe(500_000);
  expect(book.costOf(call, million, true)).toBe(200_000);
});

test('two upstream models under one name cost what each is sold for (M21)', async () => {
  const book = await bookOf({ kind: 'table', models: { small: { input: 1 }, large: { input: 8 } } });
  const cost = (upstreamModel: string) =>
    book.costOf({ channelId: 1, upstreamModel, model: 'ours' }, million);
  expect([cost('small'), cost('large'), cost('small')]).toEqual([500_000, 4_000_000, 500_000]);
});

test('two models sent under one upstream name without a price cost what each is sold for', async () => {
  const book = await bookOf({ kind: 'table', models: { small: { input: 1 }, large: { input: 8 } } });
  const costs = (isBatch: boolean) =>
    ['small', 'large', 'small'].map((model) =>
      book.costOf({ channelId: 1, upstreamModel: 'deployment-7', model }, million, isBatch),
    );
  expect(costs(false)).toEqual([500_000, 4_000_000, 500_000]);
  expect(costs(true)).toEqual([250_000, 2_000_000, 250_000]);
});

test('a call costs what the model that the supplier was sent is sold for, also when the caller’s name has a price (M21)', async () => {
  const book = await bookOf({ kind: 'table', models: { small: { input: 1 }, large: { input: 8 } } });
  const cost = (upstreamModel: string, model: string, isBatch = false) =>
    book.costOf({ channelId: 1, upstreamModel, model }, million, isBatch);
  expect([cost('small', 'large'), cost('large', 'small')]).toEqual([500_000, 4_000_000]);
  expect(cost('large', 'small', true)).toBe(2_000_000);
  // The upstream has no buy price for this model, so the price of the caller's model name applies.
  expect(cost('unlisted', 'small')).toBe(500_000);
});

test('another number of units to the dollar counts from the next call on (M21)', async () => {
  const settings = { current: { QuotaPerUnit: 500_000 } };
  const book = await bookOf({ kind: 'table', models: { talk: { input: 1 } }, batch_ratio: 0.5 }, settings);
  const call = { channelId: 1, upstreamModel: 'talk', model: 'talk' };
  const costs = () => [book.costOf(call, million), book.costOf(call, million, true)];
  expect(costs()).toEqual([500_000, 250_000]);
  settings.current = { QuotaPerUnit: 1_000_000 };
  expect(costs()).toEqual([1_000_000, 500_000]);
});

test('a channel without a price has that of its supplier, and costs that nobody knows are no fault (M21)', async () => {
  const rows: Rows = {
    channels: [
      { id: 1, supplier_id: 70, buy_price: '' },
      { id: 2, supplier_id: 71, buy_price: '' },
      { id: 3, supplier_id: 72, buy_price: textOf({ kind: 'list', multiplier: 1 }) },
      { id: 4, supplier_id: 0, buy_price: '' },
    ],
    suppliers: [
      { id: 70, buy_price: textOf({ kind: 'table', models: { talk: { input: 1 } } }) },
      { id: 71, buy_price: textOf({ kind: 'table', models: { talk: { input: 2 } } }) },
      { id: 72, buy_price: textOf({ kind: 'table', models: { talk: { input: 3 } } }) },
    ],
  };
  const { book, logged } = await openBook(rows);
  const cost = (channelId: number, isBatch = false) =>
    book.costOf({ channelId, upstreamModel: 'talk', model: 'talk' }, million, isBatch);
  expect([1, 2, 3, 4, 5].map((id) => cost(id))).toEqual([500_000, 1_000_000, null, null, null]);
  expect([cost(1, true), cost(3, true)]).toEqual([250_000, null]);
  expect(logged).toEqual([]);
  const broken = {
    ...million,
    get surcharges(): never {
      throw new Error('broken');
    },
  };
  expect(book.costOf({ channelId: 1, upstreamModel: 'talk', model: 'ours' }, broken)).toBeNull();
  expect(logged).toMatchObject([['the cost of a call is unknown', { channel_id: 1, model: 'ours' }]]);
});

test('changed prices count from their announcement on, and a failed reading keeps the old ones (M21)', async () => {
  const price = (input: number) => textOf({ kind: 'table', models: { talk: { input } } });
  const rows: Rows = { channels: [{ id: 1, supplier_id: 0, buy_price: price(1) }], suppliers: [] };
  const { book, logged, announce } = await openBook(rows);
  const call = { channelId: 1, upstreamModel: 'talk', model: 'talk' };
  const { version } = book;
  rows.channels = [{ id: 1, supplier_id: 0, buy_price: price(4) }];
  expect(book.costOf(call, million)).toBe(500_000);
  await announce();
  expect(book.costOf(call, million)).toBe(2_000_000);
  expect(book.version).toBe(version + 1);
  Object.defineProperty(rows, 'channels', {
    get() {
      throw new Error('the database is away');
    },
  });
  await announce();
  expect(book.costOf(call, million)).toBe(2_000_000);
  expect(logged).toMatchObject([['buy prices could not be reloaded', {}]]);
  expect(book.version).toBe(version + 1);
});

test('a usual call has 3,000 tokens in and 1,000 out, and its cost may be less than a unit (M21)', async () => {
  const models = { cheap: { input: 0.0001 }, talk: { input: 1, output: 3 }, picture: { perCall: 0.04 } };
  const book = await bookOf({ kind: 'table', models });
  const usual = (model: string) => book.usualCost({ channelId: 1, upstreamModel: model, model });
  expect([usual('cheap'), usual('talk'), usual('picture')]).toEqual([0.2, 3000, 20_000]);
  expect(usual('unlisted')).toBeNull();
});
