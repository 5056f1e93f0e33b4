import { expect, test } from 'bun:test';
import { maskSecret } from './mask.ts';

test('a hidden secret shows at most four characters at each end', () => {
  expect(maskSecret('9fQ2abcdefghijklmnopqrstuvwxa7Xd')).toBe('9fQ2…a7Xd');
});

test('a short secret shows nothing at all', () => {
  expect(maskSecret('hunter2')).not.toContain('hunter');
});
