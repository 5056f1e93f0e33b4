// Announcements at their time for their readers, and questions in their order; both cleaned of what could run.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Announcement } from '#contract/admin/announcements.ts';
import type { Question } from '#contract/admin/faq.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

const now = () => Math.floor(Date.now() / 1000);

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  let user: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root });
    user = await app.actor();
  });
  afterAll(() => app.close());

  const write = async (body: object) =>
    (await app.request('/api/announcements', { as: root, body })).body.data as Announcement;
  const shown = async (as?: Actor) =>
    ((await app.request('/api/announcements', { as })).body.data as Announcement[]).map(
      ({ content }) => content,
    );

  test('REL-1.19 REL-1.20 an announcement is shown between its times, pinned ones first, and to its readers only', async () => {
    await write({ content: 'always' });
    await write({ content: 'pinned', is_pinned: true, level: 'warning' });
    await write({ content: 'for users', audience: 'users' });
    await write({ content: 'planned', from_at: now() + 3600 });
    const over = await write({ content: 'over', from_at: 1, until_at: now() - 1 });
    await write({ content: 'now', from_at: now() - 10, until_at: now() + 3600 });
    expect(await shown()).toEqual(['pinned', 'now', 'always']);
    expect(await shown(user)).toEqual(['pinned', 'now', 'for users', 'always']);
    const { data } = (await app.request('/api/announcements/all', { as: root })).body;
    expect((data as Announcement[]).map(({ content }) => content)).toContain('planned');

    const path = `/api/announcements/${over.id}`;
    const body = { content: 'back again', until_at: 0 };
    const changed = await app.request(path, { as: root, method: 'PUT', body });
    expect(changed.body.data).toMatchObject({ content: 'back again', from_at: 0 });
    expect(await shown()).toContain('back again');
    await app.request(path, { as: root, method: 'DELETE' });
    expect(await shown()).not.toContain('back again');
    expect((await app.request(path, { as: root, method: 'DELETE' })).status).toBe(404);
  });

  test('an end before the start, an empty text and anyone but the super admin are refused', async () => {
    const ask = (body: object, as = root) => app.request('/api/announcements', { as, body });
    expect((await ask({ content: 'x', from_at: 20, until_at: 10 })).body).toMatchObject({
      field: 'until_at',
    });
    expect((await ask({ content: ' ' })).body.code).toBe('invalid_parameter');
    const admin = await app.actor({ role: ROLE.admin });
    for (const as of [admin, user]) {
      expect((await ask({ content: 'x' }, as)).status).toBe(403);
      expect((await app.request('/api/announcements/all', { as })).status).toBe(403);
      expect((await app.request('/api/faq', { as, body: { question: 'q', answer: 'a' } })).status).toBe(403);
    }
    expect((await app.request('/api/announcements', { body: { content: 'x' } })).status).toBe(401);
  });

  test('markup that runs is removed when a text is saved; Markdown stays as it was written', async () => {
    const markdown = '**bold** [link](https://example.com) `a < b`';
    expect((await write({ content: markdown })).content).toBe(markdown);
    const attack =
      'hi <script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) <b>ok</b>';
    const { content } = await write({ content: attack });
    expect(content).not.toMatch(/script|onerror/i);
    expect(content).toContain('<b>ok</b>');
    const reply = await app.request('/api/faq', { as: root, body: { question: 'q?', answer: attack } });
    expect((reply.body.data as Question).answer).toBe(content);
    await app.request(`/api/faq/${(reply.body.data as Question).id}`, { as: root, method: 'DELETE' });
  });

  test('REL-1.19 questions keep the operator’s order and are for everybody', async () => {
    const add = async (question: string) =>
      ((await app.request('/api/faq', { as: root, body: { question, answer: 'a' } })).body.data as Question)
        .id;
    const [first, second, third] = [await add('one'), await add('two'), await add('three')];
    const list = async () =>
      ((await app.request('/api/faq')).body.data as Question[]).map(({ question }) => question);
    expect(await list()).toEqual(['one', 'two', 'three']);
    const order = (ids: number[]) => app.request('/api/faq/order', { as: root, body: { ids } });
    await order([third, first]);
    expect(await list()).toEqual(['three', 'one', 'two']);
    await order([999_999, second]);
    expect(await list()).toEqual(['two', 'three', 'one']);
    await app.request(`/api/faq/${first}`, {
      as: root,
      method: 'PUT',
      body: { question: 'uno', answer: 'b' },
    });
    await app.request(`/api/faq/${third}`, { as: root, method: 'DELETE' });
    expect(await list()).toEqual(['two', 'uno']);
    expect((await order([1.5])).body.code).toBe('invalid_parameter');
  });
});
