// A key was found in the open: an administrator finds its owner and stops that one key, and a scanner reports many.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { REPORTED_KEYS_MAX } from '#contract/admin/leaked-keys.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

forEachDatabase((database) => {
  let app: TestApplication;
  let admin: Actor;
  let user: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
    user = await app.actor({ quota: 1000 });
  });
  afterAll(() => app.close());

  async function newToken(owner: Actor) {
    const [token] = await app.client(owner).tokens.create({ body: { name: 'leaky' } });
    if (!token) throw new Error('no token');
    return token;
  }
  const find = (key: string, as = admin) => app.client(as).tokens.find({ body: { key } });
  const report = (keys: string[], as = admin) =>
    app.client(as).tokens.report({ body: { keys, reason: 'a public repository' } });
  const verdictsOf = async (keys: string[], as = admin) =>
    (await report(keys, as)).map(({ verdict }) => verdict);
  const noticesOf = (userId: number) =>
    app.store.db
      .selectFrom('notices')
      .select('details')
      .where('user_id', '=', userId)
      .where('event', '=', 'token_leaked')
      .execute();
  const statusOf = async (key: string) =>
    (await fetch(`${app.url}/v1/models`, { headers: { Authorization: `Bearer sk-${key}` } })).status;

  test('a whole key, with or without its prefix, and a masked one lead to token and owner (O39)', async () => {
    const { id, key } = await newToken(user);
    const wanted = {
      token_id: id,
      name: 'leaky',
      user_id: user.id,
      username: user.username,
      manageable: true,
    };
    const masked = `sk-${key.slice(0, 4)}…${key.slice(-4)}`;
    for (const text of [key, `sk-${key}`, ` sk-${key}\n`, masked, masked.replace('…', '****')]) {
      const found = await find(text);
      expect(found).toMatchObject([wanted]);
      expect(JSON.stringify(found)).not.toContain(key);
    }
    expect(await find('x'.repeat(48))).toEqual([]);
    const refused = await app.request('/api/token/find', { as: admin, body: { key: 'hello' } });
    expect([refused.body.code, refused.body.field]).toEqual(['invalid_parameter', 'key']);
  });

  test('a masked key that fits two tokens shows both and disables neither; then one is disabled by id (O39)', async () => {
    const [first, second] = [await newToken(user), await newToken(user)];
    await app.store.db
      .updateTable('tokens')
      .set({ key_hint: 'SameHint' })
      .where('id', 'in', [first.id, second.id])
      .execute();
    const found = await find('sk-Same…Hint');
    expect(found.map(({ token_id }) => token_id)).toEqual([second.id, first.id]);
    expect(await verdictsOf(['sk-Same…Hint'])).toEqual(['invalid']);
    const disabled = await app.client(admin).tokens.disable({ params: { id: first.id }, body: {} });
    expect(disabled.status).toBe(TOKEN_STATUS.disabled);
    expect([await statusOf(first.key), await statusOf(second.key)]).toEqual([401, 200]);
  });

  test('a report disables the keys of this site at once, says a verdict for each, and notifies each owner once (O39)', async () => {
    const owner = await app.actor({ quota: 1000 });
    const { id, key } = await newToken(owner);
    expect(await statusOf(key)).toBe(200);
    const stranger = 'y'.repeat(48);
    expect(await report([`sk-${key}`, key, stranger, 'sk-proj-foreign'])).toEqual([
      { verdict: 'disabled', token_id: id, user_id: owner.id, key: `${key.slice(0, 4)}…${key.slice(-4)}` },
      { verdict: 'disabled', token_id: id, user_id: owner.id, key: `${key.slice(0, 4)}…${key.slice(-4)}` },
      { verdict: 'unknown', token_id: 0, user_id: 0, key: '' },
      { verdict: 'invalid', token_id: 0, user_id: 0, key: '' },
    ]);
    expect(await statusOf(key)).toBe(401);
    expect(await verdictsOf([key])).toEqual(['inactive']);
    const notices = await noticesOf(owner.id);
    expect(notices).toHaveLength(1);
    expect(JSON.parse(notices[0]?.details ?? '')).toMatchObject({ reason: 'a public repository' });
    const rows = await app.store.db
      .selectFrom('audit')
      .selectAll()
      .where('target', '=', `token:${id}`)
      .execute();
    expect(rows.filter(({ action }) => action === 'token.disable_leaked')).toHaveLength(1);
    // Neither the trail nor the notice has the key.
    expect(
      JSON.stringify([await app.store.db.selectFrom('audit').selectAll().execute(), notices]),
    ).not.toContain(key);
  });

  test('two reports of one key at the same time notify its owner once (O39)', async () => {
    const owner = await app.actor({ quota: 1000 });
    const { key } = await newToken(owner);
    const verdicts = (await Promise.all([verdictsOf([key]), verdictsOf([key])])).flat();
    expect(verdicts.filter((verdict) => verdict === 'disabled')).toHaveLength(1);
    expect(await noticesOf(owner.id)).toHaveLength(1);
  });

  test('users find nothing, and an administrator cannot stop keys of an equal or higher role (O39)', async () => {
    const peer = await app.actor({ role: ROLE.admin });
    const { id, key } = await newToken(peer);
    for (const [path, body] of [
      ['/api/token/find', { key }],
      ['/api/token/report', { keys: [key] }],
      [`/api/token/${id}/disable`, {}],
    ] as const) {
      const reply = await app.request(path, { as: user, body });
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'no_permission']);
    }
    expect(await find(key)).toMatchObject([{ token_id: id, manageable: false }]);
    expect(await verdictsOf([key])).toEqual(['not_allowed']);
    const refused = await app.request(`/api/token/${id}/disable`, { as: admin, body: {} });
    expect(refused.body.code).toBe('user_not_manageable');
    expect(await statusOf(key)).toBe(200);
    expect(await noticesOf(peer.id)).toEqual([]);
    // The own key can be stopped by its owner.
    expect(await verdictsOf([key], peer)).toEqual(['disabled']);
  });

  test('the key of a deleted user is inactive; a deleted token is disabled, so that it cannot be restored to use (O39)', async () => {
    const gone = await app.actor({ quota: 1000 });
    const dead = await newToken(gone);
    await app.client(admin).userManagement.manage({ body: { id: gone.id, action: 'delete' } });
    expect(await verdictsOf([dead.key])).toEqual(['inactive']);
    expect(await find(dead.key)).toMatchObject([{ token_id: dead.id, deleted: true }]);

    const removed = await newToken(user);
    await app.client(user).tokens.remove({ params: { id: removed.id } });
    expect(await verdictsOf([removed.key])).toEqual(['disabled']);
    await app.client(user).tokens.restore({ params: { id: removed.id } });
    expect(await statusOf(removed.key)).toBe(401);
  });

  test('a report takes a thousand keys and no more (O39)', async () => {
    const { key } = await newToken(user);
    const others = Array.from({ length: REPORTED_KEYS_MAX - 1 }, (_, index) =>
      String(index).padStart(48, 'z'),
    );
    const verdicts = await verdictsOf([...others, key]);
    expect(verdicts.at(-1)).toBe('disabled');
    expect(verdicts.filter((verdict) => verdict === 'unknown')).toHaveLength(REPORTED_KEYS_MAX - 1);
    const tooMany = await app.request('/api/token/report', {
      as: admin,
      body: { keys: [...others, key, key] },
    });
    expect(tooMany.body.success).toBe(false);
  });
});
