import { expect, test } from 'bun:test';
import { vendorMark } from './vendor-mark.ts';

test('a vendor has two letters that people know it by, and always the same colour', () => {
  const letters = (name: string) => vendorMark(name).letters;
  expect(['Google', 'Midjourney', 'xAI', 'Moonshot'].map(letters)).toEqual(['Ge', 'MJ', 'xA', 'Ki']);
  expect(['OpenAI', 'DeepSeek', 'Anthropic', 'Northwind Tokens', '智谱清言'].map(letters)).toEqual([
    'OA',
    'DS',
    'An',
    'NT',
    '智谱',
  ]);
  expect(vendorMark('')).toEqual({ letters: '·', hue: 10 });
  const hues = ['OpenAI', 'Anthropic', 'Google', 'xAI', 'DeepSeek'].map((name) => vendorMark(name).hue);
  expect(hues.every((hue) => hue >= 1 && hue <= 9)).toBe(true);
  expect(new Set(hues).size).toBeGreaterThan(2);
});
