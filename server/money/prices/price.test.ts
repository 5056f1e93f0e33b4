import { describe, expect, test } from 'bun:test';
import { SETTINGS } from '#contract/settings.ts';
import { builtInModels, builtInPrice } from './price-list/index.ts';
import { chargeOf } from './charge.ts';
import { createPriceCache } from './price-cache.ts';
import { noPrices, resolvePrice, type PriceSettings, type PriceLookup } from './price.ts';
import { usageOf } from './usage.ts';

const settings = (part: Partial<PriceSettings> = {}): PriceSettings => ({
  ...noPrices,
  GroupRatio: { default: 1, vip: 0.5 },
  ...part,
});

const list: PriceLookup = (model) =>
  ({
    listed: { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 },
    spoken: { input: 4, output: 16, audioIn: 32, audioOut: 64 },
    speaking: { input: 4, output: 16, audioOut: 64 },
    listening: { input: 4, output: 16, audioIn: 32 },
    drawn: { perCall: 0.04 },
    filmed: { perSecond: 0.3, resolutions: { '1024p': 0.5 } },
    plain: { input: 0.5 },
    given: { input: 0, output: 0 },
    strange: { input: 0, output: 9 },
    uneven: { input: 0.3, output: 1.1 },
  })[model];

const resolve = (model: string, part: Partial<PriceSettings> = {}, group = 'default') =>
  resolvePrice(settings(part), list, model, group);

/** A price, no refusal. */
function plain(price: ReturnType<typeof resolvePrice>) {
  if (typeof price === 'string') throw new Error(price);
  return price;
}

describe('price', () => {
  test('a price by the second: unit and resolutions of the list, until the operator sets a price', () => {
    expect(resolve('filmed')).toMatchObject({
      kind: 'price',
      source: 'list',
      modelPrice: 0.3,
      unit: 'second',
      resolutionPrices: { '1024p': 0.5 },
    });
    const operator = resolve('filmed', { ModelPrice: { filmed: 0.2 } });
    // The unit is a fact of the model; the list's price of a resolution belongs to the list's price.
    expect(operator).toMatchObject({ source: 'operator', modelPrice: 0.2, unit: 'second' });
    expect(operator).not.toHaveProperty('resolutionPrices');
    const byCall = { ModelPrice: { filmed: 2 }, PriceUnit: { filmed: 'call' } } as const;
    expect(resolve('filmed', byCall)).not.toHaveProperty('unit');
    const own = {
      ModelPrice: { new: 1 },
      PriceUnit: { new: 'second' },
      ResolutionPrice: { new: { '480p': 0.5 } },
    } as const;
    expect(resolve('new', own)).toMatchObject({ unit: 'second', resolutionPrices: { '480p': 0.5 } });
    expect(resolve('drawn')).not.toHaveProperty('unit');
  });

  test('the operator’s fixed price wins over its ratio, and both over the list', () => {
    expect(resolve('listed', { ModelPrice: { listed: 0.2 }, ModelRatio: { listed: 9 } })).toMatchObject({
      kind: 'price',
      modelPrice: 0.2,
      source: 'operator',
    });
    expect(resolve('listed', { ModelRatio: { listed: 9 } })).toMatchObject({
      kind: 'ratio',
      modelRatio: 9,
      source: 'operator',
    });
    expect(resolve('listed')).toMatchObject({ kind: 'ratio', modelRatio: 1.5, source: 'list' });
    expect(resolve('drawn')).toMatchObject({ kind: 'price', modelPrice: 0.04, source: 'list' });
    expect(resolve('drawn', { ModelRatio: { drawn: 2 } })).toMatchObject({ kind: 'ratio', modelRatio: 2 });
  });

  test('a listed model brings its classes, and each number of the operator replaces one', () => {
    expect(resolve('listed')).toMatchObject({
      completionRatio: 5,
      cacheRatio: 0.1,
      cacheWriteRatio: 1.25,
      cacheWrite1hRatio: 2,
      reasoningRatio: 5,
    });
    const own = {
      CompletionRatio: { listed: 4 },
      CacheRatio: { listed: 0.5 },
      CreateCacheRatio: { listed: 2 },
      ImageRatio: { listed: 3 },
      AudioRatio: { listed: 8 },
      AudioCompletionRatio: { listed: 2 },
      ReasoningRatio: { listed: 6 },
    };
    expect(resolve('listed', own)).toMatchObject({
      completionRatio: 4,
      cacheRatio: 0.5,
      cacheWriteRatio: 2,
      cacheWrite1hRatio: 3.2,
      imageRatio: 3,
      audioRatio: 8,
      audioCompletionRatio: 2,
      reasoningRatio: 6,
    });
    expect(resolve('listed', { CreateCache1hRatio: { listed: 7 } })).toMatchObject({
      cacheWriteRatio: 1.25,
      cacheWrite1hRatio: 7,
    });
  });

  test('spoken output costs its listed price, or that of written output, whatever spoken input costs (M21)', () => {
    // The ratio multiplies that of spoken input: 2 × 8 = 64 / 4, and 8 × 0.5 = 16 / 4.
    const own = { AudioRatio: { speaking: 2 } };
    expect(resolve('speaking', own)).toMatchObject({ audioRatio: 2, audioCompletionRatio: 8 });
    expect(resolve('speaking')).toMatchObject({ audioRatio: 1, audioCompletionRatio: 16 });
    expect(resolve('listening')).toMatchObject({ audioRatio: 8, audioCompletionRatio: 0.5 });
  });

  test('a ratio of extreme neighbours makes no call of the model fail, text least of all (M20)', () => {
    const words = usageOf({ input: 1000, output: 100 });
    const textCharge = chargeOf(plain(resolve('listed')), words);
    for (const own of [
      { AudioRatio: { listed: 1e-9 } },
      { AudioRatio: { listed: 1e-7 }, CompletionRatio: { listed: 5 } },
      { CreateCacheRatio: { listed: 1e9 } },
      { ReasoningRatio: { listed: 1e9 } },
    ]) {
      const price = plain(resolve('listed', own));
      expect(chargeOf(price, words)).toBe(textCharge);
      for (const name of ['audioOutput', 'cacheWrite1h', 'reasoning'] as const)
        expect(chargeOf(price, { ...words, [name]: 1 })).toBeGreaterThan(0);
    }
    // An outside list with a nearly free prompt.
    const tiny = plain(resolvePrice(settings(), () => ({ input: 1e-9, output: 1000 }), 'tiny', 'default'));
    expect(chargeOf(tiny, words)).toBeGreaterThan(0);
  });

  test('an audio ratio from which no price of speech can be derived is not saved (M20)', () => {
    const { AudioRatio } = SETTINGS;
    const isSaved = (ratio: number) =>
      AudioRatio.atSave?.safeParse(AudioRatio.parse(JSON.stringify({ 'gpt-4o': ratio }))).success;
    expect([0, 1e-6, 0.5, 20, 1e9].map(isSaved)).toEqual([true, true, true, true, true]);
    expect([1e-7, 9e-7, 1e-9].map(isSaved)).toEqual([false, false, false]);
  });

  test('a class without a number costs what it belongs to', () => {
    expect(resolve('plain')).toMatchObject({
      completionRatio: 1,
      cacheRatio: 1,
      cacheWriteRatio: 1,
      cacheWrite1hRatio: 1,
    });
    expect(resolve('spoken')).toMatchObject({ audioRatio: 8, audioCompletionRatio: 2, reasoningRatio: 4 });
    // Spoken output of a text model costs what written output does: 1 × 5.
    expect(resolve('listed')).toMatchObject({ audioRatio: 1, audioCompletionRatio: 5 });
    expect(resolve('unlisted', { ModelRatio: { unlisted: 1 } })).toMatchObject({
      cacheWriteRatio: 1.25,
      cacheWrite1hRatio: 2,
    });
  });

  test('ratios of the list carry no binary noise', () => {
    expect(resolve('uneven')).toMatchObject({ modelRatio: 0.15, completionRatio: 3.666666666667 });
  });

  test('a model without a price is refused unless the gateway is for own use', () => {
    expect(resolve('unlisted')).toBe('no_price');
    expect(resolve('unlisted', { SelfUseModeEnabled: true })).toMatchObject({
      modelRatio: 37.5,
      source: 'unknown',
    });
    expect(resolve('strange')).toBe('no_price');
    expect(resolve('given')).toMatchObject({ modelRatio: 0 });
  });

  test('a group without a ratio is refused, and names of the prototype find nothing', () => {
    expect(resolve('listed', {}, 'nobody')).toBe('no_group');
    expect(resolve('listed', {}, 'constructor')).toBe('no_group');
    expect(resolve('toString')).toBe('no_price');
    expect(resolve('listed', {}, 'vip')).toMatchObject({ groupRatio: 0.5 });
  });

  test('custom assistants pay the price of their family', () => {
    const snapshot = resolve('gpt-4-gizmo-g-abc', { ModelPrice: { 'gpt-4-gizmo-*': 0.1 } });
    expect(snapshot).toMatchObject({ kind: 'price', modelPrice: 0.1, model: 'gpt-4-gizmo-g-abc' });
  });

  test('a snapshot is plain JSON, and the book hands out the same one again', () => {
    const book = createPriceCache(settings(), list);
    const snapshot = book.resolve('listed', 'default');
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    expect(book.resolve('listed', 'default')).toBe(snapshot);
    expect(book.resolve('listed', 'vip')).not.toBe(snapshot);
    for (let index = 0; index < 10_001; index += 1) book.resolve(`made-up-${index}`, 'default');
    expect(book.resolve('listed', 'default')).toEqual(snapshot);
  });

  test('a listed model that costs nothing is free, not without a price', () => {
    const free = { model: 'gift', input: 0, output: 0, context: 128_000, maxOutput: 4096 };
    expect(resolvePrice(settings(), () => free, 'gift', 'default')).toMatchObject({ modelRatio: 0 });
  });

  test('every model of the built-in list can be sold', () => {
    const unsold = builtInModels().filter(
      ({ model }) => typeof resolvePrice(settings(), builtInPrice, model, 'default') === 'string',
    );
    expect(unsold.map(({ model }) => model)).toEqual([]);
    expect(resolvePrice(settings(), builtInPrice, 'gpt-4o', 'default')).toMatchObject({
      modelRatio: 1.25,
      completionRatio: 4,
    });
  });
});
