import { expect, test } from 'bun:test';
import { RunningRequests } from './running-requests.ts';

test('one subscriber of IPv6 has one count, whatever address of its /64 it uses (S21)', () => {
  const running = new RunningRequests(() => 2);
  const first = running.begin('2001:db8:1:2::1');
  expect(first).toBeDefined();
  expect(running.begin('2001:db8:1:2:ffff::9')).toBeDefined();
  expect(running.begin('2001:db8:1:2:aaaa:bbbb:cccc:dddd')).toBeUndefined();
  expect(running.begin('2001:db8:1:3::1')).toBeDefined();
  first?.();
  expect(running.begin('2001:db8:1:2::77')).toBeDefined();
});

test('IPv4 addresses are counted one by one', () => {
  const running = new RunningRequests(() => 1);
  expect(running.begin('192.0.2.1')).toBeDefined();
  expect(running.begin('192.0.2.1')).toBeUndefined();
  expect(running.begin('192.0.2.2')).toBeDefined();
});
