// `kill -9` of the gateway while copies run: every call is charged once, nothing is held, and what was booked for the copies stays booked.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { cleanSamples } from '#server/relay/shadow-calls/samples.ts';
import { createLog } from '#server/platform/log.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { inStore } from '#tests/support/crash.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startGateway } from '#tests/support/gateway.ts';
import { eventually } from './harness.ts';

setDefaultTimeout(120_000);

const KEYS = { model: 'sk-watched', target: 'sk-target' };
const BALANCE = 30_000_000;
const SECRET = 's'.repeat(48);
const CALLS = 2;

const prepare = (place: TemporaryPlace, mock: MockUpstream): Promise<number> =>
  inStore(place, async (store) => {
    const settings = await openSettings(store, createLog({ level: 'error', write: () => {} }));
    await settings.set('ModelRatio', JSON.stringify({ watched: 4, target: 4 }), 0);
    settings.close();
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id: userId } = await store.db
      .insertInto('users')
      .values({ username: 'caller', aff_code: 'caller', created_at: 1, group: 'default', shadow_consent: 1 })
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
    await addChannel(store, { models: ['watched'], key: KEYS.model, base_url: mock.url });
    await addChannel(store, { models: ['target'], key: KEYS.target, base_url: mock.url });
    const rules = {
      groups: [],
      target_group: '',
      share_percent: 100,
      dollars_per_day: 100,
      most_samples: 50,
      from: 0,
      until: 0,
    };
    await store.db
      .insertInto('shadows')
      .values({
        name: 'killed',
        model: 'watched',
        target_model: 'target',
        rules: JSON.stringify(rules),
        created_at: 1,
        updated_at: 1,
      })
      .execute();
    // Its run after the start would count the places while copies run.
    await store.db
      .insertInto('jobs')
      .values({ name: 'shadow-samples', node_id: '', next_run_ms: Date.now() + 3_600_000 })
      .execute();
    await ledger.close();
    return userId;
  });

for (const database of databaseLabels)
  test(`${database}: a node that is killed while copies run charges each call once and keeps what was booked`, async () => {
    await using mock = startMockUpstream();
    mock.behave({ when: { key: KEYS.model }, behaviour: { text: 'mine' } });
    mock.behave({ when: { key: KEYS.target }, behaviour: { headersDelayMilliseconds: 60_000 } });
    const place = await temporaryPlace(database);
    try {
      const userId = await prepare(place, mock);
      const gateway = await startGateway({
        dataDir: place.dataDir,
        environment: {
          INITIAL_ROOT_PASSWORD: 'crash-root-password',
          ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
          ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
        },
      });
      for (let at = 0; at < CALLS; at += 1) {
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { Authorization: `Bearer sk-${SECRET}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ model: 'watched', messages: [{ role: 'user', content: 'hello' }] }),
        });
        expect(await response.text()).toContain('mine');
      }
      const copies = () => mock.requests.filter(({ key }) => key === KEYS.target).length;
      expect(await eventually(copies, (count) => count === CALLS)).toBe(CALLS);
      await gateway.kill9();
      await inStore(place, async (store) => {
        const { db } = store;
        const rows = await db.selectFrom('logs').selectAll().where('user_id', '=', userId).execute();
        expect(rows).toHaveLength(CALLS);
        const entries = await db
          .selectFrom('ledger')
          .select('amount')
          .where('user_id', '=', userId)
          .where('kind', '!=', 'test')
          .execute();
        expect(entries.map(({ amount }) => amount)).toEqual(rows.map(({ quota }) => quota));
        // On PostgreSQL a part of the balance may still be set aside for the next calls of the node.
        const heldByCall = db
          .selectFrom('holds')
          .select('id')
          .where('user_id', '!=', 0)
          .where('id', 'not like', SLICE_PATTERN);
        expect(await heldByCall.execute()).toEqual([]);
        expect(await checkInvariants(store)).toEqual([]);
        const booked = await db.selectFrom('shadow_hours').select('count').execute();
        expect(booked.reduce((sum, { count }) => sum + count, 0)).toBe(CALLS);
        const { spent } = await db.selectFrom('shadow_days').select('spent').executeTakeFirstOrThrow();
        expect(spent).toBeGreaterThan(0);
        const keptOf = () => db.selectFrom('shadow_counts').select('kept').executeTakeFirst();
        expect(await keptOf()).toEqual({ kept: CALLS });
        await cleanSamples(store, 14);
        expect(await keptOf()).toEqual({ kept: 0 });
        expect(await db.selectFrom('shadow_samples').select('id').execute()).toEqual([]);
      });
    } finally {
      await place.remove();
    }
  });
