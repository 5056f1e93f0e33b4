// The public price list through the real server, on both databases: who sees which models and groups, at which price.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { pricePerMillion, type PricingEntry } from '#contract/money/pricing.ts';
import { virtualModelFields } from '#contract/relay/virtual-models.ts';
import type { z } from 'zod';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

// Two databases are started; that is slow on a busy machine.
setDefaultTimeout(60_000);

const UPSTREAM = 'http://127.0.0.1:9';

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let closed: number;
    beforeAll(async () => {
      app = await startApplication({
        database,
        settings: {
          GroupRatio: '{"default":1,"vip":0.9,"staff":0.5}',
          ModelPrice: '{"house-drawing":0.04}',
          ModelRatio: '{"house-chat":1.5}',
          CompletionRatio: '{"house-chat":4}',
        },
      });
      // A group without a ratio, as an earlier version could store it.
      const value = '{"default":"Standard","vip":"Fast lines","ghost":"no ratio"}';
      await app.store.db
        .insertInto('options')
        .values({ key: 'UserUsableGroups', value, updated_at: 1 })
        .execute();
      await app.settings.reload();
      await addChannel(app.store, {
        base_url: UPSTREAM,
        models: ['gpt-4o-mini', 'house-chat', 'house-drawing', 'never-priced'],
        groups: ['default', 'vip', 'ghost'],
      });
      await addChannel(app.store, {
        base_url: UPSTREAM,
        models: ['claude-vip-only', 'gpt-4o'],
        groups: ['vip'],
      });
      await addChannel(app.store, {
        base_url: UPSTREAM,
        models: ['gpt-4o-mini', 'gpt-5.4'],
        groups: ['staff'],
      });
      closed = await addChannel(app.store, { base_url: UPSTREAM, models: ['gpt-5'], fields: { status: 2 } });
    });
    afterAll(() => app.close());

    test('REL-7.71 REL-2.119 REL-3.127 REL-3.128 REL-3.129 REL-3.130 REL-3.131 REL-3.132 REL-3.133 REL-3.134 a visitor reads names, ratios, prices and groups', async () => {
      const reply = await app.request('/api/pricing');
      expect(reply.status).toBe(200);
      expect(reply.body.success).toBe(true);
      expect(reply.body['group_ratio']).toEqual({ default: 1, vip: 0.9 });
      expect(reply.body['usable_group']).toEqual({ default: 'Standard', vip: 'Fast lines' });
      const data = reply.body.data as PricingEntry[];
      expect(data.find((entry) => entry.model_name === 'house-chat')).toEqual({
        model_name: 'house-chat',
        quota_type: 0,
        model_ratio: 1.5,
        completion_ratio: 4,
        cache_ratio: 1,
        model_price: 0,
        price_unit: 'call',
        resolution_prices: {},
        enable_groups: ['default', 'vip'],
        owner_by: '',
        kind: '',
        context: 0,
        endpoints: ['/v1/chat/completions', '/v1/responses'],
        list_position: -1,
      });
    });

    test('gpt is first, then by name; models that cannot be called are not listed', async () => {
      const { data } = await app.client().pricing.list();
      expect(data.map((entry) => entry.model_name)).toEqual([
        'gpt-4o',
        'gpt-4o-mini',
        'house-chat',
        'house-drawing',
      ]);
    });

    test('REL-9.44 REL-9.45 a fixed price is billing type 1 and has no ratios; the rest is 0', async () => {
      const { data } = await app.client().pricing.list();
      const drawing = data.find((entry) => entry.model_name === 'house-drawing');
      expect(data.filter((entry) => entry.quota_type === 1)).toEqual(drawing ? [drawing] : []);
      expect(drawing).toMatchObject({
        quota_type: 1,
        model_price: 0.04,
        model_ratio: 0,
        completion_ratio: 0,
      });
    });

    test('the built-in list has maker, kind and price', async () => {
      const { data, group_ratio } = await app.client().pricing.list();
      const mini = data.find((entry) => entry.model_name === 'gpt-4o-mini');
      expect(mini).toMatchObject({ owner_by: 'OpenAI', kind: 'chat', context: 128_000 });
      if (!mini) throw new Error('gpt-4o-mini is not listed');
      expect(pricePerMillion(mini, group_ratio['default'] ?? 0)).toEqual({
        input: 0.15,
        cached: 0.075,
        output: 0.6,
      });
    });

    test('a group that is not offered is shown to its members only', async () => {
      const staff = await app.actor({ group: 'staff' });
      const own = await app.client(staff).pricing.list();
      expect(own.group_ratio).toEqual({ staff: 0.5, default: 1, vip: 0.9 });
      expect(own.usable_group['staff']).toBe('user group');
      expect(own.data.find((entry) => entry.model_name === 'gpt-5.4')?.enable_groups).toEqual(['staff']);
      const stranger = await app.client(await app.actor()).pricing.list();
      expect(JSON.stringify(stranger)).not.toContain('staff');
    });

    test('an enabled channel adds its models at once', async () => {
      await app.store.db.updateTable('channels').set({ status: 1 }).where('id', '=', closed).execute();
      await app.store.changes.announce('channels');
      const { data } = await app.client().pricing.list();
      expect(data.map((entry) => entry.model_name)).toContain('gpt-5');
    });

    test('a virtual model is listed with the models among which it chooses, and never cheaper than it may cost', async () => {
      const save = (name: string, fields: Omit<z.input<typeof virtualModelFields>, 'name'>) =>
        app.client(admin).virtualModels.create({ body: virtualModelFields.parse({ name, ...fields }) });
      const admin = await app.actor({ role: ROLE.admin });
      const to = (...models: string[]) => ({ targets: models.map((model) => ({ model })) });
      await save('fast', to('gpt-4o-mini', 'house-chat'));
      await save('vip-fast', to('gpt-4o'));
      await save('staff-fast', to('gpt-5.4'));
      await save('mixed', to('gpt-5.4', 'gpt-4o-mini'));
      await save('off', { ...to('gpt-4o-mini'), enabled: false });
      await save('house-drawing', { ...to('gpt-4o-mini'), replaces_model: true });
      await app.settings.set('ModelRatio', '{"house-chat":1.5,"flat":3}', 0);
      await save('flat', { ...to('gpt-4o-mini'), price: 'own' });
      const { data } = await app.client().pricing.list();
      const find = (name: string) => data.find((entry) => entry.model_name === name);
      const dearest = find('house-chat');
      expect(find('fast')).toMatchObject({
        model_ratio: dearest?.model_ratio,
        completion_ratio: dearest?.completion_ratio,
        enable_groups: ['default', 'vip'],
        virtual: { basis: 'answered', targets: ['gpt-4o-mini', 'house-chat'] },
      });
      expect(find('mixed')).toMatchObject({
        model_ratio: find('gpt-4o-mini')?.model_ratio,
        virtual: { targets: ['gpt-4o-mini'] },
      });
      expect(find('vip-fast')).toMatchObject({ enable_groups: ['vip'] });
      expect(find('flat')).toMatchObject({ model_ratio: 3, virtual: { basis: 'own' } });
      expect(find('house-drawing')?.virtual?.targets).toEqual(['gpt-4o-mini']);
      for (const hidden of ['staff-fast', 'off']) expect(find(hidden)).toBeUndefined();
      // The catalogue of the public pages counts the same names.
      const page = await fetch(`${app.url}/models?lang=en`, { headers: { Accept: 'text/html' } });
      const rows = (await page.text()).match(/<tr data-text.*?<\/tr>/gs) ?? [];
      const named = rows.map((row) => row.match(/\/models\/([^"?]+)/)?.[1] ?? '');
      expect(named.toSorted()).toEqual(data.map(({ model_name }) => model_name).toSorted());
    });
  });
}
