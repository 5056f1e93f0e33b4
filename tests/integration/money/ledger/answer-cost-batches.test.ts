// A batch never costs more than its hold as long as its prompts are counted right: the hold has the whole limit of every line and of
// every choice. What a longer report costs beyond the hold is paid or in suspense, and the margins page has both to the unit.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { marginQuery } from '#contract/money/margins.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import { finished, newBatch, openStation, type Station } from '#tests/integration/relay/batches/support.ts';
import { booksOf, expectSoundBooks } from '#tests/integration/relay/drawing/support.ts';
import type { RunBatch } from '#mock/upstream/batches/openai.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(120_000);

const lines = ['one', 'two', 'three'];
const atOnce = 20;
/** Two choices of a limit. */
const body = { max_tokens: 1000, n: 2 };
const outputOfLine = body.max_tokens * body.n;
/** Half of what the calls would cost one by one: a prompt's token is one unit, an answer's are four. */
const worthOf = (promptOfLine: number): number => (lines.length * (promptOfLine + outputOfLine * 4)) / 2;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`on ${database}`, () => {
    let station: Station;
    beforeAll(async () => {
      station = await openStation(database);
    });
    afterAll(async () => {
      await expectSoundBooks(station.app.store);
      await station.close();
    });

    /** Ends the batch; every line reports its whole limit and a prompt of so many tokens. */
    function fill(batch: RunBatch, promptOfLine: number): void {
      station.openai.end('completed', Infinity, batch);
      const output = station.openai.files.get(batch.output_file_id ?? '');
      if (output === undefined) throw new Error('the batch has no output');
      const usage = {
        prompt_tokens: promptOfLine,
        completion_tokens: outputOfLine,
        total_tokens: promptOfLine + outputOfLine,
      };
      const answers = output.text
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text) as { response: { body: { usage: object } } });
      for (const { response } of answers) response.body.usage = usage;
      output.text = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('');
    }

    /** Batches of a new user at once, all run to their end. */
    async function runAll(quota: number, promptOfLine: number) {
      const { openai: client, id: userId } = await station.caller(quota);
      const clients = station.nodes.map(({ url }) => client.withOptions({ baseURL: `${url}/v1` }));
      const before = station.openai.batches.length;
      const created = await Promise.allSettled(
        Array.from({ length: atOnce }, (_, index) =>
          newBatch(clients[index % clients.length] ?? client, lines, body),
        ),
      );
      for (const each of created)
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ status: 403 });
      const ids = created.flatMap((each) => (each.status === 'fulfilled' ? [each.value.id] : []));
      const running = station.openai.batches.slice(before);
      // What was refused did not reach the upstream.
      expect(running).toHaveLength(ids.length);
      const { db } = station.app.store;
      const held = (
        await db.selectFrom('holds').select('amount').where('user_id', '=', userId).execute()
      ).map(({ amount }) => amount);
      expect(held).toHaveLength(ids.length);
      for (const batch of running) fill(batch, promptOfLine);
      for (const id of ids) expect((await finished(client, id)).status).toBe('completed');
      const books = await booksOf(station.app, userId);
      expect(books).toMatchObject({ quota: quota - books.used, held: 0, holds: 0 });
      const query = marginQuery.parse({ user: userId });
      const { hold_excess: excess } = await marginReport({ store: station.app.store }, query);
      return { batches: ids.length, held, paid: books.used, excess };
    }

    test('whose lines all use their limit is worth what was paid, whatever the balance (M11)', async () => {
      const ample = await runAll(1_000_000, 2);
      expect(ample).toMatchObject({ batches: atOnce, paid: atOnce * worthOf(2) });
      const hold = ample.held[0] ?? 0;
      expect(hold).toBeGreaterThanOrEqual(worthOf(2));
      for (const [quota, batches] of [
        [1, 0],
        [hold - 1, 0],
        [hold, 1],
        [2 * hold + 1, 2],
        [atOnce * hold, atOnce],
      ] as const) {
        const { paid, ...run } = await runAll(quota, 2);
        expect(run).toEqual({
          batches,
          held: Array.from({ length: batches }, () => hold),
          excess: { calls: 0, paid: 0, unpaid: 0, newest: [] },
        });
        expect(paid).toBe(batches * worthOf(2));
      }
    });

    test('that reports longer prompts than it was sent pays from the balance, and the rest is counted to the unit (M11)', async () => {
      const promptOfLine = 300;
      const { held, ...ample } = await runAll(1_000_000, promptOfLine);
      const hold = held[0] ?? 0;
      const above = worthOf(promptOfLine) - hold;
      expect(above).toBeGreaterThan(0);
      expect(ample).toMatchObject({
        batches: atOnce,
        paid: atOnce * worthOf(promptOfLine),
        excess: { calls: atOnce, paid: atOnce * above, unpaid: 0 },
      });
      for (const [quota, batches] of [
        [hold, 1],
        [hold + 7, 1],
        [2 * hold + above + 5, 2],
      ] as const) {
        const { paid, excess, batches: served } = await runAll(quota, promptOfLine);
        const unpaid = batches * worthOf(promptOfLine) - quota;
        expect(served).toBe(batches);
        expect(paid).toBe(quota);
        expect(excess).toMatchObject({ paid: quota - batches * hold, unpaid });
        // What was served is paid or in suspense.
        expect(paid + unpaid).toBe(batches * worthOf(promptOfLine));
      }
    });
  });
}
