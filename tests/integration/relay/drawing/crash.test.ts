// `kill -9` while drawings run: holds are kept over the restart, a drawing that finished meanwhile is charged once, a
// submission that was cut is not charged.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
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
import { startMidjourney } from '#mock/upstream/midjourney/server.ts';
import { ask, expectSoundBooks, imagine, IMAGINE_QUOTA, MODELS } from './support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(60_000);

const QUOTA = 1_000_000;

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: kill -9 with one drawing running, one finished unnoticed and one being submitted`, async () => {
    const mj = startMidjourney();
    const place = await temporaryPlace(database);
    try {
      const channel = {
        base_url: mj.url,
        key: mj.secret,
        type: CHANNEL_TYPE.midjourneyProxy,
        models: MODELS,
      };
      const userId = await prepareCaller(place, QUOTA, (store) => addChannel(store, channel));
      const first = await startNode(place);
      const drawn = await imagine(first.url, KEY);
      const runs = await imagine(first.url, KEY);
      mj.plan({ delayMilliseconds: 5000 });
      const cut = ask(first.url, KEY, '/mj/submit/imagine', { prompt: 'never heard of' }).catch(() => 'cut');
      await eventually(
        () => mj.submissions.length,
        (count) => count === 3,
      );
      await first.kill9();
      expect(await cut).toBe('cut');
      await mj.finish(drawn);

      await inStore(place, async (store) => {
        expect(await recoveredHolds(store, place)).toBe(0);
        const held = { held_quota: 3 * IMAGINE_QUOTA, holds: 3, charges: 0 };
        expect(await booksAfter(store, userId)).toMatchObject(held);
        await endClaims(store);
      });

      const second = await startNode(place);
      const succeeded = (id: string) =>
        eventually(
          () => ask(second.url, KEY, `/mj/task/${id}/fetch`),
          ({ body }) => body['status'] === 'SUCCESS',
        );
      expect((await succeeded(drawn)).body['status']).toBe('SUCCESS');
      await mj.finish(runs);
      await succeeded(runs);
      await second.stop();

      await inStore(place, async (store) => {
        expect(await booksAfter(store, userId)).toEqual({
          quota: QUOTA - 2 * IMAGINE_QUOTA,
          held_quota: 0,
          used_quota: 2 * IMAGINE_QUOTA,
          tasks: [
            `SUCCESS settled ${IMAGINE_QUOTA}`,
            `SUCCESS settled ${IMAGINE_QUOTA}`,
            `FAILURE released ${IMAGINE_QUOTA}`,
          ],
          holds: 0,
          charges: 2,
        });
        await expectSoundBooks(store);
      });
    } finally {
      await mj.stop();
      await place.remove();
    }
  });
}
