// Signing in by the provider of an organization: who is let in as whom, with which role, and who is not.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { codeOf } from '#tests/integration/admin/organizations/support.ts';
import { openSignOn, proveDomain, signInBy, Visitor, type SignOnScene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: SignOnScene;
  beforeAll(async () => {
    scene = await openSignOn(database);
  });
  afterAll(() => scene.close());

  let count = 0;
  const newDomain = () => `company${(count += 1)}.example`;
  const person = (email: string, more: object = {}) => {
    scene.idp.people.set(email, {
      sub: `sub-of-${email}`,
      email,
      email_verified: true,
      name: 'Ada',
      ...more,
    });
    return email;
  };
  const audited = async (organizationId: number): Promise<string[]> => {
    const rows = await scene.app.store.db
      .selectFrom('audit')
      .select('action')
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .execute();
    return rows.map(({ action }) => action);
  };
  const membership = (organizationId: number, userId: number) =>
    scene.app.store.db
      .selectFrom('organization_members')
      .select(['role', 'source', 'project_ids', 'left_at'])
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .orderBy('id', 'desc')
      .executeTakeFirst();

  test('an address of a verified domain leads to the provider and back into a new account with the default role', async () => {
    const { id, domain } = await scene.organization(newDomain(), { default_role: 'viewer' });
    const { code, actor } = await signInBy(scene, person(`ada@${domain}`));
    expect(code).toBe('done');
    expect(await membership(id, actor.id)).toMatchObject({ role: 'viewer', source: 'sign_on', left_at: 0 });
    const account = await scene.app.store.db
      .selectFrom('users')
      .select(['email', 'role', 'quota', 'display_name'])
      .where('id', '=', actor.id)
      .executeTakeFirstOrThrow();
    // No starting quota: an organization can make any number of accounts.
    expect(account).toEqual({ email: `ada@${domain}`, role: 1, quota: 0, display_name: 'Ada' });
    expect(await audited(id)).toContain('sign_on.join');
    const again = await signInBy(scene, `ada@${domain}`);
    expect(again.actor.id).toBe(actor.id);
  });

  test('an account of the same address is linked, keeps what it has, and gets the role of its groups', async () => {
    const { id, domain, owner } = await scene.organization(newDomain());
    await owner.client.organizationSignOn.createGroup({ body: { name: 'Finance', role: 'billing' } });
    const email = person(`old@${domain}`, { groups: ['finance', 'unknown'] });
    const old = await scene.app.actor({ quota: 500, row: { email } });
    const { actor } = await signInBy(scene, email);
    expect(actor.id).toBe(old.id);
    expect(await membership(id, old.id)).toMatchObject({ role: 'billing' });
    expect(await audited(id)).toContain('sign_on.link');
  });

  test('an account with a role on the site is neither linked nor signed in', async () => {
    const { domain } = await scene.organization(newDomain());
    const email = person(`root@${domain}`);
    await scene.app.actor({ role: 10, row: { email } });
    expect((await signInBy(scene, email)).code).toBe('sign_on_account_protected');
  });

  test.each([[false], [undefined], ['no']])('email_verified %p is refused', async (email_verified) => {
    const { domain } = await scene.organization(newDomain());
    expect((await signInBy(scene, person(`eve@${domain}`, { email_verified }))).code).toBe(
      'sign_on_email_unverified',
    );
  });

  test('a provider cannot vouch for an address of a domain that its organization has not verified (take-over)', async () => {
    const { domain } = await scene.organization(newDomain());
    const other = await scene.organization(newDomain());
    const victim = await scene.app.actor({ row: { email: `boss@${other.domain}` } });
    scene.idp.people.set(`mallory@${domain}`, {
      sub: 'mallory',
      email: `boss@${other.domain}`,
      email_verified: true,
    });
    const { code, actor } = await signInBy(scene, `mallory@${domain}`);
    expect([code, actor.id]).toEqual(['sign_on_domain_foreign', 0]);
    expect(await membership(other.id, victim.id)).toBeUndefined();
    // Added is not verified.
    const { owner } = await scene.organization(newDomain());
    await owner.client.organizationSignOn.addDomain({ body: { domain: 'pending.example' } });
    expect((await failure(new Visitor(scene).begin('x@pending.example'))).message).toContain(
      'sign_on_unknown',
    );
  });

  test('a domain is verified by its TXT record, for one organization at most, and without it nobody is sent anywhere', async () => {
    const { owner } = await scene.organization(newDomain());
    const domain = newDomain();
    const { id, record_name } = await owner.client.organizationSignOn.addDomain({ body: { domain } });
    expect(record_name).toBe(`_tollgate.${domain}`);
    const beyond = await owner.client.organizationSignOn.addDomain({ body: { domain: 'acme.test' } });
    const verifyBeyond = owner.client.organizationSignOn.verifyDomain({ params: { id: beyond.id } });
    expect(await codeOf(verifyBeyond)).toBe('domain_not_allowed');
    const verify = () => codeOf(owner.client.organizationSignOn.verifyDomain({ params: { id } }));
    expect(await verify()).toBe('domain_not_proven');
    scene.names.records.set(record_name, ['tollgate-domain=another']);
    expect(await verify()).toBe('domain_not_proven');
    const second = await scene.organization(newDomain());
    const rival = await second.owner.client.organizationSignOn.addDomain({ body: { domain } });
    scene.names.records.set(record_name, [rival.record_value]);
    expect(await verify()).toBe('domain_not_proven');
    await second.owner.client.organizationSignOn.verifyDomain({ params: { id: rival.id } });
    const { domains } = await owner.client.organizationSignOn.read();
    const mine = domains.find((each) => each.id === id);
    scene.names.records.set(record_name, [mine?.record_value ?? '']);
    expect(await verify()).toBe('domain_taken');
    for (const wrong of ['localhost', '127.0.0.1', 'a b.example', '-x.example', 'http://x.example'])
      expect(await codeOf(owner.client.organizationSignOn.addDomain({ body: { domain: wrong } }))).toBe(
        'domain_invalid',
      );
  });

  test('a changed claim changes role and projects at the next sign-in, and disables what is no longer allowed', async () => {
    const { id, domain, owner } = await scene.organization(newDomain());
    const [usual] = await owner.client.projects.list();
    const red = await owner.client.projects.create({ body: { name: 'red' } });
    const { createGroup } = owner.client.organizationSignOn;
    await createGroup({ body: { name: 'all', role: 'member' } });
    await createGroup({ body: { name: 'red', role: 'member', project_ids: [red.id] } });
    await createGroup({ body: { name: 'lookers', role: 'viewer' } });
    const email = person(`dev@${domain}`, { groups: ['all'] });
    const { actor } = await signInBy(scene, email);
    const dev = scene.app.client(actor, id);
    await dev.tokens.create({ body: { name: 'in red', project_id: red.id } });
    const [usualKey] = await dev.tokens.create({ body: { name: 'usual' } });

    person(email, { groups: ['red'] });
    const limited = scene.app.client((await signInBy(scene, email)).actor, id);
    expect(await membership(id, actor.id)).toMatchObject({ role: 'member', project_ids: String(red.id) });
    const keys = await scene.app.store.db
      .selectFrom('tokens')
      .select(['name', 'status'])
      .where('user_id', '=', id)
      .orderBy('id')
      .execute();
    expect(keys).toEqual([
      { name: 'in red', status: 1 },
      { name: 'usual', status: 2 },
    ]);
    const [made] = await limited.tokens.create({ body: { name: 'new' } });
    expect(made?.project_id).toBe(red.id);
    const outside = { name: 'x', project_id: usual?.id };
    expect(await codeOf(limited.tokens.create({ body: outside }))).toBe('project_not_given');
    expect(
      await codeOf(limited.tokens.change({ query: {}, body: { id: made?.id ?? 0, project_id: usual?.id } })),
    ).toBe('project_not_given');
    const enable = { query: { status_only: 'true' as const }, body: { id: usualKey?.id ?? 0, status: 1 } };
    expect(await codeOf(limited.tokens.change(enable))).toBe('token_owner_left');

    person(email, { groups: ['lookers'] });
    await signInBy(scene, email);
    expect(await membership(id, actor.id)).toMatchObject({ role: 'viewer', project_ids: '' });
    const rows = await scene.app.store.db
      .selectFrom('tokens')
      .select('status')
      .where('user_id', '=', id)
      .where('member_id', '=', actor.id)
      .execute();
    expect(rows.map(({ status }) => status)).toEqual([2, 2, 2]);
    expect(await audited(id)).toContain('sign_on.change_member');
  });

  test('groups give no ownership and take none', async () => {
    const { id, domain, owner } = await scene.organization(newDomain());
    const { createGroup } = owner.client.organizationSignOn;
    const asOwner = { name: 'bosses', role: 'owner' as never };
    expect(await codeOf(createGroup({ body: asOwner }))).toBe('invalid_parameter');
    await createGroup({ body: { name: 'lookers', role: 'viewer' } });
    const email = person(`founder@${domain}`, { groups: ['lookers', 'owner'] });
    await scene.app.store.db.updateTable('users').set({ email }).where('id', '=', owner.id).execute();
    const { code, actor } = await signInBy(scene, email);
    expect([code, actor.id]).toEqual(['done', owner.id]);
    expect(await membership(id, owner.id)).toMatchObject({ role: 'owner' });
  });

  test('required: members of the domain have no other way, the owner keeps one that is audited, others are not touched', async () => {
    const company = await scene.organization(newDomain());
    const { id, domain, owner, name } = company;
    await scene.app.store.db
      .updateTable('users')
      .set({ email: `owner@${domain}` })
      .where('id', '=', owner.id)
      .execute();
    const bound = await company.member('member', { row: { email: `bound@${domain}` } });
    const guest = await company.member('member', { row: { email: 'guest@elsewhere.example' } });
    const read = await owner.client.organizationSignOn.read();
    const { issuer, client_id } = read.provider ?? { issuer: '', client_id: '' };
    await owner.client.organizationSignOn.saveProvider({ body: { issuer, client_id, required: true } });
    // The session from before has ended; those of the others have not.
    expect(await codeOf(bound.own.users.self())).toBe('not_signed_in');
    expect(await codeOf(guest.own.users.self())).toBe('done');
    expect(await codeOf(owner.own.users.self())).toBe('done');
    expect((await failure(scene.app.login(bound.username))).message).toContain(name);
    expect((await scene.app.login(guest.username)).id).toBe(guest.id);
    expect((await scene.app.login(owner.username)).id).toBe(owner.id);
    expect(await audited(id)).toContain('sign_on.other_way');
    expect((await signInBy(scene, person(`bound@${domain}`))).actor.id).toBe(bound.id);
    // Only with a provider that works and a domain.
    const other = await scene.organization(newDomain());
    const [first] = (await other.owner.client.organizationSignOn.read()).domains;
    await other.owner.client.organizationSignOn.removeDomain({ params: { id: first?.id ?? 0 } });
    const asked = { issuer, client_id: `client-${other.id}`, required: true };
    expect(await codeOf(other.owner.client.organizationSignOn.saveProvider({ body: asked }))).toBe(
      'sign_on_needs_domain',
    );
  });

  test('whoever is removed loses the session that came by the provider at once, and keeps one that did not', async () => {
    const { id, domain, owner } = await scene.organization(newDomain());
    const email = person(`gone@${domain}`);
    const { actor } = await signInBy(scene, email);
    const own = await scene.app.store.db
      .selectFrom('sessions')
      .select('organization_id')
      .where('user_id', '=', actor.id)
      .execute();
    expect(own).toEqual([{ organization_id: id }]);
    const other = await scene.organization(newDomain());
    const elsewhere = await other.member('member');
    expect(await codeOf(scene.app.client(actor).users.self())).toBe('done');
    await owner.client.members.remove({ params: { user_id: actor.id }, body: {} });
    await other.owner.client.members.remove({ params: { user_id: elsewhere.id }, body: {} });
    expect(await codeOf(scene.app.client(actor).users.self())).toBe('not_signed_in');
    expect(await codeOf(elsewhere.own.users.self())).toBe('done');
  });

  test('the settings are for owners to change, and for admins to read without the secret', async () => {
    const company = await scene.organization(newDomain());
    const { owner } = company;
    const admin = await company.member('admin');
    const plain = await company.member('member');
    const view = await admin.client.organizationSignOn.read();
    expect(JSON.stringify(view)).not.toContain('a-secret-of-tests');
    const body = { issuer: scene.idp.issuer, client_id: 'x', client_secret: 'y' };
    expect(await codeOf(admin.client.organizationSignOn.saveProvider({ body }))).toBe(
      'organization_right_missing',
    );
    expect(await codeOf(plain.client.organizationSignOn.read())).toBe('organization_right_missing');
    // The secret is for the issuer that it was given for.
    const moved = { issuer: `${scene.idp.issuer}/other`, client_id: 'x' };
    expect(await codeOf(owner.client.organizationSignOn.saveProvider({ body: moved }))).toBe(
      'sign_on_issuer_unusable',
    );
    const rows = await scene.app.store.db.selectFrom('sign_on_providers').select('secret_sealed').execute();
    expect(JSON.stringify(rows)).not.toContain('a-secret-of-tests');
  });

  test('a deleted organization leaves its domain to another, a deleted account nothing at the provider', async () => {
    const first = await scene.organization(newDomain());
    const email = person(`leaver@${first.domain}`);
    const { actor } = await signInBy(scene, email);
    await scene.app.client(scene.root).userManagement.manage({ body: { id: actor.id, action: 'delete' } });
    const people = await scene.app.store.db
      .selectFrom('sign_on_people')
      .select('id')
      .where('user_id', '=', actor.id)
      .execute();
    expect(people).toEqual([]);
    const again = await signInBy(scene, email);
    expect([again.code, again.actor.id === actor.id]).toEqual(['done', false]);
    const token = await first.token();
    await first.owner.client.organizations.remove();
    const second = await scene.organization(newDomain());
    await proveDomain(scene.names, second, first.domain);
    const scim = await fetch(`${scene.app.url}/scim/v2/Users`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(scim.status).toBe(401);
    expect((await signInBy(scene, email)).reply.body.code).not.toBe('sign_on_unknown');
  });

  test('a second domain leads to the same provider', async () => {
    const organization = await scene.organization(newDomain());
    const domain = newDomain();
    await proveDomain(scene.names, organization, domain);
    expect((await signInBy(scene, person(`two@${domain}`))).code).toBe('done');
  });
});
