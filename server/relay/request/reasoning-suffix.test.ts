import { describe, expect, test } from 'bun:test';
import { readSuffix, suffixFor, suffixMembers } from '#server/models/reasoning-suffix.ts';

describe('suffixes of model names', () => {
  test.each([
    ['o3-mini-high', 'o3-mini', 'high', undefined],
    ['gpt-5-minimal', 'gpt-5', 'minimal', undefined],
    ['openai/gpt-5.1-low', 'openai/gpt-5.1', 'low', undefined],
    ['claude-3-7-sonnet-20250219-thinking', 'claude-3-7-sonnet-20250219', undefined, undefined],
    ['claude-opus-4-5-thinking-8192', 'claude-opus-4-5', undefined, 8192],
    ['claude-opus-4-5-nothinking', 'claude-opus-4-5', 'none', undefined],
    ['gemini-2.5-flash-thinking-512', 'gemini-2.5-flash', undefined, 512],
    ['gemini-2.5-pro-nothinking', 'gemini-2.5-pro', 'none', undefined],
  ])('%s', (name, model, effort, budgetTokens) => {
    expect(readSuffix(name)).toMatchObject({ model, effort, budgetTokens });
  });

  test('names that end so by themselves are left alone', () => {
    for (const name of [
      'kimi-k2-thinking',
      'qwen3-235b-a22b-thinking-2507',
      'gemini-2.0-flash-thinking-exp-1219',
      'gpt-5.1-codex-max',
      'o4-mini',
      'deepseek-r1-high',
      'gpt-image-1-high',
      'claude-opus-4-5',
    ])
      expect(readSuffix(name)).toBeUndefined();
  });

  test('only a format that can say it otherwise loses the suffix', () => {
    expect(suffixFor('anthropic-messages', 'claude-opus-4-5-thinking')?.model).toBe('claude-opus-4-5');
    // Another gateway behind a channel may know the name as it is.
    expect(suffixFor('openai-chat', 'claude-opus-4-5-thinking')).toBeUndefined();
  });

  test('a budget is below the limit, and no sampling goes with it', () => {
    const suffix = readSuffix('claude-opus-4-5-thinking-4096');
    if (suffix === undefined) throw new Error('no suffix');
    const members = suffixMembers('anthropic-messages', { max_tokens: 1000, temperature: 0.5 }, suffix);
    expect(Number(members['max_tokens'])).toBeGreaterThan(4096);
    expect('temperature' in members && members['temperature'] === undefined).toBe(true);
  });
});
