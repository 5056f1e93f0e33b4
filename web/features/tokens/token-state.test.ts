import { expect, test } from 'bun:test';
import { lineCount, tokenState, totalQuota } from './token-state.ts';

test('REL-4.23 a token with status 1 and model limits shows as restricted', () => {
  expect(tokenState({ status: 1, model_limits_enabled: true })).toBe('restricted');
  expect(tokenState({ status: 1, model_limits_enabled: false })).toBe('enabled');
});

test('any other state is shown as it is, with or without model limits', () => {
  expect([2, 3, 4].map((status) => tokenState({ status, model_limits_enabled: true }))).toEqual([
    'disabled',
    'expired',
    'exhausted',
  ]);
});

test('the total is what was used and what is left, and an unlimited token has none', () => {
  expect(totalQuota({ used_quota: 3, remain_quota: 4, unlimited_quota: false })).toBe(7);
  expect(totalQuota({ used_quota: 3, remain_quota: 4, unlimited_quota: true })).toBeUndefined();
});

test('blank lines are no addresses', () => {
  expect(lineCount('')).toBe(0);
  expect(lineCount('a\n\n b \n')).toBe(2);
});
