import { describe, expect, test } from 'bun:test';
import type { PricingEntry } from '#contract/money/pricing.ts';
import { countBy, filterModels, priceModels, sortModels, vendorOf } from './models.ts';

const entry = (model_name: string, rest: Partial<PricingEntry> = {}): PricingEntry => ({
  model_name,
  quota_type: 0,
  model_ratio: 1,
  completion_ratio: 4,
  cache_ratio: 0.5,
  model_price: 0,
  price_unit: 'call',
  resolution_prices: {},
  enable_groups: ['default', 'vip'],
  owner_by: 'OpenAI',
  kind: 'chat',
  context: 1000,
  endpoints: ['/v1/chat/completions'],
  list_position: -1,
  ...rest,
});
const list = [
  entry('gpt-5.4'),
  entry('claude-sonnet-5', { owner_by: 'Anthropic', model_ratio: 0.5, enable_groups: ['vip'] }),
  entry('drawing', { quota_type: 1, model_price: 0.04, owner_by: '', kind: 'image', endpoints: [] }),
];
const names = (models: readonly PricingEntry[]) => models.map((model) => model.model_name);

describe('the price list', () => {
  test('prices follow the group, and a model the group cannot call is marked, not dropped', () => {
    const [first, second, third] = priceModels(list, 'default', 0.9);
    expect(first?.perMillion).toEqual({ input: 1.8, cached: 0.9, output: 7.2 });
    expect([first?.isOpen, second?.isOpen]).toEqual([true, false]);
    expect(third?.perMillion).toBeUndefined();
    expect(third?.perCall).toBe(0.036);
  });

  test('search takes words in any order, facets narrow further', () => {
    expect(names(filterModels(list, { q: ' 5  GPT' }))).toEqual(['gpt-5.4']);
    expect(names(filterModels(list, { vendor: 'other,Anthropic' }))).toEqual(['claude-sonnet-5', 'drawing']);
    expect(names(filterModels(list, { billing: 'call' }))).toEqual(['drawing']);
    const film = entry('film', { quota_type: 1, price_unit: 'second' });
    expect(names(filterModels([...list, film], { billing: 'second' }))).toEqual(['film']);
    expect(names(filterModels(list, { kind: 'image', vendor: 'OpenAI' }))).toEqual([]);
    expect(names(filterModels(list, { path: '/v1/chat/completions' }))).toHaveLength(2);
  });

  test('rows without a value are last in both directions', () => {
    const models = priceModels(list, 'vip', 1);
    expect(names(sortModels(models, { key: 'output', order: 'asc' }))).toEqual([
      'claude-sonnet-5',
      'gpt-5.4',
      'drawing',
    ]);
    expect(names(sortModels(models, { key: 'output', order: 'desc' })).at(-1)).toBe('drawing');
    expect(names(sortModels(models, undefined))).toEqual(names(list));
  });

  test('values are counted, most first', () => {
    expect(countBy([...list, entry('gpt-5')], (model) => [vendorOf(model)])).toEqual([
      { value: 'OpenAI', count: 2 },
      { value: 'Anthropic', count: 1 },
      { value: 'other', count: 1 },
    ]);
  });
});
