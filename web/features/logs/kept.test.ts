import { expect, test } from 'bun:test';
import { keptOf, keptWord } from './kept.ts';

test('what a row says of a conversation and its channel', () => {
  const kept = keptOf({ why: 'kept', channel: 7 });
  if (kept === undefined) throw new Error('not read');
  expect(keptWord(kept, 7)).toBe('kept');
  expect(keptWord(kept, 3)).toBe('moved');
  expect(keptOf({ why: 'weight' })).toEqual({ why: 'weight', channel: 0 });
  expect(keptWord({ why: 'paused', channel: 7 }, 3)).toBe('paused');
  for (const value of [undefined, null, 'kept', [], { why: 'else' }, { channel: 7 }])
    expect(keptOf(value)).toBeUndefined();
});
