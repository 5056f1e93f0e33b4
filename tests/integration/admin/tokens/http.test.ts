// The token API as a client sees it: real HTTP, statuses, envelope, headers and messages.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { TokenView } from '#contract/admin/tokens.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

describe.each(['sqlite', 'postgres'] as const)('%s', (database) => {
  let application: TestApplication;
  let owner: Actor;
  let stranger: Actor;
  beforeAll(async () => {
    application = await startApplication({ database });
    owner = await application.actor();
    stranger = await application.actor();
  });
  afterAll(() => application.close());

  async function create(body: Record<string, unknown> = {}): Promise<TokenView> {
    const reply = await application.request('/api/token/', { as: owner, body: { name: 'token', ...body } });
    expect(reply.status).toBe(200);
    const [token] = reply.body.data as TokenView[];
    if (!token) throw new Error(reply.body.message);
    return token;
  }

  describe('200', () => {
    test('REL-7.26 REL-7.33 GET /api/token/?p&size answers the array with its counts beside it, never cached', async () => {
      const person = await application.actor();
      await application.request('/api/token/', { as: person, body: { name: 'a', count: 12 } });
      const reply = await application.request('/api/token/?p=1&size=10', { as: person });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('cache-control')).toContain('no-store');
      expect(reply.body).toMatchObject({ success: true, total: 12, page: 1, page_size: 10, usable: 12 });
      expect(reply.body.data).toHaveLength(2);
      const all = await application.request('/api/token/?p=0&size=100', { as: person });
      expect((all.body.data as TokenView[]).every((token) => /^[A-Za-z0-9]{48}$/.test(token.key))).toBe(true);
    });

    test('REL-1.04 REL-7.27 REL-7.28 REL-7.29 REL-7.30 REL-7.31 REL-7.32 every call of the specification answers', async () => {
      const token = await create({ name: 'spec' });
      const one = await application.request(`/api/token/${token.id}`, { as: owner });
      expect(one.body).toMatchObject({ success: true, data: { id: token.id, name: 'spec' } });
      const found = await application.request(`/api/token/search?keyword=spe&token=${token.key}`, {
        as: owner,
      });
      expect(found.body).toMatchObject({ success: true, total: 1 });
      const edit = await application.request('/api/token/', {
        as: owner,
        method: 'PUT',
        body: { id: token.id, name: 'edited' },
      });
      expect(edit.body).toMatchObject({ success: true, data: { name: 'edited', status: 1 } });
      const status = await application.request('/api/token/?status_only=true', {
        as: owner,
        method: 'PUT',
        body: { id: token.id, status: 2 },
      });
      expect(status.body).toMatchObject({ success: true, data: { status: 2, name: 'edited' } });
      const removed = await application.request(`/api/token/${token.id}/`, { as: owner, method: 'DELETE' });
      expect(removed).toMatchObject({ status: 200, body: { success: true } });
      const restored = await application.request(`/api/token/${token.id}/restore`, {
        as: owner,
        method: 'POST',
      });
      expect(restored.body).toMatchObject({ success: true, data: { id: token.id } });
      const batch = await application.request('/api/token/batch', {
        as: owner,
        body: { ids: [token.id], action: 'delete' },
      });
      expect(batch.body).toMatchObject({ success: true, data: { changed: [token.id], refused: [] } });
    });

    test('a refusal is success=false with a code and a message in the caller’s language', async () => {
      const token = await create();
      await application.store.db
        .updateTable('tokens')
        .set({ status: 3, expired_time: 1 })
        .where('id', '=', token.id)
        .execute();
      const enable = (language: 'zh' | 'en') =>
        application.request('/api/token/?status_only=true', {
          as: owner,
          method: 'PUT',
          body: { id: token.id, status: 1 },
          language,
        });
      const zh = await enable('zh');
      expect(zh).toMatchObject({
        status: 200,
        body: {
          success: false,
          code: 'token_expired_cannot_enable',
          message: '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期',
        },
      });
      expect((await enable('en')).body.message).toStartWith(
        'This API key has expired. Change its expiry time',
      );
    });

    test('input of the wrong shape is refused, and nothing is created', async () => {
      const before = await application.request('/api/token/', { as: owner });
      for (const body of [
        { name: 'x', remain_quota: 1.5 },
        { name: 'x', remain_quota: -1 },
        { name: 'x', count: 101 },
        { name: 'x', expired_time: 'tomorrow' },
        { name: 7 },
        { name: 'x', allow_ips: '300.1.1.1' },
        { name: 'x', group: '__proto__' },
      ]) {
        const reply = await application.request('/api/token/', { as: owner, body });
        expect(reply.body.success, JSON.stringify(body)).toBe(false);
      }
      const after = await application.request('/api/token/', { as: owner });
      expect(after.body.total).toBe(before.body.total);
    });
  });

  test('401: a request without a session is refused', async () => {
    const token = await create();
    const calls: [string, string, unknown?][] = [
      ['GET', '/api/token/'],
      ['GET', '/api/token/search?keyword=a'],
      ['GET', `/api/token/${token.id}`],
      ['POST', '/api/token/', { name: 'x' }],
      ['PUT', '/api/token/', { id: token.id, name: 'x' }],
      ['POST', '/api/token/batch', { ids: [token.id], action: 'delete' }],
      ['DELETE', `/api/token/${token.id}/`],
      ['POST', `/api/token/${token.id}/restore`],
    ];
    for (const [method, path, body] of calls) {
      const reply = await application.request(path, { method, body });
      expect([path, reply.status]).toEqual([path, 401]);
      expect(JSON.stringify(reply.body)).not.toContain(token.key.slice(0, 8));
    }
  });

  test('404: the token of another user, an unknown one and a deleted one get the same answer', async () => {
    const token = await create();
    const gone = await create();
    await application.request(`/api/token/${gone.id}/`, { as: owner, method: 'DELETE' });
    const asked: [Actor, number][] = [
      [stranger, token.id],
      [owner, 99_999_999],
      [owner, gone.id],
    ];
    const answers = [];
    for (const [as, id] of asked) {
      for (const reply of [
        await application.request(`/api/token/${id}`, { as }),
        await application.request('/api/token/', { as, method: 'PUT', body: { id, name: 'x' } }),
        await application.request(`/api/token/${id}/`, { as, method: 'DELETE' }),
      ]) {
        answers.push([reply.status, reply.body.code, reply.body.message]);
      }
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(404);
  });

  test('a system access token gets masked keys only', async () => {
    const token = await create();
    const secret = 'access-token-of-the-owner-for-this-test';
    await application.store.db
      .updateTable('users')
      .set({ access_token_digest: application.store.vault.digest('access_token', secret) })
      .where('id', '=', owner.id)
      .execute();
    const reply = await application.request(`/api/token/${token.id}`, {
      headers: { Authorization: `Bearer ${secret}`, 'New-Api-User': String(owner.id) },
    });
    expect(reply.status).toBe(200);
    expect((reply.body.data as TokenView).key).toBe(`${token.key.slice(0, 4)}…${token.key.slice(-4)}`);
  });

  test('the log of these calls has no key', async () => {
    const token = await create();
    await application.request(`/api/token/search?token=${token.key}`, { as: owner });
    expect(application.logged.join('\n')).not.toContain(token.key);
  });
});
