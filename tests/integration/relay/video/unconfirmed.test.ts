// Upstreams that take a submission and break the connection: it is sent once, its hold is released, and the caller learns
// that it may have been made. Drawings, music, videos and batches alike, on both databases.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { ask, booksOf, createPainter, expectSoundBooks } from '#tests/integration/relay/drawing/support.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startRawUpstream, type RawAnswer, type RawUpstream } from '#mock/upstream/raw.ts';
import { startVideos, type VideoServer } from '#mock/upstream/video/server.ts';
import { setPrices, START, videoChannel } from './support.ts';

setDefaultTimeout(60_000);

const head = (type: string, length: number): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
const page = '<!doctype html><title>a login page</title>';

const endings: Record<string, RawAnswer> = {
  'closes the connection': { bytes: '', ending: 'close' },
  'resets the connection': { bytes: '', ending: 'reset' },
  'breaks off its answer': { bytes: `${head('application/json', 500)}{"code":1,`, ending: 'close' },
  'answers with a page': { bytes: head('text/html', page.length) + page, ending: 'close' },
};

const message = {
  custom_id: 'one',
  params: { model: 'claude-batch', max_tokens: 10, messages: [{ role: 'user', content: 'gate?' }] },
};

const kinds = [
  { type: CHANNEL_TYPE.midjourneyProxy, model: 'mj_imagine', path: '/mj/submit/imagine', body: {} },
  { type: CHANNEL_TYPE.suno, model: 'suno_music', path: '/suno/submit/music', body: {} },
  { type: CHANNEL_TYPE.sora, model: 'sora-2', path: '/v1/videos', body: { model: 'sora-2' } },
  {
    type: CHANNEL_TYPE.anthropic,
    model: 'claude-batch',
    path: '/v1/messages/batches',
    body: { requests: [message] },
  },
];

for (const database of databaseLabels) {
  describe(database, () => {
    let place: TemporaryPlace;
    let app: TestApplication;
    let raw: RawUpstream;
    let videos: VideoServer;
    let answer: RawAnswer = { bytes: '' };
    beforeAll(async () => {
      place = await temporaryPlace(database);
      const { dataDir, databaseUrl } = place;
      const address = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
      app = await startApplication({ place: address, environment: { TASK_POLL_SECONDS: '1' } });
      await setPrices(app);
      await app.settings.set('ModelRatio', '{"claude-batch":1}', 0);
      await app.settings.set('RetryTimes', '3', 0);
      raw = await startRawUpstream(() => answer);
      videos = startVideos();
      for (const { type, model } of kinds)
        for (const name of ['one', 'other'])
          await addChannel(app.store, { name, type, base_url: raw.url, models: [model] });
    });
    afterAll(async () => {
      await app.close();
      await raw.stop();
      await videos.stop();
      await place.remove();
    });

    test.each(Object.keys(endings))('an upstream that %s is not asked twice', async (name) => {
      answer = endings[name]!;
      for (const { path, body } of kinds) {
        const caller = await createPainter(app);
        const before = raw.requests.length;
        const reply = await ask(app.url, caller.key, path, { prompt: 'a gate', ...body });
        expect([path, reply.status, raw.requests.length - before]).toEqual([path, 502, 1]);
        const words = JSON.stringify(reply.body);
        expect(words).toContain('did not confirm the task');
        expect(words).not.toContain(raw.url);
        expect(await booksOf(app, caller.id)).toEqual({
          quota: START,
          held: 0,
          used: 0,
          holds: 0,
          entries: 0,
          consumed: 0,
          failed: 1,
        });
        const rows = await app.store.db
          .selectFrom('tasks')
          .select(['status', 'money', 'fail_reason'])
          .where('user_id', '=', caller.id)
          .execute();
        const fail_reason = '{"fact":"taskUnconfirmed"}';
        expect(rows).toEqual([{ status: 'FAILURE', money: 'released', fail_reason }]);
      }
      await expectSoundBooks(app.store);
    });

    test('the official client does not send it again by itself', async () => {
      answer = endings['resets the connection']!;
      const { key } = await createPainter(app);
      const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 2 });
      const before = raw.requests.length;
      const failed = await client.videos.create({ prompt: 'a gate' }).catch((error: unknown) => error);
      expect(failed).toMatchObject({ status: 502, code: 'submission_unconfirmed' });
      expect(raw.requests.length - before).toBe(1);
    });

    test('without a connection nothing was sent, and another channel takes it', async () => {
      const { id, key } = await createPainter(app);
      const gone = await startRawUpstream(() => answer);
      await gone.stop();
      await videoChannel(app, videos, 'sora', ['film'], { base_url: gone.url, priority: 10 });
      await videoChannel(app, videos, 'sora', ['film']);
      const reply = await ask(app.url, key, '/v1/videos', { model: 'film', prompt: 'a gate', seconds: 4 });
      expect([reply.status, videos.submissions.length]).toEqual([200, 1]);
      expect((await booksOf(app, id)).holds).toBe(1);
    });
  });
}
