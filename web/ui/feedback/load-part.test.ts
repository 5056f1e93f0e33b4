import { expect, test } from 'bun:test';
import { loadPart } from './load-part.ts';

test('a part that fails twice is loaded the third time', async () => {
  let calls = 0;
  const part = await loadPart(
    async () => {
      calls += 1;
      if (calls < 3) throw new Error('offline');
      return 'part';
    },
    { pauseMilliseconds: 1 },
  );
  expect(part).toBe('part');
  expect(calls).toBe(3);
});

test('a part that never loads is an error in the end', async () => {
  const never = () => Promise.reject(new Error('gone'));
  const error: unknown = await loadPart(never, { tries: 3, pauseMilliseconds: 1 }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toEqual(new Error('gone'));
});
