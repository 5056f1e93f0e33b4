// Several processes on one port: what they share, what refuses a second set of them, and how they end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { createApplication } from '#server/app/app.ts';
import { nodeName } from '#server/platform/node-name.ts';
import { SUPERSEDED, superviseWorkers } from '#server/cli/workers.ts';
import { readEnvironment } from '#server/platform/env.ts';
import { createLog } from '#server/platform/log.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { startGateway, tollgate } from '#tests/support/gateway.ts';

// Real processes on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const PASSWORD = 'chosen-by-the-operator';

test('N3: workers share a port, a second set is refused, and they end when their parent is killed', async () => {
  const place = await temporaryPlace('postgres');
  const port = freePort();
  const environment = {
    PORT: String(port),
    HOST: '127.0.0.1',
    WORKERS: '2',
    DATABASE_URL: place.databaseUrl ?? '',
    INITIAL_ROOT_PASSWORD: PASSWORD,
  };
  const url = `http://127.0.0.1:${port}`;
  const started = await startGateway({ dataDir: place.dataDir, environment, readyUrl: url });
  try {
    const login = await fetch(`${url}/api/user/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: PASSWORD }),
    });
    const headers = {
      Cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '',
      'New-Api-User': '1',
      Connection: 'close',
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${url}/api/user/self`, { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));

    const second = await tollgate(['start'], { ...environment, DATA_DIR: place.dataDir });
    expect(second.code).toBe(1);
    expect(second.output).toContain(`port ${port} is already in use`);
    expect(second.output).not.toContain('opening PostgreSQL');

    await started.kill9();
    await started.allEnded;
    expect(started.output()).toContain('the parent of this worker is gone');
    expect(await fetch(url).catch(() => null)).toBeNull();
  } finally {
    await started.kill9();
    await place.remove();
  }
});

test('a signal ends the workers with exit code 0', async () => {
  const place = await temporaryPlace('postgres');
  const port = freePort();
  const started = await startGateway({
    dataDir: place.dataDir,
    environment: { PORT: String(port), WORKERS: '2', DATABASE_URL: place.databaseUrl ?? '' },
    readyUrl: `http://127.0.0.1:${port}`,
  });
  try {
    expect(await started.stop()).toBe(0);
    await started.allEnded;
  } finally {
    await started.kill9();
    await place.remove();
  }
});

test.each([
  ['that cannot start', 7],
  ['whose node name another process took', SUPERSEDED],
])('workers %s end the command with exit code 1', async (_, code) => {
  const place = await temporaryPlace('postgres');
  const environment = readEnvironment({
    PORT: String(freePort()),
    HOST: '127.0.0.1',
    WORKERS: '2',
    LOG_LEVEL: 'error',
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl,
    INITIAL_ROOT_PASSWORD: PASSWORD,
  });
  try {
    const worker = [process.execPath, '-e', `process.exit(${code})`];
    expect(await superviseWorkers(environment, () => {}, worker)).toBe(1);
  } finally {
    await place.remove();
  }
});

test('N3: the name of a node is kept by its data directory and differs between machines of one host name', () => {
  const folders = Array.from({ length: 2 }, () => mkdtempSync(path.join(tmpdir(), 'tollgate-node-')));
  const names = folders.map((DATA_DIR) => {
    const environment = readEnvironment({ DATA_DIR, DATABASE_URL: 'postgres://localhost/gate' });
    expect(nodeName(environment)).toBe(nodeName(environment));
    expect(nodeName(environment, '2')).toBe(`${nodeName(environment)}:2`);
    return nodeName(environment);
  });
  expect(names[0]).not.toBe(names[1] ?? '');
  for (const folder of folders) rmSync(folder, { recursive: true });
});

test('N3: a node whose name another process took is not ready and reports it', async () => {
  const place = await temporaryPlace('postgres');
  const environment = readEnvironment({
    PORT: '0',
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl,
    INITIAL_ROOT_PASSWORD: PASSWORD,
  });
  const options = { nodeId: 'taken', log: createLog({ level: 'error', write: () => {} }) };
  const first = await createApplication(environment, options);
  const second = await createApplication(environment, options);
  try {
    const ready = async () => (await first.fetch(new Request('http://localhost/readyz'))).status;
    expect(await ready()).toBe(200);
    await first.ledger.heartbeat?.beat();
    await first.superseded;
    expect(await ready()).toBe(503);
  } finally {
    await second.close();
    await first.close();
    await place.remove();
  }
});

/** A port that was free a moment ago: several workers need a fixed number. */
function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return port;
}
