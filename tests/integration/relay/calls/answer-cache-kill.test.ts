// `kill -9` of the gateway amid calls that are answered from memory: after the restart nothing is kept, each call was charged at most once, nothing
// is held, and the books are right. TEST_SEED repeats the draws.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { createLog } from '#server/platform/log.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { inStore } from '#tests/support/crash.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startGateway } from '#tests/support/gateway.ts';
import { seed } from '#tests/support/random.ts';
import { eventually } from './harness.ts';
import { diceFor } from './virtual-draws.ts';

setDefaultTimeout(240_000);

const MODEL = 'gpt-4o';
const BALANCE = 30_000_000;
const SECRET = 'k'.repeat(48);
const PATIENCE = 60_000;
const AT_ONCE = 8;

/** With a fixed port a restarted gateway is the same node, and resolves the holds of its earlier run at once. */
function freePort(): string {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return String(port);
}

const prepare = (place: TemporaryPlace, mock: MockUpstream): Promise<number> =>
  inStore(place, async (store) => {
    const settings = await openSettings(store, createLog({ level: 'error', write: () => {} }));
    await settings.set('AnswerCache', 'on', 0);
    settings.close();
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id: userId } = await store.db
      .insertInto('users')
      .values({ username: 'caller', aff_code: 'caller', created_at: 1, group: 'default' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const credit = { idem: 'test', userId, amount: BALANCE, kind: 'test', reference: '' };
    await ledger.credit({ ...credit, from: 'world:admin' });
    await store.db
      .insertInto('tokens')
      .values({
        user_id: userId,
        name: 'caller',
        key_digest: store.vault.digest('token', SECRET),
        unlimited_quota: 1,
        deleted_at: null,
      })
      .execute();
    await addChannel(store, { models: [MODEL], base_url: mock.url });
    await ledger.close();
    return userId;
  });

const startNode = ({ dataDir, databaseUrl }: TemporaryPlace, port: string) =>
  startGateway({
    dataDir,
    environment: {
      PORT: port,
      INITIAL_ROOT_PASSWORD: 'crash-root-password',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  });

async function ask(url: string, stream: boolean): Promise<string | null> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer sk-${SECRET}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'the same' }], stream }),
  });
  await response.text();
  return response.headers.get('x-tollgate-cache');
}

for (const database of databaseLabels)
  test(`${database}: a kill amid hits (seed ${seed})`, async () => {
    await using mock = startMockUpstream();
    const place = await temporaryPlace(database);
    try {
      const userId = await prepare(place, mock);
      const port = freePort();
      const gateway = await startNode(place, port);
      for (const stream of [false, true]) expect(await ask(gateway.url, stream)).toBe('miss');
      let hits = 0;
      const run = { isOver: false };
      const workers = Array.from({ length: AT_ONCE }, async (_, at) => {
        while (!run.isOver) {
          const state = await ask(gateway.url, at % 2 === 1).catch(() => undefined);
          if (state === undefined) return;
          if (state === 'hit') hits += 1;
        }
      });
      await eventually(
        () => hits,
        (count) => count > 50,
      );
      await Bun.sleep(diceFor(seed, 'cache kill').between(0, 300));
      await gateway.kill9();
      run.isOver = true;
      await Promise.all(workers);
      const sent = mock.requests.length;
      expect(sent).toBe(2);
      const next = await startNode(place, port);
      await eventually(
        () => fetch(`${next.url}/readyz`).then(({ status }) => status),
        (status) => status === 200,
        PATIENCE,
      );
      // Memory is gone with the process.
      expect([await ask(next.url, false), await ask(next.url, false)]).toEqual(['miss', 'hit']);
      await next.stop();
      await inStore(place, async (store) => {
        const { db } = store;
        expect(await db.selectFrom('holds').select('id').where('user_id', '!=', 0).execute()).toEqual([]);
        const rows = await db.selectFrom('logs').selectAll().where('user_id', '=', userId).execute();
        expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(rows.length);
        // What the caller had was charged: only the last ones may have been charged and not sent.
        const charged = rows.filter(({ other }) => other.includes('"answer_cache":')).length;
        expect(charged).toBeGreaterThanOrEqual(hits + 1);
        expect(charged).toBeLessThanOrEqual(hits + 1 + AT_ONCE);
        const spent = rows.reduce((sum, { quota }) => sum + quota, 0);
        const user = await db
          .selectFrom('users')
          .select(['quota', 'held_quota', 'used_quota'])
          .where('id', '=', userId)
          .executeTakeFirstOrThrow();
        expect(user).toEqual({ quota: BALANCE - spent, held_quota: 0, used_quota: spent });
        expect(await checkInvariants(store)).toEqual([]);
      });
    } finally {
      await place.remove();
    }
  });
