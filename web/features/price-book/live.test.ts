import { expect, test } from 'bun:test';
import type { MarginRow } from '#contract/money/margins.ts';
import type { PricedModel } from '#contract/options.ts';
import type { RatioMaps } from '#web/ui/sheet/ratios.ts';
import { changedModels, liveFigures } from './live.ts';

const maps = (part: Partial<RatioMaps> = {}): RatioMaps => ({
  ModelPrice: {},
  ModelRatio: {},
  CompletionRatio: {},
  PriceUnit: {},
  ResolutionPrice: {},
  ...part,
});
const facts: PricedModel = {
  model: 'm',
  vendor: '',
  offered: true,
  unpriced: false,
  recent_calls: 3,
  recent_prompt_tokens: 1000,
  recent_completion_tokens: 0,
  recent_quota: 1000,
  list_ratio: 1,
};
const margin: MarginRow = {
  key: 'm',
  name: 'm',
  calls: 3,
  revenue: 1000,
  cost: 400,
  fees: 0,
  margin: 400,
  unknown_calls: 1,
  unknown_revenue: 200,
  cache: null,
};

test('a typed price moves the use of the last days and the margin on its known cost', () => {
  const both = { saved: maps(), typed: maps({ ModelRatio: { m: 2 } }) };
  expect(liveFigures('m', both, facts, margin)).toEqual({
    model: 'm',
    used: { before: 1000, after: 2000 },
    share: { before: 0.5, after: 0.75 },
  });
  expect(liveFigures('m', both, facts, undefined).share).toBeUndefined();
  expect(liveFigures('m', both, facts, { ...margin, unknown_revenue: 1000 }).share).toBeUndefined();
  expect(liveFigures('m', both, { ...facts, recent_quota: 0 }, margin).used).toBeUndefined();
});

test('a model is changed by any of its numbers', () => {
  const saved = maps({ ModelRatio: { a: 1, b: 1 }, ResolutionPrice: { c: { '1080p': 1 } } });
  const typed = maps({
    ModelRatio: { a: 1, b: 2 },
    ResolutionPrice: { c: { '1080p': 2 } },
    PriceUnit: { d: 'second' },
  });
  expect(changedModels(saved, typed)).toEqual(['b', 'c', 'd']);
  expect(changedModels(saved, saved)).toEqual([]);
});
