// The equation of what came in: its result is the sum of its terms, in every currency.
import { expect, test } from 'bun:test';
import { keptSums, paidText } from './money-words.ts';

const sum = (currency: string, amount_minor: number) => ({ currency, amount_minor, digits: 2, orders: 1 });

test('what is kept is what came in less what was paid back', () => {
  expect(paidText(keptSums([sum('CNY', 7300)], [sum('CNY', 300)]), 'en')).toBe('¥70.00');
  expect(paidText(keptSums([sum('CNY', 7300)], [sum('CNY', 7300)]), 'en')).toBeUndefined();
  expect(keptSums([sum('CNY', 7300)], []).map(({ amount_minor }) => amount_minor)).toEqual([7300]);
});

test('a refund in a currency that did not come in is kept as less than nothing', () => {
  expect(
    keptSums([sum('CNY', 100)], [sum('USD', 40)]).map(({ currency, amount_minor }) => [
      currency,
      amount_minor,
    ]),
  ).toEqual([
    ['CNY', 100],
    ['USD', -40],
  ]);
});
