import { expect, test } from 'bun:test';
import { scaleOf, unitsOf } from './scale.ts';

test('units of a dollar that are not valid here convert every amount, and keep no balance at another worth (S31)', () => {
  const here = { ownUnits: 500_000, isEmpty: true };
  expect(unitsOf('1000000', here)).toEqual({ source: 1_000_000, own: 1_000_000 });
  expect(unitsOf(undefined, here)).toEqual({ source: 500_000, own: 500_000 });
  expect(unitsOf(' ', here)).toEqual({ source: 500_000, own: 500_000 });
  expect(unitsOf('1000000', { ...here, isEmpty: false })).toEqual({ source: 1_000_000, own: 500_000 });
  // More units than the setting allows: ten dollars stay ten dollars.
  const units = unitsOf('5000000000000', here);
  expect(units).toEqual({ source: 5_000_000_000_000, own: 500_000 });
  expect(scaleOf(units.source, units.own).amount(50_000_000_000_000)).toBe(5_000_000);
});

test.each(['Infinity', '1e300', '-1', 'many', 'NaN'])(
  'a source that says %p units of a dollar is refused before anything is written (S31)',
  (text) => {
    expect(() => unitsOf(text, { ownUnits: 500_000, isEmpty: true })).toThrow('amounts cannot be converted');
  },
);
