// What an administrator may set of a user with one call, on both databases.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

forEachDatabase((database) => {
  let app: TestApplication;
  let admin: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
  }, 30_000);
  afterAll(() => app.close());

  const change = (as: Actor, body: object) => app.request('/api/user/', { method: 'PUT', as, body });
  const rowOf = (id: number) =>
    app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  test('a field that the editor of a user cannot set is refused, not ignored; its present value may be repeated (O54)', async () => {
    const target = await app.createUser({ quota: 10, row: { email: 'own@example.com' } });
    for (const [field, value] of Object.entries({
      email: 'stolen@example.com',
      role: 10,
      status: 2,
      github_id: '7',
      wechat_id: '7',
      telegram_id: '7',
      linux_do_id: '7',
      oidc_id: '7',
      aff_code: 'mine',
      aff_quota: 99,
      inviter_id: 1,
    })) {
      const reply = await change(admin, { id: target.id, display_name: 'x', [field]: value });
      const { success, code } = reply.body;
      expect([field, success, code, reply.body.field]).toEqual([field, false, 'invalid_parameter', field]);
    }
    expect((await change(admin, { id: target.id, email: '' })).body.field).toBe('email');
    expect(await rowOf(target.id)).toMatchObject({ email: 'own@example.com', display_name: '', role: 1 });
    // A client of the family sends the user as it was read.
    const { body: read } = await app.request(`/api/user/${target.id}`, { as: admin });
    const whole = { ...(read.data as object), display_name: 'renamed' };
    expect((await change(admin, whole)).body).toMatchObject({
      success: true,
      data: { display_name: 'renamed', email: 'own@example.com', quota: 10 },
    });
    const chinese = await app.request('/api/user/', {
      method: 'PUT',
      as: admin,
      body: { id: target.id, email: 'a@b.example' },
      language: 'zh',
    });
    expect(chinese.body.message).toContain('email 不能在这里修改');
  });
});
