// Videos on both databases: the estimate is held, what was made is charged once, and nothing else is.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { ask, booksOf, createPainter, expectSoundBooks } from '#tests/integration/relay/drawing/support.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startVideos, type VideoServer } from '#mock/upstream/video/server.ts';
import { create, created, endedVideo, lastLog, setPrices, START, videoChannel, videoRow } from './support.ts';

setDefaultTimeout(60_000);

/** 0.01 and, by ResolutionPrice at 1080p, 0.02 dollars a second. */
const SECOND = 5_000;
const SECOND_1080 = 10_000;
const untouched = { quota: START, held: 0, used: 0, holds: 0, entries: 0, consumed: 0, failed: 0 };
const held = (amount: number) => ({ ...untouched, held: amount, holds: 1 });
const paid = (amount: number) => ({
  ...untouched,
  quota: START - amount,
  used: amount,
  entries: 1,
  consumed: 1,
});

for (const database of databaseLabels) {
  describe(database, () => {
    let place: TemporaryPlace;
    let app: TestApplication;
    let other: TestApplication | undefined;
    let upstream: VideoServer;
    beforeAll(async () => {
      place = await temporaryPlace(database);
      upstream = startVideos();
      const { dataDir, databaseUrl } = place;
      const address = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
      const environment = { TASK_POLL_SECONDS: '1' };
      app = await startApplication({ place: address, environment, nodeId: 'first' });
      // Two pollers race for the same tasks.
      if (database === 'postgres')
        other = await startApplication({ place: address, environment, nodeId: 'second' });
      await setPrices(app);
      await app.settings.set('ServerAddress', app.url, 0);
      await videoChannel(app, upstream, 'sora', ['sora-2', 'clip', 'film', 'scene'], { priority: 10 });
      await videoChannel(app, upstream, 'doubao', ['tokens']);
      await videoChannel(app, upstream, 'kling', ['film']);
    });
    afterAll(async () => {
      await other?.close();
      await app.close();
      await upstream.stop();
      await place.remove();
    });

    const sent = () => upstream.submissions.at(-1)!;
    const state = (key: string, id: string) => ask(app.url, key, `/v1/videos/${id}`);

    test('a video holds its seconds, shows its progress, and is charged once for what was made', async () => {
      const player = await createPainter(app);
      const id = await created(app, player.key, {
        model: 'sora-2',
        prompt: 'a gate',
        seconds: '8',
        size: '1280x720',
      });
      expect(sent().body).toEqual({ model: 'sora-2', prompt: 'a gate', seconds: '8', size: '1280x720' });
      expect(await booksOf(app, player.id)).toEqual(held(8 * SECOND));
      upstream.change(sent().id, { state: 'running', progress: 40 });
      const running = await eventually(
        () => state(player.key, id),
        ({ body }) => body['progress'] === 40,
      );
      expect(running.body).toMatchObject({ id, object: 'video', status: 'in_progress', completed_at: null });
      // An upstream with several nodes: an older state comes after a newer one.
      upstream.change(sent().id, { state: 'queued', progress: 10 });
      const asked = upstream.questions.get(sent().id)!;
      await eventually(
        () => upstream.questions.get(sent().id)!,
        (count) => count > asked + 1,
      );
      expect((await state(player.key, id)).body).toMatchObject({ status: 'in_progress', progress: 40 });
      upstream.finish(sent().id, { seconds: 12, lines: 1080 });
      expect(await endedVideo(app, id)).toMatchObject({ money: 'settled', quota: 12 * SECOND_1080 });
      expect(await booksOf(app, player.id)).toEqual(paid(12 * SECOND_1080));
      const { quota, other: details } = await lastLog(app, player.id);
      expect(quota).toBe(12 * SECOND_1080);
      expect(details).toMatchObject({
        model_price: 0.01,
        pieces: 12,
        price_unit: 'second',
        resolution: '1080p',
        resolution_price: 0.02,
        price_source: 'operator',
        path: '/v1/videos',
      });
      expect((await state(player.key, id)).body).toMatchObject({
        status: 'completed',
        progress: 100,
        seconds: '12',
        error: null,
      });
      await expectSoundBooks(app.store);
    });

    test('by clip, by tokens, and shorter than asked for: the charge is what the report says', async () => {
      const [clip, tokens, short] = [
        await createPainter(app),
        await createPainter(app),
        await createPainter(app),
      ];
      const clipId = await created(app, clip.key, { model: 'clip', prompt: 'one', seconds: 12 });
      expect((await booksOf(app, clip.id)).held).toBe(25_000);
      upstream.finish(sent().id);
      const tokenId = await created(app, tokens.key, { model: 'tokens', prompt: 'two', seconds: 5 });
      // 1280 × 720 × 24 × 5 / 1024 tokens at 0.1.
      expect((await booksOf(app, tokens.id)).held).toBe(10_800);
      expect(sent().body).toMatchObject({ model: 'tokens', duration: 5, resolution: '720p' });
      upstream.finish(sent().id, { tokens: 102_960 });
      const shortId = await created(app, short.key, { model: 'sora-2', prompt: 'three', seconds: 12 });
      upstream.finish(sent().id, { seconds: 4 });
      for (const id of [clipId, tokenId, shortId]) await endedVideo(app, id);
      expect(await booksOf(app, clip.id)).toEqual(paid(25_000));
      expect(await booksOf(app, tokens.id)).toEqual(paid(10_296));
      expect((await lastLog(app, tokens.id)).completion_tokens).toBe(102_960);
      expect(await booksOf(app, short.id)).toEqual(paid(4 * SECOND));
      await expectSoundBooks(app.store);
    });

    test('the price is the one at submission', async () => {
      const player = await createPainter(app);
      const id = await created(app, player.key, { model: 'film', prompt: 'dear', seconds: 4 });
      await app.settings.set('PriceUnit', '{"film":"call"}', 0);
      upstream.finish(sent().id);
      await endedVideo(app, id);
      expect(await booksOf(app, player.id)).toEqual(paid(4 * SECOND));
      await setPrices(app);
    });

    test('a video that is moderated, lost or late is not charged, and its reason has no address in it', async () => {
      const player = await createPainter(app);
      // PostgreSQL stores no NUL.
      const make = () => created(app, player.key, { model: 'sora-2', prompt: 'bad\0' });
      const moderated = await make();
      upstream.fail(sent().id, 'blocked, see https://studio.example.com');
      const lost = await make();
      upstream.lose(sent().id);
      const late = await make();
      const old = { submit_ms: Date.now() - 3_600_000 };
      const change = (id: string, values: object) =>
        app.store.db.updateTable('tasks').set(values).where('id', '=', Number(id)).execute();
      await change(String((await videoRow(app, lost)).id), old);
      await change(String((await videoRow(app, late)).id), { deadline_at: 1 });
      expect((await endedVideo(app, moderated)).fail_reason).toBe('blocked, see ***');
      expect((await endedVideo(app, lost)).fail_reason).toBe('{"fact":"videoLost"}');
      expect((await endedVideo(app, late)).fail_reason).toBe('{"fact":"videoLate"}');
      expect(await booksOf(app, player.id)).toEqual({ ...untouched, failed: 3 });
      expect((await state(player.key, moderated)).body['error']).toEqual({
        code: 'video_generation_failed',
        message: 'blocked, see ***',
      });
      // A success that comes later changes nothing.
      upstream.finish(sent().id);
      expect((await videoRow(app, late)).money).toBe('released');
      await expectSoundBooks(app.store);
    });

    test('delete: a queued video is cancelled and not charged, a running one is refused, a finished one stays paid', async () => {
      const player = await createPainter(app);
      const remove = (key: string, id: string) =>
        fetch(`${app.url}/v1/videos/${id}`, {
          method: 'DELETE',
          headers: { Authorization: `Bearer ${key}` },
        });
      const queued = await created(app, player.key, { model: 'tokens', prompt: 'no' });
      const queuedId = sent().id;
      const gone = await remove(player.key, queued);
      expect([gone.status, await gone.json()]).toEqual([
        200,
        { id: queued, object: 'video.deleted', deleted: true },
      ]);
      expect(upstream.cancelled).toContain(queuedId);
      expect(await booksOf(app, player.id)).toEqual({ ...untouched, failed: 1 });
      expect((await state(player.key, queued)).status).toBe(404);
      const running = await created(app, player.key, { model: 'tokens', prompt: 'yes' });
      const { id } = sent();
      upstream.change(id, { state: 'running' });
      const refused = await remove(player.key, running);
      expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
        400,
        'video_busy',
      ]);
      // Finished, but not asked for since then: charged, not cancelled.
      const unseen = await created(app, player.key, { model: 'tokens', prompt: 'unseen' });
      await app.store.db
        .updateTable('tasks')
        .set({ next_poll_at: Math.floor(Date.now() / 1000) + 3600 })
        .where('id', '=', (await videoRow(app, unseen)).id)
        .execute();
      upstream.finish(sent().id, { tokens: 50_000 });
      expect((await remove(player.key, unseen)).status).toBe(200);
      expect((await booksOf(app, player.id)).used).toBe(5_000);
      expect((await lastLog(app, player.id)).other['task_id']).toBe(unseen);
      // A platform that cannot cancel: the money stays held.
      const sora = await created(app, player.key, { model: 'sora-2', prompt: 'yes' });
      expect((await remove(player.key, sora)).status).toBe(400);
      upstream.finish(sent().id);
      upstream.finish(id, { tokens: 100_000 });
      await endedVideo(app, running);
      await endedVideo(app, sora);
      expect((await remove(player.key, running)).status).toBe(200);
      expect(upstream.cancelled).toContain(id);
      expect(await booksOf(app, player.id)).toMatchObject({ used: 15_000 + 4 * SECOND, held: 0, entries: 3 });
      await expectSoundBooks(app.store);
    });

    test('a video that is being submitted is not deleted: its hold stays until the upstream has answered', async () => {
      const player = await createPainter(app);
      upstream.delay(1_000);
      const submission = create(app, player.key, { model: 'sora-2', prompt: 'slow' });
      await eventually(
        () => upstream.waiting(),
        (count) => count === 1,
      );
      upstream.delay(0);
      const { body } = await ask(app.url, player.key, '/v1/videos');
      const [{ id }] = body['data'] as [{ id: string }];
      const gone = await fetch(`${app.url}/v1/videos/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${player.key}` },
      });
      expect(((await gone.json()) as { error?: { code: string } }).error?.code).toBe('video_busy');
      expect((await submission).status).toBe(200);
      expect(await booksOf(app, player.id)).toEqual(held(4 * SECOND));
      upstream.finish(sent().id);
      await endedVideo(app, id);
      expect(await booksOf(app, player.id)).toEqual(paid(4 * SECOND));
    });

    test('refusals of the upstream: another channel takes it in its own words, or nothing is paid', async () => {
      const player = await createPainter(app);
      await app.settings.set('RetryTimes', '1', 0);
      upstream.refuse('sora', 500, 'out of order');
      const body = { model: 'film', prompt: 'a gate', seconds: '4', size: '1280x720', style: 'noir' };
      const reply = await create(app, player.key, body, { 'X-Tollgate-Report': '1' });
      expect([reply.status, sent().path, reply.body['seconds']]).toEqual([200, '/v1/videos/text2video', '5']);
      expect(sent().body).toMatchObject({
        model_name: 'film',
        duration: '5',
        mode: 'std',
        aspect_ratio: '16:9',
      });
      expect(JSON.parse(reply.headers.get('x-tollgate-conversion') ?? '{}')).toMatchObject({
        to: 'kling',
        notes: [
          { field: 'seconds', what: 'approximated' },
          { field: 'style', what: 'dropped' },
        ],
      });
      expect((await booksOf(app, player.id)).held).toBe(5 * SECOND);
      upstream.finish(sent().id, { seconds: 5 });
      const id = String(reply.body['id']);
      await endedVideo(app, id);
      expect((await lastLog(app, player.id)).other['conversion']).toMatchObject({ to: 'kling' });
      await app.settings.set('RetryTimes', '0', 0);
      upstream.refuse('sora', 400, 'too long for https://studio.example.com');
      const bad = await create(app, player.key, { model: 'sora-2', prompt: 'long' });
      expect(bad.status).toBe(400);
      expect(JSON.stringify(bad.body)).not.toContain('studio.example.com');
      await app.settings.set('RetryTimes', '1', 0);
      upstream.forgetId();
      const before = upstream.submissions.length;
      expect((await create(app, player.key, { model: 'film', prompt: 'no id' })).status).toBe(502);
      expect(upstream.submissions).toHaveLength(before + 1);
      // Strict callers lose nothing without knowing it.
      upstream.refuse('sora', 500, 'out of order');
      const strict = await create(app, player.key, body, { 'X-Tollgate-Strict': '1' });
      expect([strict.status, (strict.body['error'] as { code: string }).code]).toEqual([
        400,
        'lossy_conversion',
      ]);
      await app.settings.set('RetryTimes', '0', 0);
      expect(await booksOf(app, player.id)).toMatchObject({ used: 5 * SECOND, held: 0, entries: 1 });
      const poor = await createPainter(app, 8 * SECOND - 1);
      const count = upstream.submissions.length;
      const refused = await create(app, poor.key, { model: 'sora-2', prompt: 'x', seconds: 8 });
      expect((refused.body['error'] as { code: string }).code).toBe('insufficient_quota');
      expect(upstream.submissions).toHaveLength(count);
      await expectSoundBooks(app.store);
    });

    test("another user's video is unknown on every path, and is not listed", async () => {
      const player = await createPainter(app);
      const stranger = await createPainter(app);
      const id = await created(app, player.key, { model: 'sora-2', prompt: 'mine' });
      upstream.finish(sent().id);
      await endedVideo(app, id);
      const answers = await Promise.all([
        ask(app.url, stranger.key, `/v1/videos/${id}`),
        ask(app.url, stranger.key, `/v1/videos/${id}/content`),
        ask(app.url, stranger.key, `/v1/videos/${id}/remix`, { prompt: 'theirs' }),
        ask(app.url, stranger.key, `/v1/video/generations/${id}`),
        ask(app.url, stranger.key, `/kling/v1/videos/text2video/${id}`),
        ask(app.url, stranger.key, `/v1/videos?after=${id}`),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
      const gone = await fetch(`${app.url}/v1/videos/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${stranger.key}` },
      });
      expect(gone.status).toBe(404);
      expect((await ask(app.url, stranger.key, '/v1/videos')).body['data']).toEqual([]);
      expect((await ask(app.url, player.key, '/v1/videos')).body['data']).toHaveLength(1);
      expect((await ask(app.url, 'sk-wrong', '/v1/videos')).status).toBe(401);
    });

    test('a report that no video can have is not charged: the plan is, marked as estimated, and the log has an alert', async () => {
      const [long, tokens] = [await createPainter(app), await createPainter(app)];
      const longId = await created(app, long.key, { model: 'sora-2', prompt: 'endless', seconds: 8 });
      upstream.finish(sent().id, { seconds: 3000 });
      const tokensId = await created(app, tokens.key, { model: 'tokens', prompt: 'dear', seconds: 5 });
      upstream.finish(sent().id, { tokens: 99_000_000 });
      for (const id of [longId, tokensId]) await endedVideo(app, id);
      expect(await booksOf(app, long.id)).toEqual(paid(8 * SECOND));
      expect(await booksOf(app, tokens.id)).toEqual(paid(10_800));
      const row = await lastLog(app, long.id);
      expect(row.estimated).toBe(1);
      // M13: marked in the row, and told to the operators.
      expect(row.other).toMatchObject({ doubts: [{ count: 'report' }] });
      const told = await eventually(
        () => app.store.db.selectFrom('notices').selectAll().where('event', '=', 'usage_doubted').execute(),
        (found) => found.length >= 2,
      );
      expect(told.map(({ details }) => (JSON.parse(details) as { model: string }).model)).toContain('sora-2');
      const logged = [...app.logged, ...(other?.logged ?? [])];
      expect(logged.filter((line) => line.includes('impossible numbers'))).toHaveLength(2);
    });

    test('a remix needs the channel of the original in the group of the caller, as every call', async () => {
      const player = await createPainter(app, START, { group: 'leaving' });
      const channel = await videoChannel(app, upstream, 'sora', ['film'], { groups: ['leaving'] });
      await app.settings.set('GroupRatio', '{"default":1,"leaving":1}', 0);
      await app.settings.set('UserUsableGroups', '{"default":"","leaving":"leaving"}', 0);
      const body = { model: 'film', prompt: 'a gate', seconds: 4, size: '1280x720' };
      const first = await eventually(
        () => create(app, player.key, body),
        ({ status }) => status === 200,
      );
      const id = String(first.body['id']);
      upstream.finish(sent().id);
      await endedVideo(app, id);
      const before = await booksOf(app, player.id);
      await app.store.db.deleteFrom('abilities').where('channel_id', '=', channel).execute();
      await videoChannel(app, upstream, 'kling', ['film'], { groups: ['leaving'] });
      await app.store.changes.announce('channels', String(channel));
      const count = upstream.submissions.length;
      const refused = await eventually(
        () => ask(app.url, player.key, `/v1/videos/${id}/remix`, { prompt: 'at night' }),
        ({ status }) => status !== 200,
      );
      expect([refused.status, (refused.body['error'] as { code: string }).code]).toEqual([
        503,
        'task_channel_away',
      ]);
      expect(upstream.submissions).toHaveLength(count);
      expect(await booksOf(app, player.id)).toEqual(before);
    });

    test('a remix is held and charged by its own length, not by the tokens of the original (M21)', async () => {
      const player = await createPainter(app);
      const id = await created(app, player.key, { model: 'scene', prompt: 'a gate', seconds: 4 });
      upstream.finish(sent().id);
      const { id: row, properties } = await endedVideo(app, id);
      // As if the channel had been of a platform that reports tokens when it made the original.
      const reported = JSON.stringify({ ...(JSON.parse(properties) as object), tokens: 150_000 });
      await app.store.db.updateTable('tasks').set({ properties: reported }).where('id', '=', row).execute();
      const { held: heldBefore, used: usedBefore } = await booksOf(app, player.id);
      const { status, body } = await ask(app.url, player.key, `/v1/videos/${id}/remix`, {
        prompt: 'at night',
      });
      expect(status).toBe(200);
      // 1280 × 720 × 24 × 4 / 1024 tokens at 0.1.
      expect((await booksOf(app, player.id)).held).toBe(heldBefore + 8640);
      upstream.finish(sent().id);
      await endedVideo(app, String(body['id']));
      expect(await booksOf(app, player.id)).toMatchObject({ held: 0, used: usedBefore + 8640 });
    });

    test('a video is held at its dearest tier, for longer than any task may run, and charged at its own (M21)', async () => {
      const player = await createPainter(app);
      await app.settings.set('PriceRules', '{"scene": {"tiers": [{"above": 1000, "output": 3}]}}', 0);
      const id = await created(app, player.key, { model: 'scene', prompt: 'a gate', seconds: 4 });
      await app.settings.set('PriceRules', '{}', 0);
      expect((await booksOf(app, player.id)).held).toBe(3 * 8640);
      const { expires_at } = await app.store.db
        .selectFrom('holds')
        .select('expires_at')
        .where('user_id', '=', player.id)
        .executeTakeFirstOrThrow();
      expect(expires_at).toBeGreaterThan(Date.now() / 1000 + 6 * 86_400);
      upstream.finish(sent().id);
      await endedVideo(app, id);
      expect(await booksOf(app, player.id)).toMatchObject({ held: 0, used: 8640 });
    });

    test('the console gets the request back, to run it again', async () => {
      const player = await createPainter(app);
      const image = 'https://pictures.example/gate.png';
      const body = { model: 'sora-2', prompt: 'a gate', resolution: '1080p', aspect_ratio: '9:16', image };
      const id = await created(app, player.key, body);
      upstream.finish(sent().id);
      await endedVideo(app, id);
      const admin = app.client(await app.actor({ role: ROLE.admin }));
      const { data } = await admin.tasks.list({ query: { task_id: id } });
      expect(data[0]?.asked).toEqual({
        prompt: 'a gate',
        title: '',
        tags: '',
        size: '1080x1920',
        seconds: 4,
        image_urls: [image],
      });
    });

    test('a callback only makes the poller ask, once its proof is right', async () => {
      const player = await createPainter(app);
      upstream.refuse('sora', 500, 'out of order');
      await app.settings.set('RetryTimes', '1', 0);
      const id = await created(app, player.key, { model: 'film', prompt: 'call me', seconds: 5 });
      await app.settings.set('RetryTimes', '0', 0);
      const callback = String(sent().body['callback_url']);
      const row = await videoRow(app, id);
      await app.store.db
        .updateTable('tasks')
        .set({ next_poll_at: Math.floor(Date.now() / 1000) + 3600 })
        .where('id', '=', row.id)
        .execute();
      const call = (address: string) =>
        fetch(address, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ task_id: sent().id, task_status: 'succeed' }),
        });
      // It claims a success that the upstream does not confirm.
      expect((await call(callback)).status).toBe(200);
      expect(await videoRow(app, id)).toMatchObject({ money: 'open' });
      expect(await booksOf(app, player.id)).toEqual(held(5 * SECOND));
      const wrong = callback.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      expect((await call(wrong)).status).toBe(404);
      upstream.finish(sent().id);
      expect((await call(callback)).status).toBe(200);
      expect((await videoRow(app, id)).money).toBe('settled');
      expect((await call(callback)).status).toBe(200);
      expect(await booksOf(app, player.id)).toEqual(paid(5 * SECOND));
    });
  });
}
