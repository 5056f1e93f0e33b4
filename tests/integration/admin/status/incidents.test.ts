// Incidents: by fact they begin and end with the channel, count the refused calls and are written once; operators write theirs.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Incident } from '#contract/admin/incidents.ts';
import { refusedCalls } from '#server/admin/measured/index.ts';
import { readIncidents } from '#server/admin/status/incidents.ts';
import { watchIncidents } from '#server/admin/status/index.ts';
import { sumPeriods } from '#server/money/sums/engine.ts';
import type { Store } from '#server/platform/store/store.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels, forEachDatabase } from '#tests/support/databases.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(60_000);

const NOW = Math.floor(Date.now() / 1000);
const SINCE = NOW - 3 * 3600 - 17;

forEachDatabase((_label, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  const channel = (models: readonly string[], groups: readonly string[] = ['default']) =>
    addChannel(store, { base_url: 'http://127.0.0.1:9', models, groups, name: 'secret-supplier' });
  const setStatus = (id: number, status: number, at = SINCE) =>
    store.db
      .updateTable('channels')
      .set({ status, other_info: JSON.stringify({ status_time: at, status_reason: 'secret words' }) })
      .where('id', '=', id)
      .execute();
  const watch = (now = NOW) => watchIncidents({ store, now: () => now });
  const incidents = () => readIncidents(store.db, { most: 100 });
  const refuse = (model_name: string, at: number, count: number, code = 'no_channel') =>
    store.db
      .insertInto('refused_calls')
      .values({ minute: at - (at % 60), user_id: 1, token_id: 1, code, group: 'default', model_name, count })
      .execute();

  test('begins when the last channel went off, ends when one serves, and is written once', async () => {
    const [first, second] = [await channel(['opus', 'haiku']), await channel(['opus'])];
    await watch();
    expect(await incidents()).toEqual([]);
    await setStatus(first, 3, SINCE - 500);
    await watch();
    // Haiku is lost, opus has another channel.
    expect((await incidents()).map(({ models, begun_at }) => [models, begun_at])).toEqual([
      [['haiku'], SINCE - 500],
    ]);
    await setStatus(second, 3, SINCE);
    await watch();
    await Promise.all([watch(), watch()]);
    const [newest] = await incidents();
    expect(newest).toMatchObject({ kind: 'measured', models: ['opus'], begun_at: SINCE, ended_at: 0 });
    expect(newest?.lines.map(({ source, at }) => [source, at])).toEqual([['measured', SINCE]]);
    expect(await incidents()).toHaveLength(2);
    expect(JSON.stringify(await incidents())).not.toContain('secret');

    await setStatus(second, 1);
    await watch(NOW + 60);
    await watch(NOW + 80);
    expect((await incidents()).map(({ ended_at }) => ended_at)).toEqual([NOW + 60, 0]);
    expect((await incidents())[0]?.lines).toHaveLength(2);
    // It goes off again soon: the same incident.
    await setStatus(second, 3, NOW + 300);
    await watch(NOW + 310);
    const again = await incidents();
    expect(again).toHaveLength(2);
    expect([again[0]?.ended_at, again[0]?.lines.length]).toEqual([0, 3]);
    await setStatus(second, 1);
    await watch(NOW + 400);
    // And after long another one.
    await setStatus(second, 3, NOW + 5000);
    await watch(NOW + 5010);
    expect(await incidents()).toHaveLength(3);
  });

  test('what an operator disabled or deleted is none, and a group without a channel is one in part', async () => {
    const off = await channel(['opus']);
    await setStatus(off, 2);
    await watch();
    expect(await incidents()).toEqual([]);
    const vip = await channel(['haiku'], ['vip']);
    await channel(['haiku'], ['default']);
    await setStatus(vip, 3);
    await watch();
    expect((await incidents())[0]?.title_en).toBe('haiku: unavailable in part');
    await store.db.updateTable('channels').set({ deleted_at: NOW }).where('id', '=', vip).execute();
    await watch(NOW + 30);
    expect((await incidents())[0]?.ended_at).toBe(NOW + 30);
  });

  test('refused calls of its models and time are counted, to the call', async () => {
    const id = await channel(['opus', 'haiku']);
    await channel(['other']);
    await setStatus(id, 3);
    await refuse('opus', SINCE - 3600, 1000);
    await refuse('opus', SINCE + 61, 3);
    await refuse('haiku', SINCE + 62, 4);
    await refuse('opus', SINCE + 5000, 7, 'channels_busy');
    await refuse('opus', NOW - 61, 11);
    await refuse('opus', SINCE + 63, 100, 'rate_limited');
    await refuse('other', SINCE + 63, 100);
    await sumPeriods(
      { store, now: () => NOW },
      refusedCalls(() => NOW),
    );
    await watch();
    expect((await incidents())[0]?.refused).toBe(3 + 4 + 7 + 11);
    await setStatus(id, 1);
    await watch();
    // What comes after it does not count; what was written late does.
    await refuse('opus', NOW + 600, 50);
    await refuse('haiku', NOW - 122, 2);
    await sumPeriods(
      { store, now: () => NOW + 300 },
      refusedCalls(() => NOW + 300),
    );
    await watch(NOW + 300);
    expect((await incidents())[0]?.refused).toBe(3 + 4 + 7 + 11 + 2);
  });

  test('a reader who does not know a model reads nothing of it', async () => {
    await setStatus(await channel(['hidden']), 3);
    await setStatus(await channel(['shown', 'hidden-too']), 3, SINCE + 1);
    await watch();
    const shown = await readIncidents(store.db, { most: 9, mayShow: (model) => model === 'shown' });
    expect(shown).toHaveLength(1);
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });
});

for (const database of databaseLabels) {
  describe(`${database}: what operators write`, () => {
    let app: TestApplication;
    let admin: Actor;
    let customer: Actor;
    beforeAll(async () => {
      app = await startApplication({ database });
      [admin, customer] = [await app.actor({ role: ROLE.admin }), await app.actor()];
    });
    afterAll(() => app.close());
    const body = (extra: object = {}) => ({
      title_zh: '维护',
      title_en: 'Maintenance',
      text_zh: '十分钟',
      text_en: '',
      models: ['gpt-4o'],
      begun_at: NOW - 600,
      ended_at: 0,
      ...extra,
    });

    test('one is written, continued, ended and deleted', async () => {
      const calls = app.client(admin).incidents;
      const made = await calls.create({ body: body() });
      expect(made).toMatchObject({
        kind: 'operator',
        title_en: 'Maintenance',
        models: ['gpt-4o'],
        ended_at: 0,
      });
      expect(made.lines).toMatchObject([
        { source: 'operator', text_zh: '十分钟', text_en: '', at: NOW - 600 },
      ]);
      const params = { id: made.id };
      const { based_on, ...changed } = {
        ...body({ title_en: 'Planned' }),
        based_on: { title_en: 'Maintenance' },
      };
      expect(await calls.change({ params, body: { ...changed, based_on } })).toMatchObject({
        title_en: 'Planned',
      });
      const stale = { ...changed, title_en: 'Mine', based_on };
      const conflict = await app.request(`/api/incidents/${made.id}`, {
        as: admin,
        method: 'PUT',
        body: stale,
      });
      expect(conflict.status).toBe(409);
      const more = await calls.addLine({ params, body: { text_zh: '', text_en: 'Done', is_over: true } });
      expect(more.ended_at).toBeGreaterThanOrEqual(NOW);
      expect(more.lines.map(({ text_en }) => text_en)).toEqual(['Done', '']);
      const less = await calls.removeLine({ params: { ...params, line: more.lines[0]?.id ?? 0 } });
      expect(less.lines).toHaveLength(1);
      await calls.remove({ params });
      expect((await calls.list()).map(({ id }) => id)).not.toContain(made.id);
    });

    test('what is blank, upside down or measured is refused, and so are customers', async () => {
      const post = (text: object, as = admin) => app.request('/api/incidents', { as, body: text });
      for (const wrong of [
        body({ title_zh: ' ', title_en: '' }),
        body({ text_zh: '' }),
        body({ ended_at: NOW - 601 }),
        body({ begun_at: 0 }),
      ])
        expect((await post(wrong)).body.success).toBe(false);
      expect((await post(body(), customer)).status).toBe(403);
      const { id } = await app.store.db
        .insertInto('incidents')
        .values({ kind: 'measured', models: '["opus"]', begun_at: NOW, fact: 'test' })
        .returning('id')
        .executeTakeFirstOrThrow();
      const path = `/api/incidents/${id}`;
      expect((await app.request(path, { as: admin, method: 'DELETE' })).body.success).toBe(false);
      expect((await app.request(path, { as: admin, method: 'PUT', body: body() })).body.success).toBe(false);
      const over = await app.request(`${path}/lines`, { as: admin, body: { text_en: 'x', is_over: true } });
      expect(over.body.success).toBe(false);
      const line = await app.request(`${path}/lines`, { as: admin, body: { text_en: 'We know.' } });
      expect((line.body.data as Incident).lines).toMatchObject([{ source: 'operator', text_en: 'We know.' }]);
      expect((await app.request('/api/incidents/999999', { as: admin, method: 'DELETE' })).status).toBe(404);
    });
  });
}
