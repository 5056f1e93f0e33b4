import { expect, test } from 'bun:test';
import { searchParams } from '#web/ui/address/search-params.ts';
import { addressProps, gridQuery, gridSearch, searchOfQuery } from './search.ts';

const schema = searchParams(gridSearch);
const empty = { getItem: () => null };

test('a wrong value in the address is ignored, never an error', () => {
  expect(schema.parse({ page: -3, size: 33, sort: 'name; drop' })).toEqual({});
});

test('URL and query convert both ways', () => {
  const query = gridQuery({ page: 3, size: 50, sort: '-used_quota' }, empty);
  expect(query).toEqual({ page: 3, pageSize: 50, sort: { key: 'used_quota', order: 'desc' } });
  expect(searchOfQuery(query)).toEqual({ page: 3, size: 50, sort: '-used_quota' });
});

test('the first page and the default order are not in the URL', () => {
  expect(searchOfQuery({ page: 1, sort: undefined })).toEqual({ page: undefined, sort: undefined });
});

test('a search starts at the first page and leaves no step in the history', () => {
  const changes: unknown[] = [];
  const props = addressProps({ q: 'old', page: 4 }, (...change) => changes.push(change), 'Search');
  expect(props.search).toMatchObject({ value: 'old', placeholder: 'Search' });
  props.search.onChange('new');
  props.search.onChange('');
  props.onQueryChange({ page: 2 });
  expect(changes).toEqual([
    [{ q: 'new', page: undefined }, { replace: true }],
    [{ q: undefined, page: undefined }, { replace: true }],
    [{ page: 2 }],
  ]);
});
