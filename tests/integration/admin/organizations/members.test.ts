// Members of an organization: roles, leaving, removal, and that it always has an owner.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Scene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(database);
  });
  afterAll(() => scene.close());

  test('whoever creates an organization owns it; its account has no quota and is no user of the site', async () => {
    const { id, owner } = await scene.organization('Büro 7');
    expect(await owner.own.organizations.mine()).toEqual({
      items: [{ id, name: 'Büro 7', role: 'owner', suspended: false }],
      can_create: true,
      invited: 0,
    });
    const account = await scene.app.store.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(account).toMatchObject({
      kind: 'organization',
      username: '@büro-7',
      quota: 0,
      role: 1,
      email: '',
    });
    const [project] = await owner.client.projects.list();
    expect(project).toMatchObject({ name: 'default', is_default: true, archived: false });
    const { total } = await scene.app
      .client(scene.root)
      .organizationManagement.list({ query: { keyword: '7' } });
    expect(total).toBe(1);
  });

  test('two organizations of one name get different names of their accounts', async () => {
    const [first, second] = [await scene.organization('Twin'), await scene.organization('Twin')];
    const rows = await scene.app.store.db
      .selectFrom('users')
      .select('username')
      .where('id', 'in', [first.id, second.id])
      .orderBy('id')
      .execute();
    expect(rows.map(({ username }) => username)).toEqual(['@twin', '@twin-2']);
  });

  test('the limit of organizations holds when somebody creates two at once', async () => {
    const { app } = scene;
    await app.settings.set('OrganizationsPerUser', '2', 0);
    const person = await app.actor();
    const client = app.client(person);
    const codes = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => codeOf(client.organizations.create({ body: { name } }))),
    );
    await app.settings.set('OrganizationsPerUser', '5', 0);
    expect(codes.filter((code) => code === 'done')).toHaveLength(2);
    expect(codes.filter((code) => code === 'organization_limit_reached')).toHaveLength(2);
  });

  test('who may create one is a setting', async () => {
    const { app } = scene;
    const [person, vip, admin] = [
      await app.actor(),
      await app.actor({ group: 'vip' }),
      await app.actor({ role: 10 }),
    ];
    const create = (as: typeof person) =>
      codeOf(app.client(as).organizations.create({ body: { name: 'by setting' } }));
    await app.settings.set('OrganizationCreation', 'groups', 0);
    await app.settings.set('OrganizationCreationGroups', 'vip', 0);
    expect([await create(person), await create(vip), await create(admin)]).toEqual([
      'organization_creation_refused',
      'done',
      'done',
    ]);
    await app.settings.set('OrganizationCreation', 'admins', 0);
    expect([await create(vip), await create(admin)]).toEqual(['organization_creation_refused', 'done']);
    await app.settings.set('OrganizationCreation', 'everybody', 0);
  });

  test('of two owners who leave at once, one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const organization = await scene.organization();
      const second = await organization.member('owner');
      const codes = await Promise.all([
        codeOf(organization.owner.client.members.leave()),
        codeOf(second.client.members.leave()),
      ]);
      expect(codes.toSorted()).toEqual(['done', 'last_owner']);
    }
  });

  test('the last owner cannot leave, lose the role or be removed', async () => {
    const { owner } = await scene.organization();
    const { members } = owner.client;
    const params = { user_id: owner.id };
    expect(await codeOf(members.leave())).toBe('last_owner');
    expect(await codeOf(members.changeRole({ params, body: { role: 'viewer' } }))).toBe('last_owner');
    expect(await codeOf(members.remove({ params, body: {} }))).toBe('last_owner');
  });

  test('an admin changes everybody but owners', async () => {
    const organization = await scene.organization();
    const [admin, other, member] = [
      await organization.member('admin'),
      await organization.member('admin'),
      await organization.member('member'),
    ];
    const change = (user_id: number, role: 'viewer' | 'admin') =>
      codeOf(admin.client.members.changeRole({ params: { user_id }, body: { role } }));
    expect(await change(organization.owner.id, 'viewer')).toBe('member_not_manageable');
    expect(await change(other.id, 'viewer')).toBe('done');
    expect(await change(member.id, 'admin')).toBe('done');
    const removing = admin.client.members.remove({ params: { user_id: organization.owner.id }, body: {} });
    expect(await codeOf(removing)).toBe('member_not_manageable');
  });

  test('a role that was taken is refused at once, on this node without waiting for the cache', async () => {
    const organization = await scene.organization();
    const admin = await organization.member('admin');
    expect(await codeOf(admin.client.invitations.list({ query: {} }))).toBe('done');
    await organization.owner.client.members.changeRole({
      params: { user_id: admin.id },
      body: { role: 'member' },
    });
    expect(await codeOf(admin.client.invitations.list({ query: {} }))).toBe('organization_right_missing');
    await organization.owner.client.members.remove({ params: { user_id: admin.id }, body: {} });
    expect(await codeOf(admin.client.organizations.read())).toBe('organization_missing');
    expect((await admin.own.organizations.mine()).items).toEqual([]);
  });

  test('ownership is handed over only when the receiver accepts, and the giver gets the role that was said', async () => {
    const organization = await scene.organization();
    const { owner } = organization;
    const heir = await organization.member('member');
    const offer = await owner.client.organizations.offerOwnership({
      body: { user_id: heir.id, then_role: 'viewer' },
    });
    expect((await heir.client.organizations.read()).role).toBe('member');
    expect((await owner.client.organizations.read()).ownership_offer).toMatchObject({ user_id: heir.id });
    expect((await heir.own.invitations.mine()).map(({ kind, id }) => [kind, id])).toEqual([
      ['ownership', offer.id],
    ]);
    await heir.own.invitations.accept({ body: { id: offer.id } });
    expect((await heir.client.organizations.read()).role).toBe('owner');
    expect((await owner.client.organizations.read()).role).toBe('viewer');
    expect(await codeOf(heir.own.invitations.accept({ body: { id: offer.id } }))).toBe('invitation_answered');
  });

  test('an offer of ownership ends when it is withdrawn, declined, or the offering owner is none any more', async () => {
    const organization = await scene.organization();
    const { owner } = organization;
    const heir = await organization.member('admin');
    const make = async () =>
      await owner.client.organizations.offerOwnership({ body: { user_id: heir.id, then_role: 'owner' } });
    const accept = (id: number) => codeOf(heir.own.invitations.accept({ body: { id } }));
    const withdrawn = await make();
    await owner.client.organizations.withdrawOwnership();
    expect(await accept(withdrawn.id)).toBe('invitation_missing');
    const declined = await make();
    await heir.own.invitations.decline({ body: { id: declined.id } });
    expect(await accept(declined.id)).toBe('invitation_answered');
    const stranger = await scene.app.actor();
    const toStranger = { body: { user_id: stranger.id } };
    expect(await codeOf(owner.client.organizations.offerOwnership(toStranger))).toBe('ownership_to_member');
    const second = await organization.member('owner');
    const open = await make();
    await second.client.members.changeRole({ params: { user_id: owner.id }, body: { role: 'admin' } });
    expect(await accept(open.id)).toBe('invitation_missing');
  });

  test('a person who deletes the account leaves; the only owner cannot', async () => {
    const organization = await scene.organization('Alone Ltd');
    const member = await organization.member('admin');
    const refused = await scene.app.request('/api/user/self', { method: 'DELETE', as: organization.owner });
    expect(refused.body).toMatchObject({ code: 'owns_organizations' });
    expect(refused.body.message).toContain('Alone Ltd');
    const left = await scene.app.request('/api/user/self', { method: 'DELETE', as: member });
    expect(left.body).toMatchObject({ success: true });
    const { items } = await organization.owner.client.members.list({ query: {} });
    expect(items.map(({ user_id }) => user_id)).toEqual([organization.owner.id]);
    // The same by an administrator of the site.
    const other = await organization.member('admin');
    const manage = (id: number) =>
      codeOf(scene.app.client(scene.root).userManagement.manage({ body: { id, action: 'delete' } }));
    expect(await manage(organization.owner.id)).toBe('owns_organizations');
    expect(await manage(other.id)).toBe('done');
    expect((await organization.owner.client.organizations.read()).members).toBe(1);
  });

  test('only those who manage members see addresses, and find by them', async () => {
    const organization = await scene.organization();
    const plain = await organization.member('viewer', { row: { email: 'plain@example.com' } });
    const seen = await organization.owner.client.members.list({ query: { keyword: 'plain@' } });
    expect(seen.items.map(({ email, user_id }) => [email, user_id])).toEqual([
      ['plain@example.com', plain.id],
    ]);
    const hidden = await plain.client.members.list({ query: {} });
    expect(hidden.items.map(({ email }) => email)).toEqual(['', '']);
    expect((await plain.client.members.list({ query: { keyword: 'plain@' } })).total).toBe(0);
  });
});
