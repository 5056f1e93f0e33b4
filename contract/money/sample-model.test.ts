import { expect, test } from 'bun:test';
import type { PricingEntry } from './pricing.ts';
import { sampleModelOf } from './sample-model.ts';

const entry = (name: string, changes: Partial<PricingEntry> = {}) =>
  ({
    model_name: name,
    quota_type: 0,
    model_ratio: 1,
    completion_ratio: 1,
    model_price: 0,
    enable_groups: ['default'],
    endpoints: ['/v1/chat/completions'],
    ...changes,
  }) as PricingEntry;

test('samples name the cheapest chat model that can be called (D2)', () => {
  const cheap = entry('small-chat', { model_ratio: 0.1 });
  expect(sampleModelOf([entry('large-chat', { model_ratio: 5 }), cheap])).toBe('small-chat');
  const closed = [
    entry('embedding', { endpoints: ['/v1/embeddings'], model_ratio: 0.01 }),
    entry('by-call', { quota_type: 1, model_price: 0.001 }),
    entry('nobody', { enable_groups: [], model_ratio: 0.01 }),
    entry('free', { model_ratio: 0 }),
  ];
  expect(sampleModelOf([...closed, cheap])).toBe('small-chat');
  expect(sampleModelOf(closed)).toBeUndefined();
});
