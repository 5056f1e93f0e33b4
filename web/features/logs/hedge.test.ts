import { expect, test } from 'bun:test';
import { waterfallOf } from './attempts.ts';
import { hedgeOf, hedgeWord } from './hedge.ts';

test('what a row says of a late call', () => {
  const hedged = hedgeOf({ after: 1900, channel: 7 });
  if (hedged === undefined) throw new Error('not read');
  expect(hedgeWord(hedged, { channel: 7, isAnswered: true })).toBe('second');
  expect(hedgeWord(hedged, { channel: 3, isAnswered: true })).toBe('first');
  expect(hedgeWord(hedged, { channel: 7, isAnswered: false })).toBe('failed');
  const refused = hedgeOf({ after: 900, refused: 'money' });
  expect(refused && hedgeWord(refused, { channel: 3, isAnswered: true })).toBe('money');
  expect([hedgeOf(undefined), hedgeOf('x')]).toEqual([undefined, undefined]);
});

test('attempts at the same time stand beside each other on the axis', () => {
  const lost = { channel: 3, status: 0, milliseconds: 2400, error: '', lost: true };
  const second = { channel: 7, status: 200, milliseconds: 500, error: '' };
  const hedge = { after: 1900, channel: 7, refused: undefined };
  const { bars, total } = waterfallOf([lost, second], 3, 2400, hedge);
  expect(bars.map(({ kind, start, end }) => [kind, start, end])).toEqual([
    ['lost', 0, 2400],
    ['answered', 1900, 3000],
  ]);
  expect(total).toBe(3000);
  const won = { channel: 3, status: 200, milliseconds: 2400, error: '' };
  const slower = { channel: 7, status: 0, milliseconds: 500, error: '', lost: true };
  const other = waterfallOf([slower, won], 3, 2400, hedge).bars;
  expect(other.map(({ channel, start }) => [channel, start])).toEqual([
    [7, 1900],
    [3, 0],
  ]);
});
