import { expect, test } from 'bun:test';
import { reloadInTurn } from './reload.ts';

/** A reading that runs until the test ends it, and a list of what each found. */
function stage() {
  let stored = 0;
  const found: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const reload = reloadInTurn(async () => {
    const value = stored;
    await new Promise<void>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve() : reject(error)));
    });
    found.push(value);
  });
  const change = () => {
    stored += 1;
    return reload();
  };
  const endNext = async (error?: Error) => {
    while (ends.length === 0) await Bun.sleep(0);
    ends.shift()?.(error);
    await Bun.sleep(0);
  };
  return { found, change, endNext };
}

test('a call during a reading waits for a reading that begins after the call', async () => {
  const { found, change, endNext } = stage();
  const first = change();
  await Bun.sleep(0);
  const second = change();
  const third = change();
  await endNext();
  await first;
  expect(found).toEqual([1]);
  await endNext();
  await Promise.all([second, third]);
  // Two questions, one reading.
  expect(found).toEqual([1, 3]);
});

test('a question in the very turn in which a reading ends is not lost', async () => {
  let stored = 0;
  let found = -1;
  const reload = reloadInTurn(async () => {
    found = stored;
  });
  for (let turns = 0; turns < 12; turns += 1) {
    const running = reload();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    stored += 1;
    await reload();
    expect([turns, found]).toEqual([turns, stored]);
    await running;
  }
});

test('a reading that fails rejects its callers and does not block the next', async () => {
  const { found, change, endNext } = stage();
  const first = change().catch((error: Error) => error.message);
  await Bun.sleep(0);
  const second = change();
  await endNext(new Error('away'));
  expect(await first).toBe('away');
  await endNext();
  await second;
  expect(found).toEqual([2]);
  const last = change();
  await endNext();
  await last;
  expect(found).toEqual([2, 3]);
});
