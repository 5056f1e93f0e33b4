// Conversations kept on the server and links to them, on both databases: only their owner reads them, the database holds no
// plain text, bounds, links that can be taken back, and the end of the account.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { MOST_CHAT_CHARACTERS, MOST_CHATS, MOST_SHARES } from '#contract/admin/chats.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';

setDefaultTimeout(60_000);

const WORDS = 'the quick brown secret';
const newId = () => crypto.randomUUID();
const save = (revision: number, content = JSON.stringify({ turns: [{ text: WORDS }] })) => ({
  revision,
  title: WORDS,
  turns: 1,
  updated_at: 1_700_000_000_000,
  content,
});
const shared = (content: string) => ({
  chat_id: newId(),
  chat: {
    title: WORDS,
    turns: [
      {
        text: '<b>bold?</b>',
        attachments: ['bill.pdf'],
        answers: [{ model: 'gpt-4o', content, tools: [{ name: 'get_weather', arguments: '{}' }] }],
      },
    ],
  },
});

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let owner: Actor;
    let stranger: Actor;
    let admin: Actor;
    beforeAll(async () => {
      app = await startApplication({ database });
      [owner, stranger] = [await app.actor(), await app.actor()];
      admin = await app.actor({ role: ROLE.admin });
    });
    afterAll(() => app.close());

    const put = (as: Actor, id: string, body: object) =>
      app.request(`/api/playground/chats/${id}`, { method: 'PUT', as, body });
    const page = (path: string) => app.fetch(new Request(`http://localhost${path}`));

    test('the owner keeps, lists and reads a conversation; another user and an administrator cannot', async () => {
      const id = newId();
      expect((await put(owner, id, save(0))).body).toMatchObject({ success: true, data: { revision: 1 } });
      const client = app.client(owner);
      expect(await client.chats.list()).toMatchObject([{ id, title: WORDS, turns: 1, revision: 1 }]);
      expect(await client.chats.read({ params: { id } })).toEqual({ revision: 1, content: save(0).content });
      for (const other of [stranger, admin]) {
        expect(await app.client(other).chats.list()).toEqual([]);
        const reply = await app.request(`/api/playground/chats/${id}`, { as: other });
        expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
        await app.client(other).chats.remove({ params: { id } });
        // The same id is another conversation for another user.
        expect((await put(other, id, save(1))).body.code).toBe('chat_changed_elsewhere');
      }
      expect(await client.chats.list()).toHaveLength(1);
      await client.chats.remove({ params: { id } });
      expect(await client.chats.list()).toEqual([]);
    });

    test('a save that another browser did not see is refused, and changes nothing', async () => {
      const id = newId();
      await put(owner, id, save(0));
      expect((await put(owner, id, save(1, '{"turns":[2]}'))).body).toMatchObject({ data: { revision: 2 } });
      for (const revision of [0, 1]) {
        const reply = await put(owner, id, save(revision, '{"turns":[3]}'));
        expect([reply.status, reply.body.code]).toEqual([409, 'chat_changed_elsewhere']);
      }
      const { content } = await app.client(owner).chats.read({ params: { id } });
      expect(content).toBe('{"turns":[2]}');
      await app.client(owner).chats.remove({ params: { id } });
    });

    test('the database holds no plain text, and a row of another user does not open', async () => {
      const id = newId();
      await put(owner, id, save(0));
      const { path } = await app.client(owner).chats.share({ body: shared(WORDS) });
      const { db, vault } = app.store;
      const rows = [
        ...(await db.selectFrom('kept_chats').selectAll().execute()),
        ...(await db.selectFrom('chat_shares').selectAll().execute()),
      ];
      expect(rows).toHaveLength(2);
      const stored = JSON.stringify(rows);
      for (const text of ['quick', 'brown', 'gpt-4o', path.split('/').at(-1) ?? '?'])
        expect(stored).not.toContain(text);
      const audited = await db.selectFrom('audit').select(['before', 'after']).execute();
      expect(JSON.stringify(audited)).not.toContain('quick');
      const row = await db
        .selectFrom('kept_chats')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const place = (userId: number) => `kept_chats:${userId}:${id}:content`;
      expect(vault.open(row.content, place(owner.id))).toContain(WORDS);
      expect(() => vault.open(row.content, place(stranger.id))).toThrow();
      await app.client(owner).chats.remove({ params: { id } });
    });

    test('they are bounded in number and size', async () => {
      const many = await app.actor();
      const id = newId();
      const tooLong = await put(many, id, save(0, 'x'.repeat(MOST_CHAT_CHARACTERS + 1)));
      expect(tooLong.body).toMatchObject({ success: false, code: 'invalid_parameter' });
      const row = { user_id: many.id, created_at: 1, updated_at: 1, revision: 1, content: 'x' };
      const rows = Array.from({ length: MOST_CHATS - 1 }, () => ({ ...row, id: newId(), head: 'x' }));
      await app.store.db.insertInto('kept_chats').values(rows).execute();
      expect((await put(many, id, save(0))).body.success).toBe(true);
      expect((await put(many, newId(), save(0))).body.code).toBe('chat_limit_reached');
      // One that is there can still be saved.
      expect((await put(many, id, save(1))).body.success).toBe(true);
      const shares = Array.from({ length: MOST_SHARES }, () => ({
        digest: newId(),
        user_id: many.id,
        created_at: 1,
        chat_id: id,
        head: 'x',
        content: 'x',
      }));
      await app.store.db.insertInto('chat_shares').values(shares).execute();
      const refused = await app.request('/api/playground/shares', { as: many, body: shared('a') });
      expect(refused.body.code).toBe('share_limit_reached');
    });

    test('a link shows questions and answers to anybody, runs nothing, loads nothing, and is listed nowhere', async () => {
      const evil =
        'Hello **there** <script>window.broken=1</script><img src="https://evil.example/x.png" alt="pic" onerror="x()">' +
        '\n\n![cat](https://evil.example/cat.png) [run](javascript:alert(1)) <iframe src="https://evil.example"></iframe>' +
        '\n\n<style>body{display:none}</style><a href="https://ok.example" onclick="x()" style="x">link</a><svg onload="x()"></svg>';
      const { path } = await app.client(owner).chats.share({ body: shared(evil) });
      expect(path).toMatch(/^\/shared\/[\w-]{32}$/);
      const response = await page(path);
      expect(response.status).toBe(200);
      const html = await response.text();
      const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'));
      expect(main).toContain('<strong>there</strong>');
      expect(main).toContain('&lt;b&gt;bold?&lt;/b&gt;');
      expect(main).toContain('bill.pdf');
      expect(main).toContain('get_weather');
      for (const text of [
        '<script',
        '<img',
        '<iframe',
        '<svg',
        '<style',
        'onclick',
        'onerror',
        'javascript:',
        ' style=',
      ])
        expect(main).not.toContain(text);
      // A picture is a link to it.
      expect(main).toContain('href="https://evil.example/cat.png"');
      expect(main).toContain('rel="noopener noreferrer nofollow ugc"');
      expect(html).not.toContain(owner.username);
      expect(main).not.toContain('$');
      expect(html).toContain('<meta name="robots" content="noindex"');
      expect(response.headers.get('x-robots-tag')).toContain('noindex');
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("img-src 'self' data:;");
      expect(policy).toContain("default-src 'none'");
      expect(await (await page('/sitemap.xml')).text()).not.toContain('/shared/');
    });

    test('fields that are not part of a shared conversation are dropped', async () => {
      const body = shared('a');
      const turn = { ...body.chat.turns[0], cost: 1.25, system: 'hidden prompt' };
      const chat = { ...body.chat, turns: [turn], userId: owner.id, key: 'sk-secret' };
      const made = await app.request('/api/playground/shares', { as: owner, body: { ...body, chat } });
      const html = await (await page((made.body.data as { path: string }).path)).text();
      for (const text of ['hidden prompt', 'sk-secret', '1.25']) expect(html).not.toContain(text);
    });

    test('a revoked link is 404 at once; only its owner revokes it; a wrong one never was', async () => {
      const { id, path } = await app.client(owner).chats.share({ body: shared('a') });
      expect((await page(path)).status).toBe(200);
      const refused = await app.request(`/api/playground/shares/${id}`, { method: 'DELETE', as: stranger });
      expect(refused.status).toBe(404);
      expect(await app.client(stranger).chats.shares()).toEqual([]);
      expect((await page(path)).status).toBe(200);
      await app.client(owner).chats.revoke({ params: { id } });
      expect((await page(path)).status).toBe(404);
      expect((await page(`/shared/${'A'.repeat(32)}`)).status).toBe(404);
      expect((await page('/shared/../../etc')).status).not.toBe(500);
    });

    test('a banned owner’s link is not shown, and comes back with the owner', async () => {
      const banned = await app.actor();
      const { path } = await app.client(banned).chats.share({ body: shared('a') });
      const root = await app.login('root', ROOT_PASSWORD);
      const manage = (action: string) =>
        app.request('/api/user/manage', { as: root, body: { id: banned.id, action } });
      await manage('disable');
      expect((await page(path)).status).toBe(404);
      await manage('enable');
      expect((await page(path)).status).toBe(200);
    });

    const rowsOf = async (userId: number) => [
      ...(await app.store.db.selectFrom('kept_chats').select('id').where('user_id', '=', userId).execute()),
      ...(await app.store.db.selectFrom('chat_shares').select('id').where('user_id', '=', userId).execute()),
    ];

    test.each(['by its owner', 'by an administrator'])(
      'they end with the account that is deleted %s',
      async (who) => {
        const leaver = await app.actor();
        await put(leaver, newId(), save(0));
        const { path } = await app.client(leaver).chats.share({ body: shared('a') });
        expect(await rowsOf(leaver.id)).toHaveLength(2);
        const reply =
          who === 'by its owner'
            ? await app.request('/api/user/self', { method: 'DELETE', as: leaver })
            : await app.request('/api/user/manage', {
                as: await app.login('root', ROOT_PASSWORD),
                body: { id: leaver.id, action: 'delete' },
              });
        expect(reply.body.success).toBe(true);
        expect(await rowsOf(leaver.id)).toEqual([]);
        expect((await page(path)).status).toBe(404);
      },
    );

    test('the parameters of a model depend on its name alone', async () => {
      const read = (model: string) => app.client(owner).playground.parameters({ query: { model } });
      expect(await read('o3-mini')).toMatchObject({ sampling: 'never', limit_name: 'max_completion_tokens' });
      expect(await read('gpt-4o-mini')).toMatchObject({
        sampling: 'always',
        efforts: [],
        max_output: 16_384,
      });
    });
  });
}
