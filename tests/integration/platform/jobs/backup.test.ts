// Backups by time and by command, to the disk and to S3. Options: BackupEveryHours, BackupKeep, BackupStorage,
// BackupS3Endpoint, BackupS3Bucket, BackupS3Region, BackupS3AccessKeyId, BackupS3Secret.
import { Database } from 'bun:sqlite';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import S3rver from '@20minutes/s3rver';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { tollgate } from '#tests/support/gateway.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'tollgate-backups-'));
let s3: S3rver;
let endpoint: string;
let app: TestApplication;
let root: Actor;
let directory: string;

beforeAll(async () => {
  s3 = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    // It signs the address of a list without the slash that clients send and sign.
    allowMismatchedSignatures: true,
    directory: join(folder, 's3'),
    configureBuckets: [{ name: 'copies' }],
  });
  endpoint = `http://127.0.0.1:${(await s3.run()).port}`;
  app = await startApplication({ environment: { ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1' } });
  root = await app.actor({ role: ROLE.root });
  directory = join(app.dataDir, 'backups');
});
afterAll(async () => {
  await app.close();
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
});

async function save(values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    const { body } = await app.request('/api/option/', { method: 'PUT', as: root, body: { key, value } });
    expect([key, body.success]).toEqual([key, true]);
  }
}

const backupJob = async () => (await app.client(root).jobs.list()).find(({ name }) => name === 'backup');

/** Returns its error. */
async function runBackup(): Promise<string> {
  const runs = (await backupJob())?.runs ?? 0;
  await app.request('/api/jobs/backup/run', { as: root, body: {} });
  for (let look = 0; look < 1000; look += 1) {
    const view = await backupJob();
    if (view !== undefined && view.runs > runs && view.state !== 'running') return view.error;
    await Bun.sleep(20);
  }
  throw new Error('the backup does not end');
}

const client = () =>
  new Bun.S3Client({ endpoint, bucket: 'copies', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' });
const objects = async () => ((await client().list()).contents ?? []).map(({ key }) => key).toSorted();

function usersIn(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return (database.query('select count(*) as count from users').get() as { count: number }).count;
  } finally {
    database.close();
  }
}

test('BackupEveryHours is the interval, and 0 leaves the job to hands', async () => {
  expect(await backupJob()).toMatchObject({ every_seconds: 0, next_run_at: 0 });
  await save({ BackupEveryHours: '24' });
  expect(await backupJob()).toMatchObject({ every_seconds: 86_400 });
  await save({ BackupEveryHours: '0' });
});

test('BackupKeep: the oldest copies go, what others put there stays, and a part of a killed run is removed', async () => {
  await save({ BackupKeep: '2' });
  expect(await runBackup()).toBe('');
  writeFileSync(join(directory, 'notes.txt'), 'of the operator');
  writeFileSync(join(directory, 'tollgate-2026-01-01T00-00-00-000Z.db.unfinished-99'), 'half');
  const [first] = readdirSync(directory).filter((name) => name.endsWith('.db'));
  await runBackup();
  await runBackup();
  const names = readdirSync(directory);
  expect(names).toHaveLength(5);
  for (const name of names.filter((each) => each.endsWith('.db'))) expect(names).toContain(`${name}.sig`);
  expect(names).toContain('notes.txt');
  expect(names).not.toContain(first);
  const copy = join(directory, names.find((name) => name.endsWith('.db')) ?? '');
  expect(usersIn(copy)).toBeGreaterThan(0);
  expect([statSync(directory).mode & 0o777, statSync(copy).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('BackupStorage: copies go to S3 when it is set up, and a storage that refuses leaves the copy here', async () => {
  const refused = await app.request('/api/option/', {
    method: 'PUT',
    as: root,
    body: { key: 'BackupStorage', value: 's3' },
  });
  expect(refused.body.success).toBe(false);
  await save({
    BackupS3Endpoint: endpoint,
    BackupS3Bucket: 'copies',
    BackupS3Region: 'us-east-1',
    BackupS3AccessKeyId: 'S3RVER',
    BackupS3Secret: 'S3RVER',
    BackupStorage: 's3',
  });
  for (let round = 0; round < 3; round += 1) expect(await runBackup()).toBe('');
  const sent = await objects();
  expect(sent).toHaveLength(4);
  const [local, ...others] = readdirSync(directory).filter((name) => name.endsWith('.db'));
  expect(others).toEqual([]);
  expect(sent.slice(-2)).toEqual([`tollgate-backups/${local}`, `tollgate-backups/${local}.sig`]);
  await save({ BackupS3Bucket: 'missing' });
  expect(await runBackup()).not.toBe('');
  expect(readdirSync(directory).filter((name) => name.endsWith('.db'))).toHaveLength(2);
  expect(await objects()).toEqual(sent);
});

test('a backup by command goes to S3 and comes back with every invariant checked', async () => {
  const storage = { AWS_ENDPOINT: endpoint, AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };
  const place = 's3://copies/by-hand/one.db';
  const source = { ...storage, DATA_DIR: join(folder, 'source') };
  await tollgate(['migrate'], source);
  expect(await tollgate(['backup', place], source)).toMatchObject({ code: 0 });
  const again = await tollgate(['backup', place], source);
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('exists already')]);
  const restored = await tollgate(['restore', place], source);
  expect([restored.code, restored.output]).toEqual([0, expect.stringContaining(`restored ${place}`)]);
  expect(restored.output).toContain('ok    the audit trail is unbroken');
  expect(restored.output).not.toContain('FAIL');
  for (const [wrong, reason] of [
    ['s3://copies/by-hand/none.db', 'there is no object'],
    ['s3://copies', 'not of the form'],
    ['s3://missing/one.db', ''],
  ] as const) {
    const { code, output } = await tollgate(['restore', wrong], source);
    expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
    expect(output).not.toMatch(/\bat .*\.[jt]s:\d+/);
  }
});
