// The list of users through the real server, on both databases: pages, search, order, and which fields are hidden from
// whom.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';

let count = 0;
const newName = () => `l${Date.now().toString(36).slice(-6)}${(count += 1)}`;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    let admin: Actor;
    beforeAll(async () => {
      app = await startApplication({
        database,
        settings: { GroupRatio: '{"default":1,"vip":0.5,"svip":2}' },
      });
      root = await app.login('root', ROOT_PASSWORD);
      admin = await app.actor({ role: ROLE.admin });
    }, 30_000);
    afterAll(() => app.close());

    const manage = (as: Actor, id: number, action: string) =>
      app.request('/api/user/manage', { as, body: { id, action } });

    test('ACC-7.06 ACC-7.07 ACC-7.08 ACC-7.09 ACC-9.01 GET /api/user/ answers items, page, total', async () => {
      for (let index = 0; index < 12; index += 1) await app.createUser();
      const first = await app.client(admin).userManagement.list({ query: {} });
      expect(first).toMatchObject({ page: 1, page_size: 10 });
      expect(first.items).toHaveLength(10);
      expect(first.total).toBe(14);
      const ids = first.items.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((left, right) => right - left));
      const second = await app.request('/api/user/?p=2&page_size=5', { as: admin });
      const { items, page, total } = second.body.data as typeof first;
      expect([page, total, items.map(({ id }) => id)]).toEqual([2, first.total, ids.slice(5)]);
    });

    test('ACC-7.10 ACC-7.11 ACC-7.12 ACC-7.13 search by keyword and group, alone and together', async () => {
      const tag = newName();
      const vip = await app.createUser({
        username: `${tag}a`,
        group: 'vip',
        row: { display_name: `显示${tag}`, email: `${tag}@mail.example` },
      });
      const plain = await app.createUser({ username: `${tag}b` });
      const search = async (query: string) => {
        const reply = await app.request(`/api/user/search?${query}`, { as: admin });
        const { items, total, page } = reply.body.data as {
          items: { id: number }[];
          total: number;
          page: number;
        };
        expect([page, total]).toEqual([1, items.length]);
        return items.map(({ id }) => id);
      };
      expect(await search(`keyword=${tag}`)).toEqual([plain.id, vip.id]);
      expect(await search(`keyword=${tag.toUpperCase()}A`)).toEqual([vip.id]);
      expect(await search(`keyword=${encodeURIComponent(`显示${tag}`)}`)).toEqual([vip.id]);
      expect(await search(`keyword=${tag}@mail`)).toEqual([vip.id]);
      expect(await search(`keyword=${vip.id}`)).toContain(vip.id);
      expect(await search(`keyword=${tag}&group=vip`)).toEqual([vip.id]);
      expect(await search(`group=vip`)).toContain(vip.id);
      expect(await search(`keyword=${tag}&group=svip`)).toEqual([]);
      expect(await search(`keyword=${encodeURIComponent('%_%_%')}`)).toEqual([]);
    });

    test('status, role and order are server-side filters', async () => {
      const banned = await app.createUser({ row: { status: 2 }, group: 'svip' });
      const deleted = await app.createUser({
        row: { status: 2, deleted_at: 1_700_000_000 },
        group: 'svip',
      });
      const rich = await app.createUser({ quota: 900, group: 'svip' });
      const ids = async (query: object) =>
        (
          await app.client(root).userManagement.search({ query: { group: 'svip', page_size: 100, ...query } })
        ).items.map(({ id }) => id);
      expect(await ids({ state: 'banned' })).toEqual([banned.id]);
      expect(await ids({ state: 'deleted' })).toEqual([deleted.id]);
      expect(await ids({ sort: 'quota', order: 'desc' })).toEqual([rich.id, deleted.id, banned.id]);
      expect(await ids({ role: 10 })).toEqual([]);
    });

    test('ACC-3.027 ACC-4.08 deleted users are listed with DeletedAt set', async () => {
      const gone = await app.createUser();
      await manage(admin, gone.id, 'delete');
      const { items } = await app.client(admin).userManagement.search({ query: { keyword: gone.username } });
      expect(items[0]?.DeletedAt).toBeGreaterThan(1_700_000_000);
    });

    test('users of the same or a higher role are listed without private fields, and cannot be found by them', async () => {
      const secret = `${newName()}@hidden.example`;
      const equal = await app.createUser({ role: ROLE.admin, quota: 700, row: { email: secret } });
      const { items } = await app.client(admin).userManagement.search({ query: { keyword: equal.username } });
      expect(items[0]).toMatchObject({
        username: equal.username,
        role: 10,
        email: '',
        quota: 0,
        aff_code: '',
      });
      const byEmail = await app.client(admin).userManagement.search({ query: { keyword: secret } });
      expect(byEmail.items).toEqual([]);
      const forRoot = await app.client(root).userManagement.search({ query: { keyword: secret } });
      expect(forRoot.items[0]).toMatchObject({ id: equal.id, email: secret, quota: 700 });
      const own = await app.client(admin).userManagement.search({ query: { keyword: admin.username } });
      expect(own.items[0]?.aff_code).not.toBe('');
    });

    test('no row has a secret', async () => {
      const reply = await app.request('/api/user/', { as: root });
      expect(JSON.stringify(reply.body)).not.toMatch(/argon2|password|digest|auth_version|secret/);
    });
  });
}
