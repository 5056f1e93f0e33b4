// Batches of both APIs on both databases, called with the vendors' own clients: results pass, the ledger matches what the
// upstream served to the unit, and a user cannot read the files and batches of another user.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { toFile } from 'openai';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ask, booksOf, ended, expectSoundBooks, taskRow } from '#tests/integration/relay/drawing/support.ts';
import { failure } from '#tests/support/failure.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import {
  chargeFor,
  CLAUDE,
  finished,
  line,
  logOf,
  MODEL,
  newBatch,
  openStation,
  since,
  START,
  upload,
  type Station,
} from './support.ts';

setDefaultTimeout(60_000);

const messages = [{ role: 'user' as const, content: 'gate?' }];
const untouched = { quota: START, held: 0, used: 0, holds: 0, entries: 0, consumed: 0, failed: 0 };
const paid = (charge: number) => ({
  ...untouched,
  quota: START - charge,
  used: charge,
  entries: 1,
  consumed: 1,
});

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let station: Station;
    beforeAll(async () => {
      station = await openStation(database);
    });
    afterAll(() => station.close());

    test('OpenAI: a file and its batch go to one channel, are charged once for what was answered, and pass back', async () => {
      const { app, openai, channelId } = station;
      const { openai: client, id: userId } = await station.caller();
      const before = { ...openai.served };
      const file = await upload(client, [line('one'), line('two', { max_tokens: 50 }), line('bad-three')]);
      expect(file).toMatchObject({
        object: 'file',
        purpose: 'batch',
        filename: 'in.jsonl',
        status: 'processed',
      });
      const [kept] = openai.files.values();
      expect(file.id).not.toBe(kept!.id);
      const sent = kept!.text.split('\n').filter(Boolean);
      expect(sent.map((text) => (JSON.parse(text) as { body: { model: string } }).body.model)).toEqual(
        Array(3).fill('upstream-model'),
      );
      // The file as its owner wrote it.
      expect(await (await client.files.content(file.id)).text()).toBe(
        [line('one'), line('two', { max_tokens: 50 }), line('bad-three')].map((text) => `${text}\n`).join(''),
      );

      const batch = await client.batches.create({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
        metadata: { night: 'yes' },
      });
      expect(batch).toMatchObject({
        object: 'batch',
        status: 'validating',
        input_file_id: file.id,
        output_file_id: null,
        metadata: { night: 'yes' },
      });
      const input = JSON.parse((await taskRow(app.store, batch.id)).properties).input;
      expect(input).toMatchObject({ requests: 3, outputTokens: 250 });
      const held = Math.round((input.promptTokens + 250 * 4) * 0.5);
      expect(await booksOf(app, userId)).toEqual({ ...untouched, held, holds: 1 });

      openai.advance();
      await eventually(
        () => client.batches.retrieve(batch.id),
        ({ status }) => status === 'in_progress',
      );
      openai.advance();
      openai.end();
      const done = await finished(client, batch.id);
      expect(done).toMatchObject({
        status: 'completed',
        request_counts: { total: 3, completed: 2, failed: 1 },
      });
      const charge = chargeFor(since(openai.served, before));
      expect(await booksOf(app, userId)).toEqual(paid(charge));
      expect(await taskRow(app.store, batch.id)).toMatchObject({
        status: 'SUCCESS',
        money: 'settled',
        quota: charge,
        channel_id: channelId,
      });

      const output = await (await client.files.content(done.output_file_id!)).text();
      const answers = output
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text) as { custom_id: string; response: { body: { model: string } } });
      expect(answers.map(({ custom_id, response }) => [custom_id, response.body.model])).toEqual([
        ['one', MODEL],
        ['two', MODEL],
      ]);
      const errors = await (await client.files.content(done.error_file_id!)).text();
      expect(errors).toContain('bad-three');
      expect(errors).not.toMatch(/openai\.com|org-abcdef/);

      const row = await logOf(app, userId);
      expect(row).toMatchObject({
        model_name: MODEL,
        upstream_model: 'upstream-model',
        quota: charge,
        estimated: 0,
      });
      const other = JSON.parse(row.other) as { usage: unknown; batch_ratio: number; task_id: string };
      const { prompt, cached, completion } = since(openai.served, before);
      expect([other.batch_ratio, other.task_id, other.usage]).toEqual([
        0.5,
        batch.id,
        { input: prompt - cached, cacheRead: cached, output: completion },
      ]);

      const ids = [];
      for await (const each of client.files.list({ limit: 2, order: 'asc' })) ids.push(each.id);
      expect(ids).toEqual([file.id, done.output_file_id!, done.error_file_id!]);
      const outputs = [];
      for await (const each of client.files.list({ purpose: 'batch_output' })) outputs.push(each.id);
      expect(outputs).toHaveLength(2);
      expect(await client.files.delete(file.id)).toMatchObject({ id: file.id, deleted: true });
      expect(openai.files.has(kept!.id)).toBe(false);
      expect(await failure(client.files.retrieve(file.id))).toMatchObject({ status: 404 });
      const second = await newBatch(client, ['late']);
      const listed = [];
      for await (const each of client.batches.list({ limit: 1 })) listed.push(each.id);
      expect(listed).toEqual([second.id, batch.id]);
      openai.end();
      await finished(client, second.id);
      await expectSoundBooks(app.store);
    });

    test('Anthropic: a batch is charged for its succeeded requests, and its results pass as they arrive', async () => {
      const { app, anthropic } = station;
      const caller = await station.caller();
      const { anthropic: client, id: userId } = caller;
      const before = { ...anthropic.served };
      const params = { model: CLAUDE, max_tokens: 64, messages };
      const batch = await client.messages.batches.create({
        requests: ['one', 'two', 'bad-three'].map((custom_id) => ({
          custom_id,
          params,
        })),
      });
      expect(batch).toMatchObject({
        type: 'message_batch',
        processing_status: 'in_progress',
        results_url: null,
      });
      const kept = anthropic.kept.at(-1)!;
      expect(batch.id).not.toBe(kept.batch.id);
      expect(kept.requests[0]).toEqual({
        custom_id: 'one',
        params: { ...params, model: 'claude-upstream' },
      });
      expect((await booksOf(app, userId)).holds).toBe(1);
      const early = await ask(app.url, '', `/v1/messages/batches/${batch.id}/results`, undefined, {
        'x-api-key': caller.key,
      });
      expect([early.status, early.body['type']]).toEqual([400, 'error']);
      anthropic.end();
      const done = await eventually(
        () => client.messages.batches.retrieve(batch.id),
        ({ processing_status }) => processing_status === 'ended',
      );
      expect(done.request_counts).toMatchObject({ succeeded: 2, errored: 1 });
      const served = {
        input: anthropic.served.input - before.input,
        cacheRead: anthropic.served.cacheRead - before.cacheRead,
        output: anthropic.served.output - before.output,
      };
      const charge = Math.round((served.input + served.cacheRead * 0.5 + served.output * 4) * 0.5);
      expect(await booksOf(app, userId)).toEqual(paid(charge));
      const results = [];
      for await (const each of await client.messages.batches.results(batch.id)) results.push(each);
      expect(results.map(({ custom_id, result }) => [custom_id, result.type])).toEqual([
        ['one', 'succeeded'],
        ['two', 'succeeded'],
        ['bad-three', 'errored'],
      ]);
      expect(results[0]).toMatchObject({ result: { message: { model: CLAUDE } } });
      expect(JSON.stringify(results)).not.toContain('anthropic.com');
      const listed = [];
      for await (const each of client.messages.batches.list()) listed.push(each.id);
      expect(listed).toEqual([batch.id]);
      expect(await client.messages.batches.delete(batch.id)).toEqual({
        id: batch.id,
        type: 'message_batch_deleted',
      });
      expect(await failure(client.messages.batches.retrieve(batch.id))).toMatchObject({ status: 404 });
      expect(anthropic.kept).not.toContain(kept);
      await expectSoundBooks(app.store);
    });

    test('a batch that its upstream refuses is free; a cancelled or expired one is charged for what was answered', async () => {
      const { app, openai, anthropic } = station;
      const refused = await station.caller();
      const failed = await newBatch(refused.openai, ['one']);
      openai.refuse('line 1 of https://api.openai.com is wrong');
      const end = await finished(refused.openai, failed.id);
      expect([end.status, end.errors?.data?.[0]?.message]).toEqual(['failed', 'line 1 of *** is wrong']);
      expect(await booksOf(app, refused.id)).toEqual({ ...untouched, failed: 1 });

      const cancelled = await station.caller();
      const before = { ...openai.served };
      const batch = await newBatch(cancelled.openai, ['one', 'two', 'three']);
      openai.advance();
      expect((await cancelled.openai.batches.cancel(batch.id)).status).toBe('cancelling');
      openai.end('cancelled', 2);
      const done = await finished(cancelled.openai, batch.id);
      expect([done.status, done.request_counts?.completed]).toEqual(['cancelled', 2]);
      expect(since(openai.served, before).requests).toBe(2);
      expect(await booksOf(app, cancelled.id)).toEqual(paid(chargeFor(since(openai.served, before))));
      expect(await failure(cancelled.openai.batches.cancel(batch.id))).toMatchObject({ status: 409 });

      const expired = await station.caller();
      const late = await newBatch(expired.openai, ['one', 'two']);
      openai.end('expired', 0);
      const gone = await finished(expired.openai, late.id);
      expect([gone.status, gone.output_file_id ?? 'none']).toEqual(['expired', 'none']);
      expect(await (await expired.openai.files.content(gone.error_file_id!)).text()).toContain('expired');
      expect(await booksOf(app, expired.id)).toEqual({ ...untouched, failed: 1 });

      const { anthropic: client, id: userId } = await station.caller();
      const inline = await client.messages.batches.create({
        requests: ['a', 'b'].map((custom_id) => ({
          custom_id,
          params: { model: CLAUDE, max_tokens: 9, messages },
        })),
      });
      expect((await client.messages.batches.cancel(inline.id)).processing_status).toBe('canceling');
      anthropic.end(1, 'canceled');
      await ended(app.store, inline.id);
      // The first answer: 60 input, 30 from the cache, 20 output.
      expect(await booksOf(app, userId)).toEqual(paid(Math.round((60 + 15 + 80) * 0.5)));
      await expectSoundBooks(app.store);
    });

    test('an output that cannot be read is read again before the end is shown; unreadable for days, it is estimated and alerts', async () => {
      const { app, openai } = station;
      const { openai: client, id: userId } = await station.caller();
      const before = { ...openai.served };
      const batch = await newBatch(client, ['one', 'two']);
      let isAway = true;
      const cut = (): void =>
        openai.plan(/GET .*\/content$/, () => {
          if (isAway) cut();
          return new Response('{"custom_id":"one","resp');
        });
      openai.plan(/GET .*\/content$/, () => new Response('away', { status: 500 }));
      cut();
      openai.end();
      const { contents } = openai.counts;
      // The upstream has completed it; that is not shown before the charge.
      const waiting = await eventually(
        () => client.batches.retrieve(batch.id),
        ({ request_counts }) => request_counts?.completed === 2,
      );
      expect([waiting.status, waiting.output_file_id ?? 'none']).toEqual(['finalizing', 'none']);
      isAway = false;
      const done = await finished(client, batch.id);
      expect(done.status).toBe('completed');
      expect(openai.counts.contents).toBeGreaterThan(contents);
      expect(await booksOf(app, userId)).toEqual(paid(chargeFor(since(openai.served, before))));

      const unlucky = await station.caller();
      const lost = await newBatch(unlucky.openai, ['one', 'two']);
      const { input } = JSON.parse((await taskRow(app.store, lost.id)).properties);
      const soon = Math.floor(Date.now() / 1000) + 600;
      await app.store.db
        .updateTable('tasks')
        .set({ deadline_at: soon })
        .where('task_id', '=', lost.id)
        .execute();
      openai.end();
      openai.batches.at(-1)!.output_file_id = null;
      await finished(unlucky.openai, lost.id);
      expect(await booksOf(app, unlucky.id)).toEqual(paid(Math.round(input.promptTokens * 0.5)));
      expect((await logOf(app, unlucky.id)).estimated).toBe(1);
      expect(app.logged.join('\n') + database).toMatch(/its charge is estimated|postgres/);
      await expectSoundBooks(app.store);
    });

    // SQLite serves one process, which reads an output once at a time.
    test.skipIf(database === 'sqlite')(
      'two nodes that read the same output at once charge it once',
      async () => {
        const { app, openai } = station;
        const { openai: client, id: userId } = await station.caller();
        const before = { ...openai.served };
        const batch = await newBatch(client, ['one', 'two']);
        const { db } = app.store;
        const gate = Promise.withResolvers<void>();
        let readers = 0;
        openai.end();
        const output = openai.files.get(openai.batches.at(-1)!.output_file_id!)!;
        for (const _ of [1, 2])
          openai.plan(/GET .*\/content$/, async () => {
            readers += 1;
            await gate.promise;
            return new Response(output.text);
          });
        const seen = await eventually(
          async () => {
            // The lease of the first reader is cut short.
            await db.updateTable('tasks').set({ next_poll_at: 0 }).where('task_id', '=', batch.id).execute();
            return readers;
          },
          (count) => count === 2,
        );
        expect(seen).toBe(2);
        gate.resolve();
        await finished(client, batch.id);
        expect(await booksOf(app, userId)).toEqual(paid(chargeFor(since(openai.served, before))));
        expect((await client.files.list({ purpose: 'batch_output' })).data).toHaveLength(1);
        await expectSoundBooks(app.store);
      },
    );

    test('the price is the one at submission, also when BatchRatio changes meanwhile', async () => {
      const { app, openai } = station;
      const half = await station.caller();
      const batch = await newBatch(half.openai, ['one']);
      await app.settings.set('BatchRatio', '1', 0);
      openai.end();
      await finished(half.openai, batch.id);
      const usage = { prompt: 100, cached: 40, completion: 50 };
      expect((await booksOf(app, half.id)).used).toBe(chargeFor(usage));
      const whole = await station.caller();
      const dear = await newBatch(whole.openai, ['one']);
      openai.end();
      await finished(whole.openai, dear.id);
      expect((await booksOf(app, whole.id)).used).toBe(chargeFor(usage) * 2);
      await app.settings.set('BatchRatio', '0.5', 0);
    });

    test('a batch that is never finished is free and shows nothing', async () => {
      const { app, openai } = station;
      const { openai: client, id: userId } = await station.caller();
      const batch = await newBatch(client, ['one']);
      openai.advance();
      await app.store.db
        .updateTable('tasks')
        .set({ deadline_at: 1 })
        .where('task_id', '=', batch.id)
        .execute();
      const end = await finished(client, batch.id);
      expect([end.status, end.errors?.data?.[0]?.message]).toEqual([
        'failed',
        'The batch was not finished in time',
      ]);
      openai.end();
      expect((await client.batches.retrieve(batch.id)).output_file_id).toBeNull();
      expect(await booksOf(app, userId)).toEqual({ ...untouched, failed: 1 });
    });

    test('ids of another user are unknown on every path', async () => {
      const { app, openai, anthropic } = station;
      const owner = await station.caller();
      const stranger = await station.caller();
      const batch = await newBatch(owner.openai, ['one']);
      const file = batch.input_file_id;
      openai.end();
      const { output_file_id: output } = await finished(owner.openai, batch.id);
      const inline = await owner.anthropic.messages.batches.create({
        requests: [{ custom_id: 'a', params: { model: CLAUDE, max_tokens: 9, messages } }],
      });
      anthropic.end();
      await ended(app.store, inline.id);
      const { openai: client, anthropic: claude } = stranger;
      const unknown = { status: 404 };
      for (const id of [file, output!]) {
        expect(await failure(client.files.retrieve(id))).toMatchObject(unknown);
        expect(await failure(client.files.content(id))).toMatchObject(unknown);
        expect(await failure(client.files.delete(id))).toMatchObject(unknown);
        expect(await failure(client.files.list({ after: id }))).toMatchObject(unknown);
      }
      const wish = {
        input_file_id: file,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      } as const;
      expect(await failure(client.batches.create(wish))).toMatchObject(unknown);
      expect(await failure(client.batches.retrieve(batch.id))).toMatchObject(unknown);
      expect(await failure(client.batches.cancel(batch.id))).toMatchObject(unknown);
      expect(await failure(client.batches.list({ after: batch.id }))).toMatchObject(unknown);
      expect(await failure(claude.messages.batches.retrieve(inline.id))).toMatchObject(unknown);
      expect(await failure(claude.messages.batches.cancel(inline.id))).toMatchObject(unknown);
      expect(await failure(claude.messages.batches.delete(inline.id))).toMatchObject(unknown);
      const results = `/v1/messages/batches/${inline.id}/results`;
      expect((await ask(app.url, stranger.key, results)).status).toBe(404);
      expect((await client.files.list()).data).toEqual([]);
      expect((await client.batches.list()).data).toEqual([]);
      expect((await claude.messages.batches.list()).data).toEqual([]);
      expect(await booksOf(app, stranger.id)).toEqual(untouched);
    });

    test('the output of a batch that is not paid is not shown', async () => {
      const { app, openai } = station;
      const { openai: client } = await station.caller();
      const batch = await newBatch(client, ['one']);
      openai.end();
      const { output_file_id: output } = await finished(client, batch.id);
      const money = async (value: 'released' | 'settled') =>
        await app.store.db
          .updateTable('tasks')
          .set({ money: value })
          .where('task_id', '=', batch.id)
          .execute();
      await money('released');
      expect(await failure(client.files.content(output!))).toMatchObject({ status: 404 });
      expect((await client.files.list({ purpose: 'batch_output' })).data).toEqual([]);
      await money('settled');
      expect(await (await client.files.content(output!)).text()).toContain('one');
    });

    test('every request is checked as a call is; a refusal names its line, and nothing is sent', async () => {
      const { app, openai, channel } = station;
      const { openai: client } = await station.caller();
      const before = openai.files.size;
      const refusal = async (lines: readonly string[], as = client): Promise<string> => {
        const error = await upload(as, lines).then(
          () => ({ status: 200, code: '', message: '' }),
          (refused: { status: number; code: string; message: string }) => refused,
        );
        return `${error.status} ${error.code} ${error.message}`;
      };
      expect(await refusal([line('a'), line('b', { model: 'other' })])).toMatch(
        /400 batch_other_model.*Line 2.*other.*batch-model/,
      );
      expect(await refusal([line('a'), line('a')])).toMatch(/400 batch_same_id.*Line 2/);
      expect(await refusal([line('a', {}, '/v1/audio/speech')])).toMatch(/400 batch_endpoint.*Line 1/);
      expect(await refusal([line('a'), line('b', { input: 'x' }, '/v1/embeddings')])).toMatch(
        /400 batch_other_endpoint.*Line 2/,
      );
      expect(await refusal([line('a', { stream: true })])).toMatch(/400 batch_stream.*Line 1/);
      expect(await refusal([line('a'), 'no json'])).toMatch(/400 invalid_json.*Line 2/);
      expect(await refusal([''])).toMatch(/400 batch_empty/);
      expect(await refusal([line('a', { previous_response_id: 'resp_1' })])).toMatch(
        /400 invalid_field.*Line 1/,
      );
      const twice = new FormData();
      twice.append('purpose', 'batch');
      for (const text of [line('a'), line('b', { model: 'dear-model' })])
        twice.append('file', new Blob([text]), 'in.jsonl');
      const form = await fetch(`${app.url}/v1/files`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${client.apiKey}` },
        body: twice,
      });
      expect([form.status, ((await form.json()) as { error: { param: string } }).error.param]).toEqual([
        400,
        'file',
      ]);
      await app.settings.set('CheckSensitiveEnabled', 'true', 0);
      await app.settings.set('CheckSensitiveOnPromptEnabled', 'true', 0);
      await app.settings.set('SensitiveWords', 'gate', 0);
      expect(await refusal([line('a')])).toMatch(/400 sensitive_words.*Line 1/);
      await app.settings.set('CheckSensitiveEnabled', 'false', 0);
      const limited = await station.caller(START, { model_limits_enabled: 1, model_limits: 'another' });
      expect(await refusal([line('a')], limited.openai)).toMatch(/403 model_not_allowed.*Line 1/);
      await channel({ models: ['lonely-model'], type: CHANNEL_TYPE.moonshot });
      expect(await refusal([line('a', { model: 'lonely-model' })])).toMatch(/400 no_batch_channel/);
      await app.settings.set('FilesPerUser', '0', 0);
      expect(await refusal([line('a')])).toMatch(/400 files_full/);
      await app.settings.set('FilesPerUser', '1000', 0);
      await app.settings.set('FileUploadMegabytes', '1', 0);
      expect(await refusal([line('a', { user: 'x'.repeat(1_100_000) })])).toMatch(/413 file_too_large/);
      await app.settings.set('FileUploadMegabytes', '50', 0);
      expect(openai.files.size).toBe(before);

      const notes = await client.files.create({
        file: await toFile(Buffer.from('hi'), 'a.txt'),
        purpose: 'user_data',
      });
      expect(await (await client.files.content(notes.id)).text()).toBe('hi');
      const make = (input_file_id: string, endpoint: '/v1/chat/completions' | '/v1/embeddings') =>
        client.batches.create({ input_file_id, endpoint, completion_window: '24h' });
      expect(await failure(make(notes.id, '/v1/chat/completions'))).toMatchObject({
        code: 'file_not_for_batches',
      });
      const file = await upload(client, [line('a')]);
      expect(await failure(make(file.id, '/v1/embeddings'))).toMatchObject({
        code: 'batch_other_endpoint',
      });
      openai.plan(/POST \/v1\/batches/, () =>
        Response.json(
          { error: { message: 'too many batches of org-abcdef', type: 'x', code: 'y' } },
          { status: 400 },
        ),
      );
      expect(await failure(make(file.id, '/v1/chat/completions'))).toMatchObject({
        status: 400,
        message: expect.stringContaining('too many batches of ***'),
      });
      const poor = await station.caller(10);
      const theirs = await upload(poor.openai, [line('a')]);
      const batches = openai.batches.length;
      expect(
        await failure(
          poor.openai.batches.create({
            input_file_id: theirs.id,
            endpoint: '/v1/chat/completions',
            completion_window: '24h',
          }),
        ),
      ).toMatchObject({ code: 'insufficient_quota' });
      expect(openai.batches).toHaveLength(batches);

      const { anthropic: claude, id } = await station.caller();
      const request = (custom_id: string, model: string) => ({
        custom_id,
        params: { model, max_tokens: 9, messages },
      });
      expect(
        await failure(
          claude.messages.batches.create({ requests: [request('a', CLAUDE), request('b', MODEL)] }),
        ),
      ).toMatchObject({ status: 400, message: expect.stringContaining('Request 2') });
      expect(
        await failure(claude.messages.batches.create({ requests: [request('a', MODEL)] })),
      ).toMatchObject({
        status: 400,
        error: { type: 'error', error: { type: 'invalid_request_error' } },
      });
      station.anthropic.plan(/POST/, () =>
        Response.json(
          { type: 'error', error: { type: 'rate_limit_error', message: 'slow' } },
          { status: 429 },
        ),
      );
      expect(
        await failure(claude.messages.batches.create({ requests: [request('a', CLAUDE)] })),
      ).toMatchObject({
        status: 429,
        error: { type: 'error', error: { type: 'rate_limit_error' } },
      });
      expect(await booksOf(app, id)).toMatchObject({ quota: START, held: 0, holds: 0, entries: 0 });
      await expectSoundBooks(app.store);
    });

    test('Azure has its own paths, and names the path of a request without a version', async () => {
      const { app, openai, channel } = station;
      await channel({ type: CHANNEL_TYPE.azure, models: ['azure-model'], fields: {} });
      const { openai: client, id: userId } = await station.caller();
      const file = await upload(client, [line('a', { model: 'azure-model' })]);
      const kept = [...openai.files.values()].at(-1)!;
      expect(JSON.parse(kept.text)).toMatchObject({
        url: '/chat/completions',
        body: { model: 'azure-model' },
      });
      const batch = await client.batches.create({
        input_file_id: file.id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      });
      expect(batch.endpoint).toBe('/v1/chat/completions');
      openai.end();
      expect((await finished(client, batch.id)).status).toBe('completed');
      // 100 input, of them 40 cached at the full price, 50 output.
      expect((await booksOf(app, userId)).used).toBe(75);
    });

    test('the task page shows a batch with its counts and cost', async () => {
      const { app, openai } = station;
      const { openai: client } = await station.caller();
      const admin = await app.actor({ role: ROLE.admin });
      const batch = await newBatch(client, ['one', 'bad-two']);
      openai.end();
      await finished(client, batch.id);
      const { data } = await app.client(admin).tasks.list({ query: { task_id: batch.id, action: 'BATCH' } });
      expect(data).toMatchObject([
        { platform: 'openai-batch', action: 'BATCH', status: 'SUCCESS', model: MODEL, progress: '100%' },
      ]);
      expect(data[0]?.quota).toBeGreaterThan(0);
      expect(data[0]?.batch).toEqual({ state: 'completed', total: 2, answered: 1, failed: 1 });
    });
  });
}
