import { expect, test } from 'bun:test';
import { mayReload } from './stale-build.ts';

test('a stale build reloads at once, then not again for a minute', () => {
  expect(mayReload(null, 1_800_000_000_000, true)).toBe(true);
  expect(mayReload('1800000000000', 1_800_000_059_000, true)).toBe(false);
  expect(mayReload('1800000000000', 1_800_000_061_000, true)).toBe(true);
});

test('without a network nothing reloads', () => {
  expect(mayReload(null, 1_800_000_000_000, false)).toBe(false);
});
