// Charges of drawings on both databases: held while they run, settled once or released, for every path that reports the
// end and for repeated reports.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { ROOT_PASSWORD, startApplication, type TestApplication } from '#tests/support/application.ts';
import { temporaryPlace, type DatabaseLabel, type TemporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import {
  ask,
  ended,
  expectSoundBooks,
  imagine,
  IMAGINE_QUOTA,
  openStudio,
  booksOf,
  taskRow,
  UPSCALE_QUOTA,
  type Studio,
} from './support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { subscribe, subscriptionRow } from '#tests/integration/money/plans/world.ts';

setDefaultTimeout(60_000);

/** Without `remove`: only this file closes it. */
const addressOf = ({ dataDir, databaseUrl }: TemporaryPlace) => ({
  dataDir,
  ...(databaseUrl === undefined ? {} : { databaseUrl }),
});

for (const database of ['sqlite', 'postgres'] as const satisfies readonly DatabaseLabel[]) {
  describe(database, () => {
    let studio: Studio;
    let place: TemporaryPlace;
    beforeAll(async () => {
      place = await temporaryPlace(database);
      studio = await openStudio({ place: addressOf(place), nodeId: 'first' });
    });
    afterAll(async () => {
      await studio.close();
      await place.remove();
    });
    const anotherNode = async (): Promise<TestApplication | undefined> =>
      database === 'sqlite'
        ? undefined
        : await startApplication({
            place: addressOf(place),
            nodeId: 'second',
            environment: { TASK_POLL_SECONDS: '1' },
          });
    const untouched = { quota: 1_000_000, held: 0, used: 0, holds: 0, entries: 0, consumed: 0, failed: 0 };

    test('a drawing holds its price while it runs and is charged once when it succeeds (O53)', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      const id = await imagine(app.url, painter.key);
      expect(await booksOf(app, painter.id)).toEqual({ ...untouched, held: IMAGINE_QUOTA, holds: 1 });
      const shown = async () => {
        const admin = await app.actor({ role: ROLE.admin });
        const { data } = await app.client(admin).drawing.list({ query: { mj_id: id } });
        return data.map(({ quota, held }) => ({ quota, held }));
      };
      expect(await shown()).toEqual([{ quota: IMAGINE_QUOTA, held: true }]);
      await mj.go(id, '40%');
      await eventually(
        () => taskRow(app.store, id),
        (row) => row.progress === '40%',
      );
      expect((await booksOf(app, painter.id)).held).toBe(IMAGINE_QUOTA);
      await mj.finish(id);
      expect(await ended(app.store, id)).toMatchObject({
        status: 'SUCCESS',
        money: 'settled',
        progress: '100%',
      });
      expect(await shown()).toEqual([{ quota: IMAGINE_QUOTA, held: false }]);
      expect(await booksOf(app, painter.id)).toEqual({
        ...untouched,
        quota: 1_000_000 - IMAGINE_QUOTA,
        used: IMAGINE_QUOTA,
        entries: 1,
        consumed: 1,
      });
      const log = await app.store.db
        .selectFrom('logs')
        .selectAll()
        .where('user_id', '=', painter.id)
        .executeTakeFirstOrThrow();
      expect(log).toMatchObject({
        model_name: 'mj_imagine',
        quota: IMAGINE_QUOTA,
        channel_id: studio.channelId,
        token_name: 'brush',
      });
      expect(JSON.parse(log.other)).toMatchObject({ model_price: 0.1, task_id: id, action: 'IMAGINE' });
      await expectSoundBooks(app.store);
    });

    test('a drawing that fails is not charged and leaves a row with the reason', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      const id = await imagine(app.url, painter.key);
      await mj.fail(id, 'the moderator at https://cdn.example.com objected');
      const row = await ended(app.store, id);
      expect(row).toMatchObject({ status: 'FAILURE', money: 'released' });
      expect(row.fail_reason).toBe('the moderator at *** objected');
      expect(await booksOf(app, painter.id)).toEqual({ ...untouched, failed: 1 });
      await expectSoundBooks(app.store);
    });

    test('a release or a charge that fails is tried again until it is done, and is marked only then (M21)', async () => {
      const { app, mj } = studio;
      for (const [way, end, books] of [
        ['release', (id: string) => mj.fail(id, 'no'), { ...untouched, failed: 1 }],
        ['settle', (id: string) => mj.finish(id), { used: IMAGINE_QUOTA, held: 0, holds: 0, consumed: 1 }],
      ] as const) {
        const painter = await studio.painter();
        const id = await imagine(app.url, painter.key);
        const broken = spyOn(app.ledger, way).mockRejectedValueOnce(new Error('the ledger is away'));
        try {
          await end(id);
          await eventually(
            () => broken.mock.calls.length,
            (tries) => tries > 0,
          );
          await ended(app.store, id);
          expect(broken.mock.calls.length).toBeGreaterThan(1);
        } finally {
          broken.mockRestore();
        }
        expect(await booksOf(app, painter.id)).toMatchObject(books);
      }
      await expectSoundBooks(app.store);
    });

    test('the price is the one at submission, and the operator’s price overrides the list', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      await app.settings.set('ModelPrice', '{"mj_imagine": 0.02}', 0);
      const id = await imagine(app.url, painter.key);
      await app.settings.set('ModelPrice', '{"mj_imagine": 5}', 0);
      await mj.finish(id);
      await ended(app.store, id);
      expect((await booksOf(app, painter.id)).used).toBe(10_000);
      await app.settings.set('ModelPrice', '{}', 0);
      await expectSoundBooks(app.store);
    });

    test('the fee of each call is held with a drawing, charged with it, and shown in its row (M21)', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      await app.settings.set('PriceRules', '{"mj_imagine": {"fee": 0.01}}', 0);
      const id = await imagine(app.url, painter.key);
      await app.settings.set('PriceRules', '{}', 0);
      const charge = IMAGINE_QUOTA + 5000;
      expect((await booksOf(app, painter.id)).held).toBe(charge);
      await mj.finish(id);
      await ended(app.store, id);
      expect(await booksOf(app, painter.id)).toMatchObject({ used: charge, held: 0 });
      const { quota, other } = await app.store.db
        .selectFrom('logs')
        .select(['quota', 'other'])
        .where('user_id', '=', painter.id)
        .executeTakeFirstOrThrow();
      expect(quota).toBe(charge);
      expect(JSON.parse(other)).toMatchObject({
        surcharges: [{ name: 'call_fee', count: 1, dollarsEach: 0.01 }],
      });
      await expectSoundBooks(app.store);
    });

    test('a user who cannot pay is refused, and nothing is sent, held or stored', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter(IMAGINE_QUOTA + 10);
      const first = await imagine(app.url, painter.key);
      const before = mj.submissions.length;
      const { status, body } = await ask(app.url, painter.key, '/mj/submit/imagine', { prompt: 'more' });
      expect([status, body['code'], body['type']]).toEqual([403, 4, 'insufficient_quota']);
      expect(mj.submissions.length).toBe(before);
      const rows = await app.store.db
        .selectFrom('tasks')
        .select('id')
        .where('user_id', '=', painter.id)
        .execute();
      expect(rows.length).toBe(1);
      expect((await booksOf(app, painter.id)).held).toBe(IMAGINE_QUOTA);
      await mj.finish(first);
      await ended(app.store, first);
      expect(await booksOf(app, painter.id)).toMatchObject({ quota: 10, held: 0 });
      await expectSoundBooks(app.store);
    });

    test('a limited token is charged too, and a failure returns its hold', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter(1_000_000, {
        unlimited_quota: 0,
        remain_quota: IMAGINE_QUOTA * 2,
      });
      const token = () =>
        app.store.db
          .selectFrom('tokens')
          .select(['remain_quota', 'held_quota', 'used_quota'])
          .where('id', '=', painter.tokenId)
          .executeTakeFirstOrThrow();
      const [good, bad] = [await imagine(app.url, painter.key), await imagine(app.url, painter.key)];
      expect(await token()).toMatchObject({ held_quota: IMAGINE_QUOTA * 2 });
      const third = await ask(app.url, painter.key, '/mj/submit/imagine', { prompt: 'too much' });
      expect(third.body['type']).toBe('insufficient_token_quota');
      await mj.finish(good);
      await mj.fail(bad, 'no');
      await Promise.all([ended(app.store, good), ended(app.store, bad)]);
      expect(await token()).toEqual({
        remain_quota: IMAGINE_QUOTA,
        held_quota: 0,
        used_quota: IMAGINE_QUOTA,
      });
      await expectSoundBooks(app.store);
    });

    test('failures give everything back to token, user, plan and counters; a success takes it once', async () => {
      const { app, mj } = studio;
      const { db } = app.store;
      const painter = await studio.painter(1_000_000, {
        unlimited_quota: 0,
        remain_quota: IMAGINE_QUOTA * 5,
      });
      const plan = await subscribe(app, painter.id, { period_quota: IMAGINE_QUOTA + 10_000 });
      const state = async () => {
        const { quota, held } = await subscriptionRow(app.store, plan);
        const token = await db
          .selectFrom('tokens')
          .select(['remain_quota', 'held_quota', 'used_quota'])
          .where('id', '=', painter.tokenId)
          .executeTakeFirstOrThrow();
        const user = await db
          .selectFrom('users')
          .select(['quota', 'held_quota', 'used_quota'])
          .where('id', '=', painter.id)
          .executeTakeFirstOrThrow();
        const channel = await db
          .selectFrom('channels')
          .select('used_quota')
          .where('id', '=', studio.channelId)
          .executeTakeFirstOrThrow();
        const hours = await db
          .selectFrom('usage_hours')
          .select('quota')
          .where('user_id', '=', painter.id)
          .execute();
        const hourly = hours.reduce((sum, hour) => sum + hour.quota, 0);
        return { plan: { quota, held }, token, user, channel: channel.used_quota, hourly };
      };
      const before = await state();
      // The first is paid by the plan alone, the second by what the plan has left and the balance.
      const ids = [await imagine(app.url, painter.key), await imagine(app.url, painter.key)];
      expect(await state()).toMatchObject({
        plan: { held: IMAGINE_QUOTA + 10_000 },
        token: { held_quota: 2 * IMAGINE_QUOTA },
        user: { held_quota: IMAGINE_QUOTA - 10_000 },
      });
      for (const id of ids) {
        await mj.fail(id, 'no');
        await ended(app.store, id);
      }
      expect(await state()).toEqual(before);
      const good = await imagine(app.url, painter.key);
      await mj.finish(good);
      await ended(app.store, good);
      const { token, user } = before;
      expect(await state()).toEqual({
        plan: { quota: before.plan.quota - IMAGINE_QUOTA, held: 0 },
        token: {
          remain_quota: token.remain_quota - IMAGINE_QUOTA,
          held_quota: 0,
          used_quota: IMAGINE_QUOTA,
        },
        user: { quota: user.quota, held_quota: 0, used_quota: IMAGINE_QUOTA },
        channel: before.channel + IMAGINE_QUOTA,
        hourly: IMAGINE_QUOTA,
      });
      await expectSoundBooks(app.store);
    });

    test('a follow-up runs on the channel of a plan’s group only while the plan pays', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      await app.settings.set('GroupRatio', '{"default":1,"vip":2}', 0);
      await studio.channel({ groups: ['vip'], models: ['mj_imagine', 'mj_upscale'] });
      await subscribe(app, painter.id, { group: 'vip', period_quota: 1 });
      const id = await imagine(app.url, painter.key);
      expect((await taskRow(app.store, id)).group).toBe('vip');
      await mj.finish(id);
      await ended(app.store, id);
      const count = mj.submissions.length;
      const before = await booksOf(app, painter.id);
      // With nothing left the user's own group would pay, which has no such channel.
      const refused = await ask(app.url, painter.key, '/mj/submit/change', {
        taskId: id,
        action: 'UPSCALE',
        index: 1,
      });
      expect([refused.status, refused.body['type']]).toEqual([503, 'task_channel_away']);
      expect(mj.submissions).toHaveLength(count);
      expect(await booksOf(app, painter.id)).toEqual(before);
      await app.settings.set('GroupRatio', '{"default":1}', 0);
    });

    test('a token that a drawing exhausted is refused on every node', async () => {
      const { app, mj } = studio;
      const second = await anotherNode();
      const painter = await studio.painter(1_000_000, {
        unlimited_quota: 0,
        remain_quota: IMAGINE_QUOTA,
      });
      const answers = async () =>
        await Promise.all(
          [app.url, ...(second ? [second.url] : [])].map(async (url) => {
            const { status, body } = await ask(url, painter.key, '/mj/submit/imagine', {
              prompt: 'one more',
            });
            return `${status} ${String(body['type'])}`;
          }),
        );
      const all = (answer: string) => (second ? [answer, answer] : [answer]);
      const id = await imagine(app.url, painter.key);
      // Both nodes have cached the token by now.
      expect(await answers()).toEqual(all('403 insufficient_token_quota'));
      await mj.finish(id);
      await ended(app.store, id);
      const last = await eventually(answers, (list) => list.every((answer) => answer.includes('exhausted')));
      expect(last).toEqual(all('401 token_exhausted'));
      await second?.close();
    });

    test('a refusal of the upstream is not charged', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      mj.plan({ body: { code: 24, description: 'Banned prompt: gore', result: '' } });
      const banned = await ask(app.url, painter.key, '/mj/submit/imagine', { prompt: 'gore' });
      expect([banned.status, banned.body['code']]).toEqual([400, 24]);
      expect(String(banned.body['description'])).toContain('Banned prompt: gore');
      expect(await booksOf(app, painter.id)).toEqual({ ...untouched, failed: 1 });
      await expectSoundBooks(app.store);
    });

    test('a drawing that never ends fails at its deadline and its hold is released', async () => {
      const { app } = studio;
      const painter = await studio.painter();
      const id = await imagine(app.url, painter.key);
      await app.store.db.updateTable('tasks').set({ deadline_at: 1 }).where('task_id', '=', id).execute();
      expect(await ended(app.store, id)).toMatchObject({
        status: 'FAILURE',
        fail_reason: '{"fact":"drawingLate"}',
      });
      expect(await booksOf(app, painter.id)).toEqual({ ...untouched, failed: 1 });
    });

    test('a drawing whose channel was deleted fails and is not charged', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      const channelId = await studio.channel({ models: ['mj_imagine'], priority: 5 });
      const id = await eventually(
        async () => {
          const made = await imagine(app.url, painter.key);
          return (await taskRow(app.store, made)).channel_id === channelId ? made : '';
        },
        (made) => made !== '',
      );
      await app.store.db.deleteFrom('abilities').where('channel_id', '=', channelId).execute();
      await app.store.db.updateTable('channels').set({ deleted_at: 1 }).where('id', '=', channelId).execute();
      await app.store.changes.announce('channels', String(channelId));
      expect(await ended(app.store, id)).toMatchObject({ status: 'FAILURE', money: 'released' });
      for (const task of mj.submissions) if (task.status === 'SUBMITTED') await mj.fail(task.id, 'over');
      await eventually(
        () => booksOf(app, painter.id),
        ({ holds }) => holds === 0,
      );
      expect((await booksOf(app, painter.id)).used).toBe(0);
      await expectSoundBooks(app.store);
    });

    test('a user who is deleted during a drawing pays for it, and the books balance', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      const [good, bad] = [await imagine(app.url, painter.key), await imagine(app.url, painter.key)];
      const root = await app.login('root', ROOT_PASSWORD);
      const gone = await app.request('/api/user/manage', {
        as: root,
        body: { id: painter.id, action: 'delete' },
      });
      expect(gone.body.success).toBe(true);
      await mj.finish(good);
      await mj.fail(bad, 'no');
      expect((await ended(app.store, good)).money).toBe('settled');
      expect((await ended(app.store, bad)).money).toBe('released');
      expect(await booksOf(app, painter.id)).toMatchObject({ held: 0, holds: 0, used: IMAGINE_QUOTA });
      await expectSoundBooks(app.store);
    });

    test('a cleanup of the log removes finished drawings, never one that runs or has a hold', async () => {
      const { app, mj } = studio;
      const { db } = app.store;
      const painter = await studio.painter();
      const root = app.client(await app.login('root', ROOT_PASSWORD));
      const ids = await Promise.all(Array.from({ length: 5 }, () => imagine(app.url, painter.key)));
      const [good = '', bad = '', runs = '', unpaid = '', young = ''] = ids;
      for (const id of [good, young]) await mj.finish(id);
      await mj.fail(bad, 'no');
      for (const id of [good, bad, young]) await ended(app.store, id);
      const longAgo = 1_000_000;
      await db
        .updateTable('tasks')
        .set({ submit_ms: longAgo * 1000 - 1 })
        .where('task_id', 'in', [good, bad, runs, unpaid])
        .execute();
      await db
        .updateTable('tasks')
        .set({ submit_ms: longAgo * 1000 })
        .where('task_id', '=', young)
        .execute();
      // The drawing has ended, but the node that saw it has not settled it yet.
      const later = Math.floor(Date.now() / 1000) + 600;
      const claimed = { status: 'SUCCESS', finish_ms: Date.now(), next_poll_at: later };
      await db.updateTable('tasks').set(claimed).where('task_id', '=', unpaid).execute();
      const before = await booksOf(app, painter.id);

      const query = { target_timestamp: longAgo };
      expect(await root.logs.cleanupCount({ query })).toMatchObject({ data: 0, tasks: 2 });
      expect(await root.logs.cleanup({ query })).toMatchObject({ data: 0, tasks: 2 });
      expect(await root.logs.cleanupCount({ query })).toMatchObject({ data: 0, tasks: 0 });
      const left = await db.selectFrom('tasks').select('task_id').where('user_id', '=', painter.id).execute();
      expect(left.map(({ task_id }) => task_id).toSorted()).toEqual([runs, unpaid, young].toSorted());
      expect(await booksOf(app, painter.id)).toEqual(before);
      const { after } = await db
        .selectFrom('audit')
        .select('after')
        .where('action', '=', 'log.cleanup')
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      expect(JSON.parse(after ?? '')).toEqual({ deleted: 0, tasks: 2 });

      await mj.finish(runs);
      // The drawing that runs looks old by now, and would be asked for late.
      await db.updateTable('tasks').set({ next_poll_at: 0 }).where('task_id', 'in', [unpaid, runs]).execute();
      for (const id of [runs, unpaid]) expect((await ended(app.store, id)).money).toBe('settled');
      expect(await booksOf(app, painter.id)).toMatchObject({ used: 4 * IMAGINE_QUOTA, holds: 0, entries: 4 });
      await expectSoundBooks(app.store);
    });

    test('a follow-up has a separate price, and a repeated request for the same one is not charged twice', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      const id = await imagine(app.url, painter.key);
      await mj.finish(id);
      await ended(app.store, id);
      const change = { taskId: id, action: 'UPSCALE', index: 1 };
      const upscaled = await ask(app.url, painter.key, '/mj/submit/change', change);
      const upscaledId = String(upscaled.body['result']);
      await mj.finish(upscaledId);
      await ended(app.store, upscaledId);
      expect((await booksOf(app, painter.id)).used).toBe(IMAGINE_QUOTA + UPSCALE_QUOTA);
      mj.plan({
        body: {
          code: 21,
          description: 'exists',
          result: upscaledId,
          properties: { status: 'SUCCESS', imageUrl: `${mj.url}/picture/x.png` },
        },
      });
      const again = await ask(app.url, painter.key, '/mj/submit/change', change);
      expect([again.body['code'], again.body['result']]).toEqual([1, upscaledId]);
      expect(await booksOf(app, painter.id)).toMatchObject({ used: IMAGINE_QUOTA + UPSCALE_QUOTA, holds: 0 });
      await expectSoundBooks(app.store);
    });

    test('a drawing that another user made is copied and each user pays once', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      const id = await imagine(app.url, painter.key);
      await mj.finish(id);
      await ended(app.store, id);
      const imageUrl = `${mj.url}/picture/known.png`;
      mj.plan({
        body: {
          code: 21,
          description: 'exists',
          result: 'other-1',
          properties: { status: 'SUCCESS', imageUrl },
        },
      });
      await ask(app.url, painter.key, '/mj/submit/change', { taskId: id, action: 'UPSCALE', index: 2 });
      expect(await ended(app.store, 'other-1')).toMatchObject({
        status: 'SUCCESS',
        result_url: imageUrl,
        code: 21,
      });
      expect((await booksOf(app, painter.id)).used).toBe(IMAGINE_QUOTA + UPSCALE_QUOTA);
    });

    test('a drawing that failed is paid when it is asked for again and is there', async () => {
      const { app, mj } = studio;
      const painter = await studio.painter();
      const id = await imagine(app.url, painter.key);
      await mj.fail(id, 'no');
      await ended(app.store, id);
      const properties = { status: 'SUCCESS', imageUrl: `${mj.url}/picture/later.png` };
      mj.plan({ body: { code: 21, description: 'exists', result: id, properties } });
      expect(await imagine(app.url, painter.key)).toBe(id);
      expect(await booksOf(app, painter.id)).toMatchObject({ used: IMAGINE_QUOTA, holds: 0, failed: 1 });
      await expectSoundBooks(app.store);
    });

    test('a row that ended before a crash is settled, once', async () => {
      const { app } = studio;
      const painter = await studio.painter();
      const [good, bad] = [await imagine(app.url, painter.key), await imagine(app.url, painter.key)];
      const say = (id: string, status: string) =>
        app.store.db
          .updateTable('tasks')
          .set({ status, finish_ms: Date.now() })
          .where('task_id', '=', id)
          .execute();
      await say(good, 'SUCCESS');
      await say(bad, 'FAILURE');
      expect((await ended(app.store, good)).money).toBe('settled');
      expect((await ended(app.store, bad)).money).toBe('released');
      expect(await booksOf(app, painter.id)).toMatchObject({ used: IMAGINE_QUOTA, entries: 1, holds: 0 });
      await expectSoundBooks(app.store);
    });

    test('callbacks and the poller may all report the end at once: one charge (plan M22)', async () => {
      const { app, mj } = studio;
      await app.settings.set('MjNotifyEnabled', 'true', 0);
      const painter = await studio.painter();
      // On PostgreSQL a second node polls and takes callbacks beside the first.
      const second = await anotherNode();
      const ids = await Promise.all(Array.from({ length: 5 }, () => imagine(app.url, painter.key)));
      await Promise.all(
        ids.map(async (id) => {
          const hook = new URL(String(mj.tasks.get(id)?.body['notifyHook']));
          await mj.finish(id);
          const urls = [app.url, ...(second ? [second.url] : [])];
          const calls = Array.from({ length: 6 }, (_, index) =>
            ask(urls[index % urls.length] ?? app.url, '', hook.pathname, { id, status: 'SUCCESS' }),
          );
          for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
        }),
      );
      for (const id of ids) expect((await ended(app.store, id)).money).toBe('settled');
      faultSeen('M22', `${second ? 'two nodes' : 'one node'}: 5 tasks, 6 reports of the end each, at once`);
      expect(await booksOf(app, painter.id)).toEqual({
        ...untouched,
        quota: 1_000_000 - 5 * IMAGINE_QUOTA,
        used: 5 * IMAGINE_QUOTA,
        entries: 5,
        consumed: 5,
      });
      await second?.close();
      await app.settings.set('MjNotifyEnabled', 'false', 0);
      await expectSoundBooks(app.store);
    });

    test('a forged callback moves no money, and a valid one only triggers a poll', async () => {
      const { app, mj } = studio;
      await app.settings.set('MjNotifyEnabled', 'true', 0);
      const painter = await studio.painter();
      const id = await imagine(app.url, painter.key);
      const { pathname } = new URL(String(mj.tasks.get(id)?.body['notifyHook']));
      const success = { id, status: 'SUCCESS', progress: '100%', imageUrl: 'https://evil.example/x.png' };
      const row = await taskRow(app.store, id);
      const forged = [
        '/mj/notify',
        '/mj/notify/',
        `/mj/notify/${row.id}`,
        `/mj/notify/${row.id}.${'0'.repeat(32)}`,
        pathname.replace(`/${row.id}.`, `/${row.id + 1}.`),
        pathname.slice(0, -1),
      ];
      for (const path of forged) {
        const reply = await ask(app.url, '', path, success);
        expect([path, reply.status]).toEqual([path, 404]);
      }
      // Even a caller that knows the callback address cannot report an end: the gateway polls the upstream with the key.
      expect((await ask(app.url, '', pathname, success)).status).toBe(200);
      expect(await taskRow(app.store, id)).toMatchObject({
        status: 'SUBMITTED',
        money: 'open',
        result_url: '',
      });
      expect((await booksOf(app, painter.id)).used).toBe(0);
      await app.settings.set('MjNotifyEnabled', 'false', 0);
      expect((await ask(app.url, '', pathname, success)).status).toBe(404);
      await mj.fail(id, 'over');
      await ended(app.store, id);
    });
  });
}
