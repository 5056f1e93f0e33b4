import { describe, expect, test } from 'bun:test';
import { AppError } from '#contract/errors.ts';
import { fitsPattern, likePattern, modelPatterns, MOST_WILDCARDS } from './model-patterns.ts';

function codeOf(text: string): string | undefined {
  try {
    modelPatterns(text);
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
  return undefined;
}

describe('the models of a filter', () => {
  test('names are taken once, without what stands around them', () => {
    expect(modelPatterns(' gpt-5.4 ,, deepseek_v3,gpt-5.4')).toEqual(['gpt-5.4', 'deepseek_v3']);
  });

  test('several wildcards in a row are one', () => {
    expect(modelPatterns('gpt%%%%mini%%')).toEqual(['gpt%mini%']);
    expect(modelPatterns(`a${'%'.repeat(3000)}`)).toEqual(['a%']);
  });

  test('any text at all is no filter, also beside a name', () => {
    expect(modelPatterns('%')).toBeUndefined();
    expect(modelPatterns('%'.repeat(250))).toBeUndefined();
    expect(modelPatterns('gpt-5.4, %%')).toBeUndefined();
  });

  test('more wildcards than a search needs are refused, in one pattern or in several', () => {
    expect(codeOf('%e'.repeat(MOST_WILDCARDS))).toBeUndefined();
    expect(codeOf('%e'.repeat(MOST_WILDCARDS + 1))).toBe('too_many_wildcards');
    const patterns = Array.from({ length: MOST_WILDCARDS + 1 }, (_, index) => `model-${index}%`);
    expect(codeOf(patterns.join(','))).toBe('too_many_wildcards');
    expect(codeOf(Array.from({ length: 60 }, (_, index) => `model-${index}`).join(','))).toBeUndefined();
  });
});

test('an underscore and the escape itself are text', () => {
  expect(likePattern(String.raw`a_b\c%`)).toBe(String.raw`a\_b\\c%`);
});

test.each([
  ['gpt-5.4-mini', 'gpt-%', true],
  ['gpt-5.4-mini', '%mini', true],
  ['gpt-5.4-mini', '%5.4%', true],
  ['gpt-5.4-mini', 'GPT%Mini', true],
  ['gpt-5.4-mini', 'gpt%5%mini', true],
  ['gpt-5.4-mini', 'gpt%mini%5', false],
  ['gpt-5.4-mini', 'gpt.5%', false],
  ['aba', 'ab%ba', false],
  ['abba', 'ab%ba', true],
  ['a\nb', 'a%b', true],
  ['gpt-5.4', 'gpt-5.4', true],
  ['gpt-5.4', 'GPT-5.4', false],
])('%p and %p: %p', (name, pattern, fits) => {
  expect(fitsPattern(name, pattern)).toBe(fits);
});

test('a name made for it does not make a pattern slow', () => {
  const startedAt = performance.now();
  expect(fitsPattern('a'.repeat(5000), `${'%a'.repeat(MOST_WILDCARDS - 1)}%b`)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(100);
});
