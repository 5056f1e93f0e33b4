// A rolling restart as callers see it: SIGTERM while streams run lets every stream finish and be charged before the
// exit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { applicationWriter } from '#tests/support/databases.ts';
import { startGateway } from '#tests/support/gateway.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';

const PASSWORD = 'drain-root-password';
const STREAMS = 5;

async function inStore<T>(dataDir: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir, writerEntry: applicationWriter });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function createKey(url: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const login = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username: 'root', password: PASSWORD }),
  });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const made = await fetch(`${url}/api/token/`, {
    method: 'POST',
    headers: { ...headers, Cookie: cookie, 'New-Api-User': '1' },
    body: JSON.stringify({ name: 'drain', unlimited_quota: true }),
  });
  const { data } = (await made.json()) as { data: { key: string }[] };
  return `sk-${data[0]?.key}`;
}

test('SIGTERM under running streams: all finish with [DONE], all are charged, the exit code is 0', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-drain-'));
  const mock = startMockUpstream();
  try {
    mock.behave({ outputTokens: 12, chunkDelayMilliseconds: 100 });
    await inStore(dataDir, (store) => addChannel(store, { base_url: mock.url, models: ['gpt-4o-mini'] }));
    const gateway = await startGateway({
      dataDir,
      environment: { INITIAL_ROOT_PASSWORD: PASSWORD, ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1' },
    });
    const key = await createKey(gateway.url);
    const stream = async () => {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          model: 'gpt-4o-mini',
          stream: true,
          messages: [{ role: 'user', content: 'hello' }],
        }),
      });
      return await response.text();
    };
    const streams = Promise.all(Array.from({ length: STREAMS }, stream));
    // Each stream takes longer than a second, so all are running when the last one has reached the upstream.
    for (let look = 0; look < 2000 && mock.requests.length < STREAMS; look += 1) await Bun.sleep(10);
    expect(mock.requests).toHaveLength(STREAMS);
    const ended = gateway.stop();
    for (const text of await streams) expect(text).toEndWith('data: [DONE]\n\n');
    expect(await ended).toBe(0);
    const refused = await fetch(`${gateway.url}/healthz`).catch(() => null);
    expect(refused).toBeNull();

    await inStore(dataDir, async (store) => {
      const charged = await store.db.selectFrom('logs').select('quota').where('type', '=', 2).execute();
      expect(charged).toHaveLength(STREAMS);
      expect(charged.every(({ quota }) => quota > 0)).toBe(true);
      expect(await store.db.selectFrom('holds').select('id').execute()).toEqual([]);
      expect(await checkInvariants(store)).toEqual([]);
    });
  } finally {
    await mock.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);
