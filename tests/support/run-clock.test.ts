import { expect, test } from 'bun:test';
import { startRunClock } from './run-clock.ts';

test('a wait counts in ticks; a blocked turn of the event loop counts as one', async () => {
  using clock = startRunClock();
  const waitedFrom = Date.now();
  await Bun.sleep(400);
  const waitedTo = Date.now();
  const waited = clock.between(waitedFrom, waitedTo);
  expect(waited).toBeGreaterThan(0);
  expect(waited).toBeLessThanOrEqual(waitedTo - waitedFrom + 10);

  const blockedFrom = Date.now();
  Bun.sleepSync(400);
  await new Promise((resolve) => setImmediate(resolve));
  expect(clock.between(blockedFrom, Date.now())).toBeLessThanOrEqual(20);
});
