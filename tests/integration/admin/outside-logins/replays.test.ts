// Replays at outside logins, on both databases: an answer of a provider signs in once, also for calls at the same time.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { forEachDatabase } from '#tests/support/databases.ts';
import { signedFields } from '#mock/logins/telegram.ts';
import { Browser, startScene, type OutsideScene } from './support.ts';

const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

forEachDatabase((database) => {
  let own: OutsideScene;
  beforeAll(async () => {
    own = await startScene(database);
  });
  afterAll(() => own.close());

  test('OIDC: an answer counts once, also for calls at the same time, and its code is sent once', async () => {
    const browser = new Browser(own.app);
    const { state, authorizeUrl } = await browser.begin('oidc');
    const address = `/api/oauth/oidc?${query({ code: own.oidc.code(authorizeUrl), state })}`;
    const { cookie } = browser;
    const call = () => {
      const tab = new Browser(own.app);
      tab.cookie = cookie;
      return tab.get(address);
    };
    const replies = await Promise.all(Array.from({ length: 6 }, call));
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.code === 'outside_state_invalid')).toHaveLength(5);
    expect((await call()).body.code).toBe('outside_state_invalid');
    expect(own.oidc.seen.filter(({ path }) => path === '/token')).toHaveLength(1);
    const users = await own.app.store.db
      .selectFrom('users')
      .select('id')
      .where('oidc_id', '!=', '')
      .execute();
    expect(users).toHaveLength(1);
  });

  test('OIDC: a used code under a new state is refused by the provider, and does not sign in', async () => {
    const browser = new Browser(own.app);
    const first = await browser.begin('oidc');
    const code = own.oidc.code(first.authorizeUrl);
    expect((await browser.get(`/api/oauth/oidc?${query({ code, state: first.state })}`)).body.success).toBe(
      true,
    );
    const other = new Browser(own.app);
    const second = await other.begin('oidc');
    expect((await other.get(`/api/oauth/oidc?${query({ code, state: second.state })}`)).body.code).toBe(
      'outside_refused',
    );
    expect((await other.get('/api/user/self')).status).toBe(401);
  });

  test('Telegram: signed fields are valid once, also concurrently and from other addresses, for login and binding', async () => {
    const id = 9_100_000;
    await own.app.createUser({ row: { telegram_id: String(id) } });
    const fields = signedFields({ id, first_name: 'Paper' });
    const login = (order: readonly string[]) => {
      const text = query(Object.fromEntries(order.map((name) => [name, fields[name] ?? ''])));
      return new Browser(own.app).get(`/api/oauth/telegram/login?${text}`);
    };
    const names = Object.keys(fields);
    // The same fields in another order are the same proof.
    const replies = await Promise.all([names, names.toReversed(), names, names].map(login));
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
    expect((await login(names)).body.code).toBe('outside_refused');
    const browser = new Browser(own.app, await own.app.actor());
    const { state } = await browser.begin('telegram');
    expect((await browser.post('/api/oauth/telegram/bind', { ...fields, state })).body.code).toBe(
      'outside_refused',
    );
    // The hash in capitals is the same number, but is not the signed text.
    const upper = { ...fields, hash: fields['hash']?.toUpperCase() ?? '' };
    expect((await new Browser(own.app).get(`/api/oauth/telegram/login?${query(upper)}`)).body.code).toBe(
      'outside_refused',
    );
  });
});
