// What SCIM does to people: accounts, memberships, sessions and keys, and whom it cannot reach.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf } from '#tests/integration/admin/organizations/support.ts';
import { filtered, namesIn, newUser, patch, scimClient, type ScimClient } from './scim-support.ts';
import { openSignOn, signInBy, type SignedOrganization, type SignOnScene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: SignOnScene;
  let acme: SignedOrganization;
  let scim: ScimClient;
  beforeAll(async () => {
    scene = await openSignOn(database);
    acme = await scene.organization('acme.example');
    scim = scimClient(scene.app, await acme.token());
  });
  afterAll(() => scene.close());

  const memberRow = (userId: number, organizationId = acme.id) =>
    scene.app.store.db
      .selectFrom('organization_members')
      .select(['role', 'source', 'project_ids', 'left_at'])
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .orderBy('id', 'desc')
      .executeTakeFirst();
  const accountOf = async (email: string): Promise<number> =>
    (
      await scene.app.store.db
        .selectFrom('users')
        .select('id')
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
    ).id;

  test('a created user becomes a member, signs in by the provider as the same account, and is listed', async () => {
    const email = 'new@acme.example';
    const made = await scim('POST', '/Users', {
      body: newUser(email, { displayName: 'New Person', externalId: 'e1' }),
    });
    expect([made.status, made.body['active'], made.headers.get('etag')]).toEqual([201, true, 'W/"1"']);
    expect(made.headers.get('location')).toBe(`${scene.app.url}/scim/v2/Users/${String(made.body['id'])}`);
    const userId = await accountOf(email);
    expect(await memberRow(userId)).toMatchObject({ role: 'member', source: 'scim', left_at: 0 });
    scene.idp.people.set(email, { sub: 'new', email, email_verified: true });
    expect((await signInBy(scene, email)).actor.id).toBe(userId);
    expect(namesIn(await scim('GET', `/Users?${filtered('externalId eq "e1"')}`))).toEqual([email]);
    const taken = await scim('POST', '/Users', { body: newUser('NEW@acme.example') });
    expect([taken.status, taken.body['scimType']]).toEqual([409, 'uniqueness']);
  });

  test.each([['active false'], ['DELETE']])(
    '%s ends the session that came by the provider and the keys at once; the history stays',
    async (how) => {
      const email = `leaver-${how.split(' ')[0]?.toLowerCase()}@acme.example`;
      const { body } = await scim('POST', '/Users', { body: newUser(email) });
      scene.idp.people.set(email, { sub: email, email, email_verified: true });
      const { actor } = await signInBy(scene, email);
      const [key] = await scene.app.client(actor, acme.id).tokens.create({ body: { name: 'mine' } });
      const call = () =>
        fetch(`${scene.app.url}/v1/models`, { headers: { Authorization: `Bearer sk-${key?.key ?? ''}` } });
      expect((await call()).status).toBe(200);
      const path = `/Users/${String(body['id'])}`;
      const done =
        how === 'DELETE'
          ? await scim('DELETE', path)
          : await scim('PATCH', path, { body: patch({ op: 'Replace', value: { active: 'False' } }) });
      expect(done.status).toBe(how === 'DELETE' ? 204 : 200);
      expect(await codeOf(scene.app.client(actor).users.self())).toBe('not_signed_in');
      expect([401, 403]).toContain((await call()).status);
      expect((await memberRow(actor.id))?.left_at).toBeGreaterThan(0);
      const stored = await scene.app.store.db
        .selectFrom('tokens')
        .select(['status', 'deleted_at'])
        .where('id', '=', key?.id ?? 0)
        .executeTakeFirstOrThrow();
      expect(stored).toEqual({ status: 2, deleted_at: null });
      if (how === 'DELETE') {
        expect((await scim('GET', path)).status).toBe(404);
        return;
      }
      expect((await signInBy(scene, email)).code).toBe('sign_on_inactive');
      await scim('PATCH', path, { body: patch({ op: 'replace', path: 'active', value: true }) });
      expect((await signInBy(scene, email)).actor.id).toBe(actor.id);
      expect((await memberRow(actor.id))?.left_at).toBe(0);
    },
  );

  test('an account of the same address is linked and keeps its name and its other ways in', async () => {
    const old = await scene.app.actor({ row: { email: 'old@acme.example', display_name: 'Old Name' } });
    const { status, body } = await scim('POST', '/Users', {
      body: newUser('old@acme.example', { displayName: 'Other Name' }),
    });
    expect(status).toBe(201);
    expect(await memberRow(old.id)).toMatchObject({ source: 'scim' });
    await scim('PUT', `/Users/${String(body['id'])}`, {
      body: newUser('renamed@acme.example', { displayName: 'Third' }),
    });
    const account = await scene.app.store.db
      .selectFrom('users')
      .select(['email', 'display_name', 'username'])
      .where('id', '=', old.id)
      .executeTakeFirstOrThrow();
    expect(account).toEqual({ email: 'old@acme.example', display_name: 'Old Name', username: old.username });
    expect((await scene.app.login(old.username)).id).toBe(old.id);
  });

  test('nobody outside the verified domains and no administrator of the site is reached', async () => {
    const stranger = await scene.app.actor({ row: { email: 'boss@elsewhere.example' } });
    const admin = await scene.app.actor({ role: 10, row: { email: 'admin@acme.example' } });
    const foreign = await scim('POST', '/Users', { body: newUser('boss@elsewhere.example') });
    expect([foreign.status, foreign.body['scimType']]).toEqual([400, 'invalidValue']);
    expect((await scim('POST', '/Users', { body: newUser('admin@acme.example') })).status).toBe(403);
    const { body } = await scim('POST', '/Users', { body: newUser('plain@acme.example') });
    const path = `/Users/${String(body['id'])}`;
    const moved = await scim('PATCH', path, {
      body: patch({ op: 'replace', path: 'emails[type eq "work"].value', value: 'boss@elsewhere.example' }),
    });
    expect(moved.status).toBe(400);
    const plain = await accountOf('plain@acme.example');
    await scene.app.store.db.updateTable('users').set({ role: 10 }).where('id', '=', plain).execute();
    expect((await scim('DELETE', path)).status).toBe(403);
    expect(
      (await scim('PATCH', path, { body: patch({ op: 'replace', path: 'active', value: false }) })).status,
    ).toBe(403);
    for (const id of [stranger.id, admin.id]) expect(await memberRow(id)).toBeUndefined();
  });

  test('the last owner is neither deactivated nor deleted; another owner is', async () => {
    const team = await scene.organization('owners.example');
    const client = scimClient(scene.app, await team.token());
    const second = await team.member('owner', { row: { email: 'second@owners.example' } });
    await scene.app.store.db
      .updateTable('users')
      .set({ email: 'first@owners.example' })
      .where('id', '=', team.owner.id)
      .execute();
    const ids: string[] = [];
    for (const name of ['first', 'second'])
      ids.push(
        String((await client('POST', '/Users', { body: newUser(`${name}@owners.example`) })).body['id']),
      );
    expect(await memberRow(team.owner.id, team.id)).toMatchObject({ role: 'owner' });
    expect((await client('DELETE', `/Users/${ids[1]}`)).status).toBe(204);
    expect((await memberRow(second.id, team.id))?.left_at).toBeGreaterThan(0);
    const last = await client('DELETE', `/Users/${ids[0]}`);
    expect([last.status, last.body['detail']]).toEqual([409, expect.stringContaining('owner')]);
    expect(await memberRow(team.owner.id, team.id)).toMatchObject({ left_at: 0 });
  });

  test('a group gives its role as soon as somebody is in it and an owner has said what it gives', async () => {
    const team = await scene.organization('groups.example');
    const client = scimClient(scene.app, await team.token());
    const id = String((await client('POST', '/Users', { body: newUser('dev@groups.example') })).body['id']);
    const userId = await accountOf('dev@groups.example');
    const made = await client('POST', '/Groups', {
      body: { displayName: 'owner', members: [{ value: id }] },
    });
    expect(made.status).toBe(201);
    expect(await memberRow(userId, team.id)).toMatchObject({ role: 'member' });
    const [group] = (await team.owner.client.organizationSignOn.read()).groups;
    expect(group).toMatchObject({ name: 'owner', by_scim: true, members: 1, role: '' });
    await team.owner.client.organizationSignOn.changeGroup({
      params: { id: group?.id ?? 0 },
      body: { role: 'admin' },
    });
    expect(await memberRow(userId, team.id)).toMatchObject({ role: 'admin' });
    const path = `/Groups/${String(made.body['id'])}`;
    await client('PATCH', path, { body: patch({ op: 'remove', path: `members[value eq "${id}"]` }) });
    expect(await memberRow(userId, team.id)).toMatchObject({ role: 'member' });
    const added = await client('PATCH', path, {
      body: patch({ op: 'add', path: 'members', value: [{ value: id }] }),
    });
    expect(added.body['members']).toMatchObject([{ value: id, type: 'User' }]);
    expect(await memberRow(userId, team.id)).toMatchObject({ role: 'admin' });
    expect((await client('DELETE', path)).status).toBe(204);
    expect((await memberRow(userId, team.id))?.role).toBe('admin');
    const named = { displayName: 'x', members: [{ value: '999999' }] };
    expect((await client('POST', '/Groups', { body: named })).status).toBe(400);
  });

  test('a token reaches its own organization only, and nothing once it is revoked', async () => {
    const other = await scene.organization('other.example');
    const theirs = scimClient(scene.app, await other.token('theirs'));
    const mine = await scim('POST', '/Users', { body: newUser('mine@acme.example') });
    const path = `/Users/${String(mine.body['id'])}`;
    expect((await theirs('GET', path)).status).toBe(404);
    expect((await theirs('DELETE', path)).status).toBe(404);
    expect(
      (await theirs('PATCH', path, { body: patch({ op: 'replace', path: 'active', value: false }) })).status,
    ).toBe(404);
    expect((await theirs('GET', '/Users')).body['totalResults']).toBe(0);
    const member = { displayName: 'spies', members: [{ value: String(mine.body['id']) }] };
    expect((await theirs('POST', '/Groups', { body: member })).status).toBe(400);
    const foreign = await theirs('POST', '/Users', { body: newUser('mine2@acme.example') });
    expect(foreign.status).toBe(400);

    for (const token of ['', 'scim-unknown', 'sk-x'])
      expect((await scimClient(scene.app, token)('GET', '/Users')).status).toBe(401);
    const bySession = await fetch(`${scene.app.url}/scim/v2/Users`, {
      headers: { Cookie: other.owner.cookie },
    });
    expect(bySession.status).toBe(401);
    const { tokens } = await other.owner.client.organizationSignOn.read();
    expect(tokens[0]?.last_used_at).toBeGreaterThan(0);
    const stored = JSON.stringify(await scene.app.store.db.selectFrom('scim_tokens').selectAll().execute());
    expect(stored).not.toContain('scim-');
    await other.owner.client.organizationSignOn.revokeToken({ params: { id: tokens[0]?.id ?? 0 } });
    expect((await theirs('GET', '/Users')).status).toBe(401);
  });

  test('a suspended organization and a site that turned sign-on off refuse changes; the audit trail names the token', async () => {
    const team = await scene.organization('paused.example');
    const client = scimClient(scene.app, await team.token('entra'));
    await client('POST', '/Users', { body: newUser('one@paused.example') });
    const rows = await scene.app.store.db
      .selectFrom('audit')
      .select(['actor_name', 'actor_id', 'action'])
      .where('organization_id', '=', team.id)
      .where('action', 'like', 'scim.%')
      .execute();
    expect(rows).toEqual([{ actor_name: 'SCIM: entra', actor_id: 0, action: 'scim.create_user' }]);
    const admin = scene.app.client(scene.root).organizationManagement;
    await admin.suspend({ params: { id: team.id }, body: { reason: 'unpaid' } });
    expect((await client('POST', '/Users', { body: newUser('two@paused.example') })).status).toBe(403);
    expect((await client('GET', '/Users')).status).toBe(200);
    await admin.lift({ params: { id: team.id } });
    await scene.app.settings.set('OrganizationSignOn', 'false', 0);
    expect((await client('GET', '/Users')).status).toBe(403);
    await scene.app.settings.set('OrganizationSignOn', 'true', 0);
    expect((await client('GET', '/Users')).status).toBe(200);
  });
});
