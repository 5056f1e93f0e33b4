// A day of ordinary work that ends later or is counted otherwise: batches, videos, drawings, songs, transcripts and searches. No call
// costs more than its hold, so that both figures of the margins page are 0. TEST_SEED repeats the order.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { toFile } from 'openai';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { marginQuery } from '#contract/money/margins.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import { finished, newBatch, openStation, type Station } from '#tests/integration/relay/batches/support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import {
  ask,
  booksOf,
  ended,
  expectSoundBooks,
  imagine,
  MODELS,
} from '#tests/integration/relay/drawing/support.ts';
import { created, endedVideo, videoChannel } from '#tests/integration/relay/video/support.ts';
import { wav } from '#tests/support/audio.ts';
import { addChannel } from '#tests/support/channels.ts';
import { claim, startClaimingUpstream, type ClaimingUpstream } from '#tests/support/claiming-upstream.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { randomSource } from '#tests/support/sequence.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { startMidjourney, type MidjourneyServer } from '#mock/upstream/midjourney/server.ts';
import { startSuno, type SunoServer } from '#mock/upstream/suno/server.ts';
import { startVideos, type VideoServer } from '#mock/upstream/video/server.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(180_000);

const AMPLE = 1_000_000_000;
/** Of each kind. */
const TIMES = 4;

forEachDatabase((label) => {
  describe('a day of tasks', () => {
    const random = randomSource(seed);
    let station: Station;
    let mock: MockUpstream;
    let claiming: ClaimingUpstream;
    let videos: VideoServer;
    let drawings: MidjourneyServer;
    let songs: SunoServer;

    beforeAll(async () => {
      station = await openStation(label);
      const { app } = station;
      [mock, claiming, videos] = [startMockUpstream(), startClaimingUpstream(), startVideos()];
      [drawings, songs] = [startMidjourney(), startSuno()];
      await app.settings.set('ServerAddress', app.url, 0);
      await app.settings.set('ModelPrice', '{"film":0.01}', 0);
      await app.settings.set('PriceUnit', '{"film":"second"}', 0);
      await app.settings.set('PriceRules', '{"*":{"search":0.01}}', 0);
      await videoChannel(app, videos, 'sora', ['film']);
      const drawing = {
        type: CHANNEL_TYPE.midjourneyProxyPlus,
        base_url: drawings.url,
        key: drawings.secret,
      };
      await addChannel(app.store, { ...drawing, models: MODELS });
      const music = { type: CHANNEL_TYPE.suno, base_url: `${songs.url}/suno/`, key: songs.key };
      await addChannel(app.store, { ...music, models: ['suno_music', 'suno_lyrics'] });
      await addChannel(app.store, { base_url: mock.url, models: ['whisper-1', 'gpt-4o-transcribe'] });
      await addChannel(app.store, { base_url: claiming.url, models: ['gpt-4o'] });
    });
    afterAll(async () => {
      await expectSoundBooks(station.app.store);
      await station.close();
      for (const each of [mock, videos, drawings, songs]) await each.stop();
      await claiming[Symbol.asyncDispose]();
    });

    test('no call of it costs more than its hold, and everything is charged: both figures are 0 (M11)', async () => {
      const { app, nodes } = station;
      const { openai: client, key, id: userId } = await station.caller(AMPLE);
      const urlOf = () => nodes[random(nodes.length)]?.url ?? app.url;

      const batch = async () => {
        const ids = Array.from({ length: 1 + random(5) }, (_, index) => `line-${index}`);
        const { id } = await newBatch(client, ids, { max_tokens: 100 + random(900) });
        expect((await finished(client, id)).status).toBe('completed');
      };
      const video = async () => {
        const seconds = String(4 + 4 * random(3));
        const id = await created(app, key, { model: 'film', prompt: 'a gate', seconds, size: '1280x720' });
        expect(await endedVideo(app, id)).toMatchObject({ money: 'settled' });
      };
      const drawing = async () => {
        const id = await imagine(urlOf(), key);
        expect(await ended(app.store, id)).toMatchObject({ money: 'settled' });
      };
      const song = async () => {
        const { body } = await ask(urlOf(), key, '/suno/submit/music', { prompt: 'a song of gates' });
        const id = String(body['data']);
        expect(await ended(app.store, id)).toMatchObject({ money: 'settled' });
      };
      const transcript = async () => {
        const file = await toFile(wav(1 + random(120)), 'speech.wav');
        const model = random(2) === 0 ? 'whisper-1' : 'gpt-4o-transcribe';
        await client.audio.transcriptions.create({ file, model });
      };
      const search = async () => {
        const usage = {
          prompt_tokens: 20 + random(20_000),
          completion_tokens: 10 + random(200),
          num_search_queries: 1 + random(5),
        };
        const content = claim({ ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens });
        const body = {
          model: 'gpt-4o',
          max_tokens: 1000,
          stream: random(2) === 0,
          web_search_options: {},
          messages: [{ role: 'user', content }],
        };
        const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
        const sent = { method: 'POST', headers, body: JSON.stringify(body) };
        const answer = await fetch(`${urlOf()}/v1/chat/completions`, sent);
        expect([answer.status, await answer.text()][0]).toBe(200);
      };

      /** The upstreams end what they have begun. */
      const done = new Set<string>();
      const finishing = setInterval(() => {
        const once = (id: string) => !done.has(id) && done.add(id).size > 0;
        for (const each of station.openai.batches)
          if (once(each.id)) station.openai.end('completed', Infinity, each);
        for (const { id, body: asked } of videos.submissions)
          if (once(id)) videos.finish(id, { seconds: Number(asked['seconds']) });
        for (const { id } of drawings.submissions) if (once(id)) void drawings.finish(id);
        for (const { task_id: id } of songs.submissions) if (once(id)) songs.finish(id);
      }, 300);
      const kinds = [batch, video, drawing, song, transcript, search];
      const work = Array.from({ length: TIMES }, () => kinds).flat();
      await Promise.all(
        work.map(async (each) => {
          await Bun.sleep(random(500));
          await each();
        }),
      ).finally(() => clearInterval(finishing));
      const books = await eventually(
        async () => {
          for (const node of nodes) await node.ledger.writeHolds();
          return await booksOf(app, userId);
        },
        ({ holds, held }) => holds === 0 && held === 0,
      );
      expect(books).toMatchObject({ quota: AMPLE - books.used, held: 0, holds: 0, failed: 0 });
      expect(books.entries).toBe(work.length);
      const rows = await app.store.db.selectFrom('logs').selectAll().where('user_id', '=', userId).execute();
      expect(rows.filter(({ type, quota }) => type === 2 && quota > 0)).toHaveLength(work.length);
      // Searches were charged too.
      expect(rows.filter(({ other }) => other.includes('"surcharges"')).length).toBe(TIMES);
      const { hold_excess } = await marginReport({ store: app.store }, marginQuery.parse({}));
      expect(hold_excess).toEqual({ calls: 0, paid: 0, unpaid: 0, newest: [] });
    });
  });
});
