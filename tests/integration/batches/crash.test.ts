// `kill -9` while batches run, and while the output of one is being read: after the restart each is charged once, to the unit.
import { expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
import { openLedger } from '#server/billing/open-ledger.ts';
import { openStore, type Store } from '#server/store/store.ts';
import { expectSoundBooks } from '#tests/integration/drawing/support.ts';
import { eventually } from '#tests/integration/relay/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { startGateway, type Gateway } from '#tests/support/gateway.ts';
import { startOpenAiBatches } from '#tests/support/mock-upstream/batches/openai.ts';
import { chargeFor, finished, MODEL, newBatch, PRICES, START } from './support.ts';

setDefaultTimeout(60_000);

const KEY = 'k'.repeat(48);

interface Place {
  dataDir: string;
  databaseUrl?: string;
}

async function inStore<T>(place: Place, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...place, writerEntry: applicationWriter });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

async function prepare(place: Place, upstream: { url: string; key: string }): Promise<void> {
  await inStore(place, async (store) => {
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id } = await store.db
      .insertInto('users')
      .values({ username: 'clerk', aff_code: 'clerk', created_at: 1, group: 'default' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const credit = {
      idem: 'test',
      userId: id,
      amount: START,
      from: 'world:admin',
      kind: 'test',
      reference: '',
    } as const;
    await ledger.credit(credit);
    const key_digest = store.vault.digest('token', KEY);
    await store.db
      .insertInto('tokens')
      .values({ user_id: id, name: 'desk', key_digest, unlimited_quota: 1, deleted_at: null })
      .execute();
    for (const [key, value] of Object.entries(PRICES))
      await store.db.insertInto('options').values({ key, value }).execute();
    await addChannel(store, { base_url: upstream.url, key: upstream.key, models: [MODEL] });
    await ledger.close();
  });
}

const start = (place: Place): Promise<Gateway> =>
  startGateway({
    dataDir: place.dataDir,
    environment: {
      INITIAL_ROOT_PASSWORD: 'crash-root-password',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      TASK_POLL_SECONDS: '1',
      ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
    },
  });

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: kill -9 with one batch running and the output of another half read`, async () => {
    const openai = startOpenAiBatches();
    const temporary = await temporaryPlace(database);
    const place: Place = { dataDir: temporary.dataDir };
    if (temporary.databaseUrl !== undefined) place.databaseUrl = temporary.databaseUrl;
    try {
      await prepare(place, openai);
      const first = await start(place);
      const client = new OpenAI({ apiKey: `sk-${KEY}`, baseURL: `${first.url}/v1`, maxRetries: 0 });
      const half = await newBatch(client, ['one', 'two']);
      let isReading = false;
      openai.plan(/GET .*\/content$/, () => {
        isReading = true;
        return new Response(
          new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{"custom_id"')) }),
        );
      });
      openai.end();
      await eventually(
        () => isReading,
        (is) => is,
      );
      const runs = await newBatch(client, ['three']);
      await first.kill9();
      openai.end();
      // The clock is advanced past the reading that was cut.
      await inStore(place, (store) => store.db.updateTable('tasks').set({ next_poll_at: 0 }).execute());

      const second = await start(place);
      const again = new OpenAI({ apiKey: `sk-${KEY}`, baseURL: `${second.url}/v1`, maxRetries: 0 });
      for (const { id } of [half, runs]) expect((await finished(again, id)).status).toBe('completed');
      await second.stop();
      await inStore(place, async (store) => {
        const user = await store.db
          .selectFrom('users')
          .selectAll()
          .where('username', '=', 'clerk')
          .executeTakeFirstOrThrow();
        // The index of a request begins anew in the second batch.
        const charge =
          chargeFor({ prompt: 201, cached: 80, completion: 101 }) +
          chargeFor({ prompt: 100, cached: 40, completion: 50 });
        expect(openai.served).toEqual({ requests: 3, prompt: 301, cached: 120, completion: 151 });
        expect([user.quota, user.held_quota, user.used_quota]).toEqual([START - charge, 0, charge]);
        const entries = await store.db
          .selectFrom('ledger')
          .select('idem')
          .where('kind', '=', 'use')
          .execute();
        expect(entries).toHaveLength(2);
        await expectSoundBooks(store);
      });
    } finally {
      await openai.stop();
      await temporary.remove();
    }
  });
}
