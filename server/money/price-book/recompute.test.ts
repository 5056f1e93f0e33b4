// A charge is recomputed from its log row alone: under the prices of the call it is the same to the unit, and under others it
// is what the call would have cost then.
import { expect, test } from 'bun:test';
import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { SETTINGS } from '#contract/settings.ts';
import { PRICE_KEYS, pricesText, readPrices, type Prices } from '#contract/money/price-keys.ts';
import { TOKEN_CLASSES } from '#contract/money/token-classes.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { createPriceCache } from '#server/money/prices/price-cache.ts';
import { withFees } from '#server/money/prices/tiers.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import { consumeRow, type CallRecord } from '#server/relay/money/log-row.ts';
import { chargeUnder } from './recompute.ts';

const defaults = Object.fromEntries(PRICE_KEYS.map((key) => [key, SETTINGS[key].fallback])) as Prices;
const list = () => undefined;

const caller = {
  userId: 1,
  username: 'u',
  tokenId: 1,
  tokenName: 't',
  group: 'default',
} as CallRecord['caller'];

const rules: Prices['PriceRules'][] = [
  {},
  { '*': { minimum: 0.001 }, o3: { classes: { flex: 0.5, priority: 2, batch: 0.4 } } },
  {
    o3: {
      tiers: [{ above: 300, input: 2, output: 1.5 }],
      hours: [{ from: '08:00', to: '20:00', timeZone: 'Asia/Shanghai', ratio: 0.7 }],
      fee: 0.001,
      search: 0.01,
    },
  },
];

const pricesOf = ([ratio, rule, group]: number[]): Prices => ({
  ...defaults,
  GroupRatio: { default: (group ?? 0) / 10 },
  ModelRatio: { o3: (ratio ?? 0) / 100 },
  ModelPrice: { picture: (ratio ?? 0) / 1000 },
  PriceRules: rules[rule ?? 0] ?? {},
});

const drawnPrices = array(integer({ min: 0, max: 2 }), { minLength: 3, maxLength: 3 }).map(
  ([ratio = 0, rule = 0, group = 0]) => pricesOf([(ratio + 1) * 37, rule, group * 7]),
);

test('a row costs under the prices of its call what it was charged, and under others what it would have cost', () => {
  const calls = record({
    model: constantFrom('o3', 'o3-high', 'picture'),
    requestClass: constantFrom(undefined, 'flex' as const, 'priority' as const, 'batch' as const),
    at: integer({ min: 1_770_000_000, max: 1_770_100_000 }),
    isWebSocket: constantFrom(false, false, true),
    counts: array(integer({ min: 0, max: 200 }), { minLength: 9, maxLength: 9 }),
    pieces: constantFrom(1, 2, 0.45),
    searches: integer({ min: 0, max: 2 }),
    prices: drawnPrices,
    others: drawnPrices,
  });
  assert(
    property(calls, ({ model, requestClass, at, isWebSocket, prices, others, ...each }) => {
      const usage = usageOf({
        ...Object.fromEntries(TOKEN_CLASSES.map((name, index) => [name, each.counts[index] ?? 0])),
        pieces: each.pieces,
        surcharges: each.searches === 0 ? [] : [{ name: 'web_search', count: each.searches, dollarsEach: 0 }],
      });
      const began = { at: at * 1000, requestClass, isSum: isWebSocket };
      const costUnder = (settings: Prices) => {
        const book = createPriceCache(settings, list);
        const found = book.resolve(model, 'default', began);
        const price = found === 'no_price' ? book.resolve('o3', 'default', began) : found;
        if (typeof price === 'string') return expect.unreachable(price);
        return { price, charge: cappedChargeOf(price, withFees(price, usage)) };
      };
      const { price, charge } = costUnder(prices);
      const record: CallRecord = {
        caller,
        model,
        upstreamModel: model,
        channelId: 1,
        channelName: '',
        address: '',
        path: '/v1/chat/completions',
        isStream: false,
        isWebSocket,
        reasoningEffort: '',
        attempts: [],
        began,
      };
      const written = consumeRow(record, {
        usage: withFees(price, usage),
        price,
        estimated: false,
        useTimeMilliseconds: 4000,
        firstTokenMilliseconds: undefined,
        ending: '',
      });
      const row = {
        type: written.type ?? 0,
        model_name: written.model_name ?? '',
        group: written.group ?? '',
        other: written.other ?? '',
        created_at: at + 4,
      };
      expect(chargeUnder(prices, list, row)).toBe(charge);
      expect(chargeUnder(others, list, row)).toBe(costUnder(others).charge);
    }),
    { numRuns: 1000 },
  );
});

test('rows without usage, events and unpriced models are not rated', () => {
  const row = { type: 2, created_at: 1, model_name: 'o3', group: 'default', other: '{"usage":{"input":5}}' };
  const prices = pricesOf([100, 0, 10]);
  expect(chargeUnder(prices, list, row)).toBe(5);
  expect(chargeUnder(prices, list, { ...row, type: 5 })).toBe('not_rated');
  expect(chargeUnder(prices, list, { ...row, other: '{"model_ratio":1}' })).toBe('not_rated');
  expect(chargeUnder(prices, list, { ...row, other: '{' })).toBe('not_rated');
  expect(chargeUnder(prices, list, { ...row, model_name: 'unknown' })).toBe('not_rated');
  expect(chargeUnder(prices, list, { ...row, group: 'gone' })).toBe('not_rated');
});

test('the hour of a price is the one in which the call began, noted or by its length (M21)', () => {
  const hours = [{ from: '08:00', to: '20:00', timeZone: 'UTC', ratio: 0.5 }];
  const prices = { ...pricesOf([100, 0, 10]), PriceRules: { o3: { hours } } };
  const boundary = Date.UTC(2026, 1, 3, 20) / 1000;
  const charged = (created_at: number, other: object) =>
    chargeUnder(prices, list, {
      type: 2,
      created_at,
      model_name: 'o3',
      group: 'default',
      other: JSON.stringify({ usage: { input: 100 }, ...other }),
    });
  expect(charged(boundary - 1, {})).toBe(50);
  expect(charged(boundary, {})).toBe(100);
  expect(charged(boundary + 5, { use_ms: 6000 })).toBe(50);
  expect(charged(boundary + 5, { use_ms: 5000 })).toBe(100);
  // A task is noted long after it began; a noted beginning counts before the length.
  expect(charged(boundary + 3600, { began_at: boundary - 1, use_ms: 1000 })).toBe(50);
  expect(charged(boundary + 1, { began_at: boundary, use_ms: 60_000 })).toBe(100);
});

test('a video costs the price of the resolution that was made (M21)', () => {
  const prices = {
    ...pricesOf([100, 0, 10]),
    ModelPrice: { film: 0.1 },
    PriceUnit: { film: 'second' as const },
    ResolutionPrice: { film: { '1080p': 0.3 } },
  };
  const charged = (other: object) =>
    chargeUnder(prices, list, {
      type: 2,
      created_at: 1_770_000_000,
      model_name: 'film',
      group: 'default',
      other: JSON.stringify({ usage: {}, pieces: 5, ...other }),
    });
  expect(charged({ resolution: '720p' })).toBe(250_000);
  expect(charged({ resolution: '1080p' })).toBe(750_000);
  expect(charged({})).toBe(250_000);
});

test('a row with members that no call writes is rated as if they were not there, or not at all (M21)', () => {
  const prices = { ...pricesOf([100, 0, 10]), ModelPrice: { picture: 0.002 } };
  const row = { type: 2, created_at: 1, model_name: 'o3', group: 'default' };
  const text = (other: string) => chargeUnder(prices, list, { ...row, other });
  for (const other of ['null', '5', '[]', '', '{"usage":null}', '{"usage":[]}', '{"usage":7}'])
    expect(text(other)).toBe('not_rated');
  for (const input of ['-5', '1.5', '"7"', '1e99']) expect(text(`{"usage":{"input":${input}}}`)).toBe(0);
  const picture = (more: string) =>
    chargeUnder(prices, list, { ...row, model_name: 'picture', other: `{"usage":{}${more}}` });
  expect(picture('')).toBe(1000);
  expect(picture(',"pieces":3')).toBe(3000);
  expect(picture(',"pieces":0')).toBe(0);
  for (const pieces of ['-1', '1e999', '"3"', 'null']) expect(picture(`,"pieces":${pieces}`)).toBe(1000);
});

test('fees that the call paid to the upstream stay, those of old prices do not (M21)', () => {
  const charged = (...surcharges: unknown[]) =>
    chargeUnder(pricesOf([100, 0, 10]), list, {
      type: 2,
      created_at: 1,
      model_name: 'o3',
      group: 'default',
      other: JSON.stringify({ usage: { input: 5 }, surcharges }),
    });
  expect(charged({ name: 'tool', count: 2, dollarsEach: 0.001 })).toBe(5 + 1000);
  expect(charged({ name: 'call_fee', count: 2, dollarsEach: 0.001 })).toBe(5);
  expect(charged({ name: 'web_search', count: 2, dollarsEach: 0.001 })).toBe(5);
  expect(charged({ name: 'tool', count: 2 }, null, 7, { name: 'tool', count: -1, dollarsEach: 1 })).toBe(5);
});

test('a name with a suffix has its own price if it has one, else that of the model (M21)', () => {
  const charged = (prices: Partial<Prices>, model_name = 'o3-high') =>
    chargeUnder({ ...pricesOf([100, 0, 10]), ...prices }, list, {
      type: 2,
      created_at: 1,
      model_name,
      group: 'default',
      other: '{"usage":{"input":5}}',
    });
  expect(charged({})).toBe(5);
  expect(charged({ ModelRatio: { o3: 1, 'o3-high': 3 } })).toBe(15);
  // In self-use mode every unknown name has a fallback price; a name with a suffix still has that of its model.
  expect(charged({ SelfUseModeEnabled: true })).toBe(5);
  expect(charged({ SelfUseModeEnabled: true }, 'other')).toBeGreaterThan(5);
});

test('a cached answer costs its part of any price', () => {
  const charged = (more: object) =>
    chargeUnder(pricesOf([100, 0, 10]), list, {
      type: 2,
      created_at: 1,
      model_name: 'o3',
      group: 'default',
      other: JSON.stringify({ usage: { input: 1000 }, ...more }),
    });
  expect(charged({})).toBe(1000);
  expect(charged({ hit_ratio: 0.1 })).toBe(100);
  expect(charged({ hit_ratio: 0 })).toBe(0);
});

test('a batch is a sum of calls: no call of it is known to be long; classes are those that a call can have (M21)', () => {
  const rule = { tiers: [{ above: 300, input: 2 }], classes: { batch: 0.4, flex: 0.6 } };
  const charged = (more: object) =>
    chargeUnder({ ...pricesOf([100, 0, 10]), PriceRules: { o3: rule } }, list, {
      type: 2,
      created_at: 1,
      model_name: 'o3',
      group: 'default',
      other: JSON.stringify({ usage: { input: 1000 }, ...more }),
    });
  expect(charged({})).toBe(2000);
  expect(charged({ ws: true })).toBe(1000);
  expect(charged({ ws: 1 })).toBe(2000);
  expect(charged({ batch_ratio: 0.5 })).toBe(400);
  expect(charged({ batch_ratio: '0.5' })).toBe(2000);
  expect(charged({ request_class: 'flex' })).toBe(1200);
  expect(charged({ request_class: 'batch' })).toBe(2000);
});

test('a version is read as it was written, and options that it lacks have their defaults', () => {
  const prices = pricesOf([123, 2, 9]);
  expect(readPrices(pricesText(prices))).toEqual(prices);
  expect(pricesText(readPrices(pricesText(prices)))).toBe(pricesText(prices));
  const { PriceRules: _, ...older } = prices;
  expect(readPrices(JSON.stringify(older))).toEqual({ ...prices, PriceRules: {} });
});
