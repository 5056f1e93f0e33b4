// Stored facts are read as sentences in the reader's language: log rows, their export, a user's suspension and tasks, on both
// databases. Rows that earlier versions wrote as sentences stay readable.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

const HAN = /[\u4e00-\u9fff]/;
const DAY = 1_700_000_000;

for (const database of databaseLabels) {
  describe(database, () => {
    let app: TestApplication;
    let user: Actor;
    let admin: Actor;

    beforeAll(async () => {
      app = await startApplication({ database });
      user = await app.actor();
      admin = await app.actor({ role: ROLE.admin });
    });
    afterAll(() => app.close());

    const rows = async (
      as: Actor,
      language: 'zh' | 'en',
      query: string,
    ): Promise<{ content: string; code: string }[]> => {
      const whose = as === admin ? '' : 'self/';
      const { body } = await app.request(`/api/log/${whose}?page_size=50&${query}`, { as, language });
      return (body.data as { items: { content: string; code: string }[] }).items;
    };
    const contents = async (as: Actor, language: 'zh' | 'en', query: string) =>
      (await rows(as, language, query)).map(({ content }) => content);
    const insert = (columns: Record<string, string | number>) =>
      app.store.db
        .insertInto('logs')
        .values({
          created_at: DAY,
          user_id: user.id,
          username: user.username,
          type: 3,
          quota: 0,
          other: '',
          ...columns,
        })
        .execute();
    const exported = async (as: Actor, language: 'zh' | 'en', query: string) => {
      const whose = as === admin ? '' : 'self/';
      const path = `/api/log/${whose}export?format=csv&${query}`;
      const headers = { Cookie: as.cookie, 'New-Api-User': String(as.id), 'Accept-Language': language };
      return await (await fetch(app.url + path, { headers })).text();
    };

    test('a correction of a balance is read in one language and as money, in list and export (O46)', async () => {
      for (const [quota_change, quota_reason] of [
        [750_000, 'goodwill'],
        [-1, ''],
      ] as const) {
        const { body } = await app.request('/api/user/', {
          as: admin,
          method: 'PUT',
          body: { id: user.id, quota_change, quota_reason },
        });
        expect(body.success).toBe(true);
      }
      expect(await contents(user, 'zh', 'type=3')).toEqual([
        '管理员减少额度：$0.000002',
        '管理员增加额度：$1.50（goodwill）',
      ]);
      const english = [
        'Quota taken by an administrator: $0.000002',
        'Quota added by an administrator: $1.50 (goodwill)',
      ];
      expect(await contents(user, 'en', 'type=3')).toEqual(english);
      expect((await rows(admin, 'en', 'type=3')).map(({ code }) => code)).toEqual([
        'quotaTaken',
        'quotaAdded',
      ]);
      for (const as of [user, admin]) {
        const file = await exported(as, 'en', 'type=3');
        for (const sentence of english) expect(file).toContain(sentence);
        expect(file).not.toMatch(HAN);
        expect(await exported(as, 'zh', 'type=3')).toContain('管理员增加额度：$1.50（goodwill）');
      }
    });

    test('a failed call is explained in the language of its reader, and its code stays for programs (O46)', async () => {
      const stored = [
        'network',
        'status 400 invalid_request',
        'timeout',
        'stream broken',
        'status 401 invalid_api_key',
      ];
      for (const [index, content] of stored.entries())
        await insert({ type: 5, content, created_at: DAY - index, other: '{}' });
      const query = `type=5&start_timestamp=${DAY - 100}&end_timestamp=${DAY}`;
      expect(await contents(user, 'zh', query)).toEqual([
        '与上游的连接失败',
        '上游返回状态码 400（invalid_request）',
        '上游没有及时响应',
        '上游中断了流式响应',
        '上游服务异常',
      ]);
      expect((await contents(user, 'en', query)).join()).not.toMatch(HAN);
      expect((await rows(admin, 'zh', query)).map(({ code }) => code)).toEqual(stored);
      // The operator's key is no matter of the user.
      expect((await rows(user, 'zh', query)).at(-1)?.code).toBe('upstream_failed');
    });

    test('rows of earlier versions stay readable, in one language where the row is known (O46)', async () => {
      const old = [
        '管理员增加额度 / quota added by an administrator: 500000 (gift)',
        '邀请额度划转到余额 / invite earnings moved to the balance: 250000',
        'A note / of another console, 500',
        '{"fact":"of_a_newer_version","quota":1}',
      ];
      const from = DAY - 10_000;
      for (const [index, content] of old.entries()) await insert({ content, created_at: from - index });
      const query = `type=3&start_timestamp=${from - 100}&end_timestamp=${from}`;
      expect(await contents(user, 'zh', query)).toEqual([
        '管理员增加额度：$1.00（gift）',
        '邀请额度划转到余额：$0.50',
        ...old.slice(2),
      ]);
      expect(await contents(user, 'en', query)).toEqual([
        'Quota added by an administrator: $1.00 (gift)',
        'Invite earnings moved to the balance: $0.50',
        ...old.slice(2),
      ]);
    });

    test('without currency display the amount is a number of units (O46)', async () => {
      const root = await app.actor({ role: ROLE.root });
      const show = (value: string) =>
        app.request('/api/option/', {
          as: root,
          method: 'PUT',
          body: { key: 'DisplayInCurrencyEnabled', value },
        });
      expect((await show('false')).body.success).toBe(true);
      expect(await contents(user, 'en', 'type=3')).toContain(
        'Quota added by an administrator: 750.0k (goodwill)',
      );
      await show('true');
    });
  });
}
