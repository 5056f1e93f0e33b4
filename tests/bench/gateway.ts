// Tollgate as operators run it: its own process, one channel that leads to the mock, one token without limit. Everything
// that costs time in production is on: durable holds, settlement, log rows, limits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '#server/store/store.ts';
import { startGateway as launch } from '#tests/support/gateway.ts';

export interface StartedGateway {
  url: string;
  key: string;
  processId: number;
  stop: () => Promise<void>;
}

const rootPassword = 'bench-root-password';
const models = 'gpt-4o-mini';

export async function startGateway(options: {
  upstream: string;
  databaseUrl?: string;
}): Promise<StartedGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  await addChannel(dataDir, options.databaseUrl, options.upstream);
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
async function addChannel(dataDir: string, databaseUrl: string | undefined, upstream: string): Promise<void> {
  const store = await openStore({
    dataDir,
    databaseUrl,
    writerEntry: new URL('../../server/writer.ts', import.meta.url),
  });
  try {
    const { id } = await store.db
      .insertInto('channels')
      .values({ name: 'mock', type: 1, base_url: upstream, models, group: 'default', status: 1, tag: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sealed = store.vault.seal('sk-bench-upstream', `channel:${id}`);
    await store.db.updateTable('channels').set({ key_sealed: sealed }).where('id', '=', id).execute();
    await store.db
      .insertInto('abilities')
      .values(
        models
          .split(',')
          .map((model) => ({ group: 'default', model, channel_id: id, enabled: 1 as const, tag: null })),
      )
      .execute();
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
