import { expect, test } from 'bun:test';
import { changesOf } from './target-events.ts';

test('an event has the fields that changed, without counters, without secrets', () => {
  const before = { id: 4, name: 'a', group: 'default', used_quota: 1, password: 'old', list: [1] };
  const after = { id: 4, name: 'b', group: 'default', used_quota: 2, password: 'new', list: [1, 2] };
  const changes = changesOf(JSON.stringify(before), JSON.stringify(after));
  expect(changes).toEqual([
    { field: 'name', before: 'a', after: 'b' },
    { field: 'list', before: '[1]', after: '[1,2]' },
  ]);
  expect(JSON.stringify(changes)).not.toContain('new');
});

test('what was not there before or is not there after is null; long values are cut; broken rows say nothing', () => {
  expect(changesOf('', '{"reason":"asked"}')).toEqual([{ field: 'reason', before: null, after: 'asked' }]);
  expect(changesOf('{"reason":"asked"}', '')).toEqual([{ field: 'reason', before: 'asked', after: null }]);
  expect(changesOf('', JSON.stringify({ note: 'x'.repeat(500) }))[0]?.after).toHaveLength(201);
  expect(changesOf('not json', '[1]')).toEqual([]);
});
