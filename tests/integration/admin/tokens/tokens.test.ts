// Tokens on both databases: ownership, every verb, the status rules and the lists.
import { beforeAll, describe, expect, test } from 'bun:test';
import { BUDGETS_OF_UTC } from '#contract/money/budget-windows.ts';
import { TOKEN_STATUS, type TokenView } from '#contract/admin/tokens.ts';
import { usageOf } from '#server/admin/tokens/usage.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import fieldWords from '#web/features/audit/messages/fields.ts';
import { refusal, SCENE_TIME, tokenScene, type Person, type TokenScene } from './support.ts';

const DAY = 86_400;

forEachDatabase((_label, open) => {
  let scene: TokenScene;
  let people = 0;
  /** A new user without tokens, so that tests do not see each other's tokens. */
  const newPerson = (group?: string) => scene.person(`person-${(people += 1)}`, { group });

  beforeAll(async () => {
    scene = tokenScene(await open());
  });

  async function create(person: Person, body: Record<string, unknown> = {}): Promise<TokenView> {
    const [token] = await person.call('create', { body: { name: 'token', ...body } });
    if (!token) throw new Error('nothing was created');
    return token;
  }

  function row(id: number): Promise<Row<'tokens'>> {
    return scene.store.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  async function spend(tokenId: number, userId: number, quota: number, at: number): Promise<void> {
    await scene.store.db
      .insertInto('usage_hours')
      .values({
        hour: at - (at % 3600),
        user_id: userId,
        token_id: tokenId,
        channel_id: 1,
        model_name: 'm',
        quota,
      })
      .execute();
  }

  describe('create', () => {
    test('REL-7.29 REL-3.45 REL-3.46 REL-3.47 REL-3.49 REL-3.50 REL-3.51 REL-3.52 REL-3.53 REL-3.54 REL-3.55 REL-3.57 REL-3.58 REL-3.59 REL-3.60 REL-3.61 REL-3.62 REL-3.63 REL-3.64 a token is created and answered with all its fields', async () => {
      const person = await newPerson();
      const token = await create(person, {
        name: '  prod-web ',
        group: 'vip',
        expired_time: SCENE_TIME + DAY,
        remain_quota: 1_000,
        model_limits_enabled: true,
        model_limits: 'gpt-5.4, gpt-5.4,qwen3.7-max',
        allow_ips: ' 203.0.113.0/24 \n\n2001:db8::/32',
        deny_ips: '203.0.113.66',
        requests_per_minute: 60,
        tokens_per_minute: 90_000,
        concurrent_calls: 4,
        rate_limit_message: 'slow down',
        day_budget: 5_000_000,
        month_budget: 75_000_000,
        strict_conversion: true,
        answer_cache: 'on',
        answer_cache_seconds: 600,
        mj_mode: 'relax',
        mj_image_proxy: true,
        mj_backup_pool: false,
      });
      expect(token).toEqual({
        id: expect.any(Number),
        user_id: person.id,
        name: 'prod-web',
        key: expect.stringMatching(/^[A-Za-z0-9]{48}$/),
        status: 1,
        group: 'vip',
        remain_quota: 1_000,
        held_quota: 0,
        unlimited_quota: false,
        used_quota: 0,
        created_time: SCENE_TIME,
        accessed_time: 0,
        expired_time: SCENE_TIME + DAY,
        model_limits_enabled: true,
        model_limits: 'gpt-5.4,qwen3.7-max',
        allow_ips: '203.0.113.0/24\n2001:db8::/32',
        deny_ips: '203.0.113.66',
        requests_per_minute: 60,
        tokens_per_minute: 90_000,
        concurrent_calls: 4,
        rate_limit_message: 'slow down',
        day_budget: 5_000_000,
        month_budget: 75_000_000,
        strict_conversion: true,
        answer_cache: 'on',
        answer_cache_seconds: 600,
        mj_mode: 'relax',
        mj_image_proxy: true,
        mj_backup_pool: false,
        day_used: 0,
        month_used: 0,
        recent_quota: Array.from({ length: 14 }, () => 0),
      });
    });

    test('REL-9.26 REL-5.27 an omitted field gets its default: 500,000 quota, no expiry, no limits', async () => {
      const token = await create(await newPerson());
      expect(token).toMatchObject({
        remain_quota: 500_000,
        expired_time: -1,
        unlimited_quota: false,
        model_limits_enabled: false,
        allow_ips: '',
        group: '',
      });
    });

    test('the database has the key encrypted and digested, never in plain text', async () => {
      const person = await newPerson();
      const token = await create(person);
      const stored = await row(token.id);
      expect(JSON.stringify(stored)).not.toContain(token.key);
      expect(stored.key_digest).toBe(scene.store.vault.digest('token', token.key));
      expect(stored.key_hint).toBe(token.key.slice(0, 4) + token.key.slice(-4));
      expect(scene.store.vault.open(stored.key_sealed, `token:${token.id}:${person.id}`)).toBe(token.key);
      expect(() => scene.store.vault.open(stored.key_sealed, `token:${token.id + 1}:${person.id}`)).toThrow();
    });

    test('REL-5.24 a blank name is refused', async () => {
      const person = await newPerson();
      expect(await refusal(create(person, { name: ' \n ' }))).toMatchObject({ code: 'token_name_required' });
      expect(await refusal(create(person, { name: undefined }))).toMatchObject({
        code: 'token_name_required',
      });
    });

    test('a name has at most 30 characters, of any byte length', async () => {
      const person = await newPerson();
      expect(await refusal(create(person, { name: '令'.repeat(31) }))).toMatchObject({
        code: 'token_name_too_long',
      });
      expect((await create(person, { name: '令'.repeat(30) })).name).toBe('令'.repeat(30));
    });

    test('errors for an expiry in the past, a group that is not offered and an invalid address name the field', async () => {
      const person = await newPerson();
      expect(await refusal(create(person, { expired_time: SCENE_TIME }))).toMatchObject({
        code: 'token_expiry_in_past',
      });
      expect(await refusal(create(person, { group: 'svip' }))).toMatchObject({
        code: 'group_not_usable',
        parameters: { group: 'svip' },
      });
      expect(await refusal(create(person, { group: 'constructor' }))).toMatchObject({
        code: 'group_not_usable',
      });
      expect(await refusal(create(person, { allow_ips: '203.0.113.1\n\n10.0.0.0/33' }))).toMatchObject({
        code: 'address_list_invalid',
        parameters: { line: 3, address: '10.0.0.0/33' },
        extra: { field: 'allow_ips' },
      });
      expect(await refusal(create(person, { deny_ips: 'nonsense' }))).toMatchObject({
        extra: { field: 'deny_ips' },
      });
      const { total } = await person.call('list');
      expect(total).toBe(0);
    });

    test("the owner's own group can be chosen even when it is not offered to others", async () => {
      const token = await create(await newPerson('svip'), { group: 'svip' });
      expect(token.group).toBe('svip');
    });

    test('REL-5.32 a batch is created as a whole: the first keeps the name, the others get a suffix', async () => {
      const person = await newPerson();
      const batch = await person.call('create', { body: { name: 'nightly', count: 100 } });
      expect(batch).toHaveLength(100);
      expect(batch[0]?.name).toBe('nightly');
      for (const token of batch.slice(1)) expect(token.name).toMatch(/^nightly-[A-Za-z0-9]{6}$/);
      expect(new Set(batch.map((token) => token.key)).size).toBe(100);
      const again = await person.call('read', { params: { id: String(batch[57]?.id) } });
      expect(again.key).toBe(batch[57]?.key ?? '');
    });

    test('a batch has the suffixes that were asked for, as a form showed them (O47)', async () => {
      const person = await newPerson();
      const suffixes = ['aaaaaa', 'bBbbb2'];
      const body = { name: 'shown', count: 4, suffixes };
      const names = (await person.call('create', { body })).map(({ name }) => name);
      expect(names.slice(0, 3)).toEqual(['shown', 'shown-aaaaaa', 'shown-bBbbb2']);
      expect(names[3]).toMatch(/^shown-[A-Za-z0-9]{6}$/);
      const fewer = await person.call('create', { body: { ...body, count: 2 } });
      expect(fewer.map(({ name }) => name)).toEqual(['shown', 'shown-aaaaaa']);
      // Two equal suffixes make two names all the same.
      const equal = await person.call('create', {
        body: { ...body, count: 3, suffixes: ['cccccc', 'cccccc'] },
      });
      expect(new Set(equal.map(({ name }) => name)).size).toBe(3);
    });

    test('one user has at most 1,000 tokens, also with two concurrent batches', async () => {
      const person = await newPerson();
      for (let batch = 0; batch < 9; batch += 1) {
        await person.call('create', { body: { name: 'many', count: 100 } });
      }
      const results = await Promise.allSettled([
        person.call('create', { body: { name: 'many', count: 60 } }),
        person.call('create', { body: { name: 'many', count: 60 } }),
      ]);
      expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({
        code: 'token_limit_reached',
        parameters: { limit: 1000 },
      });
      expect((await person.call('list')).total).toBe(960);
    });

    test('fields that the owner may not set are ignored', async () => {
      const person = await newPerson();
      const stranger = await newPerson();
      const token = await create(person, {
        id: 1,
        user_id: stranger.id,
        key: 'k'.repeat(48),
        status: 2,
        used_quota: 77,
        held_quota: 77,
        created_time: 1,
        deleted_at: 5,
      });
      expect(token).toMatchObject({ user_id: person.id, status: 1, used_quota: 0, held_quota: 0 });
      expect(token.key).not.toBe('k'.repeat(48));
      expect(token.created_time).toBe(SCENE_TIME);
    });
  });

  describe('list and search', () => {
    test('REL-7.26 REL-7.33 pages count from 0 and hold up to 100, newest first, with totals beside the array', async () => {
      const person = await newPerson();
      await person.call('create', { body: { name: 'a', count: 23 } });
      const first = await person.call('list', { query: { p: '0', size: '10' } });
      const third = await person.call('list', { query: { p: '2', size: '10' } });
      expect(first.data).toHaveLength(10);
      expect(third.data).toHaveLength(3);
      expect(third).toMatchObject({ total: 23, page: 2, page_size: 10 });
      expect(third.data.at(-1)?.name).toBe('a');
      const all = await person.call('list', { query: { p: '0', size: '100' } });
      expect(all.data).toHaveLength(23);
      const tooMany = await person.call('list', { query: { size: '1000' } });
      expect(tooMany.page_size).toBe(100);
    });

    test('REL-1.05 a user does not see the tokens of another user', async () => {
      const person = await newPerson();
      const stranger = await newPerson();
      const token = await create(person, { name: 'private' });
      expect((await stranger.call('list')).total).toBe(0);
      for (const query of [{ keyword: 'private' }, { token: token.key }, { either: token.key.slice(-4) }]) {
        expect((await stranger.call('search', { query })).total).toBe(0);
      }
    });

    test('REL-7.28 the search takes a part of the name and a key, and both must match', async () => {
      const person = await newPerson();
      const web = await create(person, { name: 'Prod-Web' });
      const batch = await create(person, { name: 'batch-web' });
      const names = async (query: Record<string, string>) =>
        (await person.call('search', { query })).data.map((token) => token.name).sort();
      expect(await names({ keyword: 'web' })).toEqual(['Prod-Web', 'batch-web']);
      expect(await names({ keyword: ' prod ' })).toEqual(['Prod-Web']);
      expect(await names({ token: web.key })).toEqual(['Prod-Web']);
      expect(await names({ token: `sk-${batch.key}` })).toEqual(['batch-web']);
      expect(await names({ token: web.key.slice(-4) })).toEqual(['Prod-Web']);
      expect(await names({ token: `sk-${web.key.slice(0, 4)}…${web.key.slice(-4)}` })).toEqual(['Prod-Web']);
      expect(await names({ keyword: 'batch', token: web.key })).toEqual([]);
      expect(await names({ keyword: 'web', token: web.key })).toEqual(['Prod-Web']);
      expect(await names({ either: 'batch' })).toEqual(['batch-web']);
      expect(await names({ either: web.key })).toEqual(['Prod-Web']);
      // O6: the beginning of the key, as the table shows it.
      const start = `sk-${web.key.replace(/^sk-/, '').slice(0, 4)}`;
      expect(await names({ either: start })).toEqual(['Prod-Web']);
      expect(await names({ either: `${start}…${web.key.slice(-4)}` })).toEqual(['Prod-Web']);
      expect(await names({ token: web.key.slice(0, 47) })).toEqual([]);
    });

    test('wildcards in a search text are literal', async () => {
      const person = await newPerson();
      await create(person, { name: '100% a_b \\ c' });
      await create(person, { name: '1000 axb' });
      const found = async (keyword: string) =>
        (await person.call('search', { query: { keyword } })).data.map((token) => token.name);
      expect(await found('%')).toEqual(['100% a_b \\ c']);
      expect(await found('a_b')).toEqual(['100% a_b \\ c']);
      expect(await found('\\')).toEqual(['100% a_b \\ c']);
      expect(await found("'; drop table tokens; --")).toEqual([]);
    });

    test('REL-4.19 REL-4.20 REL-4.21 REL-4.22 facets use the current status, and the totals are those of the filter', async () => {
      const person = await newPerson();
      const enabled = await create(person, { name: 'enabled', group: 'vip' });
      const disabled = await create(person, { name: 'disabled' });
      await person.call('change', { query: { status_only: 'true' }, body: { id: disabled.id, status: 2 } });
      const expired = await create(person, { name: 'expired', expired_time: SCENE_TIME + 60 });
      const exhausted = await create(person, { name: 'exhausted', remain_quota: 0 });
      await scene.store.db
        .updateTable('tokens')
        .set({ used_quota: 40 })
        .where('id', 'in', [enabled.id, exhausted.id])
        .execute();
      await spend(enabled.id, person.id, 25, SCENE_TIME - 2 * DAY);
      scene.clock.now = SCENE_TIME + 60;
      try {
        const byStatus = async (status: number) =>
          (await person.call('list', { query: { status: String(status) } })).data.map((token) => token.name);
        expect(await byStatus(TOKEN_STATUS.enabled)).toEqual(['enabled']);
        expect(await byStatus(TOKEN_STATUS.disabled)).toEqual(['disabled']);
        expect(await byStatus(TOKEN_STATUS.expired)).toEqual(['expired']);
        expect(await byStatus(TOKEN_STATUS.exhausted)).toEqual(['exhausted']);
        expect((await person.call('read', { params: { id: expired.id } })).status).toBe(3);
        expect(await person.call('list')).toMatchObject({
          total: 4,
          usable: 1,
          used_quota: 80,
          recent_quota: 25,
        });
        expect(await person.call('list', { query: { group: 'vip' } })).toMatchObject({
          total: 1,
          used_quota: 40,
          recent_quota: 25,
        });
        // A token without a group belongs to its owner's group.
        expect((await person.call('list', { query: { group: 'default' } })).total).toBe(3);
        const byExpiry = async (expiry: string) =>
          (await person.call('list', { query: { expiry } })).data.map((token) => token.name);
        expect(await byExpiry('expired')).toEqual(['expired']);
        expect(await byExpiry('never')).toHaveLength(3);
        expect(await byExpiry('week')).toEqual([]);
      } finally {
        scene.clock.now = SCENE_TIME;
      }
      expect((await person.call('list', { query: { expiry: 'week' } })).total).toBe(1);
    });

    test('a list can be sorted, and tokens without expiry come last', async () => {
      const person = await newPerson();
      await create(person, { name: 'b', expired_time: SCENE_TIME + 50 });
      await create(person, { name: 'c' });
      await create(person, { name: 'a', expired_time: SCENE_TIME + 90 });
      const sorted = async (sort: string, order: string) =>
        (await person.call('list', { query: { sort, order } })).data.map((token) => token.name).join('');
      expect(await sorted('name', 'asc')).toBe('abc');
      expect(await sorted('name', 'desc')).toBe('cba');
      expect(await sorted('expired_time', 'asc')).toBe('bac');
    });

    test('use of the day, of the month and of the last 14 days counts UTC days', async () => {
      const person = await newPerson();
      const token = await create(person);
      const midnight = SCENE_TIME - (SCENE_TIME % DAY);
      await spend(token.id, person.id, 1, SCENE_TIME);
      await spend(token.id, person.id, 10, midnight);
      await spend(token.id, person.id, 100, midnight - 3600);
      await spend(token.id, person.id, 1_000, midnight - 13 * DAY); // 31 October
      await spend(token.id, person.id, 10_000, midnight - 14 * DAY);
      const read = await person.call('read', { params: { id: token.id } });
      expect(read.day_used).toBe(11);
      expect(read.month_used).toBe(111);
      expect(read.recent_quota).toEqual([1_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 11]);
    });

    test('the use of a month counts from its first hour to its last, also later than 14 days into it (M21)', async () => {
      const person = await newPerson();
      const token = await create(person);
      const first = Date.UTC(2026, 10, 1) / 1000;
      const next = Date.UTC(2026, 11, 1) / 1000;
      await spend(token.id, person.id, 1, first - 3600);
      await spend(token.id, person.id, 10, first);
      await spend(token.id, person.id, 100, next - 3600);
      const monthAt = async (now: number) =>
        (await usageOf(scene.store.db, person.id, [token.id], { zones: BUDGETS_OF_UTC, now }))(token.id)
          .month;
      expect([await monthAt(next - 1), await monthAt(next)]).toEqual([110, 0]);
      await spend(token.id, person.id, 1000, next);
      expect(await monthAt(next)).toBe(1000);
    });
  });

  describe('keys', () => {
    test('a session reads the whole key, an access token only a masked one', async () => {
      const person = await newPerson();
      const token = await create(person);
      const masked = `${token.key.slice(0, 4)}…${token.key.slice(-4)}`;
      expect((await person.call('list')).data[0]?.key).toBe(token.key);
      const { byAccessToken } = person;
      expect((await byAccessToken.call('list')).data[0]?.key).toBe(masked);
      expect((await byAccessToken.call('read', { params: { id: token.id } })).key).toBe(masked);
      expect((await byAccessToken.call('search', { query: { keyword: 'token' } })).data[0]?.key).toBe(masked);
      expect((await byAccessToken.call('create', { body: { name: 'x' } }))[0]?.key).toMatch(/^.{4}….{4}$/);
    });

    test('reading keys is audited once per session and hour', async () => {
      const person = await newPerson();
      await create(person);
      const readings = () => person.audit.filter((entry) => entry.action === 'token.read_keys').length;
      await person.call('list');
      await person.call('list');
      expect(readings()).toBe(1);
      scene.clock.now = SCENE_TIME + 3600;
      await person.call('list');
      scene.clock.now = SCENE_TIME;
      expect(readings()).toBe(2);
      await person.byAccessToken.call('list');
      expect(readings()).toBe(2);
    });

    test('no audit row has a key', async () => {
      const person = await newPerson();
      const token = await create(person);
      await person.call('change', { body: { id: token.id, name: 'renamed' } });
      await person.call('remove', { params: { id: token.id } });
      await person.call('restore', { params: { id: token.id } });
      const actions = person.audit.map((entry) => entry.action);
      expect(actions).toEqual(['token.create', 'token.change', 'token.delete', 'token.restore']);
      const text = JSON.stringify(person.audit);
      expect(text).not.toContain(token.key);
      expect(text).not.toContain((await row(token.id)).key_sealed);
    });

    test('every field of an API key in the audit trail has words', async () => {
      const person = await newPerson();
      const token = await create(person);
      await person.call('change', { body: { id: token.id, name: 'renamed' } });
      await person.call('remove', { params: { id: token.id } });
      const names = person.audit.flatMap(({ before, after }) =>
        [before, after].flatMap((side) => Object.keys(side ?? {})),
      );
      expect(names).toContain('strict_conversion');
      expect(names.filter((name) => !Object.hasOwn(fieldWords, name))).toEqual([]);
    });
  });
});
