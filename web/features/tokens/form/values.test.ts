import { describe, expect, test } from 'bun:test';
import { TOKEN_DEFAULTS, type TokenView } from '#contract/admin/tokens.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { changeBody, changedFields, createBody, expiryTime, formValues, problemsOf } from './values.ts';

const now = 1_794_591_720;
const token: TokenView = {
  ...TOKEN_DEFAULTS,
  id: 218,
  user_id: 1,
  name: 'agent-runner',
  key: 'k',
  status: 1,
  used_quota: 0,
  held_quota: 0,
  created_time: 0,
  accessed_time: 0,
  day_used: 0,
  month_used: 0,
  recent_quota: [],
};
const initial = formValues(token);
const problems = (change: Partial<typeof initial>) => problemsOf({ ...initial, ...change }, initial, now);

describe('expiry', () => {
  test('REL-5.26 REL-5.27 the text is yyyy-MM-dd HH:mm:ss, and empty means never', () => {
    expect(expiryTime(absoluteTime(now))).toBe(now);
    expect(expiryTime('  ')).toBe(-1);
    expect(expiryTime('2026-11-25')).toBeUndefined();
    expect(expiryTime('25/11/2026 18:00:00')).toBeUndefined();
  });

  test('REL-5.25 a text that is no time is a problem of the field', () => {
    expect(problems({ expiry: '2026-13-01 00:00:00' })).toEqual({ expiry: 'expiryFormat' });
  });

  test('a time in the past is a problem only when it was set just now', () => {
    const past = absoluteTime(now - 60);
    expect(problems({ expiry: past })).toEqual({ expiry: 'expiryPast' });
    const expired = formValues({ ...token, expired_time: now - 60 });
    expect(problemsOf(expired, expired, now)).toEqual({});
  });
});

test('REL-5.24 a token needs a name of at most 30 characters', () => {
  expect(problems({ name: '  ' })).toEqual({ name: 'nameRequired' });
  expect(problems({ name: '令'.repeat(31) })).toEqual({ name: 'nameTooLong' });
  expect(problems({ name: '令'.repeat(30) })).toEqual({});
});

test('REL-5.29 REL-9.33 the count is a whole number from 1 to 100', () => {
  for (const count of [0, -1, 1.5, 101, Number.NaN]) expect(problems({ count })).toEqual({ count: 'count' });
  expect(problems({ count: 100 })).toEqual({});
});

test('a broken line is a problem of its own list', () => {
  expect(problems({ allow_ips: '10.0.0.0/33', deny_ips: '::1' })).toEqual({ allow_ips: 'addresses' });
});

test('a new token sends every field', () => {
  expect(createBody({ ...formValues(), name: ' a ', model_limits: 'b,b' })).toEqual({
    ...TOKEN_DEFAULTS,
    name: 'a',
    model_limits: 'b',
    count: 1,
  });
});

test('a batch sends the suffixes of the names that the form showed (O47)', () => {
  const shown = ['aaaaaa', 'bbbbbb'];
  const suffixesFor = (count: number) => createBody({ ...formValues(), name: 'a', count }, shown).suffixes;
  expect([1, 2, 3, 9].map(suffixesFor)).toEqual([undefined, ['aaaaaa'], shown, shown]);
});

test('an edit sends what changed, and the quota with what it was loaded with', () => {
  expect(changedFields(initial, initial)).toEqual([]);
  expect(changeBody({ ...initial, name: 'x' }, token)).toEqual({ id: 218, name: 'x' });
  expect(changeBody({ ...initial, remain_quota: 9, expiry: absoluteTime(now) }, token)).toEqual({
    id: 218,
    remain_quota: 9,
    loaded_remain_quota: 500_000,
    expired_time: now,
  });
});
