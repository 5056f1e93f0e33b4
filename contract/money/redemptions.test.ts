import { expect, test } from 'bun:test';
import { cutRedemptionName, redemptionKeyOf, redemptionStateAt } from './redemptions.ts';

test('a pasted code loses spaces, line breaks, dashes and invisible characters', () => {
  expect(redemptionKeyOf(' AB12\u200B cd-34\u2014\n')).toBe('ab12cd34');
  expect(redemptionKeyOf(' \n\u00A0')).toBe('');
});

test('a name is cut between characters, not within one', () => {
  expect(cutRedemptionName('🎁'.repeat(25))).toBe('🎁'.repeat(20));
});

test('a code past its end is expired unless it was used or disabled', () => {
  const at = (status: number, expired_time: number) => redemptionStateAt({ status, expired_time }, 100);
  expect([at(1, 0), at(1, 101), at(1, 100), at(2, 100), at(3, 100)]).toEqual([
    'unused',
    'unused',
    'expired',
    'disabled',
    'used',
  ]);
});
