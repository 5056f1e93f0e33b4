import { expect, test } from 'bun:test';
import { kindOf } from './entry-kind.ts';

test('a refunded order is not shown as a top-up', () => {
  expect(['topup', 'topup_refund', 'topup_refund_reversed'].map(kindOf)).toEqual([
    'topup',
    'topup_refund',
    'topup_refund_reversed',
  ]);
  expect(kindOf('unheard_of')).toBe('other');
});
