// The export of log rows into ClickHouse's own engine, which chdb brings as a Python package. Installed here when it can
// be; without Python or the network the test is skipped and says so.
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { createEgress } from '#server/platform/egress/index.ts';
import { createLogExport, logExportOrigins } from '#server/operating/log-export/index.ts';
import { startApplication } from '#tests/support/application.ts';
import { isLong } from './extent.ts';

setDefaultTimeout(600_000);

const packages = join(tmpdir(), 'tollgate-chdb');

/** True when the engine is there. */
function installed(): boolean {
  if (existsSync(join(packages, 'chdb'))) return true;
  mkdirSync(packages, { recursive: true });
  const { exitCode } = Bun.spawnSync(['python3', '-m', 'pip', 'install', '-q', '--target', packages, 'chdb']);
  return exitCode === 0 && existsSync(join(packages, 'chdb'));
}

const hasEngine = isLong && Bun.which('python3') !== null && installed();
if (isLong && !hasEngine) process.stderr.write('clickhouse: skipped, chdb cannot be installed here\n');

test.skipIf(!hasEngine)(
  'log rows reach ClickHouse once, whatever is sent twice, and a table of an older version grows',
  async () => {
    const script = new URL('./clickhouse-engine.py', import.meta.url).pathname;
    const engine = Bun.spawn(['python3', script, packages], { stdout: 'pipe', stderr: 'inherit' });
    const { value: firstLine } = await engine.stdout.getReader().read();
    const url = `http://127.0.0.1:${new TextDecoder().decode(firstLine).trim()}/`;
    const ask = async (query: string): Promise<Record<string, number | string>[]> => {
      const response = await fetch(`${url}?query=${encodeURIComponent(query)}`, { method: 'POST' });
      const text = await response.text();
      expect([query, response.status, response.ok ? '' : text]).toEqual([query, 200, '']);
      return text.trim() === ''
        ? []
        : text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Record<string, number>);
    };
    const app = await startApplication();
    const current = {
      ...app.settings.current,
      LogExportTarget: 'clickhouse' as const,
      LogExportUrl: url,
      LogExportName: 'calls',
    };
    const egress = createEgress({
      allowedPrivateAddresses: ['127.0.0.1'],
      systemOrigins: () => logExportOrigins(current),
    });
    const rows = createLogExport({ store: app.store, settings: { current }, egress });
    const run = () => rows.run(new AbortController().signal);
    try {
      await app.store.db.deleteFrom('logs').execute();
      // A table without the columns that came later.
      await ask(
        "CREATE TABLE calls (`id` UInt64, `created_at` DateTime('UTC')) ENGINE = ReplacingMergeTree ORDER BY (created_at, id)",
      );
      const row = {
        type: LOG_TYPE.consumption,
        user_id: 1,
        username: 'ü',
        quota: 7,
        content: 'a "b"\n\t\\',
        model_name: 'm',
      };
      const made = Array.from({ length: 2500 }, (_, index) => ({
        ...row,
        created_at: 1_790_000_000 + index,
      }));
      for (let at = 0; at < made.length; at += 500)
        await app.store.db
          .insertInto('logs')
          .values(made.slice(at, at + 500))
          .execute();
      await run();
      // As after an end of the process between the answer and the new position.
      await app.store.db.updateTable('log_export').set({ through_id: 0 }).execute();
      await run();
      const [sum] = await ask(
        'SELECT toInt64(count()) AS rows, toInt64(sum(quota)) AS quota, toInt64(max(id)) AS top, any(content) AS content FROM calls FINAL',
      );
      const own = await app.store.db
        .selectFrom('logs')
        .select(({ fn }) => [
          fn.countAll<number>().as('rows'),
          fn.sum<number>('quota').as('quota'),
          fn.max('id').as('top'),
        ])
        .executeTakeFirstOrThrow();
      const counted: unknown = {
        ...sum,
        rows: Number(sum?.['rows']),
        quota: Number(sum?.['quota']),
        top: Number(sum?.['top']),
      };
      expect(counted).toEqual({ ...own, content: row.content });
    } finally {
      egress.close();
      await app.close();
      engine.kill();
    }
  },
);
