import { expect, test } from 'bun:test';
import { listedPrice } from './listed-price.ts';
import { readPriceList } from './price-lists.ts';

const read = (value: unknown) => {
  const list = readPriceList(JSON.stringify(value));
  for (const model of list?.models ?? []) expect(listedPrice.parse(model)).toEqual(model);
  return list;
};

test("LiteLLM's file: dollars per token, tiers, classes, searches and pictures", () => {
  const list = read({
    sample_spec: { litellm_provider: 'one of', input_cost_per_token: 0 },
    'gemini/gemini-x': {
      litellm_provider: 'gemini',
      input_cost_per_token: 9e-6,
      output_cost_per_token: 9e-6,
    },
    'gemini/gemini-y': {
      litellm_provider: 'gemini',
      mode: 'chat',
      input_cost_per_token: 1.25e-6,
      output_cost_per_token: 1e-5,
      cache_read_input_token_cost: 3.125e-7,
      cache_creation_input_token_cost: 1.5e-6,
      cache_creation_input_token_cost_above_1hr: 3e-6,
      input_cost_per_token_above_200k_tokens: 2.5e-6,
      output_cost_per_token_above_200k_tokens: 1.5e-5,
      input_cost_per_token_batches: 6.25e-7,
      output_cost_per_token_batches: 5e-6,
      input_cost_per_token_priority: 2.5e-6,
      output_cost_per_token_priority: 1.5e-5,
      search_context_cost_per_query: { search_context_size_medium: 0.035 },
    },
    'gemini-x': { litellm_provider: 'vertex_ai-language-models', input_cost_per_token: 1e-6 },
    'azure/gpt': { litellm_provider: 'azure', input_cost_per_token: 1e-6 },
    picture: { litellm_provider: 'openai', mode: 'image_generation', output_cost_per_image: 0.04 },
    'picture-of-no-tokens': {
      litellm_provider: 'openai',
      mode: 'image_generation',
      input_cost_per_token: 0,
      output_cost_per_token: 0,
      output_cost_per_image: 0.05,
    },
    nothing: { litellm_provider: 'openai', mode: 'chat' },
  });
  expect(list?.shape).toBe('litellm');
  const byName = new Map(list?.models.map((model) => [model.model, model]));
  expect([...byName.keys()].toSorted()).toEqual([
    'azure/gpt',
    'gemini-x',
    'gemini-y',
    'picture',
    'picture-of-no-tokens',
  ]);
  expect(byName.get('gemini-x')?.input).toBe(1);
  expect(byName.get('picture')).toEqual({ model: 'picture', perCall: 0.04 });
  // It is sold by the picture: tokens of 0 dollars would say that it is free.
  expect(byName.get('picture-of-no-tokens')).toEqual({ model: 'picture-of-no-tokens', perCall: 0.05 });
  expect(byName.get('gemini-y')).toEqual({
    model: 'gemini-y',
    input: 1.25,
    output: 10,
    cacheRead: 0.3125,
    cacheWrite5m: 1.5,
    cacheWrite1h: 3,
    search: 0.035,
    tiers: [{ above: 200_000, input: 2.5, output: 15 }],
    // Priority doubles the input and not the output, which one ratio cannot say.
    classes: { batch: 0.5 },
  });
});

test("models.dev's file: the vendor before resellers, tiers in both forms", () => {
  const list = read({
    reseller: {
      models: { 'gpt-x': { cost: { input: 9, output: 9 } }, own: { cost: { input: 1, output: 2 } } },
    },
    openai: {
      id: 'openai',
      models: {
        'gpt-x': {
          id: 'gpt-x',
          cost: {
            input: 5,
            output: 30,
            cache_read: 0.5,
            tiers: [{ input: 10, output: 45, tier: { type: 'context', size: 272_000 } }],
            context_over_200k: { input: 10 },
          },
          limit: { context: 400_000 },
        },
        older: { cost: { input: 1, output: 2, context_over_200k: { input: 2, output: 3 } } },
        'without-cost': {},
      },
    },
  });
  expect(list?.shape).toBe('models.dev');
  expect(list?.models).toEqual([
    {
      model: 'gpt-x',
      input: 5,
      output: 30,
      cacheRead: 0.5,
      tiers: [{ above: 272_000, input: 10, output: 45 }],
    },
    { model: 'older', input: 1, output: 2, tiers: [{ above: 200_000, input: 2, output: 3 }] },
    { model: 'own', input: 1, output: 2 },
  ]);
});

test('another gateway: its price list or its ratio options', () => {
  const entry = { model_ratio: 1.25, completion_ratio: 4, cache_ratio: 0.5, model_price: 0, quota_type: 0 };
  const list = read({
    success: true,
    data: [
      { model_name: 'by-usage', ...entry },
      { model_name: 'by-call', ...entry, quota_type: 1, model_price: 0.02 },
    ],
  });
  expect(list).toEqual({
    shape: 'gateway',
    models: [
      { model: 'by-usage', input: 2.5, output: 10, cacheRead: 1.25 },
      { model: 'by-call', perCall: 0.02 },
    ],
  });
  const config = { model_ratio: { a: 1 }, completion_ratio: { a: 3 }, model_price: { b: 0.1 } };
  expect(read({ success: true, data: config })?.models).toEqual([
    { model: 'b', perCall: 0.1 },
    { model: 'a', input: 2, output: 6 },
  ]);
});

test.each(['', 'null', '[]', '{"a":1}', '{"data":{}}', '<html>'])('%s is no price list', (text) => {
  expect(readPriceList(text)).toBeUndefined();
});

test('numbers that are no prices are left out, so that nothing is sold for them', () => {
  const list = read({
    a: { litellm_provider: 'x', input_cost_per_token: -1e-6, output_cost_per_token: 1e-6 },
    b: { litellm_provider: 'x', input_cost_per_token: '0.1', output_cost_per_token: 1e-6 },
    c: { litellm_provider: 'x', input_cost_per_token: 1e-6, output_cost_per_token: null },
  });
  expect(list?.models).toEqual([{ model: 'c', input: 1 }]);
});

test('tiers without a length that a prompt can have are left out, and the others are in order', () => {
  const tier = (size: unknown, input: number) => ({ input, tier: { type: 'context', size } });
  const cost = {
    input: 1,
    tiers: [tier(200_000, 2), tier(0, 3), tier(1.5, 4), tier(2e9, 5), tier(100_000, 6)],
  };
  const list = readPriceList(JSON.stringify({ vendor: { id: 'vendor', models: { m: { cost } } } }));
  expect(list?.models).toEqual([
    {
      model: 'm',
      input: 1,
      tiers: [
        { above: 100_000, input: 6 },
        { above: 200_000, input: 2 },
      ],
    },
  ]);
});
