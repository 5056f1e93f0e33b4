// Which of the kept sums answer a question about margins: the one with the fewest rows that has all of its columns.
import { expect, test } from 'bun:test';
import { kindOf, type SumQuery } from './kinds.ts';

const of = (by: SumQuery['by'], filters: Omit<SumQuery, 'by'> = {}) => kindOf({ by, ...filters });

test('a question is answered by the sums that have its columns', () => {
  expect((['day', 'channel', 'supplier', 'group'] as const).map((by) => of(by))).toEqual([
    'channel',
    'channel',
    'channel',
    'channel',
  ]);
  expect([of('model'), of('channel_model'), of('user')]).toEqual(['model', 'channel_model', 'user']);
});

test('a filter asks for its column beside that of the question', () => {
  const [channel, supplier, model, group, user] = [3, 4, 'm', 'vip', 7];
  expect([of('day', { group }), of('day', { channel }), of('day', { supplier })]).toEqual([
    'channel',
    'channel',
    'channel',
  ]);
  expect([of('day', { model }), of('day', { user })]).toEqual(['model', 'user']);
  expect([of('channel', { model }), of('supplier', { model }), of('model', { supplier })]).toEqual([
    'channel_model',
    'channel_model',
    'channel_model',
  ]);
  // Nothing keeps what a user did on a channel, or with a model.
  expect([of('user', { channel }), of('supplier', { user }), of('model', { user })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
