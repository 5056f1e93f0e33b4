import { expect, test } from 'bun:test';
import { tagsGiven } from './tags.ts';

const given = (fields: object, header?: string) =>
  tagsGiven(new Headers(header === undefined ? {} : { 'Tollgate-Tags': header }), fields as never);

test.each([
  ['nothing', {}, undefined, {}],
  ['the header', {}, 'team=search, env = prod', { team: 'search', env: 'prod' }],
  ['pairs without a key or a value', {}, '=x, team, team=, a=b', { a: 'b' }],
  ['a value with an equals sign', {}, 'team=a=b', { team: 'a=b' }],
  ['keys in capitals', {}, 'Team=a', { team: 'a' }],
  ['keys that cannot be one', { metadata: { 'a b': 'x', '1a': 'x', ok: 'y' } }, 'ä=1', { ok: 'y' }],
  [
    'metadata of OpenAI',
    { metadata: { team: 'a', count: 3, deep: { x: 1 } } },
    undefined,
    { team: 'a', count: '3' },
  ],
  ['the user of OpenAI', { user: 'eve' }, undefined, { user: 'eve' }],
  ['the user of Anthropic', { metadata: { user_id: 'eve' } }, undefined, { user_id: 'eve', user: 'eve' }],
  [
    'the header before the body',
    { user: 'eve', metadata: { team: 'a' } },
    'user=adam',
    { user: 'adam', team: 'a' },
  ],
  ['a list in place of metadata', { metadata: ['a'] }, undefined, {}],
  ['control characters', { user: 'a\u0000b\nc' }, undefined, { user: 'a b c' }],
])('tags are read from %s', (_what, fields, header, tags) => {
  expect(given(fields, header)).toEqual(tags as never);
});

test('values are cut at 100 whole characters, and no more than 50 pairs are read', () => {
  const { user = '' } = given({ user: '😀'.repeat(300) });
  expect(Array.from(user)).toHaveLength(100);
  expect(user.isWellFormed()).toBe(true);
  const metadata = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, 'x']));
  expect(Object.keys(given({ metadata }))).toHaveLength(50);
});
