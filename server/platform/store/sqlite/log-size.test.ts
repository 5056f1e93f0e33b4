import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { logSizeCheck } from './log-size.ts';

test('a log above the limit is reported once, and again after it was small', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'log-size-'));
  try {
    const file = path.join(folder, 'a.db');
    const faults: string[] = [];
    const look = logSizeCheck(file, (error) => faults.push(String(error)));
    const countAt = (megabytes: number) => {
      writeFileSync(`${file}-wal`, '');
      truncateSync(`${file}-wal`, megabytes * 1024 * 1024);
      look();
      return faults.length;
    };
    look();
    expect([128, 129, 300, 1, 300].map(countAt)).toEqual([0, 1, 1, 1, 2]);
    expect(faults[0]).toContain(`${file} has 129 MB`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
