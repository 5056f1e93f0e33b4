// What the events of a virtual model say of its targets.
import { expect, test } from 'bun:test';
import { withTargetWords } from './event-words.ts';

const eventsOf = (before: string | null, after: string | null) => ({
  total: 1,
  items: [
    {
      id: 1,
      created_at: 0,
      action: 'virtual_model.change',
      target: 'virtual_model:1',
      actor_id: 1,
      actor_name: 'root',
      changes: [
        { field: 'targets', before, after },
        { field: 'enabled', before: 'true', after: 'false' },
      ],
    },
  ],
});
const changesOf = (before: string | null, after: string | null) =>
  withTargetWords(eventsOf(before, after), 'rules').items[0]?.changes;

test('targets are their models in order, also of cut JSON; other fields stay', () => {
  const other = { field: 'enabled', before: 'true', after: 'false' };
  expect(
    changesOf('[{"model":"a","when":{}},{"model":"b"}]', '[{"model":"b"},{"model":"a","fall_ba…'),
  ).toEqual([{ field: 'targets', before: 'a → b', after: 'b → a' }, other]);
  expect(changesOf('[{"model":"a","when":{}}]', '[{"model":"a","when":{"tools":true}}]')).toEqual([
    { field: 'targets', before: null, after: 'rules' },
    other,
  ]);
  expect(changesOf('[{"model":"a"}]', null)?.[0]).toEqual({ field: 'targets', before: 'a', after: null });
});
