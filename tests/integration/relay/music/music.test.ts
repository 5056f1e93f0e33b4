// Songs and lyrics of a Suno proxy on both databases: submitted, fetched, charged once or not at all, and listed.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import {
  ask,
  booksOf,
  createPainter,
  ended,
  expectSoundBooks,
  taskRow,
} from '#tests/integration/relay/drawing/support.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startSuno, type SunoServer } from '#mock/upstream/suno/server.ts';

setDefaultTimeout(60_000);

/** 0.1 and 0.01 dollars. */
const MUSIC_QUOTA = 50_000;
const LYRICS_QUOTA = 5_000;
const START = 1_000_000;

for (const database of databaseLabels) {
  describe(database, () => {
    let place: TemporaryPlace;
    let app: TestApplication;
    let other: TestApplication | undefined;
    let suno: SunoServer;
    let channelId: number;
    beforeAll(async () => {
      place = await temporaryPlace(database);
      suno = startSuno();
      const { dataDir, databaseUrl } = place;
      const address = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
      const environment = { TASK_POLL_SECONDS: '1' };
      app = await startApplication({ place: address, environment, nodeId: 'first' });
      // Two pollers race for the same tasks.
      if (database === 'postgres')
        other = await startApplication({ place: address, environment, nodeId: 'second' });
      channelId = await channel();
    });
    afterAll(async () => {
      await other?.close();
      await app.close();
      await suno.stop();
      await place.remove();
    });

    const channel = (wish = {}) =>
      addChannel(app.store, {
        name: 'band',
        type: CHANNEL_TYPE.suno,
        base_url: `${suno.url}/suno/`,
        key: suno.key,
        models: ['suno_music', 'suno_lyrics'],
        ...wish,
      });
    const submit = (key: string, body: unknown, what = 'music') =>
      ask(app.url, key, `/suno/submit/${what}`, body);
    const song = async (key: string, body: unknown = { prompt: 'a song of gates' }) => {
      const reply = await submit(key, body);
      expect([reply.status, reply.body['code']]).toEqual([200, 'success']);
      return String(reply.body['data']);
    };
    const untouched = { quota: START, held: 0, used: 0, holds: 0, entries: 0, consumed: 0, failed: 0 };

    test('a song holds its price, shows its progress, and is charged once when it succeeds', async () => {
      const player = await createPainter(app);
      const id = await song(player.key, { gpt_description_prompt: 'a song of gates', title: 'Gates' });
      expect(suno.submissions.at(-1)?.body).toEqual({
        gpt_description_prompt: 'a song of gates',
        title: 'Gates',
        mv: 'chirp-v3-0',
      });
      expect(await booksOf(app, player.id)).toEqual({ ...untouched, held: MUSIC_QUOTA, holds: 1 });
      const early = `${suno.url}/early.mp3`;
      suno.change(id, { status: 'IN_PROGRESS', progress: '40%', data: [{ id: 'c', audio_url: early }] });
      const at = (progress: string) =>
        eventually(
          () => taskRow(app.store, id),
          (row) => row.progress === progress,
        );
      expect(await at('40%')).toMatchObject({ result_url: early });
      // A report without clips does not take back the address that is known (M21).
      suno.change(id, { progress: '60%', data: [] });
      expect(await at('60%')).toMatchObject({ result_url: early });
      suno.finish(id);
      expect(await ended(app.store, id)).toMatchObject({ status: 'SUCCESS', money: 'settled' });
      const paid = { quota: START - MUSIC_QUOTA, used: MUSIC_QUOTA, entries: 1, consumed: 1 };
      expect(await booksOf(app, player.id)).toEqual({ ...untouched, ...paid });
      const one = await ask(app.url, player.key, `/suno/fetch/${id}`);
      expect(one.body).toMatchObject({
        code: 'success',
        data: { task_id: id, platform: 'suno', action: 'MUSIC', status: 'SUCCESS', progress: '100%' },
      });
      const { data } = one.body['data'] as { data: { audio_url: string }[] };
      const row = await taskRow(app.store, id);
      expect(data.map(({ audio_url }) => new URL(audio_url).pathname)).toEqual([
        `/media/${row.id}/audio-0`,
        `/media/${row.id}/audio-1`,
      ]);
      expect(JSON.stringify(data)).not.toContain(suno.url);
      const many = await ask(app.url, player.key, '/suno/fetch', { ids: [id, 'unknown'] });
      expect((many.body['data'] as { task_id: string }[]).map(({ task_id }) => task_id)).toEqual([id]);
      await expectSoundBooks(app.store);
    });

    test('lyrics have a price of their own, and need a prompt', async () => {
      const player = await createPainter(app);
      const refused = await submit(player.key, { prompt: ' ' }, 'lyrics');
      expect([refused.status, refused.body['code']]).toEqual([400, 'invalid_field']);
      expect(String(refused.body['message'])).toContain('prompt');
      const { body } = await submit(player.key, { prompt: 'of gates' }, 'lyrics');
      const id = String(body['data']);
      suno.finish(id);
      await ended(app.store, id);
      expect((await booksOf(app, player.id)).used).toBe(LYRICS_QUOTA);
    });

    test('a song that fails, is lost or is late is not charged, and its reason has no address in it', async () => {
      const player = await createPainter(app);
      const failed = await song(player.key);
      suno.change(failed, { status: 'FAILURE', fail_reason: 'moderated by https://studio.example.com' });
      const lost = await song(player.key);
      suno.lose(lost);
      await app.store.db.updateTable('tasks').set({ deadline_at: 1 }).where('task_id', '=', lost).execute();
      expect((await ended(app.store, failed)).fail_reason).toBe('moderated by ***');
      expect((await ended(app.store, lost)).fail_reason).toBe('{"fact":"musicLate"}');
      expect(await booksOf(app, player.id)).toEqual({ ...untouched, failed: 2 });
      // A success that comes later changes nothing.
      suno.change(failed, { status: 'SUCCESS' });
      expect((await taskRow(app.store, failed)).money).toBe('released');
      await expectSoundBooks(app.store);
    });

    test('refusals of the upstream: another channel is tried, then the caller reads why and pays nothing', async () => {
      const player = await createPainter(app);
      suno.refuse(500, { code: 'internal', message: 'out of order' });
      await app.settings.set('RetryTimes', '1', 0);
      const second = await channel({ name: 'second band' });
      const id = await song(player.key);
      expect([channelId, second]).toContain((await taskRow(app.store, id)).channel_id);
      suno.refuse(200, { code: 'invalid_request', message: 'too long for https://studio.example.com' });
      const { status, body } = await submit(player.key, { prompt: 'long' });
      expect([status, body['data']]).toEqual([400, null]);
      expect(String(body['message'])).not.toContain('studio.example.com');
      suno.refuse(200, { code: 'success', message: '' });
      const sent = suno.submissions.length;
      expect((await submit(player.key, { prompt: 'no id' })).status).toBe(502);
      expect(suno.submissions).toHaveLength(sent);
      suno.finish(id);
      await ended(app.store, id);
      expect(await booksOf(app, player.id)).toMatchObject({ used: MUSIC_QUOTA, held: 0, entries: 1 });
      await app.settings.set('RetryTimes', '0', 0);
    });

    test('a channel that does not answer is asked less and less, while the songs of another one end', async () => {
      const { db } = app.store;
      const player = await createPainter(app);
      const away = await channel({ base_url: 'http://127.0.0.1:1', models: ['away'] });
      const id = await song(player.key);
      const row = await taskRow(app.store, id);
      const { id: _, ...columns } = row;
      const lost = { hold_id: crypto.randomUUID(), task_id: 'on-a-channel-that-is-away', channel_id: away };
      await db
        .insertInto('tasks')
        .values({ ...columns, ...lost })
        .execute();
      const state = () => taskRow(app.store, lost.task_id);
      const first = await eventually(state, ({ poll_failures }) => poll_failures > 0);
      const later = await eventually(state, ({ poll_failures }) => poll_failures > first.poll_failures);
      // After two failures or more: four intervals of a second at least, shortened by a fifth at most.
      expect(later.next_poll_at - first.next_poll_at).toBeGreaterThanOrEqual(3);
      suno.finish(id);
      expect(await ended(app.store, id)).toMatchObject({ status: 'SUCCESS', poll_failures: 0 });
      expect(await state()).toMatchObject({ status: row.status, money: 'open' });
      await db.deleteFrom('tasks').where('task_id', '=', lost.task_id).execute();
    });

    test('a callback only makes the poller ask, once its proof is right; a late one changes nothing', async () => {
      await app.settings.set('ServerAddress', app.url, 0);
      const player = await createPainter(app);
      const id = await song(player.key, { prompt: 'call me', notify_hook: 'https://caller.example/' });
      await app.settings.set('ServerAddress', '', 0);
      const hook = String(suno.submissions.at(-1)?.body['notify_hook']);
      expect(hook).toStartWith(`${app.url}/suno/notify/`);
      await app.store.db
        .updateTable('tasks')
        .set({ next_poll_at: Math.floor(Date.now() / 1000) + 3600 })
        .where('task_id', '=', id)
        .execute();
      const call = async (address: string) => {
        const path = new URL(address).pathname;
        return (await ask(app.url, '', path, { task_id: id, status: 'SUCCESS' })).status;
      };
      // It claims a success that the upstream does not confirm.
      expect(await call(hook)).toBe(200);
      expect(await booksOf(app, player.id)).toEqual({ ...untouched, held: MUSIC_QUOTA, holds: 1 });
      expect(await call(hook.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBe(404);
      // Its words about a song that it did not finish are not shown: they would be a song for nothing.
      const data = [{ id: 'c', audio_url: `${suno.url}/c.mp3` }];
      suno.change(id, { status: 'FAILURE', fail_reason: 'moderated', data });
      expect(await call(hook)).toBe(200);
      expect(await taskRow(app.store, id)).toMatchObject({ status: 'FAILURE', money: 'released' });
      const shown = await ask(app.url, player.key, `/suno/fetch/${id}`);
      expect(shown.body['data']).toMatchObject({ status: 'FAILURE', data: null });
      suno.finish(id);
      expect(await call(hook)).toBe(200);
      expect(await booksOf(app, player.id)).toEqual({ ...untouched, failed: 1 });
      await expectSoundBooks(app.store);
    });

    test('a continuation goes to the channel of its song; without the song it is refused', async () => {
      const player = await createPainter(app);
      const stranger = await createPainter(app);
      const id = await song(player.key);
      const clip = { continue_clip_id: `${id}-1`, continue_at: 30 };
      expect((await submit(player.key, clip)).body['message']).toContain('task_id');
      expect((await submit(stranger.key, { ...clip, task_id: id })).body['code']).toBe('task_unknown');
      const next = await song(player.key, { ...clip, task_id: id });
      expect((await taskRow(app.store, next)).channel_id).toBe((await taskRow(app.store, id)).channel_id);
      for (const each of [id, next]) suno.finish(each);
      for (const each of [id, next]) await ended(app.store, each);
      // The upstream's account is shared: a clip must be one of the song.
      const foreign = await submit(player.key, { ...clip, continue_clip_id: `${next}-1`, task_id: id });
      expect([foreign.status, String(foreign.body['message'])]).toEqual([
        400,
        expect.stringContaining('continue_clip_id'),
      ]);
    });

    test('foreign ids, unknown paths, wrong methods and wrong bodies are refused in the format of the API', async () => {
      const player = await createPainter(app);
      const stranger = await createPainter(app);
      const id = await song(player.key);
      const asStranger = await ask(app.url, stranger.key, `/suno/fetch/${id}`);
      expect([asStranger.status, asStranger.body['code']]).toEqual([404, 'task_unknown']);
      const list = await ask(app.url, stranger.key, '/suno/fetch', { ids: [id] });
      expect(list.body['data']).toEqual([]);
      expect((await ask(app.url, player.key, '/suno/fetch', { ids: 'x' })).status).toBe(400);
      // PostgreSQL cannot compare with NUL.
      expect((await ask(app.url, player.key, '/suno/fetch/%00')).status).toBe(404);
      expect((await ask(app.url, player.key, '/suno/fetch', { ids: ['\0'] })).body['data']).toEqual([]);
      expect((await ask(app.url, player.key, '/mj/task/%00/fetch')).status).toBe(404);
      expect((await ask(app.url, player.key, '/mj/image/%00')).status).toBe(404);
      expect((await ask(app.url, player.key, '/v1/videos/%00')).status).toBe(404);
      expect((await ask(app.url, player.key, '/suno/submit/video', {})).status).toBe(404);
      expect((await ask(app.url, player.key, '/suno/submit/music')).status).toBe(405);
      expect((await ask(app.url, 'sk-wrong', '/suno/submit/music', {})).status).toBe(401);
      const poor = await createPainter(app, MUSIC_QUOTA - 1);
      const before = suno.submissions.length;
      expect((await submit(poor.key, { prompt: 'free' })).body['code']).toBe('insufficient_quota');
      expect(suno.submissions).toHaveLength(before);
      suno.finish(id);
      await ended(app.store, id);
    });

    test('REL-7.69 REL-7.70 REL-2.116 REL-2.117 REL-3.118 REL-3.119 REL-3.120 REL-3.121 REL-3.122 REL-3.123 REL-3.124 REL-3.125 REL-3.126 lists: own tasks, all for administrators, with filters', async () => {
      const owner = await app.actor();
      const admin = await app.actor({ role: ROLE.admin });
      const key = (await createPainter(app)).key;
      const id = await song(key);
      suno.finish(id);
      const row = await ended(app.store, id);
      const found = await app
        .client(admin)
        .tasks.list({ query: { task_id: id, channel_id: row.channel_id } });
      expect(found.data).toMatchObject([
        {
          task_id: id,
          platform: 'suno',
          action: 'MUSIC',
          status: 'SUCCESS',
          progress: '100%',
          channel_id: row.channel_id,
          quota: MUSIC_QUOTA,
          submit_time: Math.floor(row.submit_ms / 1000),
          finish_time: Math.floor(row.finish_ms / 1000),
          fail_reason: '',
        },
      ]);
      expect(found.data[0]?.asked).toMatchObject({ prompt: 'a song of gates', title: '', tags: '' });
      expect(found.data[0]?.parts.map(({ duration, tags }) => [duration, tags])).toEqual([
        [120.5, 'folk'],
        [120.5, 'folk'],
      ]);
      const none = { task_id: id, channel_id: channelId + 999 };
      expect((await app.client(admin).tasks.list({ query: none })).total).toBe(0);
      const later = { task_id: id, start_timestamp: found.data[0]!.submit_time + 1 };
      expect((await app.client(admin).tasks.list({ query: later })).total).toBe(0);
      const until = { task_id: id, end_timestamp: found.data[0]!.submit_time };
      expect((await app.client(admin).tasks.list({ query: until })).total).toBe(1);
      // The filter by id finds no task of another user.
      expect((await app.client(owner).tasks.listSelf({ query: { task_id: id } })).total).toBe(0);
      const { body } = await app.request(`/api/task/`, { as: owner });
      expect(body.success).toBe(false);
    });
  });
}
