import { expect, test } from 'bun:test';
import { vendorGroups, vendorOf } from './vendors.ts';

test.each([
  ['gpt-5.4-mini', 'OpenAI'],
  ['o3', 'OpenAI'],
  ['o4-mini', 'OpenAI'],
  ['openai/gpt-5.4', 'OpenAI'],
  ['Claude-Sonnet-5', 'Anthropic'],
  ['deepseek-v4-pro', 'DeepSeek'],
  ['qwen3.7-max', 'Qwen'],
  ['orca-mini', undefined],
  ['my-own-model', undefined],
])('%s is made by %p', (model, vendor) => {
  expect(vendorOf(model)).toBe(vendor);
});

test('the largest group is first, unknown models last, and no model twice', () => {
  const groups = vendorGroups(['x', 'claude-opus-5', 'gpt-5.4', 'gpt-5.4', 'o3', 'y', 'z']);
  expect(groups).toEqual([
    { vendor: 'OpenAI', models: ['gpt-5.4', 'o3'] },
    { vendor: 'Anthropic', models: ['claude-opus-5'] },
    { vendor: undefined, models: ['x', 'y', 'z'] },
  ]);
});
