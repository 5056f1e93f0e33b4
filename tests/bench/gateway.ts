// Tollgate as operators run it: its own process, one channel that leads to the mock, one token without limit. Everything
// that costs time in production is on: durable holds, settlement, log rows, limits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '#server/store/store.ts';

export interface StartedGateway {
  url: string;
  key: string;
  processId: number;
  stop: () => Promise<void>;
}

const root = join(import.meta.dir, '..', '..');
const rootPassword = 'bench-root-password';
const models = 'gpt-4o-mini';
const startSeconds = 20;

export async function startGateway(options: {
  upstream: string;
  databaseUrl?: string;
}): Promise<StartedGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  await addChannel(dataDir, options.databaseUrl, options.upstream);
  const child = Bun.spawn([process.execPath, join(root, 'server', 'main.ts'), 'start'], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: options.databaseUrl ?? '',
      INITIAL_ROOT_PASSWORD: rootPassword,
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'error',
      BUN_CONFIG_MAX_HTTP_REQUESTS: '20000',
    },
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await child.exited;
    clearTimeout(killer);
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const url = await readUrl(child.stdout);
    await ready(url);
    return { url, key: await createToken(url), processId: child.pid, stop };
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

/** The start prints where it listens; PORT=0 makes that the only way to know. */
function readUrl(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const listen = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let text = '';
    // Read to the end, so that the pipe never fills; nothing after the address matters here.
    for await (const chunk of stdout) {
      if (text.length < 10_000) text += decoder.decode(chunk, { stream: true });
      const url = /https?:\/\/[\w.:[\]]+:(\d+)/.exec(text);
      if (url) resolve(`http://127.0.0.1:${url[1]}`);
    }
    reject(new Error(`the gateway did not start: ${text}`));
  };
  void listen();
  return promise;
}

async function ready(url: string): Promise<void> {
  const deadline = performance.now() + startSeconds * 1000;
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await Bun.sleep(50);
  }
  throw new Error(`the gateway was not ready within ${startSeconds} s`);
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
