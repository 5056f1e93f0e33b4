import { expect, test } from 'bun:test';
import { checkBackup } from './backup.ts';
import type { FirstRunDependencies } from './dependencies.ts';

const HOUR = 3600;
const now = Math.floor(Date.now() / 1000);

function found(BackupEveryHours: number, at: number, error = '') {
  const dependencies = {
    settings: { current: { BackupEveryHours } },
    lastBackup: async () => ({ at, error }),
  } as unknown as FirstRunDependencies;
  return checkBackup(dependencies);
}

test('a backup counts when an interval is set and the last run succeeded not long ago', async () => {
  expect(await found(0, now - HOUR)).toMatchObject({ state: 'open', reason: 'none' });
  expect(await found(24, 0)).toMatchObject({ state: 'open', reason: 'unmade' });
  expect(await found(24, now - 47 * HOUR)).toMatchObject({ state: 'done' });
  expect(await found(24, now - 49 * HOUR)).toMatchObject({ state: 'failed', reason: 'old' });
  expect(await found(24, now - HOUR, 'no room')).toMatchObject({ state: 'failed', detail: 'no room' });
});
