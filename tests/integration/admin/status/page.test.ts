// The status page as visitors, feed readers and programs get it: figures, minimums, incidents, and nothing that is private.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { refusedCalls } from '#server/admin/measured/index.ts';
import { watchIncidents } from '#server/admin/status/index.ts';
import { sumPeriods } from '#server/money/sums/engine.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

const HOUR = 3600;
const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1000);
const hourOf = (at: number) => at - (at % HOUR);

interface StatusJson {
  summary: { zh: string; en: string };
  last_five_minutes: { calls: number; failed: number; answered: number | null };
  models: {
    name: string;
    state: string;
    calls: number;
    failed: number;
    answered: number | null;
    days: { day: string; calls: number; failed: number; answered: number | null }[];
  }[];
  gateway: { calls: number; failed: number };
  incidents: { title: { en: string }; models: string[]; refused_calls: number; ended_at: number | null }[];
  top_up_seconds: unknown;
}

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    const cell = (
      model_name: string,
      start: number,
      [answered, failed = 0, refused = 0]: readonly number[],
      seconds = HOUR,
    ) =>
      app.store.db
        .insertInto('measured_cells')
        .values({ seconds, start, model_name, answered: answered ?? 0, failed, refused })
        .execute();
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${app.url}${path}`, { headers });
    const html = async (path: string) => await (await get(path)).text();

    beforeAll(async () => {
      app = await startApplication({
        database,
        settings: {
          ModelRatio: '{"gpt-4o":1,"gpt-4o-mini":1,"hidden-model":1}',
          SystemName: 'Paper Lantern',
        },
      });
      const { store } = app;
      const open = { base_url: 'http://127.0.0.1:9', name: 'secret-channel' };
      await addChannel(store, { ...open, models: ['gpt-4o'] });
      const lost = await addChannel(store, { ...open, models: ['gpt-4o-mini'] });
      await addChannel(store, { ...open, models: ['hidden-model'], groups: ['secret-group'] });
      // Of a model that an operator withdrew, nothing is said.
      const off = await addChannel(store, { ...open, models: ['withdrawn-model'] });
      await store.db.updateTable('channels').set({ status: 2 }).where('id', '=', off).execute();
      await store.db
        .updateTable('channels')
        .set({
          status: 3,
          other_info: JSON.stringify({ status_time: NOW - 1800, status_reason: 'secret words' }),
        })
        .where('id', '=', lost)
        .execute();
      await cell('gpt-4o', hourOf(NOW), [199, 0]);
      await cell('gpt-4o', hourOf(NOW - 3 * DAY), [30, 20]);
      await cell('gpt-4o', hourOf(NOW - 5 * DAY), [49, 0]);
      await cell('gpt-4o', hourOf(NOW - 95 * DAY), [1000, 1000]);
      await cell('hidden-model', hourOf(NOW), [700, 7]);
      await cell('', hourOf(NOW), [0, 0, 5]);
      await cell('gpt-4o', NOW - (NOW % 60) - 60, [19, 1], 60);
      await store.db
        .insertInto('refused_calls')
        .values({
          minute: NOW - (NOW % 60) - 1200,
          user_id: 1,
          token_id: 1,
          code: 'no_channel',
          group: 'default',
          model_name: 'gpt-4o-mini',
          count: 41,
        })
        .execute();
      await sumPeriods({ store }, refusedCalls());
      await watchIncidents({ store });
      const admin = await app.actor({ role: ROLE.admin });
      await app.client(admin).incidents.create({
        body: {
          title_zh: '维护 <b>',
          title_en: 'Maintenance <b>',
          text_zh: '',
          text_en: 'Ten minutes & more',
          models: [],
          begun_at: NOW - 2 * DAY,
          ended_at: NOW - 2 * DAY + 600,
        },
      });
      await app.client(admin).incidents.create({
        body: {
          title_zh: '',
          title_en: 'Only about a hidden one',
          text_zh: '',
          text_en: 'x',
          models: ['hidden-model'],
          begun_at: NOW - DAY,
          ended_at: NOW - DAY + 60,
        },
      });
    });
    afterAll(() => app.close());

    test('the JSON has every figure to the call, and null below its minimum', async () => {
      const status = (await (await get('/status.json')).json()) as StatusJson;
      expect(status.models.map(({ name, state }) => [name, state])).toEqual([
        ['gpt-4o', 'working'],
        ['gpt-4o-mini', 'off'],
      ]);
      expect(status.summary.en).toBe('gpt-4o-mini is off, the other one works');
      const [whole, mini] = status.models;
      expect(whole).toMatchObject({ calls: 298, failed: 20, answered: 278 / 298 });
      expect(mini).toMatchObject({ calls: 41, failed: 41, answered: null });
      expect(whole?.days).toHaveLength(90);
      const said = whole?.days
        .filter(({ calls }) => calls > 0)
        .map(({ calls, answered }) => [calls, answered]);
      expect(said).toEqual([
        [49, null],
        [50, 0.6],
        [199, 1],
      ]);
      expect(status.last_five_minutes).toEqual({ calls: 20, failed: 1, answered: 0.95 });
      // What the gateway refused itself, of all calls that came.
      expect(status.gateway).toMatchObject({ calls: 298 + 41 + 5, failed: 5 });
      expect(status.incidents).toMatchObject([
        {
          title: { en: 'gpt-4o-mini: unavailable' },
          models: ['gpt-4o-mini'],
          refused_calls: 41,
          ended_at: null,
        },
        { title: { en: 'Maintenance <b>' }, models: [], refused_calls: 0 },
      ]);
      expect(status.top_up_seconds).toBeNull();
    });

    test('the page says it in both languages, in the name of the site, without a script', async () => {
      const [zh, en] = [await html('/status?lang=zh'), await html('/status?lang=en')];
      for (const text of [
        'Paper Lantern',
        'gpt-4o-mini 暂不可用',
        '41 次请求被拒绝，均未扣费',
        '系统测得',
        '维护 &lt;b&gt;',
      ])
        expect(zh).toContain(text);
      for (const text of [
        'gpt-4o-mini is off',
        '41 calls were refused, none was charged',
        'measured',
        'Ten minutes &amp; more',
      ])
        expect(en).toContain(text);
      expect(zh).toContain('Ten minutes &amp; more');
      expect(en).toContain('95.00');
      expect(en).not.toContain('<b>Maintenance');
    });

    test('the feed is Atom with one entry for each incident', async () => {
      const response = await get('/status.atom?lang=en');
      expect(response.headers.get('content-type')).toContain('application/atom+xml');
      const feed = await response.text();
      expect(feed.match(/<entry>/g)).toHaveLength(2);
      expect(feed).toContain('<title>Maintenance &lt;b&gt;</title>');
      expect(feed).toContain('#incident-');
      expect(feed).not.toMatch(
        /<(?!\/?(?:\?xml|feed|id|title|subtitle|link|updated|published|author|name|entry|content))/,
      );
    });

    test('no channel, no reason, no group and no hidden model is in any of them', async () => {
      for (const path of ['/status?lang=zh', '/status?lang=en', '/status.atom', '/status.json']) {
        const text = await html(path);
        expect(text).not.toMatch(/secret|hidden-model|hidden one|withdrawn/i);
      }
    });

    test('four hundred models stay a small page', async () => {
      const models = Array.from({ length: 400 }, (_, at) => `gpt-4o-test-${at}`);
      const ratio = JSON.stringify(Object.fromEntries(models.map((model) => [model, 1])));
      const root = await app.actor({ role: ROLE.root });
      await app.request('/api/option/', {
        as: root,
        method: 'PUT',
        body: { key: 'ModelRatio', value: ratio },
      });
      await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models });
      let page = '';
      for (let tries = 0; !page.includes('gpt-4o-test-399') && tries < 100; tries += 1) {
        page = await html('/status?lang=en');
        if (!page.includes('gpt-4o-test-399')) await Bun.sleep(200);
      }
      expect(page).toContain('gpt-4o-test-399');
      expect(page.length).toBeLessThan(600_000);
    });

    test('switched off, the addresses are the console’s', async () => {
      await app.settings.set('PublicStatusEnabled', 'false', 0);
      for (const path of ['/status', '/status.atom', '/status.json']) {
        const text = await html(path);
        expect(text).not.toContain('gpt-4o');
      }
      expect(await html('/sitemap.xml')).not.toContain('/status');
      await app.settings.set('PublicStatusEnabled', 'true', 0);
      expect(await html('/sitemap.xml')).toContain('/status');
    });
  });
}
