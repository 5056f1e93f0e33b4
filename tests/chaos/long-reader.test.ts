// Another program keeps a read transaction open on the SQLite file: its log cannot be reused and grows.
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(60_000);

const megabyte = 1024 * 1024;

test('a write-ahead log that grows behind a long reader is reported once, and shrinks after it (plan C12)', async () => {
  const place = await temporaryPlace('sqlite');
  const faults: string[] = [];
  const onFault = (error: unknown) => faults.push(String(error));
  const store = await openStore({ ...place, writerEntry: applicationWriter, onFault });
  const file = databaseFile(place.dataDir);
  const logSize = () => statSync(`${file}-wal`).size;
  const write = () =>
    store.db
      .insertInto('mails')
      .values({ created_at: 1, recipient: 'a', body: 'x'.repeat(4 * megabyte) })
      .execute();
  const reader = new Database(file, { readonly: true });
  try {
    reader.run('begin');
    reader.query('select count(*) from mails').get();
    while (logSize() < 140 * megabyte) await write();
    expect(
      await eventually(
        () => faults.length,
        (count) => count > 0,
      ),
    ).toBe(1);
    expect(faults[0]).toMatch(/write-ahead log .* has 14\d MB/);
    faultSeen('C12', `a log of ${Math.round(logSize() / megabyte)} MB behind a reader: reported`);
    reader.run('rollback');
    // The next writes begin the log anew and cut it to its limit.
    const size = await eventually(
      async () => {
        await store.db.deleteFrom('mails').execute();
        return logSize();
      },
      (bytes) => bytes <= 64 * megabyte,
    );
    expect(size).toBeLessThanOrEqual(64 * megabyte);
    expect(faults).toHaveLength(1);
  } finally {
    reader.close();
    await store.close();
    await place.remove();
  }
});
