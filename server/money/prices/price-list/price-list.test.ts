import { describe, expect, test } from 'bun:test';
import { builtInModels, builtInPrice, readPrices, type BuiltInPrice } from './index.ts';

const classes = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'image',
  'audioIn',
  'audioOut',
  'reasoning',
] as const;

const numbersOf = (price: BuiltInPrice): number[] =>
  price.input === undefined
    ? [price.perCall ?? price.perSecond ?? [], ...Object.values(price.resolutions ?? {})].flat()
    : classes.flatMap((name) => price[name] ?? []);

/** Name and token prices of every model that is sold by the token. */
const sold = builtInModels().flatMap((price) => (price.input === undefined ? [] : [price]));

describe('the list as a whole', () => {
  test('it holds a few hundred models, each once', () => {
    const names = builtInModels().map((price) => price.model);
    expect(names.length).toBeGreaterThan(250);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test('every price and limit is a finite number of zero or more', () => {
    for (const price of builtInModels()) {
      const numbers = [...numbersOf(price), price.context ?? 0, price.maxOutput ?? 0];
      expect(
        numbers.every((value) => Number.isFinite(value) && value >= 0),
        price.model,
      ).toBe(true);
      expect(numbersOf(price).length, price.model).toBeGreaterThan(0);
    }
  });

  test('no token costs more than anything on the market: a slipped digit would', () => {
    for (const price of sold) expect(Math.max(...numbersOf(price)), price.model).toBeLessThanOrEqual(600);
  });

  test('only moderation is given away by the token', () => {
    const free = sold.filter((price) => price.input === 0);
    expect([...new Set(free.map((price) => price.kind))]).toEqual(['moderation']);
  });

  test('an answer never costs less than its prompt, and reading a cache never more', () => {
    for (const price of sold) {
      expect(price.output ?? price.input, price.model).toBeGreaterThanOrEqual(price.input);
      expect(price.cacheRead ?? price.input, price.model).toBeLessThanOrEqual(price.input);
    }
  });

  test('the model ratio and completion ratio of the family follow from each token price', () => {
    for (const price of sold) {
      const modelRatio = price.input / 2;
      expect(modelRatio * 2, price.model).toBe(price.input);
      if (price.input === 0) continue;
      const completionRatio = (price.output ?? price.input) / price.input;
      expect(modelRatio * completionRatio * 2).toBeCloseTo(price.output ?? price.input, 9);
    }
  });

  test('chat models say how much they read and embeddings charge no output', () => {
    for (const price of sold) {
      if (price.kind === 'chat') expect(price.context, price.model).toBeGreaterThan(0);
      if (price.kind === 'embedding') expect(price.output, price.model).toBeUndefined();
    }
  });
});

describe('a fault in the table stops the start and names its line', () => {
  const header = 'vendor,model,kind,context,input,output,perCall';

  test('a whole line is read; an empty cell is an absent number', () => {
    expect(readPrices(`${header}\nV,m,chat,1000,1.5,,\n`)).toEqual([
      { vendor: 'V', model: 'm', kind: 'chat', context: 1000, input: 1.5 },
    ]);
  });

  test.each([
    ['a negative price', 'V,m,chat,1000,-1,,'],
    ['a blank instead of a price', 'V,m,chat,1000, ,,'],
    ['a price in words', 'V,m,chat,1000,free,,'],
    ['no price', 'V,m,chat,1000,,,'],
    ['a price by token and by call', 'V,m,chat,1000,1,,1'],
    ['an unknown kind', 'V,m,poem,1000,1,,'],
    ['a context of half a token', 'V,m,chat,0.5,1,,'],
    ['a missing cell', 'V,m,chat,1000,1,'],
  ])('%s', (_fault, line) => {
    expect(() => readPrices(`${header}\nV,ok,chat,1000,1,,\n${line}`)).toThrow('line 3');
  });

  test('an unknown column', () => {
    expect(() => readPrices('vendor,model,kind,input,ouput\nV,m,chat,1,2')).toThrow('line 2');
  });
});

describe('cache prices', () => {
  const rounded = new Set(['claude-3-haiku']);

  test('Anthropic reads at a tenth, writes at 1.25 for five minutes and at twice the input for an hour', () => {
    const cached = sold.filter(
      (price) => price.vendor === 'Anthropic' && price.cacheRead !== undefined && !rounded.has(price.model),
    );
    expect(cached.length).toBeGreaterThan(15);
    for (const price of cached) {
      expect(price.cacheRead, price.model).toBeCloseTo(price.input * 0.1, 9);
      expect(price.cacheWrite5m, price.model).toBeCloseTo(price.input * 1.25, 9);
      expect(price.cacheWrite1h, price.model).toBeCloseTo(price.input * 2, 9);
    }
  });

  test('a cache write for an hour is never cheaper than one for five minutes', () => {
    for (const price of sold) {
      if (price.cacheWrite1h === undefined) continue;
      expect(price.cacheWrite1h, price.model).toBeGreaterThan(price.cacheWrite5m ?? 0);
    }
  });
});

describe('lookup', () => {
  test('a model is found by its exact name', () => {
    expect(builtInPrice('gpt-4o')).toMatchObject({ vendor: 'OpenAI', kind: 'chat', input: 2.5, output: 10 });
    expect(builtInPrice('mj_imagine')).toMatchObject({ vendor: 'Midjourney', perCall: 0.1 });
  });

  test.each([
    ['gpt-4o-2024-11-20', 'gpt-4o'],
    ['claude-3-5-sonnet-20241022', 'claude-3-5-sonnet'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet'],
    ['doubao-seed-2-0-pro-260215', 'doubao-seed-2-0-pro'],
    ['chatgpt-4o-latest', 'chatgpt-4o'],
    ['omni-moderation-2024-09-26', 'omni-moderation'],
  ])('%s is priced as %s', (asked, found) => {
    expect(builtInPrice(asked)?.model).toBe(found);
  });

  test('a dated name with a line of its own keeps its own price', () => {
    expect(builtInPrice('gpt-4o-2024-05-13')).toMatchObject({ input: 5, output: 15 });
    expect(builtInPrice('mistral-large-latest')).toMatchObject({ input: 0.5, output: 1.5 });
  });

  test('what only looks like a date, an unknown model and an inherited property have no price', () => {
    expect(builtInPrice('gpt-4o-2024-13-40')).toBeUndefined();
    expect(builtInPrice('gpt-4o-999999')).toBeUndefined();
    expect(builtInPrice('my-own-model')).toBeUndefined();
    expect(builtInPrice('constructor')).toBeUndefined();
    expect(builtInPrice('')).toBeUndefined();
  });
});
