import { describe, expect, test } from 'bun:test';
import {
  costOfCall,
  estimateTokens,
  piecePriceAt,
  picturePieces,
  pricePerMillion,
  QUOTA_TYPE,
} from './pricing.ts';

const byUsage = {
  quota_type: QUOTA_TYPE.usage,
  model_ratio: 0.375,
  completion_ratio: 6,
  cache_ratio: 0.1,
  model_price: 0,
};

describe('the sums of the price list', () => {
  test('REL-9.47 REL-9.48 per million: input is ratio × 2 × group, output also × completion ratio', () => {
    expect(pricePerMillion(byUsage, 1)).toEqual({ input: 0.75, cached: 0.075, output: 4.5 });
    expect(pricePerMillion(byUsage, 0.8)).toEqual({ input: 0.6, cached: 0.06, output: 3.6 });
  });

  test('REL-9.46 a call costs group × ratio × (prompt + completion × completion ratio) ÷ 500,000', () => {
    const tokens = { prompt: 1000, completion: 500 };
    expect(costOfCall(byUsage, 2, tokens)).toBe((2 * 0.375 * (1000 + 500 * 6)) / 500_000);
  });

  test('REL-9.45 a fixed price does not look at the tokens', () => {
    const byCall = { ...byUsage, quota_type: QUOTA_TYPE.call, model_price: 0.1 };
    expect(costOfCall(byCall, 0.9, { prompt: 1, completion: 1 })).toBe(0.09);
    expect(costOfCall(byCall, 0.9, { prompt: 1e6, completion: 1e6 })).toBe(0.09);
  });
});

test('a resolution between two prices costs as much as the next lower one, never less than the usual price (M21)', () => {
  const prices = { '480p': 0.1, '720p': 0.3, '1080p': 0.5 };
  const dollars = (resolution: string) => piecePriceAt(0.2, prices, resolution);
  expect(['480p', '720p', '1080p'].map(dollars)).toEqual([0.1, 0.3, 0.5]);
  expect(['540p', '900p', '1088p', '2160p'].map(dollars)).toEqual([0.2, 0.3, 0.5, 0.5]);
  expect(['240p', '', 'wide'].map(dollars)).toEqual([0.2, 0.2, 0.2]);
});

test('tokens are guessed: letters by four, Chinese characters one by one', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('a')).toBe(1);
  expect(estimateTokens('four letters')).toBe(3);
  expect(estimateTokens('数据看板')).toBe(4);
});

test('pictures count by number and size, and those of DALL·E 3 in high quality twice, or half more where they are large', () => {
  const two = (size: string) => picturePieces('dall-e-2', 2, size);
  expect(['256x256', '512x512', '1024x1024', '1024x1792', '1792x1024'].map(two)).toEqual([0.8, 0.9, 2, 4, 4]);
  expect(['auto', 'constructor'].map(two)).toEqual([2, 2]);
  const high = (model: string, size: string, quality = 'hd') => picturePieces(model, 1, size, quality);
  expect([high('dall-e-3', '1024x1024'), high('dall-e-3', '1024x1792')]).toEqual([2, 3]);
  expect([high('dall-e-3', '1024x1024', 'standard'), high('dall-e-2', '1024x1024')]).toEqual([1, 1]);
});
