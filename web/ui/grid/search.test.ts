import { expect, test } from 'bun:test';
import { searchParams } from '#web/ui/address/search-params.ts';
import { gridQuery, gridSearch, searchOfQuery } from './search.ts';

const schema = searchParams(gridSearch);
const empty = { getItem: () => null };

test('a wrong value in the address is ignored, never an error', () => {
  expect(schema.parse({ page: -3, size: 33, sort: 'name; drop' })).toEqual({});
});

test('the address and the query say the same', () => {
  const query = gridQuery({ page: 3, size: 50, sort: '-used_quota' }, empty);
  expect(query).toEqual({ page: 3, pageSize: 50, sort: { key: 'used_quota', order: 'desc' } });
  expect(searchOfQuery(query)).toEqual({ page: 3, size: 50, sort: '-used_quota' });
});

test('the first page and no order leave nothing in the address', () => {
  expect(searchOfQuery({ page: 1, sort: undefined })).toEqual({ page: undefined, sort: undefined });
});
