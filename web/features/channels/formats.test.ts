import { describe, expect, test } from 'bun:test';
import { chosenFormats, formatName, withFormats } from './formats.ts';

describe('W2 the formats of a channel in its setting', () => {
  test('W2 the choice is read and written beside other members', () => {
    const setting = withFormats('{"proxy":"http://p"}', ['openai-chat']);
    expect(JSON.parse(setting)).toEqual({ proxy: 'http://p', formats: ['openai-chat'] });
    expect(chosenFormats(setting)).toEqual(['openai-chat']);
    expect(JSON.parse(withFormats(setting, []))).toEqual({ proxy: 'http://p' });
    expect(withFormats('{"formats":["openai-chat"]}', [])).toBe('');
    expect([chosenFormats(''), chosenFormats('{'), chosenFormats('{"formats":7}')]).toEqual([[], [], []]);
  });

  test('W2 formats have the names that callers know', () => {
    expect(['openai-responses', 'other'].map(formatName)).toEqual(['Responses', 'other']);
  });
});
