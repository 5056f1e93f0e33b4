import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { readOpenAiUsage, totalTokens } from './openai-usage.ts';

const classes = (usage: unknown) => {
  const read = readOpenAiUsage(usage);
  if (read === undefined) return undefined;
  const { raw: _raw, absent: _absent, ...rest } = read;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== 0));
};

describe('usage objects become disjoint classes', () => {
  test('chat: cached is part of the prompt, reasoning and audio are part of the completion', () => {
    expect(
      classes({
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: {
          cached_tokens: 40,
          audio_tokens: 10,
          cache_write_tokens: 5,
          image_tokens: 5,
        },
        completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 5 },
      }),
    ).toEqual({
      input: 40,
      cacheRead: 40,
      cacheWrite5m: 5,
      audioInput: 10,
      imageInput: 5,
      output: 25,
      reasoning: 20,
      audioOutput: 5,
    });
  });

  test('cached and written tokens that fill the gap to the total are a prompt counted without them (M21)', () => {
    const cached = { cached_tokens: 40, cache_write_tokens: 10 };
    expect(
      classes({
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 200,
        prompt_tokens_details: cached,
      }),
    ).toEqual({ input: 100, cacheRead: 40, cacheWrite5m: 10, output: 50 });
  });

  test('responses, realtime and images', () => {
    expect(
      classes({
        input_tokens: 30,
        output_tokens: 12,
        input_tokens_details: { cached_tokens: 10 },
        output_tokens_details: { reasoning_tokens: 4 },
      }),
    ).toEqual({ input: 20, cacheRead: 10, output: 8, reasoning: 4 });
    expect(
      classes({
        input_tokens: 30,
        output_tokens: 12,
        input_token_details: {
          text_tokens: 10,
          audio_tokens: 20,
          cached_tokens: 8,
          cached_tokens_details: { audio_tokens: 8 },
        },
        output_token_details: { text_tokens: 2, audio_tokens: 10 },
      }),
    ).toEqual({ input: 10, cacheRead: 8, audioInput: 12, output: 2, audioOutput: 10 });
  });

  test('only a total, or DeepSeek’s names', () => {
    expect(classes({ total_tokens: 9 })).toEqual({ input: 9, isTotalAlone: true });
    expect(classes({ prompt_tokens: 9, total_tokens: 9 })).toEqual({ input: 9 });
    expect(classes({ prompt_tokens: 10, completion_tokens: 1, prompt_cache_hit_tokens: 6 })).toEqual({
      input: 4,
      cacheRead: 6,
      output: 1,
    });
  });

  test('what only the total has is named, unless a class of reasoning explains it (M13)', () => {
    const parts = { prompt_tokens: 10, completion_tokens: 5 };
    const only = (usage: object) => readOpenAiUsage({ ...parts, ...usage })?.inTotalOnly;
    expect(only({ total_tokens: 15 })).toBeUndefined();
    expect(only({ total_tokens: 900 })).toBe(885);
    const thought = { completion_tokens_details: { reasoning_tokens: 885 } };
    expect(only({ total_tokens: 900, ...thought })).toBeUndefined();
    expect(only({ total_tokens: 1000, ...thought })).toBe(100);
    expect(readOpenAiUsage({ prompt_tokens: 10, total_tokens: 900 })?.inTotalOnly).toBe(890);
  });

  test('an object without tokens gives no usage', () => {
    for (const value of [null, undefined, 5, 'x', [], {}, { prompt_tokens: null }, { prompt_tokens: -1 }]) {
      expect(readOpenAiUsage(value)).toBeUndefined();
    }
  });

  test('a fraction of a token is rounded up and counts as reported', () => {
    expect(classes({ prompt_tokens: 10.2, completion_tokens: 0.5 })).toEqual({ input: 11, output: 1 });
    expect(
      classes({ prompt_tokens: 9.5, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 9.1 } }),
    ).toEqual({ cacheRead: 10, output: 2 });
    expect(readOpenAiUsage({ prompt_tokens: -0.5 })).toBeUndefined();
    expect(readOpenAiUsage({ prompt_tokens: Number.POSITIVE_INFINITY })).toBeUndefined();
  });

  test('no token is counted twice or lost, whatever the details claim', () => {
    const number = fc.oneof(fc.nat(1000), fc.constantFrom(-1, 1.5, Number.NaN, null, '7'));
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.nat(1000),
        fc.tuple(number, number, number, number),
        (prompt, completion, [a, b, c, d]) => {
          const usage = readOpenAiUsage({
            prompt_tokens: prompt,
            completion_tokens: completion,
            prompt_tokens_details: { cached_tokens: a, audio_tokens: b, image_tokens: c },
            completion_tokens_details: { reasoning_tokens: d, audio_tokens: a },
          });
          expect(usage && totalTokens(usage)).toBe(prompt + completion);
          for (const [name, value] of Object.entries(usage ?? {}))
            if (name !== 'raw' && name !== 'absent') expect(value).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});
