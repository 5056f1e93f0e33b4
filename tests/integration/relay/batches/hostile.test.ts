// Files and batches of callers and upstreams that are careless or hostile, on both databases.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { booksOf, ended, expectSoundBooks, taskRow } from '#tests/integration/relay/drawing/support.ts';
import { subscribe } from '#tests/integration/money/plans/world.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { failure } from '#tests/support/failure.ts';
import type { TestApplication } from '#tests/support/application.ts';
import {
  chargeFor,
  CLAUDE,
  finished,
  line,
  logOf,
  MODEL,
  newBatch,
  openStation,
  START,
  upload,
  type Station,
} from './support.ts';

setDefaultTimeout(60_000);

const messages = [{ role: 'user' as const, content: 'gate?' }];
const doubtsOf = async (app: TestApplication, userId: number): Promise<unknown> =>
  (JSON.parse((await logOf(app, userId)).other) as { doubts?: unknown }).doubts;
const paid = (charge: number) => ({
  quota: START - charge,
  held: 0,
  used: charge,
  holds: 0,
  entries: 1,
  consumed: 1,
  failed: 0,
});

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let station: Station;
    beforeAll(async () => {
      station = await openStation(database);
    });
    afterAll(() => station.close());

    test('a NUL in an id, a query or a file name is refused as unknown, or left out', async () => {
      const { app } = station;
      const { key } = await station.caller();
      const status = async (path: string, body?: object): Promise<number> =>
        (
          await fetch(app.url + path, {
            method: body === undefined ? 'GET' : 'POST',
            headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          })
        ).status;
      const batch = {
        input_file_id: 'file-\0',
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      };
      expect(await status('/v1/files/file-%00')).toBe(404);
      expect(await status('/v1/files?after=%00')).toBe(404);
      expect(await status('/v1/files?purpose=%00')).toBe(400);
      expect(await status('/v1/batches?after=%00')).toBe(404);
      expect(await status('/v1/messages/batches?after_id=%00')).toBe(404);
      expect(await status('/v1/batches', batch)).toBe(404);
      const part = (head: string, text: string) =>
        `--edge\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
      const form = await fetch(`${app.url}/v1/files`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'multipart/form-data; boundary=edge' },
        body: `${part('name="purpose"', 'batch')}${part('name="file"; filename="a\0b.jsonl"', line('a'))}--edge--\r\n`,
      });
      expect([form.status, await form.json()]).toEqual([
        200,
        expect.objectContaining({ filename: 'ab.jsonl' }),
      ]);
    });

    test('an upstream that also divides lines at CR finds no other request in them', async () => {
      const { openai } = station;
      const { openai: client } = await station.caller();
      const hidden = line('b', { model: 'dear-model' });
      await upload(client, [`${line('a').slice(0, -1)},"x":\r${hidden}\r}`]);
      const { text } = [...openai.files.values()].at(-1)!;
      expect(text.split('\n').filter(Boolean)).toHaveLength(1);
      expect(text.split(/[\r\n]+/).filter(Boolean)).toHaveLength(1);
      expect(text).toContain('dear-model');
    });

    for (const [what, counts] of [
      ['has no counts', undefined],
      ['does not count those that succeeded', { processing: 0 }],
    ] as const)
      test(`results of an upstream that ${what} are charged before they can be read (M21)`, async () => {
        const { app, anthropic } = station;
        const { anthropic: client, id } = await station.caller();
        const batch = await client.messages.batches.create({
          requests: [{ custom_id: 'a', params: { model: CLAUDE, max_tokens: 9, messages } }],
        });
        anthropic.end();
        Object.assign(anthropic.kept.at(-1)!.batch, { request_counts: counts });
        await ended(app.store, batch.id);
        expect(await booksOf(app, id)).toEqual(paid(Math.round((60 + 15 + 80) * 0.5)));
      });

    /** Reading of outputs is given up an hour before the deadline. */
    const giveUpReading = async (
      app: TestApplication,
      batchId: string,
    ): Promise<{ promptTokens: number }> => {
      const { input } = JSON.parse((await taskRow(app.store, batchId)).properties);
      const deadline_at = Math.floor(Date.now() / 1000) + 600;
      await app.store.db.updateTable('tasks').set({ deadline_at }).where('task_id', '=', batchId).execute();
      return input;
    };

    for (const [what, counts, answered] of [
      ['are estimated', undefined, 2],
      ['are estimated, also where one of two succeeded', { succeeded: 1 }, 1],
      ['are estimated, also without counts', null, 2],
      ['are estimated, also where those that succeeded are not counted', { processing: 0 }, 2],
      ['are estimated, also where the count is no number', { succeeded: 'both' }, 2],
      ['are estimated without those that failed', { processing: 0, errored: 1 }, 1],
      ['are estimated without those that were cancelled or ran out', { canceled: 1, expired: 1 }, 0],
    ] as const)
      test(`results of Anthropic that cannot be read for days ${what}`, async () => {
        const { app, anthropic } = station;
        const { anthropic: client, id } = await station.caller();
        const params = { model: CLAUDE, max_tokens: 9, messages };
        const requests = ['a', 'b'].map((custom_id) => ({ custom_id, params }));
        const batch = await client.messages.batches.create({ requests });
        const { promptTokens } = await giveUpReading(app, batch.id);
        const { batch: upstream } = anthropic.kept.at(-1)!;
        const away = (): Response => {
          anthropic.plan(new RegExp(`${upstream.id}/results`), away);
          return new Response('away', { status: 500 });
        };
        away();
        anthropic.end();
        if (counts !== undefined) Object.assign(upstream, { request_counts: counts });
        await ended(app.store, batch.id);
        const charge = Math.round(promptTokens * (answered / 2) * 0.5);
        expect(await booksOf(app, id)).toMatchObject({ quota: START - charge, held: 0, used: charge });
        if (answered > 0) expect((await logOf(app, id)).estimated).toBe(1);
        await expectSoundBooks(app.store);
      });

    test('OpenAI: an output that cannot be read for days is estimated, also without counts', async () => {
      const { app, openai } = station;
      const { openai: client, id } = await station.caller();
      const batch = await newBatch(client, ['one', 'two']);
      const { promptTokens } = await giveUpReading(app, batch.id);
      openai.end();
      const upstream = openai.batches.at(-1)!;
      Object.assign(upstream, { request_counts: undefined });
      const away = (): Response => {
        openai.plan(new RegExp(`${upstream.output_file_id}/content`), away);
        return new Response('away', { status: 500 });
      };
      away();
      await finished(client, batch.id);
      expect(await booksOf(app, id)).toEqual(paid(Math.round(promptTokens * 0.5)));
      expect((await logOf(app, id)).estimated).toBe(1);
    });

    test('the channel of a plan’s group runs batches only while the plan pays', async () => {
      const { app, openai, channel } = station;
      await channel({ models: ['vip-model'], groups: ['vip'], fields: {} });
      const { openai: client, id } = await station.caller();
      await subscribe(app, id, { group: 'vip', period_quota: 1 });
      await app.store.changes.announce('users', String(id));
      const file = await eventually(
        () => upload(client, [line('a', { model: 'vip-model' })]).catch(() => undefined),
        (made) => made !== undefined,
      );
      const make = () =>
        client.batches.create({
          input_file_id: file!.id,
          endpoint: '/v1/chat/completions',
          completion_window: '24h',
        });
      const first = await make();
      openai.end();
      expect(await finished(client, first.id)).toMatchObject({ status: 'completed', errors: null });
      expect((await logOf(app, id)).group).toBe('vip');
      // With nothing left the user's own group would pay, which has no such channel.
      expect(await failure(make())).toMatchObject({ code: 'file_channel_away' });
      await expectSoundBooks(app.store);
    });

    test('an answer that is too long to be kept is charged by its report', async () => {
      const { app, openai } = station;
      const { openai: client, id } = await station.caller();
      const url = '/v1/embeddings';
      const file = await upload(client, [line('a', { input: 'long' }, url), line('b', { input: 'x' }, url)]);
      const wish = { input_file_id: file.id, endpoint: url, completion_window: '24h' } as const;
      const batch = await client.batches.create(wish);
      openai.end();
      const data = [{ embedding: 'A'.repeat(9 * 1024 * 1024) }];
      const answer = (custom_id: string, prompt_tokens: number, given: unknown[]) => {
        const body = { object: 'list', data: given, usage: { prompt_tokens, total_tokens: prompt_tokens } };
        return JSON.stringify({ custom_id, response: { status_code: 200, body }, error: null });
      };
      const output = openai.files.get(openai.batches.at(-1)!.output_file_id!)!;
      output.text = `${answer('a', 9000, data)}\n${answer('b', 2, [])}\n`;
      await finished(client, batch.id);
      expect(await booksOf(app, id)).toEqual(paid(4501));
    });

    test('OpenAI: only answers to requests of the batch are charged, each once (M18)', async () => {
      const { app, openai } = station;
      const { openai: client, id } = await station.caller();
      const batch = await newBatch(client, ['one', 'two']);
      openai.end();
      const output = openai.files.get(openai.batches.at(-1)!.output_file_id!)!;
      const [first = '', second = ''] = output.text.split('\n').filter(Boolean);
      const foreign = first.replace('"one"', '"foreign"');
      output.text = [foreign, ...Array.from({ length: 50 }, () => first), foreign, second].join('\n');
      await finished(client, batch.id);
      const charge = chargeFor({ prompt: 201, cached: 80, completion: 101 });
      expect(await booksOf(app, id)).toEqual(paid(charge));
      expect(await doubtsOf(app, id)).toEqual([{ count: 'answers', reported: 53, charged: 2 }]);
      const [notice] = await eventually(
        () => app.store.db.selectFrom('notices').selectAll().where('event', '=', 'usage_doubted').execute(),
        (found) => found.length > 0,
      );
      expect(JSON.parse(notice!.details)).toMatchObject({ channel_name: 'batches', model: MODEL });
    });

    test('Anthropic: only results of requests of the batch are charged, each once (M18)', async () => {
      const { app, anthropic } = station;
      const { anthropic: client, id } = await station.caller();
      const params = { model: CLAUDE, max_tokens: 100, messages };
      const batch = await client.messages.batches.create({ requests: [{ custom_id: 'a', params }] });
      anthropic.end();
      const kept = anthropic.kept.at(-1)!;
      const [result = ''] = kept.results.split('\n').filter(Boolean);
      kept.results = [result.replace('"a"', '"z"'), result, result].join('\n');
      await ended(app.store, batch.id);
      expect(await booksOf(app, id)).toEqual(paid(Math.round((60 + 15 + 80) * 0.5)));
      expect(await doubtsOf(app, id)).toEqual([{ count: 'answers', reported: 3, charged: 1 }]);
    });

    test('an answer of a batch costs no more than its limit, nor all of them than all limits (M13)', async () => {
      const { app, openai } = station;
      const { openai: client, id } = await station.caller();
      const file = await upload(client, [
        line('a', { max_tokens: 1000 }),
        line('b', { max_tokens: 100 }),
        line('c', { max_tokens: 100 }),
      ]);
      const batch = await client.batches.create({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      });
      openai.end();
      const answer = (custom_id: string, completion_tokens: number) => {
        const message = { role: 'assistant', content: 'a gate' };
        const usage = { prompt_tokens: 10, completion_tokens, total_tokens: 10 + completion_tokens };
        const body = { choices: [{ index: 0, message }], usage };
        return JSON.stringify({ custom_id, response: { status_code: 200, body }, error: null });
      };
      const output = openai.files.get(openai.batches.at(-1)!.output_file_id!)!;
      output.text = [answer('a', 9e11), answer('b', 1100), answer('c', 1100)].join('\n');
      await finished(client, batch.id);
      // 1,000 and a tenth, 100 and a tenth twice, each with 64 tokens.
      const most = 1164 + 174 + 174;
      expect(await booksOf(app, id)).toEqual(paid(Math.round((30 + most * 4) * 0.5)));
      expect(await doubtsOf(app, id)).toEqual([
        { count: 'output', reported: 9e11, charged: 1164 },
        { count: 'output', reported: 1164 + 2200, charged: most },
      ]);
    });

    test('an output that cannot be read has no more answers than the batch has requests (M18)', async () => {
      const { app, openai } = station;
      const { openai: client, id } = await station.caller();
      const batch = await newBatch(client, ['one', 'two']);
      const input = await giveUpReading(app, batch.id);
      openai.end();
      Object.assign(openai.batches.at(-1)!, { output_file_id: null });
      openai.batches.at(-1)!.request_counts.completed = 100_000;
      await finished(client, batch.id);
      expect(await booksOf(app, id)).toEqual(paid(Math.round(input.promptTokens * 0.5)));
    });
  });
}
