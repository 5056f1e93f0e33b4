import { describe, expect, test } from 'bun:test';
import type { RedemptionView } from '#contract/money/redemptions.ts';
import { codeCsv, codeLines, namedLines } from './files.ts';
import { changedNames } from '#web/ui/input/unsaved.ts';
import { bodyOf, formValues, problemsOf } from './values.ts';

const NOW = 1_794_591_720;
const CODE = {
  id: 7,
  user_id: 1,
  name: 'Gift',
  key: 'ab'.repeat(16),
  status: 1,
  quota: 500,
  created_time: NOW,
  redeemed_time: 0,
  used_user_id: 0,
  used_username: '',
  expired_time: 0,
  batch: 'b',
} satisfies RedemptionView;

describe('the form of codes', () => {
  test('new codes have a default amount; a blank name is no problem', () => {
    const values = formValues();
    expect(values).toEqual({ name: '', quota: 100_000, count: 1, expiry: '' });
    expect(problemsOf(values, values, NOW)).toEqual({});
    expect(bodyOf({ ...values, name: '  a  ' })).toEqual({ name: 'a', quota: 100_000, expired_time: 0 });
  });

  test('names are counted in characters, the count is 1 to 100, an end is in the future', () => {
    const initial = formValues();
    const problems = (change: Partial<typeof initial>) => problemsOf({ ...initial, ...change }, initial, NOW);
    expect(problems({ name: '🎁'.repeat(20) })).toEqual({});
    expect(problems({ name: '🎁'.repeat(21) })).toEqual({ name: 'nameTooLong' });
    for (const count of [0, 101, 1.5, Number.NaN]) expect(problems({ count })).toEqual({ count: 'count' });
    expect(problems({ quota: 0 })).toEqual({ quota: 'quota' });
    expect(problems({ expiry: 'tomorrow' })).toEqual({ expiry: 'expiryFormat' });
    expect(problems({ expiry: '2020-01-01 00:00:00' })).toEqual({ expiry: 'expiryPast' });
  });

  test('the end of an expired code stays as it is', () => {
    const initial = formValues({ ...CODE, expired_time: NOW - 60 });
    expect(problemsOf({ ...initial, name: 'other' }, initial, NOW)).toEqual({});
    expect(changedNames({ ...initial, name: 'other' }, initial)).toEqual(['name']);
    expect(bodyOf(initial).expired_time).toBe(NOW - 60);
  });
});

test('codes as text and as CSV, in which no name is run as a formula', () => {
  const codes = [CODE, { ...CODE, name: '=cmd', key: 'cd'.repeat(16) }];
  expect(codeLines(codes)).toBe(`${codes[0]?.key}\n${codes[1]?.key}`);
  expect(namedLines(codes)).toContain(`Gift ${CODE.key}`);
  expect(codeCsv(codes).split('\r\n')).toEqual([
    'name,code,quota,expires',
    `Gift,${CODE.key},500,`,
    `"'=cmd",${codes[1]?.key},500,`,
    '',
  ]);
});
