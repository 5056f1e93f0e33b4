import { expect, test } from 'bun:test';
import { flag, oneOf, pattern, searchParams, text, whole } from './search-params.ts';

const search = searchParams({
  page: whole(1),
  status: whole(1, 4),
  q: text(10),
  sort: pattern(/^-?[a-z_]+$/),
  expiry: oneOf('never', 'week'),
  expired: flag,
});

test('valid values are parsed', () => {
  expect(
    search.parse({ page: 2, status: '3', q: 123, sort: '-name', expiry: 'week', expired: true, other: 'x' }),
  ).toEqual({ page: 2, status: 3, q: '123', sort: '-name', expiry: 'week', expired: true });
});

test('invalid values are ignored, never an error', () => {
  expect(
    search.parse({
      page: 0,
      status: 5,
      q: 'far too long a text',
      sort: 'a;b',
      expiry: 'soon',
      expired: 'no',
    }),
  ).toEqual({});
  expect(search.parse({ page: 1.5, status: Number.NaN, q: {}, sort: [], expiry: null })).toEqual({});
});
