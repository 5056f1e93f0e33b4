import { expect, test } from 'bun:test';
import { csvCell, csvLine } from '#contract/csv.ts';
import { withoutAdminInfo } from './view.ts';

test('what concerns the operator is taken out, and nothing else', () => {
  const other = JSON.stringify({ frt: 5, usage: { input: 1 }, admin_info: { use_channel: ['7'] } });
  expect(JSON.parse(withoutAdminInfo(other))).toEqual({ frt: 5, usage: { input: 1 } });
});

test.each(['', '{}', '{"admin_info":{"use_channel"', '["admin_info"]', 'null', '7'])(
  'text that is no object tells nothing: %p',
  (other) => {
    expect(withoutAdminInfo(other)).toBe('{}');
  },
);

test.each([
  ['plain', 'plain'],
  ['-12.5', '-12.5'],
  ['=1+1', `"'=1+1"`],
  ['+cmd', `"'+cmd"`],
  ['-cmd', `"'-cmd"`],
  ['@sum', `"'@sum"`],
  ['\tx', `"'\tx"`],
  ['a,b', '"a,b"'],
  ['say "x"', '"say ""x"""'],
])('%p becomes the cell %p', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test('a line ends as RFC 4180 says', () => {
  expect(csvLine([1, 'a', true])).toBe('1,a,true\r\n');
});
