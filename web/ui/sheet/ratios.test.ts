import { describe, expect, test } from 'bun:test';
import type { PricedModel } from '#contract/options.ts';
import { recentDifference, unitPrice, withDollars } from './dollars.ts';
import {
  mapsOf,
  readCell,
  readResolutions,
  resolutionText,
  rowOf,
  rowsOf,
  textsOf,
  withBilling,
  withCell,
  withoutModel,
  withPiece,
  withStored,
  type RatioMaps,
} from './ratios.ts';

const maps = (part: Partial<RatioMaps> = {}): RatioMaps => ({
  ModelPrice: {},
  ModelRatio: {},
  CompletionRatio: {},
  PriceUnit: {},
  ResolutionPrice: {},
  ...part,
});

const facts = (part: Partial<PricedModel> & Pick<PricedModel, 'model'>): PricedModel => ({
  vendor: '',
  offered: true,
  unpriced: false,
  recent_calls: 0,
  recent_prompt_tokens: 0,
  recent_completion_tokens: 0,
  recent_quota: 0,
  ...part,
});

test('ACC-5.46 a fixed price is saved only as a price', () => {
  const before = maps({ ModelRatio: { mj: 2, gpt: 1 }, CompletionRatio: { mj: 3, gpt: 4 } });
  const after = withCell(before, 'ModelPrice', 'mj', 0.1);
  expect(after).toEqual(
    maps({ ModelPrice: { mj: 0.1 }, ModelRatio: { gpt: 1 }, CompletionRatio: { gpt: 4 } }),
  );
  expect(before.ModelRatio).toHaveProperty('mj');
});

test('ACC-5.46 the next edit of the sheet removes ratios beside a fixed price', () => {
  const both = maps({ ModelPrice: { mj: 0.1 }, ModelRatio: { mj: 2 }, CompletionRatio: { mj: 2 } });
  expect(withCell(both, 'ModelRatio', 'gpt', 1)).toEqual(
    maps({ ModelPrice: { mj: 0.1 }, ModelRatio: { gpt: 1 } }),
  );
});

test('ACC-5.47 without a fixed price the ratio and the completion ratio are saved separately', () => {
  let next = withCell(maps(), 'ModelRatio', 'gpt', 1.25);
  next = withCell(next, 'CompletionRatio', 'gpt', 4);
  const texts = textsOf(next);
  expect(JSON.parse(texts.ModelRatio)).toEqual({ gpt: 1.25 });
  expect(JSON.parse(texts.CompletionRatio)).toEqual({ gpt: 4 });
  expect(JSON.parse(texts.ModelPrice)).toEqual({});
});

test('ACC-5.48 an emptied cell is left out', () => {
  const next = withCell(maps({ ModelRatio: { gpt: 1 } }), 'ModelRatio', 'gpt', undefined);
  expect(textsOf(next).ModelRatio).toBe('{}');
  const gone = withoutModel(maps({ ModelRatio: { gpt: 1 }, CompletionRatio: { gpt: 2 } }), 'gpt');
  expect(gone).toEqual(maps());
});

test('ACC-5.42 a cell takes numbers from 0 up', () => {
  expect([readCell(''), readCell(' 1.5 '), readCell('0')]).toEqual([undefined, 1.5, 0]);
  for (const bad of ['abc', '-1', '1e99', 'Infinity', '1,5']) expect(readCell(bad)).toBe('bad');
});

describe('N11: prices typed in dollars', () => {
  const known = facts({ model: 'gpt', list_ratio: 1.25, list_completion_ratio: 4 });
  const typed = (before: RatioMaps, part: 'call' | 'input' | 'output', dollars: number, fact = known) => {
    const after = withDollars(before, rowOf(before, 'gpt', fact), part, dollars);
    return after && unitPrice(rowOf(after, 'gpt', fact));
  };

  test('the input price changes and the output price stays', () => {
    expect(typed(maps(), 'input', 2)).toEqual({ input: 2, output: 10 });
    expect(typed(maps({ ModelRatio: { gpt: 1 }, CompletionRatio: { gpt: 3 } }), 'input', 4)).toEqual({
      input: 4,
      output: 6,
    });
  });

  test('the output price changes and the input price stays', () => {
    expect(typed(maps(), 'output', 20)).toEqual({ input: 2.5, output: 20 });
  });

  test('a model without a price gets its input price first', () => {
    const unknown = facts({ model: 'gpt' });
    expect(typed(maps(), 'output', 5, unknown)).toBeUndefined();
    expect(typed(maps(), 'input', 3, unknown)).toEqual({ input: 3, output: 3 });
    expect(typed(maps(), 'call', 0.5, unknown)).toEqual({ call: 0.5 });
  });

  test('a free input keeps the completion ratio, because every output price would be free too', () => {
    expect(withDollars(maps(), rowOf(maps(), 'gpt', known), 'input', 0)).toEqual(
      maps({ ModelRatio: { gpt: 0 } }),
    );
  });
});

test('texts and sheet convert both ways; a text that is not a map of numbers gives no sheet', () => {
  const texts = { ModelPrice: '{"mj":0.1}', ModelRatio: '{"gpt":1}', CompletionRatio: '{}' };
  const read = mapsOf(texts);
  expect(read && textsOf(read)).toEqual({
    ModelPrice: '{\n  "mj": 0.1\n}',
    ModelRatio: '{\n  "gpt": 1\n}',
    CompletionRatio: '{}',
    PriceUnit: '{}',
    ResolutionPrice: '{}',
  });
  expect(mapsOf({ ...texts, PriceUnit: '{"mj":"hour"}' })).toBeUndefined();
  expect(mapsOf({ ...texts, ResolutionPrice: '{"mj":{"1080p":"dear"}}' })).toBeUndefined();
  for (const bad of ['{', '[]', '{"gpt":"1"}', 'null'])
    expect(mapsOf({ ...texts, ModelRatio: bad })).toBeUndefined();
});

describe('prices by the second', () => {
  const sora = facts({
    model: 'sora',
    list_price: 0.1,
    list_unit: 'second',
    list_resolutions: { '1080p': 0.5 },
  });

  test('the list says the unit, and a unit is kept only where it differs from that', () => {
    expect(rowOf(maps(), 'sora', sora).billing).toBe('second');
    expect(rowOf(maps({ ModelPrice: { sora: 1 } }), 'sora', sora).billing).toBe('second');
    const byClip = withBilling(maps({ ModelPrice: { sora: 1 } }), 'sora', 'call', 'second');
    expect(byClip.PriceUnit).toEqual({ sora: 'call' });
    expect(rowOf(byClip, 'sora', sora).billing).toBe('call');
    expect(withBilling(byClip, 'sora', 'second', 'second').PriceUnit).toEqual({});
    expect(withBilling(maps({ ModelRatio: { new: 1 } }), 'new', 'second')).toEqual(
      maps({ PriceUnit: { new: 'second' } }),
    );
  });

  test('billing by usage, a removed model and an undone edit leave nothing behind', () => {
    const stored = maps({
      ModelPrice: { film: 1 },
      PriceUnit: { film: 'second' },
      ResolutionPrice: { film: { '1080p': 2 } },
    });
    expect(withBilling(stored, 'film', 'usage')).toEqual(maps());
    expect(withoutModel(stored, 'film')).toEqual(maps());
    expect(withStored(withoutModel(stored, 'film'), stored, 'film')).toEqual(stored);
  });

  test('resolutions are typed as one text', () => {
    expect(readResolutions('1080p=0.2, 2160P:0.4')).toEqual({ '1080p': 0.2, '2160p': 0.4 });
    expect(resolutionText({ '1080p': 0.2, '2160p': 0.4 })).toBe('1080p=0.2, 2160p=0.4');
    expect(readResolutions('')).toEqual({});
    for (const bad of ['1080p', 'wide=1', '1080p=-1', '1080p=x'])
      expect(readResolutions(bad)).toBeUndefined();
    expect(withPiece(maps(), 'film', undefined, { '480p': 1 })).toEqual(
      maps({ ResolutionPrice: { film: { '480p': 1 } } }),
    );
  });
});

describe('rows', () => {
  test('every model that is priced or offered has one', () => {
    const rows = rowsOf(maps({ ModelPrice: { mj: 1 }, CompletionRatio: { gpt: 2 } }), [
      facts({ model: 'listed' }),
    ]);
    expect(rows.map(({ model }) => model)).toEqual(['gpt', 'listed', 'mj']);
    expect(rows.map(({ billing }) => billing)).toEqual(['usage', 'usage', 'call']);
  });

  test('the price is the operator’s, else the list’s', () => {
    const known = facts({ model: 'gpt', list_ratio: 1.25, list_completion_ratio: 4 });
    expect(unitPrice(rowOf(maps(), 'gpt', known))).toEqual({ input: 2.5, output: 10 });
    expect(unitPrice(rowOf(maps({ ModelRatio: { gpt: 1 } }), 'gpt', known))).toEqual({ input: 2, output: 8 });
    expect(unitPrice(rowOf(maps({ ModelPrice: { gpt: 0.5 } }), 'gpt', known))).toEqual({ call: 0.5 });
    expect(unitPrice(rowOf(maps(), 'new', undefined))).toBeUndefined();
    const byCall = facts({ model: 'mj', list_price: 0.1 });
    expect(rowOf(maps(), 'mj', byCall).billing).toBe('call');
    expect(unitPrice(rowOf(maps({ ModelRatio: { mj: 1 } }), 'mj', byCall))).toEqual({ input: 2, output: 2 });
  });

  test('what the last 30 days would have cost scales the charge that was made', () => {
    const used = facts({
      model: 'gpt',
      list_ratio: 1,
      list_completion_ratio: 1,
      recent_calls: 2,
      recent_prompt_tokens: 100,
      recent_completion_tokens: 100,
      recent_quota: 1000,
    });
    const before = rowOf(maps(), 'gpt', used);
    expect(recentDifference(before, rowOf(maps({ ModelRatio: { gpt: 0.5 } }), 'gpt', used))).toBe(-500);
    expect(recentDifference(before, rowOf(maps({ CompletionRatio: { gpt: 3 } }), 'gpt', used))).toBe(1000);
    expect(recentDifference(before, rowOf(maps(), 'gpt', facts({ model: 'gpt' })))).toBeUndefined();
  });
});
