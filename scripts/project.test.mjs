import { expect, test } from 'bun:test';
import { run } from './project.mjs';

test('what a program leaves behind holds its result up for a moment only', async () => {
  const startedAt = Date.now();
  const result = await run('/bin/sh', ['-c', 'sleep 60 & echo done; exit 3']);
  expect(result).toMatchObject({ code: 3, output: 'done\n' });
  expect(Date.now() - startedAt).toBeLessThan(20_000);
});
