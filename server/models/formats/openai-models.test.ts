import { describe, expect, test } from 'bun:test';
import { effortForBudget, nearestEffort, openAiModel } from './openai-models.ts';

describe('names', () => {
  test('a generation that is newer than the table behaves like its newest row (W21)', () => {
    const newest = openAiModel('gpt-5.5');
    for (const name of [
      'gpt-5.6',
      'gpt-5.6-terra',
      'gpt-5.10',
      'gpt-6-sol',
      'gpt-7',
      'gpt-12',
      'openai/gpt-6',
    ])
      expect([name, openAiModel(name)]).toEqual([name, newest]);
    expect(openAiModel('o5')).toEqual(openAiModel('o4-mini'));
  });

  test('older and other models keep their own rules (W21)', () => {
    for (const name of ['gpt-4o', 'gpt-4.1', 'gpt-35-turbo', 'gpt-3.5-turbo', 'chatgpt-4o-latest'])
      expect([name, openAiModel(name)]).toMatchObject([
        name,
        { isOpenAi: true, isReasoning: false, hasNewLimit: false, canThink: false },
      ]);
    for (const name of ['deepseek-chat', 'gpt-oss-120b', 'gpt-image-1', 'olmo-2', 'claude-opus-4-5', 'o-one'])
      expect([name, openAiModel(name)]).toMatchObject([name, { isOpenAi: false, efforts: undefined }]);
    expect(openAiModel('gpt-5.1-chat-latest')).toMatchObject({ isReasoning: false, hasNewLimit: true });
  });

  test('variants that only Responses serves', () => {
    for (const name of ['gpt-5-pro', 'gpt-5.2-pro', 'gpt-6-pro', 'gpt-5.1-codex-max', 'o3-pro', 'o5-pro'])
      expect([name, openAiModel(name).isResponsesOnly]).toEqual([name, true]);
    for (const name of ['o4-mini-deep-research', 'codex-mini-latest', 'computer-use-preview'])
      expect([name, openAiModel(name).isResponsesOnly]).toEqual([name, true]);
    for (const name of ['gpt-5', 'gpt-5-mini', 'o3', 'gpt-4o', 'gpt-5.6-provider'])
      expect([name, openAiModel(name).isResponsesOnly]).toEqual([name, false]);
  });
});

describe('efforts', () => {
  test('a budget never becomes an effort that the model refuses (W25)', () => {
    const names = ['gpt-5', 'gpt-5.1', 'gpt-5.6', 'gpt-7', 'gpt-5-pro', 'gpt-5.2-codex', 'o3', 'o5'];
    for (const name of names)
      for (const tokens of [0, 1, 1024, 1025, 5000, 20_000, 200_000])
        expect(openAiModel(name).efforts).toContain(effortForBudget(tokens, name) ?? '');
    expect(effortForBudget(1024, 'gpt-5')).toBe('minimal');
    expect(effortForBudget(1024, 'some-model')).toBe('low');
    expect(effortForBudget(0, 'gpt-5.1')).toBe('none');
  });

  test('the nearest accepted effort; who wants some thought gets some', () => {
    expect(nearestEffort('minimal', ['none', 'low', 'high'])).toBe('low');
    expect(nearestEffort('max', ['none', 'low', 'high'])).toBe('high');
    expect(nearestEffort('none', ['minimal', 'low'])).toBe('minimal');
    expect(nearestEffort('huge', ['low', 'medium', 'high'])).toBe('medium');
    expect(nearestEffort('low', [])).toBeUndefined();
    expect(nearestEffort('anything', undefined)).toBe('anything');
  });
});
