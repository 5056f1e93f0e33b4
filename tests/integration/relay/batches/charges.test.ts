// What a batch is charged for, line by line of its output, and what it costs the operator.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { booksOf, expectSoundBooks } from '#tests/integration/relay/drawing/support.ts';
import { failure } from '#tests/support/failure.ts';
import { finished, logOf, MODEL, newBatch, openStation, type Station } from './support.ts';

setDefaultTimeout(60_000);

type Line = { custom_id: string; error: unknown; response: { status_code: number; body: Json } };
type Json = Record<string, unknown>;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let station: Station;
    beforeAll(async () => {
      station = await openStation(database);
    });
    afterAll(() => station.close());

    /** Ends the newest batch with its output changed line by line. */
    function endWith(change: (line: Line) => void): void {
      const { openai } = station;
      openai.end();
      const output = openai.files.get(openai.batches.at(-1)?.output_file_id ?? '');
      if (output === undefined) throw new Error('the batch has no output');
      const lines = output.text
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text) as Line);
      for (const line of lines) change(line);
      output.text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    }

    test('a line that failed is not charged, also when it stands in the output with a usage (M21)', async () => {
      const { app } = station;
      const { openai: client, id: userId } = await station.caller();
      const batch = await newBatch(client, ['good', 'refused', 'moved', 'broken']);
      endWith((line) => {
        if (line.custom_id === 'refused') line.response.status_code = 400;
        if (line.custom_id === 'moved') line.response.status_code = 302;
        if (line.custom_id === 'broken') line.error = { code: 'batch_failed', message: 'it broke' };
      });
      await finished(client, batch.id);
      // The first answer alone: 60 input, 40 from the cache, 50 output, at half the price.
      expect((await booksOf(app, userId)).used).toBe((60 + 20 + 200) / 2);
      const { other } = await logOf(app, userId);
      expect(JSON.parse(other)).toMatchObject({ usage: { input: 60, cacheRead: 40, output: 50 } });
      await expectSoundBooks(app.store);
    });

    test('every request of a model with a fixed price is held and charged, and a balance for fewer is refused (M21)', async () => {
      const { app } = station;
      // 5,000 units for a request, half of it in a batch.
      await app.settings.set('ModelPrice', `{"${MODEL}":0.01}`, 0);
      const poor = await station.caller(7499);
      expect(await failure(newBatch(poor.openai, ['one', 'two', 'three']))).toMatchObject({ status: 403 });
      const { openai: client, id: userId } = await station.caller(7500);
      const batch = await newBatch(client, ['one', 'two', 'three']);
      await app.settings.set('ModelPrice', '{}', 0);
      expect(await booksOf(app, userId)).toMatchObject({ held: 7500, holds: 1, used: 0 });
      station.openai.end();
      await finished(client, batch.id);
      expect(await booksOf(app, userId)).toMatchObject({ quota: 0, held: 0, holds: 0, used: 7500 });
      expect((await booksOf(app, poor.id)).held).toBe(0);
      await expectSoundBooks(app.store);
    });

    test('the searches of every line are charged (M21)', async () => {
      const { app } = station;
      // A batch at the usual price, so that the searches stand alone.
      await app.settings.set('PriceRules', `{"${MODEL}":{"search":0.01,"classes":{"batch":1}}}`, 0);
      const { openai: client, id: userId } = await station.caller();
      const batch = await newBatch(client, ['one', 'two', 'three'], { web_search_options: {} });
      await app.settings.set('PriceRules', '{}', 0);
      const searches: Record<string, number> = { one: 2, two: 3, three: 0 };
      endWith(({ custom_id, response: { body } }) => {
        Object.assign(body['usage'] as Json, { num_search_queries: searches[custom_id] });
      });
      await finished(client, batch.id);
      const { other, quota } = await logOf(app, userId);
      expect(JSON.parse(other)).toMatchObject({
        surcharges: [{ name: 'web_search', count: 5, dollarsEach: 0.01 }],
        usage: { input: 183, cacheRead: 120, output: 153 },
      });
      // Five searches of 5,000 units beside the tokens.
      expect(quota).toBe(183 + 60 + 612 + 25_000);
      await expectSoundBooks(app.store);
    });

    // The second node of PostgreSQL learns of the buy price at a time that a test cannot know.
    test.skipIf(database === 'postgres')(
      'the cost of a batch is the part that its supplier charges for batches (M21)',
      async () => {
        const { app, channelId } = station;
        const buy_price = JSON.stringify({
          kind: 'table',
          models: { 'upstream-model': { input: 1, output: 2, cacheRead: 0.5 } },
          batch_ratio: 0.4,
        });
        await app.store.db.updateTable('channels').set({ buy_price }).where('id', '=', channelId).execute();
        await app.store.changes.announce('channels');
        const { openai: client, id: userId } = await station.caller();
        const batch = await newBatch(client, ['one', 'two']);
        station.openai.end();
        await finished(client, batch.id);
        // Dollars of a million tokens are half a unit each: 121 input, 80 from the cache, 101 output.
        const usual = 121 * 0.5 + 80 * 0.25 + 101;
        expect((await logOf(app, userId)).cost).toBe(Math.round(usual * 0.4));
      },
    );
  });
}
