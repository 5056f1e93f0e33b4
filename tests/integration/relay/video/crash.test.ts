// `kill -9` while videos run: holds are kept over the restart, a video that finished meanwhile is charged once for what was made,
// a submission that was cut is not charged.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ask, expectSoundBooks } from '#tests/integration/relay/drawing/support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import {
  booksAfter,
  endClaims,
  inStore,
  KEY,
  prepareCaller,
  recoveredHolds,
  startNode,
} from '#tests/support/crash.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import type { Gateway } from '#tests/support/gateway.ts';
import { startVideos } from '#mock/upstream/video/server.ts';

setDefaultTimeout(60_000);

const QUOTA = 10_000_000;
/** The built-in 0.1 dollars. */
const SECOND = 50_000;

async function create({ url }: Gateway, seconds: number): Promise<string> {
  const { status, body } = await ask(url, KEY, '/v1/videos', { prompt: 'a gate', seconds });
  expect(status).toBe(200);
  return String(body['id']);
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: kill -9 with one video running, one finished unnoticed and one being submitted`, async () => {
    const upstream = startVideos();
    const place = await temporaryPlace(database);
    try {
      const channel = { ...upstream.channel('sora'), type: CHANNEL_TYPE.sora, models: ['sora-2'] };
      const userId = await prepareCaller(place, QUOTA, (store) => addChannel(store, channel));
      const first = await startNode(place);
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
        expect(await recoveredHolds(store, place)).toBe(0);
        expect(await booksAfter(store, userId)).toMatchObject({ held_quota: 24 * SECOND, used_quota: 0 });
        await endClaims(store);
      });

      const second = await startNode(place);
      upstream.finish(runsThere);
      for (const id of [made, runs]) {
        const done = await eventually(
          () => ask(second.url, KEY, `/v1/videos/${id}`),
          ({ body }) => body['status'] === 'completed',
        );
        expect(done.body['status']).toBe('completed');
      }
      await second.stop();

      await inStore(place, async (store) => {
        expect(await booksAfter(store, userId)).toEqual({
          quota: QUOTA - 16 * SECOND,
          held_quota: 0,
          used_quota: 16 * SECOND,
          tasks: [
            `SUCCESS settled ${4 * SECOND}`,
            `SUCCESS settled ${12 * SECOND}`,
            `FAILURE released ${4 * SECOND}`,
          ],
          holds: 0,
          charges: 2,
        });
        await expectSoundBooks(store);
      });
    } finally {
      await upstream.stop();
      await place.remove();
    }
  });
}
