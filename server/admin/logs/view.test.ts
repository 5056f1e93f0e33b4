import { expect, test } from 'bun:test';
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
