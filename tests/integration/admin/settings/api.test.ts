// The options over HTTP: who may read them, how secrets are answered, one save for each option, history and rollback, on
// both databases.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { SECRET_MARK } from '#contract/options.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import { checkTrail } from '#server/admin/http/audit-check.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

const secretKeys = SETTING_KEYS.filter((key) => settingOf(key).kind === 'secret');

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    beforeAll(async () => {
      app = await startApplication({ database });
      root = await app.actor({ role: ROLE.root });
    }, 60_000);
    afterAll(() => app.close());

    const options = () => app.client(root).options;
    const save = (key: string, value: unknown, language: 'zh' | 'en' = 'en') =>
      app.request('/api/option/', { method: 'PUT', as: root, body: { key, value }, language });
    const valueOf = async (key: string) =>
      (await options().list()).data.find((entry) => entry.key === key)?.value;

    test('ACC-7.50 ACC-3.034 the list is key and value of every option but the secrets', async () => {
      const { data } = await options().list();
      expect(data.map(({ key }) => key).toSorted()).toEqual(
        SETTING_KEYS.filter((key) => !secretKeys.includes(key)).toSorted(),
      );
      for (const entry of data) expect(Object.keys(entry).toSorted()).toEqual(['key', 'value']);
      expect(await valueOf('Price')).toBe('7.3');
      expect(await valueOf('PasswordLoginEnabled')).toBe('true');
    });

    test('ACC-1.16 ACC-1.17 ACC-1.18 ACC-6.11 ACC-6.12 ACC-6.13 ACC-6.17 only a super admin reads and saves options', async () => {
      for (const role of [ROLE.user, ROLE.admin]) {
        const as = await app.actor({ role });
        for (const [method, path, body] of [
          ['GET', '/api/option/', undefined],
          ['GET', '/api/option/history', undefined],
          ['PUT', '/api/option/', { key: 'Notice', value: 'x' }],
          ['POST', '/api/option/rest_model_ratio', {}],
        ] as const) {
          const reply = await app.request(path, { method, as, ...(body ? { body } : {}) });
          expect([role, path, reply.status]).toEqual([role, path, 403]);
        }
      }
      expect(app.settings.current.Notice).toBe('');
      expect((await save('Notice', 'hello')).body.success).toBe(true);
      expect(app.settings.current.Notice).toBe('hello');
    });

    test('ACC-7.51 one call saves one option, with a value of any JSON type', async () => {
      expect((await save('RetryTimes', 2)).body.success).toBe(true);
      expect((await save('DemoSiteEnabled', true)).body.success).toBe(true);
      expect((await save('SystemName', 'Gate')).body.success).toBe(true);
      const { RetryTimes, DemoSiteEnabled, SystemName } = app.settings.current;
      expect([RetryTimes, DemoSiteEnabled, SystemName]).toEqual([2, true, 'Gate']);
      expect((await save('DemoSiteEnabled', 'false')).body.success).toBe(true);
      expect(app.settings.current.DemoSiteEnabled).toBe(false);
    });

    test('ACC-6.14 a super admin sets the top-up link', async () => {
      await options().save({ body: { key: 'TopUpLink', value: 'https://shop.example' } });
      expect((await app.client().site.status()).top_up_link).toBe('https://shop.example');
    });

    test('no answer, history, audit row or log line holds a secret', async () => {
      const secrets: string[] = [];
      for (const key of secretKeys) {
        const text = `planted-${key}-${'x'.repeat(8)}`;
        secrets.push(text);
        expect((await save(key, text)).body.success).toBe(true);
      }
      const answers = [
        await app.request('/api/option/', { as: root }),
        await app.request('/api/option/registry', { as: root }),
        await app.request('/api/option/history?page_size=100', { as: root }),
        await app.request('/api/status'),
      ];
      const audit = await app.store.db.selectFrom('audit').selectAll().execute();
      const rows = await app.store.db.selectFrom('options').selectAll().execute();
      const seen = JSON.stringify([answers, audit, rows]) + app.logged.join('\n');
      for (const text of secrets) expect(seen).not.toContain(text);
      const { secrets: configured } = await options().list();
      expect(configured).toEqual(Object.fromEntries(secretKeys.map((key) => [key, true])));
      const { items } = await options().history({ query: { key: 'SMTPToken' } });
      expect(items[0]).toMatchObject({ old_value: '', new_value: SECRET_MARK, can_roll_back: false });
      const refused = await app.request(`/api/option/history/${items[0]?.id}/rollback`, {
        as: root,
        body: {},
      });
      expect(refused.body.code).toBe('setting_cannot_roll_back');
      await options().reset({ body: { key: 'SMTPToken' } });
      expect((await options().list()).secrets['SMTPToken']).toBe(false);
    });

    test('ACC-7.52 the model ratios are reset under the path that clients use', async () => {
      await save('ModelRatio', '{"gpt-4o":9}');
      await save('CompletionRatio', '{"gpt-4o":3}');
      const reply = await app.request('/api/option/rest_model_ratio', { method: 'POST', as: root });
      expect(reply.body.success).toBe(true);
      expect(app.settings.current.ModelRatio).toEqual({});
      expect(app.settings.current.CompletionRatio).toEqual({ 'gpt-4o': 3 });
      await options().reset({ body: { key: 'CompletionRatio' } });
    });

    test('every change is in the history with its author, and can be rolled back', async () => {
      await save('Footer', 'first');
      await save('Footer', 'second');
      await save('Footer', 'second');
      const { items, total } = await options().history({ query: { key: 'Footer' } });
      expect(total).toBe(2);
      expect(items.map(({ old_value, new_value }) => [old_value, new_value])).toEqual([
        ['first', 'second'],
        ['', 'first'],
      ]);
      expect(items[0]).toMatchObject({ actor_id: root.id, actor_name: root.username, can_roll_back: true });
      const back = await options().rollback({ params: { id: items[0]?.id ?? 0 } });
      expect(back).toEqual({ key: 'Footer', value: 'first' });
      expect(app.settings.current.Footer).toBe('first');
      const after = await options().history({ query: { key: 'Footer', page_size: 1 } });
      expect([after.total, after.items[0]?.new_value]).toEqual([3, 'first']);
      expect((await app.request('/api/option/history/999999/rollback', { as: root, body: {} })).status).toBe(
        404,
      );
    });

    test('a rollback of the first change of an option restores its default', async () => {
      await save('DataExportInterval', 30);
      const { items } = await options().history({ query: { key: 'DataExportInterval' } });
      expect(items[0]).toMatchObject({ old_value: '5', new_value: '30' });
      await options().rollback({ params: { id: items[0]?.id ?? 0 } });
      expect(app.settings.current.DataExportInterval).toBe(5);
    });

    test('a rollback is validated like any other change', async () => {
      await save('TurnstileSiteKey', 'site');
      await save('TurnstileSecretKey', 'the-turnstile-secret');
      await save('TurnstileCheckEnabled', true);
      await save('TurnstileCheckEnabled', false);
      await options().reset({ body: { key: 'TurnstileSecretKey' } });
      const { items } = await options().history({ query: { key: 'TurnstileCheckEnabled' } });
      const reply = await app.request(`/api/option/history/${items[0]?.id}/rollback`, { as: root, body: {} });
      expect(reply.body.code).toBe('setting_needs_configuration');
      expect(app.settings.current.TurnstileCheckEnabled).toBe(false);
    });

    test('each change is audited, and the chain is intact', async () => {
      await save('About', 'about us');
      const row = await app.store.db
        .selectFrom('audit')
        .selectAll()
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      expect([row.action, row.target, row.before, row.after]).toEqual([
        'option.save',
        'option:About',
        '{"value":""}',
        '{"value":"about us"}',
      ]);
      expect(await checkTrail(app.store)).toMatchObject({ fault: null });
    });

    test('A13 options that affect money, mail or sign-in need a step-up', async () => {
      const stale = await app.actor({ role: ROLE.root });
      const sessions = await app.store.db
        .updateTable('sessions')
        .set({ verified_at: Math.floor(Date.now() / 1000) - 301 })
        .where('user_id', '=', stale.id)
        .returning('id_digest')
        .execute();
      for (const { id_digest } of sessions) await app.store.changes.announce('sessions', id_digest);
      for (const [key, value, isRefused] of [
        ['SMTPToken', 'another-password', true],
        ['EpayId', '1', true],
        ['WeChatServerAddress', 'https://wechat.example', true],
        ['PasswordLoginEnabled', 'false', true],
        ['Notice', 'fine', false],
      ] as const) {
        const reply = await app.request('/api/option/', { method: 'PUT', as: stale, body: { key, value } });
        expect([key, reply.body.code]).toEqual([key, isRefused ? 'step_up_required' : undefined]);
      }
      expect(app.settings.current.PasswordLoginEnabled).toBe(true);
    }, 20_000);

    test('S11 content is sanitised on every way of saving, and the answer names the removed parts', async () => {
      const source = '# Hi\n\n<img src="/a.png" onerror="x()"> `<script>` <script>x()</script>';
      const clean = '# Hi\n\n<img src="/a.png" /> `<script>` ';
      for (const key of ['Notice', 'HomePageContent', 'About']) {
        const reply = await save(key, source);
        expect(reply.body.data).toEqual({ removed: ['<img onerror>', '<script>'] });
        expect(await valueOf(key)).toBe(clean);
      }
      expect((await app.request('/api/notice')).body.data).toBe(clean);
      expect((await save('Footer', '<b onclick=x()>c</b>')).body.data).toEqual({ removed: ['<b onclick>'] });
      expect(await valueOf('Footer')).toBe('<b>c</b>');
      // No removed parts are named for a harmless text, or for a page in a frame.
      expect((await save('Footer', '<b>c</b> & <a href="/about">x</a>')).body.data).toBeNull();
      const page = '<!doctype html><script>x()</script>';
      expect((await save('HomePageContent', page)).body.data).toBeNull();
      expect(await valueOf('HomePageContent')).toBe(page);
      // A text stored before the rule existed is sanitised by a rollback.
      await app.store.db
        .updateTable('option_history')
        .set({ old_value: '<b onclick=x()>old</b>' })
        .where('key', '=', 'Footer')
        .execute();
      const change = (await options().history({ query: { key: 'Footer', p: 1 } })).items[0];
      expect(await options().rollback({ params: { id: change?.id ?? 0 } })).toEqual({
        key: 'Footer',
        value: '<b>old</b>',
      });
      for (const key of ['Notice', 'HomePageContent', 'About', 'Footer']) await save(key, '');
    });

    test('O10 A26: refusals name the option in the language of the caller, with a reason in words', async () => {
      for (const [key, value, zh, en] of [
        [
          'TopupGroupRatio',
          '{',
          '“充值分组倍率”不是合法的 JSON 字符串',
          'Top-up group ratios is not valid JSON',
        ],
        ['GroupRatio', 'x', '“分组倍率”不是合法的 JSON 字符串', 'Group ratios is not valid JSON'],
        [
          'LinuxDOOAuthEnabled',
          true,
          '“允许通过 LinuxDO 账户登录与注册”还不能开启，请先填写“LinuxDO Client ID”',
          '“Allow sign-in and registration with LinuxDO” cannot be turned on yet. Fill in “LinuxDO client ID” first.',
        ],
        ['NoSuchOption', 'x', '未知的设置项：NoSuchOption', 'Unknown setting: NoSuchOption'],
      ] as const) {
        const refusal = { zh: (await save(key, value, 'zh')).body, en: (await save(key, value, 'en')).body };
        expect([refusal.zh.success, refusal.zh.message, refusal.en.message]).toEqual([false, zh, en]);
      }
      const range = await save('DataExportInterval', 0, 'zh');
      expect(range.body.message).toBe('“数据看板更新间隔（分钟）”的值无效：不能小于 1');
    });

    test('A7: a group with users, the group default and an unknown group are refused; a removed group is no longer offered', async () => {
      const member = await app.createUser({ group: 'vip' });
      const refusal = async (key: string, value: unknown) => {
        const { code, field, message } = (await save(key, JSON.stringify(value), 'en')).body as Record<
          string,
          unknown
        >;
        return [code, field, message];
      };
      expect(await refusal('GroupRatio', { default: 1, svip: 1 })).toEqual([
        'group_in_use',
        'GroupRatio',
        'The group vip still has users (1). Move them to another group first.',
      ]);
      expect((await refusal('GroupRatio', { vip: 1, svip: 1 }))[0]).toBe('group_required');
      expect((await refusal('UserUsableGroups', { default: 'd', nowhere: 'n' }))[0]).toBe('group_unknown');
      const use = await options().groupUse();
      expect(use.find(({ group }) => group === 'vip')).toMatchObject({ users: 1, tokens: 0 });
      await app.store.db.updateTable('users').set({ group: 'default' }).where('id', '=', member.id).execute();
      expect((await save('GroupRatio', '{"default":1}')).body.success).toBe(true);
      expect(Object.keys(app.settings.current.UserUsableGroups)).toEqual(['default']);
      await options().reset({ body: { key: 'GroupRatio' } });
      await options().reset({ body: { key: 'UserUsableGroups' } });
    });

    test('A10: a price of nothing is refused', async () => {
      for (const key of ['Price', 'StripePrice'])
        expect((await save(key, '0', 'en')).body).toMatchObject({
          success: false,
          code: 'invalid_setting',
          field: key,
        });
    });

    test('ACC-7.48 the list of group names is that of the group ratios', async () => {
      const groups = async () => (await app.request('/api/group/', { as: root })).body.data;
      expect(await groups()).toEqual(['default', 'vip', 'svip']);
      await save('GroupRatio', '{"default":1,"team":2}');
      expect(await groups()).toEqual(['default', 'team']);
      await options().reset({ body: { key: 'GroupRatio' } });
    });

    test('ACC-7.53 ACC-7.54 the log cleanup takes unix seconds and answers how many rows were deleted', async () => {
      const rows = [100, 200, 300].map((created_at) => ({ user_id: root.id, created_at, type: 4 as const }));
      await app.store.db.insertInto('logs').values(rows).execute();
      const cleanup = (query: string) => app.request(`/api/log/${query}`, { method: 'DELETE', as: root });
      expect((await cleanup('?target_timestamp=300')).body.data).toBe(2);
      expect((await cleanup('?target_timestamp=300')).body.data).toBe(0);
      expect((await cleanup('')).body.code).toBe('log_cleanup_time_required');
      const left = await app.store.db
        .selectFrom('logs')
        .select('created_at')
        .where('created_at', '<=', 300)
        .execute();
      expect(left.map(({ created_at }) => created_at)).toEqual([300]);
    });

    test('the registry describes every option for the form', async () => {
      const fields = await options().registry();
      expect(fields.map(({ key }) => key)).toEqual(SETTING_KEYS);
      const byKey = new Map(fields.map((field) => [field.key, field]));
      expect(byKey.get('DataExportInterval')).toMatchObject({
        kind: 'integer',
        min: 1,
        max: 1440,
        fallback: '5',
      });
      expect(byKey.get('DataExportDefaultTime')?.choices).toEqual(['hour', 'day', 'week']);
      expect(byKey.get('GitHubOAuthEnabled')?.needs).toEqual(['GitHubClientId', 'GitHubClientSecret']);
      expect(byKey.get('EpayId')?.needs).toEqual(['ServerAddress']);
    });

    test('the models of the ratio sheet: all offered or priced ones, with the list price and the last 30 days', async () => {
      await app.store.db
        .insertInto('usage_hours')
        .values({
          hour: Math.floor(Date.now() / 3_600_000) * 3600,
          user_id: root.id,
          token_id: 1,
          channel_id: 1,
          model_name: 'gpt-4o',
          count: 3,
          quota: 900,
          prompt_tokens: 100,
          completion_tokens: 50,
        })
        .execute();
      await save('ModelRatio', '{"gpt-4o":2,"house-model":1}');
      await save('CompletionRatio', '{"nobody-prices-this":2}');
      const models = new Map((await options().models()).map((model) => [model.model, model]));
      expect(models.get('gpt-4o')).toMatchObject({
        vendor: 'OpenAI',
        offered: false,
        unpriced: false,
        list_ratio: 1.25,
        list_completion_ratio: 4,
        recent_calls: 3,
        recent_prompt_tokens: 100,
        recent_completion_tokens: 50,
        recent_quota: 900,
      });
      expect(models.get('house-model')).toMatchObject({ vendor: '', unpriced: false });
      expect(models.get('house-model')?.list_ratio).toBeUndefined();
      expect(models.get('nobody-prices-this')?.unpriced).toBe(true);
    });
  });
}
