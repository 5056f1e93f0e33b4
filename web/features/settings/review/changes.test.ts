import { expect, test } from 'bun:test';
import type { OptionField } from '#contract/options.ts';
import { changeLines, lineDifference, withoutEntryChange } from './changes.ts';

const field = (kind: OptionField['kind']): OptionField => ({
  key: 'K',
  kind,
  group: 'general',
  label: { zh: 'K', en: 'K' },
  help: { zh: '', en: '' },
  fallback: '',
  needs: [],
});

test('a map is compared entry by entry', () => {
  expect(changeLines(field('json'), '{"a":1,"b":2,"c":3}', '{"a":1,"b":4,"d":5}')).toEqual([
    { key: 'K', entry: 'b', before: '2', after: '4' },
    { key: 'K', entry: 'c', before: '3', after: '' },
    { key: 'K', entry: 'd', before: '', after: '5' },
  ]);
});

test('a list in JSON and a plain value are compared whole', () => {
  expect(changeLines(field('json'), '[1]', '[2]')).toEqual([{ key: 'K', before: '[1]', after: '[2]' }]);
  expect(changeLines(field('integer'), '5', '6')).toEqual([{ key: 'K', before: '5', after: '6' }]);
});

test('of long texts the lines that differ', () => {
  expect(lineDifference('one\ntwo\n\nthree', 'one\nthree\nfour')).toEqual({ gone: ['two'], added: ['four'] });
});

test('one entry of a map is taken back, the others stay', () => {
  expect(JSON.parse(withoutEntryChange('{"a":1}', '{"a":2,"b":3}', 'a'))).toEqual({ a: 1, b: 3 });
  expect(JSON.parse(withoutEntryChange('{"a":1}', '{"a":2,"b":3}', 'b'))).toEqual({ a: 2 });
});
