import { expect, test } from 'bun:test';
import { isMasked } from './masked.ts';

test('masked values are distinguished from real ones', () => {
  for (const text of ['****', 'sk-****', 'sk-abcd****wxyz', ' •••••• ', '(secret)', '***'])
    expect([text, isMasked(text)]).toEqual([text, true]);
  for (const text of ['', 'sk-abc', 'pa**word', 'a*b*c*d', 'one **** two', 'x'.repeat(40) + '****'])
    expect([text, isMasked(text)]).toEqual([text, false]);
});
