// `kill -9` while drawings run: holds are kept over the restart, a drawing that finished meanwhile is charged once, a
// submission that was cut is not charged.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { openLedger } from '#server/billing/open-ledger.ts';
import { openStore, type Store } from '#server/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { startGateway, type Gateway } from '#tests/support/gateway.ts';
import { startMidjourney, type MidjourneyServer } from '#tests/support/mock-upstream/midjourney/server.ts';
import { ask, expectSoundBooks, imagine, IMAGINE_QUOTA, MODELS } from './support.ts';
import { eventually } from '#tests/integration/relay/harness.ts';

setDefaultTimeout(60_000);

const QUOTA = 1_000_000;
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

/** Creates a user with a key and a channel, before the first start. */
async function prepare(place: Place, mj: MidjourneyServer): Promise<number> {
  return await inStore(place, async (store) => {
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id } = await store.db
      .insertInto('users')
      .values({ username: 'painter', aff_code: 'painter', created_at: 1, group: 'default' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await ledger.credit({
      idem: 'test',
      userId: id,
      amount: QUOTA,
      from: 'world:admin',
      kind: 'test',
      reference: '',
    });
    await store.db
      .insertInto('tokens')
      .values({
        user_id: id,
        name: 'brush',
        key_digest: store.vault.digest('token', KEY),
        unlimited_quota: 1,
        deleted_at: null,
      })
      .execute();
    await addChannel(store, {
      base_url: mj.url,
      key: mj.secret,
      type: CHANNEL_TYPE.midjourneyProxy,
      models: MODELS,
    });
    await ledger.close();
    return id;
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

async function books(store: Store, userId: number) {
  const user = await store.db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const tasks = await store.db.selectFrom('tasks').select(['status', 'money']).orderBy('id').execute();
  const holds = await store.db.selectFrom('holds').select('id').execute();
  const charges = await store.db.selectFrom('ledger').select('idem').where('kind', '=', 'use').execute();
  return { ...user, tasks, holds: holds.length, charges: charges.length };
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: kill -9 with one drawing running, one finished unnoticed and one being submitted`, async () => {
    const mj = startMidjourney();
    const temporary = database === 'postgres' ? await temporaryPlace('postgres') : undefined;
    const dataDir = temporary?.dataDir ?? mkdtempSync(path.join(tmpdir(), 'tollgate-drawing-'));
    const place: Place = { dataDir };
    if (temporary?.databaseUrl !== undefined) place.databaseUrl = temporary.databaseUrl;
    try {
      const userId = await prepare(place, mj);
      const first = await start(place);
      const drawn = await imagine(first.url, `sk-${KEY}`);
      const runs = await imagine(first.url, `sk-${KEY}`);
      mj.plan({ delayMilliseconds: 5000 });
      const cut = ask(first.url, `sk-${KEY}`, '/mj/submit/imagine', { prompt: 'never heard of' }).catch(
        () => 'cut',
      );
      await eventually(
        () => mj.submissions.length,
        (count) => count === 3,
      );
      await first.kill9();
      expect(await cut).toBe('cut');
      await mj.finish(drawn);

      await inStore(place, async (store) => {
        const ledger = await openLedger({ store, nodeId: 'between', dataDir, version: 'test' });
        // The start of the ledger releases no hold that a task still needs.
        expect(await ledger.recover()).toBe(0);
        expect(await books(store, userId)).toMatchObject({
          held_quota: 3 * IMAGINE_QUOTA,
          holds: 3,
          charges: 0,
        });
        await ledger.close();
        // The clock is advanced: the cut submission has exceeded its longest duration.
        await store.db.updateTable('tasks').set({ next_poll_at: 0 }).where('task_id', '=', '').execute();
      });

      const second = await start(place);
      const state = () => ask(second.url, `sk-${KEY}`, `/mj/task/${drawn}/fetch`);
      const seen = await eventually(state, ({ body }) => body['status'] === 'SUCCESS');
      expect(seen.body['status']).toBe('SUCCESS');
      await mj.finish(runs);
      await eventually(
        () => ask(second.url, `sk-${KEY}`, `/mj/task/${runs}/fetch`),
        ({ body }) => body['status'] === 'SUCCESS',
      );
      await second.stop();

      await inStore(place, async (store) => {
        expect(await books(store, userId)).toEqual({
          quota: QUOTA - 2 * IMAGINE_QUOTA,
          held_quota: 0,
          used_quota: 2 * IMAGINE_QUOTA,
          tasks: [
            { status: 'SUCCESS', money: 'settled' },
            { status: 'SUCCESS', money: 'settled' },
            { status: 'FAILURE', money: 'released' },
          ],
          holds: 0,
          charges: 2,
        });
        await expectSoundBooks(store);
      });
    } finally {
      await mj.stop();
      rmSync(dataDir, { recursive: true, force: true });
      await temporary?.remove();
    }
  });
}
