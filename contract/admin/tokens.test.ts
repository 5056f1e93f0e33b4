import { describe, expect, test } from 'bun:test';
import { modelLimitList, TOKEN_STATUS, tokenChange, tokenCreate, tokenStatusAt } from './tokens.ts';

const enabled = { status: TOKEN_STATUS.enabled, expired_time: -1, remain_quota: 1, unlimited_quota: false };
const now = 1_800_000_000;

describe('the state of a token at a moment', () => {
  test('an enabled token is expired from its second on', () => {
    expect(tokenStatusAt({ ...enabled, expired_time: now + 1 }, now)).toBe(TOKEN_STATUS.enabled);
    expect(tokenStatusAt({ ...enabled, expired_time: now }, now)).toBe(TOKEN_STATUS.expired);
  });

  test('an enabled token without quota is exhausted, unless it is unlimited', () => {
    expect(tokenStatusAt({ ...enabled, remain_quota: 0 }, now)).toBe(TOKEN_STATUS.exhausted);
    expect(tokenStatusAt({ ...enabled, remain_quota: 0, unlimited_quota: true }, now)).toBe(
      TOKEN_STATUS.enabled,
    );
    expect(tokenStatusAt({ ...enabled, remain_quota: 0, unlimited_quota: 1 }, now)).toBe(
      TOKEN_STATUS.enabled,
    );
  });

  test('a token disabled by hand stays disabled when its time or quota ends', () => {
    const disabled = { ...enabled, status: TOKEN_STATUS.disabled, remain_quota: 0, expired_time: 1 };
    expect(tokenStatusAt(disabled, now)).toBe(TOKEN_STATUS.disabled);
  });
});

test('REL-3.56 model limits are a comma list, each model once', () => {
  expect(modelLimitList(' gpt-5.4,gpt-5.4-mini，gpt-5.4\nqwen3.7-max,, ')).toEqual([
    'gpt-5.4',
    'gpt-5.4-mini',
    'qwen3.7-max',
  ]);
});

describe('what a form may send', () => {
  test('REL-5.28 a quota that is no integer is refused', () => {
    expect(tokenCreate.safeParse({ name: 'a', remain_quota: 1.5 }).success).toBe(false);
    expect(tokenCreate.safeParse({ name: 'a', remain_quota: -1 }).success).toBe(false);
    expect(tokenCreate.safeParse({ name: 'a', remain_quota: Number.MAX_SAFE_INTEGER + 1 }).success).toBe(
      false,
    );
    expect(tokenCreate.safeParse({ name: 'a', remain_quota: 500_000 }).success).toBe(true);
  });

  test('REL-5.29 a count that is no positive integer up to 100 is refused', () => {
    for (const count of [0, -1, 1.5, 101]) {
      expect(tokenCreate.safeParse({ name: 'a', count }).success).toBe(false);
    }
    expect(tokenCreate.safeParse({ name: 'a', count: 100 }).success).toBe(true);
  });

  test('fields that are not the owner’s to set fall away', () => {
    const parsed = tokenChange.parse({ id: 1, used_quota: 0, user_id: 9, key: 'x', held_quota: 0 });
    expect(parsed).toEqual({ id: 1 });
  });
});
