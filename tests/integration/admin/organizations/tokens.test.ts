// The keys of an organization: whose they are, who sees and changes them, and what happens to them when somebody goes.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { TOKEN_STATUS, type TokenView } from '#contract/admin/tokens.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(database);
  });
  afterAll(() => scene.close());

  const keyOf = async (member: Member, name: string, holder: object = {}): Promise<TokenView> => {
    const [token] = await member.client.tokens.create({ body: { name, ...holder } });
    if (token === undefined) throw new Error('no token');
    return token;
  };
  const namesFor = async (member: Member) =>
    (await member.client.tokens.list({ query: {} })).data.map(({ name }) => name).toSorted();
  const statusOf = async (id: number) =>
    (await scene.app.store.db
      .selectFrom('tokens')
      .select(['status', 'member_id', 'service_account_id', 'deleted_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()) satisfies object;

  async function team(): Promise<
    Omit<Organization, 'member'> & Record<'admin' | 'member' | 'viewer' | 'billing', Member>
  > {
    const organization = await scene.organization();
    const [admin, member, viewer, billing] = [
      await organization.member('admin'),
      await organization.member('member'),
      await organization.member('viewer'),
      await organization.member('billing'),
    ];
    return { ...organization, admin, member, viewer, billing };
  }

  test('a member sees and changes their own keys, an owner those of all, a viewer sees them masked', async () => {
    const { owner, admin, member, viewer, billing, id } = await team();
    const [owners, members] = [await keyOf(owner, 'of the owner'), await keyOf(member, 'of the member')];
    expect(members).toMatchObject({ user_id: id, member_id: member.id, member_name: member.username });
    expect(members.key).not.toContain('…');
    expect([await namesFor(member), await namesFor(owner), await namesFor(viewer)]).toEqual([
      ['of the member'],
      ['of the member', 'of the owner'],
      ['of the member', 'of the owner'],
    ]);
    expect(await codeOf(billing.client.tokens.list({ query: {} }))).toBe('organization_right_missing');
    const read = async (as: Member, token: TokenView) =>
      (await as.client.tokens.read({ params: { id: token.id } })).key;
    expect(await read(member, members)).toBe(members.key);
    for (const as of [owner, admin, viewer]) expect(await read(as, members)).toContain('…');
    const change = (as: Member, token: TokenView) =>
      codeOf(as.client.tokens.change({ query: {}, body: { id: token.id, name: 'renamed' } }));
    expect(await change(member, owners)).toBe('not_found');
    expect(await change(viewer, members)).toBe('organization_right_missing');
    expect(await change(admin, members)).toBe('done');
    const each = (as: Member) =>
      as.client.tokens.batch({ body: { ids: [owners.id, members.id], action: 'disable' } });
    expect(await each(member)).toEqual({ changed: [members.id], refused: [] });
    expect((await each(owner)).changed).toEqual([owners.id, members.id]);
    expect(await codeOf(member.client.tokens.page({ params: { id: owners.id }, query: {} }))).toBe(
      'not_found',
    );
    const page = await owner.client.tokens.page({ params: { id: members.id }, query: {} });
    expect(page).toMatchObject({ is_own: true, holder: { member_id: member.id } });
    expect((await viewer.client.tokens.page({ params: { id: members.id }, query: {} })).is_own).toBe(false);
  });

  test('no key of an organization is reached from a personal account or another organization, nor the other way', async () => {
    const [here, there] = [await team(), await scene.organization('Elsewhere')];
    const [personal] = await here.owner.own.tokens.create({ body: { name: 'my own' } });
    const token = await keyOf(here.owner, 'shared');
    expect(personal?.member_id).toBeUndefined();
    expect((await here.owner.own.tokens.list({ query: {} })).data.map(({ name }) => name)).toEqual([
      'my own',
    ]);
    expect(await namesFor(here.owner)).toEqual(['shared']);
    const params = { id: token.id };
    for (const client of [here.owner.own, there.owner.client, scene.app.client(scene.root)]) {
      expect(await codeOf(client.tokens.read({ params }))).toBe('not_found');
      expect(await codeOf(client.tokens.change({ query: {}, body: { id: token.id, name: 'x' } }))).toBe(
        'not_found',
      );
      expect(await codeOf(client.tokens.remove({ params }))).toBe('not_found');
      expect(await codeOf(client.tokens.page({ params, query: {} }))).toBe('not_found');
      const batch = await client.tokens.batch({ body: { ids: [token.id], action: 'delete' } });
      expect(batch).toEqual({ changed: [], refused: [] });
      const found = await client.tokens.search({ query: { token: token.key } });
      expect(found.data).toEqual([]);
    }
    expect(await codeOf(here.owner.client.tokens.read({ params: { id: personal?.id ?? 0 } }))).toBe(
      'not_found',
    );
    // The administrators of the site have a page of their own for it.
    const managed = await scene.app.client(scene.root).tokens.managedPage({ params, query: {} });
    expect(managed.owner.id).toBe(here.id);
  });

  test('a key has a holder and a project of this organization, and only those who may name others', async () => {
    const [here, there] = [await team(), await scene.organization('Other')];
    const { owner, member } = here;
    const robot = await owner.client.serviceAccounts.create({ body: { name: 'robot' } });
    const foreign = await there.owner.client.serviceAccounts.create({ body: { name: 'spy' } });
    const [foreignProject] = await there.owner.client.projects.list();
    const create = (as: Member, holder: object) =>
      codeOf(as.client.tokens.create({ body: { name: 'x', ...holder } }));
    expect(await create(owner, { service_account_id: robot.id })).toBe('done');
    expect(await create(owner, { member_id: member.id })).toBe('done');
    expect(await create(owner, { member_id: here.viewer.id })).toBe('token_owner_unknown');
    expect(await create(owner, { member_id: there.owner.id })).toBe('token_owner_unknown');
    expect(await create(owner, { service_account_id: foreign.id })).toBe('token_owner_unknown');
    expect(await create(owner, { project_id: foreignProject?.id })).toBe('project_unknown');
    expect(await create(owner, { member_id: owner.id, service_account_id: robot.id })).toBe(
      'token_owner_unknown',
    );
    expect(await create(member, { service_account_id: robot.id })).toBe('token_owner_unknown');
    expect(await create(member, { member_id: owner.id })).toBe('token_owner_unknown');
    expect(await codeOf(owner.own.tokens.create({ body: { name: 'x', member_id: owner.id } }))).toBe(
      'organization_required',
    );
    const beta = await owner.client.projects.create({ body: { name: 'beta' } });
    const moved = await keyOf(member, 'moved', { project_id: beta.id });
    expect(moved.project_name).toBe('beta');
    const byProject = await owner.client.tokens.list({ query: { project_id: beta.id } });
    expect(byProject.data.map(({ id }) => id)).toEqual([moved.id]);
    const byMember = await owner.client.tokens.list({ query: { member_id: member.id } });
    expect(byMember.data).toHaveLength(2);
    const byRobot = await owner.client.tokens.list({ query: { service_account_id: robot.id } });
    expect(byRobot.data.map(({ service_account_name }) => service_account_name)).toEqual(['robot']);
  });

  test('the keys of who leaves or is removed are disabled in the same step and cannot be enabled for them', async () => {
    const { owner, member, admin } = await team();
    const [left, removed] = [await keyOf(member, 'left'), await keyOf(admin, 'removed')];
    expect(await member.client.members.leave()).toEqual({ tokens: 1 });
    expect(await owner.client.members.remove({ params: { user_id: admin.id }, body: {} })).toEqual({
      tokens: 1,
    });
    for (const { id } of [left, removed]) {
      expect((await statusOf(id)).status).toBe(TOKEN_STATUS.disabled);
      const enable = { query: { status_only: 'true' as const }, body: { id, status: TOKEN_STATUS.enabled } };
      expect(await codeOf(owner.client.tokens.change(enable))).toBe('token_owner_left');
      const batch = await owner.client.tokens.batch({ body: { ids: [id], action: 'enable' } });
      expect(batch).toEqual({ changed: [], refused: [id] });
    }
    // The history stays, and the key can be handed to somebody who is there.
    await owner.client.tokens.change({ query: {}, body: { id: left.id, member_id: owner.id } });
    const enabled = await owner.client.tokens.batch({ body: { ids: [left.id], action: 'enable' } });
    expect(enabled.changed).toEqual([left.id]);
  });

  test('a removal can hand the keys to another member or to a service account', async () => {
    const { owner, member, admin, viewer } = await team();
    const robot = await owner.client.serviceAccounts.create({ body: { name: 'heir' } });
    const [first, second] = [await keyOf(member, 'first'), await keyOf(admin, 'second')];
    const remove = (user_id: number, tokens: object) =>
      codeOf(owner.client.members.remove({ params: { user_id }, body: { tokens } as never }));
    for (const user_id of [viewer.id, member.id, 999_999])
      expect(await remove(member.id, { action: 'to_member', user_id })).toBe('token_owner_unknown');
    const toRobot = (service_account_id: number) => ({ action: 'to_service_account', service_account_id });
    expect(await remove(member.id, toRobot(999_999))).toBe('token_owner_unknown');
    expect(await remove(member.id, { action: 'to_member', user_id: owner.id })).toBe('done');
    expect(await remove(admin.id, toRobot(robot.id))).toBe('done');
    expect(await statusOf(first.id)).toMatchObject({ status: 1, member_id: owner.id, service_account_id: 0 });
    expect(await statusOf(second.id)).toMatchObject({
      status: 1,
      member_id: 0,
      service_account_id: robot.id,
    });
  });

  test('a key made while its member is removed does not stay enabled', async () => {
    for (let round = 0; round < 4; round += 1) {
      const organization = await scene.organization();
      const member = await organization.member('member');
      await Promise.all([
        codeOf(member.client.tokens.create({ body: { name: 'race', count: 5 } })),
        codeOf(organization.owner.client.members.remove({ params: { user_id: member.id }, body: {} })),
      ]);
      const enabled = await scene.app.store.db
        .selectFrom('tokens')
        .select('id')
        .where('member_id', '=', member.id)
        .where('status', '=', TOKEN_STATUS.enabled)
        .execute();
      expect(enabled).toEqual([]);
    }
  });

  test('a role without keys of its own disables them', async () => {
    const { owner, member } = await team();
    const token = await keyOf(member, 'before');
    await owner.client.members.changeRole({ params: { user_id: member.id }, body: { role: 'viewer' } });
    expect((await statusOf(token.id)).status).toBe(TOKEN_STATUS.disabled);
    expect(await codeOf(member.client.tokens.create({ body: { name: 'x' } }))).toBe(
      'organization_right_missing',
    );
  });

  test('an archived project disables its keys; a removed service account takes its keys along', async () => {
    const { owner } = await team();
    const project = await owner.client.projects.create({ body: { name: 'over' } });
    const robot = await owner.client.serviceAccounts.create({
      body: { name: 'over', project_id: project.id },
    });
    const [inProject, ofRobot] = [
      await keyOf(owner, 'in project', { project_id: project.id }),
      await keyOf(owner, 'of robot', { service_account_id: robot.id }),
    ];
    expect(ofRobot.project_id).toBe(project.id);
    await owner.client.projects.archive({ params: { id: project.id } });
    for (const { id } of [inProject, ofRobot])
      expect((await statusOf(id)).status).toBe(TOKEN_STATUS.disabled);
    const batch = await owner.client.tokens.batch({ body: { ids: [inProject.id], action: 'enable' } });
    expect(batch.refused).toEqual([inProject.id]);
    const create = owner.client.tokens.create({ body: { name: 'late', project_id: project.id } });
    expect(await codeOf(create)).toBe('project_archived');
    await owner.client.serviceAccounts.remove({ params: { id: robot.id } });
    expect((await statusOf(ofRobot.id)).deleted_at).not.toBeNull();
    expect(await codeOf(owner.client.tokens.restore({ params: { id: ofRobot.id } }))).toBe(
      'token_owner_left',
    );
    const restored = await owner.client.tokens.batch({ body: { ids: [ofRobot.id], action: 'restore' } });
    expect(restored.changed).toEqual([]);
    const [standard] = await owner.client.projects.list();
    const archive = owner.client.projects.archive({ params: { id: standard?.id ?? 0 } });
    expect(await codeOf(archive)).toBe('project_is_default');
  });

  test('what is done in an organization is in the audit trail under it, with the person as the actor', async () => {
    const { id, owner } = await scene.organization();
    await keyOf(owner, 'audited');
    const rows = await scene.app.store.db
      .selectFrom('audit')
      .select(['action', 'actor_id', 'organization_id'])
      .where('organization_id', '=', id)
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { action: 'organization.create', actor_id: owner.id, organization_id: id },
      { action: 'token.create', actor_id: owner.id, organization_id: id },
    ]);
  });
});
