// Tollgate as operators run it: its own process, one channel that leads to the mock, one token without limit. Everything
// that costs time in production is on: durable holds, settlement, log rows, limits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '#server/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startGateway as launch } from '#tests/support/gateway.ts';

export interface StartedGateway {
  url: string;
  key: string;
  processId: number;
  stop: () => Promise<void>;
}

const rootPassword = 'bench-root-password';
const models = ['gpt-4o-mini'];

export async function startGateway(options: {
  upstream: string;
  databaseUrl?: string;
}): Promise<StartedGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  await prepare(dataDir, options.databaseUrl, options.upstream);
  const gateway = await launch({
    dataDir,
    environment: {
      DATABASE_URL: options.databaseUrl ?? '',
      INITIAL_ROOT_PASSWORD: rootPassword,
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'error',
    },
  });
  const stop = async (): Promise<void> => {
    await gateway.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { url: gateway.url, key: await createToken(gateway.url), processId: gateway.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Written before the first start, because SQLite serves one process at a time. */
async function prepare(dataDir: string, databaseUrl: string | undefined, upstream: string): Promise<void> {
  const writerEntry = new URL('../../server/writer.ts', import.meta.url);
  const store = await openStore({ dataDir, databaseUrl, writerEntry });
  try {
    await addChannel(store, { base_url: upstream, models });
  } finally {
    await store.close();
  }
}

async function createToken(url: string): Promise<string> {
  const login = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: rootPassword }),
  });
  const user = await dataOf<{ id: number }>(login);
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const created = await fetch(`${url}/api/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'New-Api-User': String(user.id) },
    body: JSON.stringify({ name: 'bench', unlimited_quota: true }),
  });
  const [token] = await dataOf<{ key: string }[]>(created);
  if (!token) throw new Error('the gateway made no token');
  return `sk-${token.key}`;
}

async function dataOf<T>(answer: Response): Promise<T> {
  const envelope = (await answer.json()) as { success: boolean; message: string; data: T };
  if (!envelope.success) throw new Error(`the gateway answered ${answer.status}: ${envelope.message}`);
  return envelope.data;
}
