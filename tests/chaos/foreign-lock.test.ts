// Another program (a backup, a shell) holds the write lock of the SQLite file.
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { isLong } from './extent.ts';
import { expectAgreement, playScene } from './scene.ts';

setDefaultTimeout(300_000);

const lockedMilliseconds = isLong ? 20_000 : 6000;

test('M3 C9 SQLite locked by another program: new calls get 503, delivered output is charged, and service resumes (plan C9)', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-lock-'));
  let servedAfterMilliseconds = 0;
  try {
    const aftermath = await playScene(
      { title: 'foreign lock', nodes: [{ dataDir }] },
      async ({ load, until, untilServed }) => {
        const foreign = new Database(path.join(dataDir, 'tollgate.db'));
        try {
          foreign.run('pragma busy_timeout = 5000');
          // Between two commits of the gateway.
          foreign.run('begin immediate');
          const lockedUntil = performance.now() + lockedMilliseconds;
          const { refused } = load;
          await until('a call is refused', () => load.refused > refused);
          // The lock is really held: a write of a third connection fails.
          const third = new Database(path.join(dataDir, 'tollgate.db'));
          expect(() => third.run('begin immediate')).toThrow(/locked/);
          third.close();
          await Bun.sleep(Math.max(0, lockedUntil - performance.now()));
          foreign.run('rollback');
        } finally {
          foreign.close();
        }
        servedAfterMilliseconds = await untilServed(20);
      },
    );
    expect(aftermath.refused).toBeGreaterThan(0);
    expect(servedAfterMilliseconds).toBeLessThan(20_000);
    faultSeen(
      'C9',
      `locked ${lockedMilliseconds / 1000} s: ${aftermath.refused} calls got 503, served again after ${Math.round(servedAfterMilliseconds)} ms`,
    );
    expectAgreement(aftermath);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
