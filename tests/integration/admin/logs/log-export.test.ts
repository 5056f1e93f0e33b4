// Log rows sent to receivers that count for themselves, on both databases. Options: LogExportTarget, LogExportUrl,
// LogExportName, LogExportRegion, LogExportUser, LogExportSecret.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import S3rver from '@20minutes/s3rver';
import { ROLE } from '#contract/access.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

interface Received {
  url: URL;
  headers: Headers;
  body: string;
}

const folder = mkdtempSync(join(tmpdir(), 'tollgate-log-export-'));
const received: Received[] = [];
/** Status of the next answers; 200 when empty. */
const answers: number[] = [];
let receiver: Bun.Server<undefined>;
let s3: S3rver;
let s3Endpoint: string;

beforeAll(async () => {
  receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.push({ url: new URL(request.url), headers: request.headers, body: await request.text() });
      const status = answers.shift() ?? 200;
      return new Response(status === 200 ? '' : 'Code: 243. DB::Exception: no space', { status });
    },
  });
  s3 = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    // It signs the address of a list without the slash that clients send and sign.
    allowMismatchedSignatures: true,
    directory: folder,
    configureBuckets: [{ name: 'rows' }],
  });
  s3Endpoint = `http://127.0.0.1:${(await s3.run()).port}`;
});
afterAll(async () => {
  await receiver.stop(true);
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    beforeAll(async () => {
      app = await startApplication({ database });
      root = await app.actor({ role: ROLE.root });
      await app.store.db.deleteFrom('logs').execute();
    });
    afterAll(() => app.close());

    const secret = `secret-of-${database}`;
    async function save(values: Record<string, string>): Promise<void> {
      for (const [key, value] of Object.entries(values)) {
        const reply = await app.request('/api/option/', { method: 'PUT', as: root, body: { key, value } });
        expect([key, reply.body.success]).toEqual([key, true]);
      }
    }
    const job = async () => (await app.client(root).jobs.list()).find(({ name }) => name === 'log-export');
    /** Returns its error. The schedule may run it too, which changes nothing for the receiver. */
    async function run(): Promise<string> {
      const runs = (await job())?.runs ?? 0;
      for (let look = 0; look < 1000; look += 1) {
        const { status } = await app.request('/api/jobs/log-export/run', { as: root, body: {} });
        if (status === 200) break;
        await Bun.sleep(20);
      }
      for (let look = 0; look < 1000; look += 1) {
        const view = await job();
        if (view !== undefined && view.runs > runs && view.state !== 'running') return view.error;
        await Bun.sleep(20);
      }
      throw new Error('the export does not end');
    }
    async function addRows(count: number, created_at: number): Promise<void> {
      const row = {
        created_at,
        type: LOG_TYPE.consumption,
        user_id: root.id,
        model_name: 'm-1',
        quota: 7,
        content: 'ü "x"\n',
      };
      await app.store.db
        .insertInto('logs')
        .values(Array.from({ length: count }, () => row))
        .execute();
    }
    const ids = async () =>
      (await app.store.db.selectFrom('logs').select('id').orderBy('id').execute()).map(({ id }) => id);
    const today = Math.floor(Date.now() / 1000);

    test('LogExportTarget needs an address; a webhook gets every row once, signed, in batches', async () => {
      const refused = await app.request('/api/option/', {
        method: 'PUT',
        as: root,
        body: { key: 'LogExportTarget', value: 'webhook' },
      });
      expect(refused.body.success).toBe(false);
      await addRows(700, today);
      await save({ LogExportUrl: receiver.url.href, LogExportSecret: secret, LogExportTarget: 'webhook' });
      received.length = 0;
      expect(await run()).toBe('');
      expect(received.map(({ body }) => (JSON.parse(body) as { records: unknown[] }).records.length)).toEqual(
        [500, 200],
      );
      for (const { headers, body } of received)
        expect(headers.get('x-tollgate-signature')).toBe(
          `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        );
      const sent = received.flatMap(({ body }) =>
        (JSON.parse(body) as { records: { key: string; value: Record<string, unknown> }[] }).records.map(
          ({ key, value }) => [Number(key), value['quota'], value['content']],
        ),
      );
      expect(sent).toEqual((await ids()).map((id) => [id, 7, 'ü "x"\n']));
      expect(new Set(received.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(2);
      received.length = 0;
      expect(await run()).toBe('');
      expect(received).toEqual([]);
    });

    test('a receiver that refuses gets the same batch again, and its words are the error of the job', async () => {
      await addRows(3, today);
      received.length = 0;
      answers.push(500);
      expect(await run()).toContain('answered 500: Code: 243');
      expect(await run()).toBe('');
      const names = received.map(({ headers }) => headers.get('idempotency-key'));
      expect(names).toEqual([names[0] ?? '', names[0] ?? '']);
    });

    test('ClickHouse: the table is made, then rows are inserted with their token and the login', async () => {
      await addRows(2, today);
      await save({ LogExportTarget: 'clickhouse', LogExportName: 'site.calls', LogExportUser: 'writer' });
      received.length = 0;
      expect(await run()).toBe('');
      const queries = received.map(({ url }) => url.searchParams.get('query') ?? '');
      expect(queries[0]).toStartWith(
        'CREATE TABLE IF NOT EXISTS `site`.`calls` (`id` UInt64, `created_at` DateTime',
      );
      expect(queries[1]).toStartWith('ALTER TABLE `site`.`calls` ADD COLUMN IF NOT EXISTS');
      expect(queries[2]).toStartWith('INSERT INTO `site`.`calls` (`id`, `created_at`');
      const insert = received[2];
      expect(insert?.url.searchParams.get('insert_deduplication_token')).toMatch(/^\d+-\d+$/);
      expect(insert?.headers.get('x-clickhouse-user')).toBe('writer');
      expect(insert?.headers.get('x-clickhouse-key')).toBe(secret);
      const rows = (insert?.body ?? '')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: number });
      expect(rows.map(({ id }) => id)).toEqual((await ids()).slice(-2));
      await save({ LogExportName: 'calls; drop table x' });
      await addRows(1, today);
      expect(await run()).toContain('the name of the table must be');
    });

    test('S3: one compressed file for each day', async () => {
      await save({
        LogExportTarget: 's3',
        LogExportUrl: s3Endpoint,
        LogExportName: 'rows',
        LogExportRegion: 'us-east-1',
        LogExportUser: 'S3RVER',
        LogExportSecret: 'S3RVER',
      });
      await addRows(2, today - 86_400);
      expect(await run()).toBe('');
      const client = new Bun.S3Client({
        endpoint: s3Endpoint,
        bucket: 'rows',
        accessKeyId: 'S3RVER',
        secretAccessKey: 'S3RVER',
      });
      const keys = ((await client.list()).contents ?? []).map(({ key }) => key);
      const lines: { id: number }[] = [];
      for (const key of keys) {
        expect(key).toMatch(/^tollgate-logs\/date=\d{4}-\d\d-\d\d\/\d+-\d+\.ndjson\.gz$/);
        const text = new TextDecoder().decode(Bun.gunzipSync(await client.file(key).bytes()));
        lines.push(
          ...text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as { id: number }),
        );
        await client.delete(key);
      }
      expect(keys).toHaveLength(2);
      expect(lines.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual((await ids()).slice(-3));
    });

    test('rows that were deleted before they were sent hold up nothing', async () => {
      await save({ LogExportUrl: receiver.url.href, LogExportTarget: 'webhook' });
      await addRows(4, today);
      const [, , , last = 0] = (await ids()).slice(-4);
      await app.store.db.deleteFrom('logs').where('id', '<', last).execute();
      received.length = 0;
      expect(await run()).toBe('');
      expect(received).toHaveLength(1);
      await save({ LogExportTarget: 'none' });
      expect((await job())?.every_seconds).toBe(0);
    });
  });
}
