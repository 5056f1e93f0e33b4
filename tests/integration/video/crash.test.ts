// `kill -9` while videos run: holds are kept over the restart, a video that finished meanwhile is charged once for what was made,
// a submission that was cut is not charged.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/channel-type.ts';
import { openLedger } from '#server/billing/open-ledger.ts';
import { openStore, type Store } from '#server/store/store.ts';
import { ask, expectSoundBooks } from '#tests/integration/drawing/support.ts';
import { eventually } from '#tests/integration/relay/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startGateway, type Gateway } from '#tests/support/gateway.ts';
import { startVideos, type VideoServer } from '#tests/support/mock-upstream/video/server.ts';

setDefaultTimeout(60_000);

const QUOTA = 10_000_000;
const KEY = 'k'.repeat(48);
/** The built-in 0.1 dollars. */
const SECOND = 50_000;

const addressOf = ({ dataDir, databaseUrl }: TemporaryPlace) => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

async function inStore<T>(place: TemporaryPlace, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...addressOf(place), writerEntry: applicationWriter });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A user with a key and a channel, before the first start. */
const prepare = (place: TemporaryPlace, upstream: VideoServer): Promise<number> =>
  inStore(place, async (store) => {
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id } = await store.db
      .insertInto('users')
      .values({ username: 'director', aff_code: 'director', created_at: 1, group: 'default' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const credit = { idem: 'test', userId: id, amount: QUOTA, kind: 'test', reference: '' };
    await ledger.credit({ ...credit, from: 'world:admin' });
    const token = { user_id: id, name: 'camera', key_digest: store.vault.digest('token', KEY) };
    await store.db
      .insertInto('tokens')
      .values({ ...token, unlimited_quota: 1, deleted_at: null })
      .execute();
    const channel = { type: CHANNEL_TYPE.sora, models: ['sora-2'] };
    await addChannel(store, { ...upstream.channel('sora'), ...channel });
    await ledger.close();
    return id;
  });

const start = (place: TemporaryPlace): Promise<Gateway> =>
  startGateway({
    dataDir: place.dataDir,
    environment: {
      INITIAL_ROOT_PASSWORD: 'crash-root-password',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      TASK_POLL_SECONDS: '1',
      ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
    },
  });

async function create({ url }: Gateway, seconds: number): Promise<string> {
  const { status, body } = await ask(url, `sk-${KEY}`, '/v1/videos', { prompt: 'a gate', seconds });
  expect(status).toBe(200);
  return String(body['id']);
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: kill -9 with one video running, one finished unnoticed and one being submitted`, async () => {
    const upstream = startVideos();
    const place = await temporaryPlace(database);
    try {
      const userId = await prepare(place, upstream);
      const first = await start(place);
      const made = await create(first, 8);
      const runs = await create(first, 12);
      const [madeThere, runsThere] = upstream.submissions.map(({ id }) => id) as [string, string];
      upstream.delay(5000);
      const cut = create(first, 4).catch(() => 'cut');
      // The row is there before the upstream has answered.
      await eventually(
        () => upstream.waiting(),
        (count) => count === 1,
      );
      await first.kill9();
      expect(await cut).toBe('cut');
      upstream.delay(0);
      upstream.finish(madeThere, { seconds: 4 });

      await inStore(place, async (store) => {
        const ledger = await openLedger({
          store,
          nodeId: 'between',
          dataDir: place.dataDir,
          version: 'test',
        });
        // The start of the ledger releases no hold that a task still needs.
        expect(await ledger.recover()).toBe(0);
        const user = await store.db
          .selectFrom('users')
          .select(['held_quota', 'used_quota'])
          .where('id', '=', userId)
          .executeTakeFirstOrThrow();
        expect(user).toEqual({ held_quota: 24 * SECOND, used_quota: 0 });
        await ledger.close();
        // The clock is advanced: the cut submission has exceeded its longest duration.
        await store.db.updateTable('tasks').set({ next_poll_at: 0 }).where('task_id', '=', '').execute();
      });

      const second = await start(place);
      upstream.finish(runsThere);
      for (const id of [made, runs]) {
        const done = await eventually(
          () => ask(second.url, `sk-${KEY}`, `/v1/videos/${id}`),
          ({ body }) => body['status'] === 'completed',
        );
        expect(done.body['status']).toBe('completed');
      }
      await second.stop();

      await inStore(place, async (store) => {
        const user = await store.db
          .selectFrom('users')
          .select(['quota', 'held_quota', 'used_quota'])
          .where('id', '=', userId)
          .executeTakeFirstOrThrow();
        expect(user).toEqual({ quota: QUOTA - 16 * SECOND, held_quota: 0, used_quota: 16 * SECOND });
        const tasks = await store.db.selectFrom('tasks').select(['money', 'quota']).orderBy('id').execute();
        expect(tasks).toEqual([
          { money: 'settled', quota: 4 * SECOND },
          { money: 'settled', quota: 12 * SECOND },
          { money: 'released', quota: 4 * SECOND },
        ]);
        const charges = await store.db
          .selectFrom('ledger')
          .select('idem')
          .where('kind', '=', 'use')
          .execute();
        expect(charges).toHaveLength(2);
        await expectSoundBooks(store);
      });
    } finally {
      await upstream.stop();
      await place.remove();
    }
  });
}
