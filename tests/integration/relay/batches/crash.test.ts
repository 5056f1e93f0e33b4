// `kill -9` while batches run, and while the output of one is being read: after the restart each is charged once, to the unit.
import { expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
import { expectSoundBooks } from '#tests/integration/relay/drawing/support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { addChannel } from '#tests/support/channels.ts';
import { booksAfter, endClaims, inStore, KEY, prepareCaller, startNode } from '#tests/support/crash.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import type { Gateway } from '#tests/support/gateway.ts';
import { startOpenAiBatches } from '#mock/upstream/batches/openai.ts';
import { chargeFor, finished, MODEL, newBatch, PRICES, START } from './support.ts';

setDefaultTimeout(60_000);

const clientOf = ({ url }: Gateway) => new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 });

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: kill -9 with one batch running and the output of another half read`, async () => {
    const openai = startOpenAiBatches();
    const place = await temporaryPlace(database);
    try {
      const userId = await prepareCaller(place, START, async (store) => {
        for (const [key, value] of Object.entries(PRICES))
          await store.db.insertInto('options').values({ key, value }).execute();
        await addChannel(store, { base_url: openai.url, key: openai.key, models: [MODEL] });
      });
      const first = await startNode(place);
      const client = clientOf(first);
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
      await inStore(place, endClaims);

      const second = await startNode(place);
      const again = clientOf(second);
      for (const { id } of [half, runs]) expect((await finished(again, id)).status).toBe('completed');
      await second.stop();
      await inStore(place, async (store) => {
        // The index of a request begins anew in the second batch.
        const charge =
          chargeFor({ prompt: 201, cached: 80, completion: 101 }) +
          chargeFor({ prompt: 100, cached: 40, completion: 50 });
        expect(openai.served).toEqual({ requests: 3, prompt: 301, cached: 120, completion: 151 });
        expect(await booksAfter(store, userId)).toMatchObject({
          quota: START - charge,
          held_quota: 0,
          used_quota: charge,
          charges: 2,
        });
        await expectSoundBooks(store);
      });
    } finally {
      await openai.stop();
      await place.remove();
    }
  });
}
