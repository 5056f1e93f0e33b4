// The account of an organization is a wallet: nobody signs in to it, whatever its row says, and it is no user of the site.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ACCESS_TOKEN_PURPOSE } from '#server/admin/http/authenticate.ts';
import { openSessions } from '#server/admin/http/sessions.ts';
import { hashPassword } from '#server/platform/store/passwords.ts';
import type { RowChange } from '#server/platform/store/schema.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import type { Client } from '#contract/client.ts';
import type { TollgateApi } from '#contract/api.ts';
import { codeOf, openScene, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const PASSWORD = 'correct-horse-7';

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let organization: Organization;
  let root: Client<TollgateApi>;
  beforeAll(async () => {
    scene = await openScene(database);
    organization = await scene.organization('Vault');
    root = scene.app.client(scene.root);
  });
  afterAll(() => scene.close());

  /** What a fault elsewhere could have written into its row. */
  const plant = async (columns: RowChange<'users'>) => {
    const { db, changes } = scene.app.store;
    await db.updateTable('users').set(columns).where('id', '=', organization.id).execute();
    await changes.announce('users', String(organization.id));
  };

  test('a password, an address and an outside login of its row sign nobody in', async () => {
    const { app } = scene;
    await plant({ password_hash: await hashPassword(PASSWORD), email: 'vault@example.com', github_id: '77' });
    for (const name of ['@vault', 'vault@example.com'])
      expect(await codeOf(app.login(name, PASSWORD))).toBe('wrong_credentials');
    const person = await app.createUser({ row: { password_hash: await hashPassword(PASSWORD) } });
    expect(await codeOf(app.login(person.username, PASSWORD))).toBe('done');
    await app.settings.set('SMTPServer', '127.0.0.1', 0);
    await app.settings.set('SMTPFrom', 'gate@example.com', 0);
    await app.request('/api/reset_password?email=vault@example.com');
    const mails = await app.store.db
      .selectFrom('mails')
      .select('id')
      .where('recipient', '=', 'vault@example.com')
      .execute();
    expect(mails).toEqual([]);
    await plant({ password_hash: '', email: '', github_id: '' });
  });

  test('a session and an access token of its row open nothing', async () => {
    const { app } = scene;
    const token = 'access-token-of-an-organization';
    await plant({ access_token_digest: app.store.vault.digest(ACCESS_TOKEN_PURPOSE, token) });
    const as = { 'New-Api-User': String(organization.id) };
    const byToken = await app.request('/api/user/self', { headers: { ...as, Authorization: token } });
    expect([byToken.status, byToken.body.code]).toEqual([401, 'not_signed_in']);
    const sessions = openSessions(app.store, app.log);
    const id = await app.store.db
      .transaction()
      .execute((transaction) =>
        sessions.start(transaction, organization.id, { address: '127.0.0.1', userAgent: 'Bun' }),
      );
    sessions.close();
    const bySession = await app.request('/api/user/self', { headers: { ...as, Cookie: `sid=${id}` } });
    expect([bySession.status, bySession.body.code]).toEqual([401, 'not_signed_in']);
    await plant({ access_token_digest: null });
  });

  test('it is in no list of users and can be changed by none of their verbs', async () => {
    const { id } = organization;
    const found = await root.userManagement.search({ query: { keyword: 'vault' } });
    expect(found).toMatchObject({ items: [], total: 0 });
    const { total } = await root.userManagement.list({ query: {} });
    const { people } = await scene.app.store.db
      .selectFrom('users')
      .select((builder) => builder.fn.countAll<number>().as('people'))
      .where('kind', '=', 'person')
      .executeTakeFirstOrThrow();
    expect(total).toBe(people);
    const codes = await Promise.all([
      codeOf(root.users.read({ params: { id } })),
      codeOf(root.userManagement.change({ body: { id, password: PASSWORD } })),
      codeOf(root.userManagement.change({ body: { id, quota_change: 5 } })),
      codeOf(root.userManagement.manage({ body: { id, action: 'promote' } })),
      codeOf(root.userManagement.manage({ body: { id, action: 'delete' } })),
      codeOf(root.userManagement.left({ params: { id } })),
      codeOf(root.userManagement.usage({ params: { id } })),
      codeOf(root.userManagement.page({ params: { id }, query: {} })),
      codeOf(root.userManagement.resetTwoFactor({ params: { id } })),
      codeOf(root.agents.set({ body: { user_id: id, rate_percent: 5, active: true } })),
      codeOf(root.organizationManagement.addOwner({ params: { id }, body: { user_id: id } })),
    ]);
    expect(codes.filter((code) => !['user_unavailable', 'not_found'].includes(code))).toEqual([]);
  });

  test('it invites nobody: its invite code is no code', async () => {
    const { app } = scene;
    await app.settings.set('QuotaForInvitee', '700', 0);
    const { aff_code } = await app.store.db
      .selectFrom('users')
      .select('aff_code')
      .where('id', '=', organization.id)
      .executeTakeFirstOrThrow();
    const username = 'invited-by-nobody';
    await app.client().session.register({
      query: {},
      body: { username, password: PASSWORD, aff_code },
    });
    const row = await app.store.db
      .selectFrom('users')
      .select(['inviter_id', 'quota'])
      .where('username', '=', username)
      .executeTakeFirstOrThrow();
    expect(row.inviter_id).toBe(0);
    await app.settings.set('QuotaForInvitee', '0', 0);
  });

  test('no person gets a name that begins like that of an organization', async () => {
    const { app } = scene;
    const username = '@acme';
    const person = await app.createUser();
    const codes = await Promise.all([
      codeOf(app.client().session.register({ query: {}, body: { username, password: PASSWORD } })),
      codeOf(root.userManagement.create({ body: { username, password: PASSWORD } })),
      codeOf(root.userManagement.change({ body: { id: person.id, username } })),
    ]);
    expect(codes).toEqual(['invalid_parameter', 'invalid_parameter', 'invalid_parameter']);
  });
});
