import { expect, test } from 'bun:test';
import { amountWord, minorWord, plainKey } from './words.ts';

const display = { quotaPerUnit: 500_000, displayInCurrency: true };

test('D37: amounts read as money: quota, budgets, and what was paid in the currency of the row', () => {
  expect(amountWord('quota', '10000000', display)).toBe('$20.00');
  expect(amountWord('day_budget', '500000', display)).toBe('$1.00');
  expect(amountWord('count', '500000', display)).toBe('500000');
  expect(minorWord('price_minor', '990', 'CNY', 'en')).toBe('CN¥9.90');
  expect(minorWord('amount_minor', '990', 'JPY', 'en')).toBe('¥990');
  expect(minorWord('amount_minor', '990', undefined, 'en')).toBeUndefined();
  expect(minorWord('quota', '990', 'USD', 'en')).toBeUndefined();
});

test('D37: flags read as yes and no, and 0 as none where it names nothing', () => {
  expect(plainKey('on_sale', 'true')).toBe('yes');
  expect(plainKey('on_sale', 'false')).toBe('no');
  expect(plainKey('active', '1')).toBe('yes');
  expect(plainKey('expired_time', '-1')).toBe('never');
  expect(plainKey('expires_at', '0')).toBe('never');
  expect(plainKey('expires_at', '1794000000')).toBeUndefined();
  expect(plainKey('renews', '0')).toBe('none');
  expect(plainKey('count', '0')).toBeUndefined();
});
