// `/v1/organization` with the official SDK and an organization's admin key: what is read, what is changed as in the console, and
// what the key does not open.
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError, PermissionDeniedError } from 'openai';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let acme: Organization;
  let other: Organization;
  let key: string;

  const admin = (adminAPIKey: string) =>
    new OpenAI({ adminAPIKey, apiKey: 'none', baseURL: `${scene.app.url}/v1`, maxRetries: 0 }).admin
      .organization;
  const keyOf = async (organization: Organization) =>
    (await organization.owner.client.adminKeys.create({ body: { name: 'automation' } })).key;
  const all = async <Item>(pages: AsyncIterable<Item>): Promise<Item[]> => {
    const items: Item[] = [];
    for await (const item of pages) items.push(item);
    return items;
  };
  const usersAre = async (organization: Organization) =>
    (await organization.owner.client.members.list({ query: { p: 1, page_size: 100 } })).items
      .map(({ user_id }) => `user-${user_id}`)
      .toSorted();

  beforeAll(async () => {
    scene = await openScene(database);
    acme = await scene.organization('Acme');
    other = await scene.organization('Other');
    key = await keyOf(acme);
  });
  afterAll(() => scene.close());

  test('users are read in pages, get another role and are removed with their keys', async () => {
    const [worker, viewer] = [await acme.member('member'), await acme.member('viewer')];
    const { users } = admin(key);
    const listed = await all(users.list({ limit: 2 }));
    expect(listed.map(({ id }) => id).toSorted()).toEqual(await usersAre(acme));
    expect(listed.find(({ id }) => id === `user-${worker.id}`)).toMatchObject({
      object: 'organization.user',
      role: 'reader',
    });
    expect((await users.retrieve(`user-${acme.owner.id}`)).role).toBe('owner');
    expect((await users.update(`user-${viewer.id}`, { role: 'owner' })).role).toBe('owner');
    const { items } = await acme.owner.client.members.list({ query: { p: 1, keyword: viewer.username } });
    // Ownership itself is offered and accepted.
    expect(items.map(({ role }) => role)).toEqual(['admin']);

    const [token] = await worker.client.tokens.create({ body: { name: 'mine', unlimited_quota: true } });
    expect(await users.delete(`user-${worker.id}`)).toMatchObject({ deleted: true });
    expect(await codeOf(worker.client.organizations.read())).toBe('organization_missing');
    const row = await scene.app.store.db
      .selectFrom('tokens')
      .select('status')
      .where('id', '=', token?.id ?? 0)
      .executeTakeFirstOrThrow();
    expect(row.status).toBe(2);
  });

  test('the only owner stays, and the refusal says why', async () => {
    const { users } = admin(key);
    expect(await users.delete(`user-${acme.owner.id}`).catch((error: unknown) => error)).toMatchObject({
      status: 409,
      error: { code: 'last_owner', type: 'invalid_request_error' },
    });
  });

  test('users of a project are the members whom no group keeps out of it', async () => {
    const { projects } = admin(key);
    const [here, elsewhere] = [
      await projects.create({ name: 'Here' }),
      await projects.create({ name: 'Elsewhere' }),
    ];
    const member = await acme.member('member');
    const idOf = ({ id }: { id: string }) => Number(id.replace('proj_', ''));
    await scene.app.store.db
      .updateTable('organization_members')
      // As a group gives it.
      .set({ project_ids: `${idOf(elsewhere)},${idOf(elsewhere)}0` })
      .where('user_id', '=', member.id)
      .execute();
    const usersIn = async ({ id }: { id: string }) =>
      (await all(projects.users.list(id))).map((user) => user.id).toSorted();
    const everybody = await usersAre(acme);
    expect(await usersIn(elsewhere)).toEqual(everybody);
    expect(await usersIn(here)).toEqual(everybody.filter((id) => id !== `user-${member.id}`));
    const kept = projects.users.retrieve(`user-${member.id}`, { project_id: here.id });
    expect(await kept.catch((error: unknown) => error)).toMatchObject({ status: 404 });
    const found = await projects.users.retrieve(`user-${member.id}`, { project_id: elsewhere.id });
    expect(found.id).toBe(`user-${member.id}`);
    for (const { id } of [here, elsewhere]) await projects.archive(id);
    await acme.owner.client.members.remove({ params: { user_id: member.id }, body: {} });
  });

  test('projects are made, renamed and archived; their users are the members', async () => {
    const { projects } = admin(key);
    const made = await projects.create({ name: 'Chatbot' });
    expect(made).toMatchObject({ object: 'organization.project', name: 'Chatbot', status: 'active' });
    expect((await projects.update(made.id, { name: 'Helpdesk' })).name).toBe('Helpdesk');
    expect((await all(projects.list({ limit: 1 }))).map(({ name }) => name)).toEqual(['default', 'Helpdesk']);
    expect((await all(projects.users.list(made.id))).map(({ id }) => id).toSorted()).toEqual(
      await usersAre(acme),
    );
    const refused = await projects.users
      .create(made.id, { role: 'member', user_id: 'user-1' })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BadRequestError);
    expect((await all(projects.rateLimits.listRateLimits(made.id))).map(({ model }) => model)).toEqual(['*']);
    expect((await projects.archive(made.id)).status).toBe('archived');
    expect((await all(projects.list())).map(({ name }) => name)).toEqual(['default']);
    expect((await all(projects.list({ include_archived: true }))).map(({ id }) => id)).toContain(made.id);
    const renamed = await projects.update(made.id, { name: 'x' }).catch((error: unknown) => error);
    expect(renamed).toMatchObject({ error: { code: 'project_archived' } });
  });

  test('a service account gets a key that calls models, and loses it with its deletion', async () => {
    const { projects } = admin(key);
    const project = await projects.create({ name: 'Batch jobs' });
    const account = await projects.serviceAccounts.create(project.id, { name: 'nightly' });
    const secret = account.api_key?.value ?? '';
    const models = () =>
      fetch(`${scene.app.url}/v1/models`, { headers: { Authorization: `Bearer ${secret}` } });
    expect((await models()).status).toBe(200);
    const [listed] = await all(projects.apiKeys.list(project.id));
    expect(listed).toMatchObject({ owner: { type: 'service_account' }, owner_project_access: 'active' });
    expect(listed?.redacted_value).not.toContain(secret.slice(10, 40));
    expect((await all(projects.serviceAccounts.list(project.id))).map(({ id }) => id)).toEqual([account.id]);
    await projects.serviceAccounts.delete(account.id, { project_id: project.id });
    expect((await models()).status).toBe(401);
    expect(await all(projects.apiKeys.list(project.id))).toEqual([]);
  });

  test('API keys of members are listed without their value, and deleted', async () => {
    const { projects } = admin(key);
    const [token] = await acme.owner.client.tokens.create({
      body: { name: 'laptop', unlimited_quota: true },
    });
    const [first] = await all(projects.list());
    const keys = await all(projects.apiKeys.list(first?.id ?? '', { limit: 1 }));
    const found = keys.find(({ name }) => name === 'laptop');
    expect(JSON.stringify(keys)).not.toContain(token?.key.slice(8, 40) ?? 'none');
    await projects.apiKeys.delete(found?.id ?? '', { project_id: first?.id ?? '' });
    expect((await all(projects.apiKeys.list(first?.id ?? ''))).map(({ name }) => name)).not.toContain(
      'laptop',
    );
  });

  test('the audit trail has every change with the member who made the key, newest first', async () => {
    const { auditLogs } = admin(key);
    const made = await admin(key).projects.create({ name: 'Audited' });
    const logs = await all(auditLogs.list({ limit: 3 }));
    const [newest] = logs;
    expect(newest).toMatchObject({
      type: 'project.created',
      'project.created': { id: `project:${made.id.slice(5)}` },
      actor: { session: { user: { id: `user-${acme.owner.id}` } } },
    });
    expect(logs.map(({ effective_at }) => effective_at)).toEqual(
      logs.map(({ effective_at }) => effective_at).toSorted((left, right) => right - left),
    );
    const { total } = await acme.owner.client.organizationAudit.list({ query: {} });
    expect(logs.length).toBe(total);
    const only = await all(auditLogs.list({ event_types: ['project.created'] }));
    expect(new Set(only.map(({ type }) => type))).toEqual(new Set(['project.created']));
    expect(await all(auditLogs.list({ effective_at: { gt: 4_000_000_000 } }))).toEqual([]);
  });

  test('another organization exists for no key', async () => {
    const theirs = admin(await keyOf(other));
    const project = await admin(key).projects.create({ name: 'Private' });
    const refusals = await Promise.all(
      [
        theirs.projects.retrieve(project.id),
        theirs.projects.update(project.id, { name: 'stolen' }),
        theirs.projects.archive(project.id),
        theirs.projects.serviceAccounts.create(project.id, { name: 'spy' }),
        theirs.users.delete(`user-${acme.owner.id}`),
        theirs.users.retrieve(`user-${acme.owner.id}`),
      ].map((call) => call.then(() => 'done').catch((error: unknown) => error)),
    );
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(NotFoundError);
    const trail = JSON.stringify(await all(theirs.auditLogs.list()));
    expect(trail).not.toContain('Private');
    expect((await admin(key).projects.retrieve(project.id)).name).toBe('Private');
  });

  test('a key opens nothing once its maker may not manage, leaves, or the key is revoked', async () => {
    const manager = await acme.member('admin');
    const made = await manager.client.adminKeys.create({ body: { name: 'theirs' } });
    expect((await all(admin(made.key).users.list())).length).toBeGreaterThan(1);
    await acme.owner.client.members.changeRole({ params: { user_id: manager.id }, body: { role: 'member' } });
    const refused = await all(admin(made.key).users.list()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AuthenticationError);
    await acme.owner.client.members.changeRole({ params: { user_id: manager.id }, body: { role: 'admin' } });
    expect((await all(admin(made.key).users.list())).length).toBeGreaterThan(1);
    // Those who manage the organization see and revoke all of its keys; the maker's own list has none of them.
    const ids = (await acme.owner.client.adminKeys.list()).map(({ id }) => id);
    expect(ids).toContain(made.id);
    expect(await manager.own.adminKeys.list()).toEqual([]);
    expect((await all(admin(key).adminAPIKeys.list())).map(({ id }) => id)).toContain(`key_${made.id}`);
    await manager.client.organizations.read();
    await manager.client.members.leave();
    expect((await acme.owner.client.adminKeys.list()).map(({ id }) => id)).not.toContain(made.id);
    const gone = await all(admin(made.key).users.list()).catch((error: unknown) => error);
    expect(gone).toBeInstanceOf(AuthenticationError);
    const own = await keyOf(acme);
    const view = (await acme.owner.client.adminKeys.list()).at(-1);
    await admin(key).adminAPIKeys.delete(`key_${view?.id}`);
    expect(await all(admin(own).users.list()).catch((error: unknown) => error)).toBeInstanceOf(
      AuthenticationError,
    );
  });

  test('other keys, other paths and unknown fields are answered clearly', async () => {
    const personal = await acme.owner.own.adminKeys.create({ body: { name: 'reports' } });
    expect(await all(admin(personal.key).users.list()).catch((error: unknown) => error)).toBeInstanceOf(
      PermissionDeniedError,
    );
    const get = async (path: string, init: RequestInit = {}) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const response = await fetch(`${scene.app.url}/v1/organization/${path}`, { headers, ...init });
      return {
        status: response.status,
        body: (await response.json()) as { error?: { code: string; param: string } },
      };
    };
    expect(await get('certificates')).toMatchObject({
      status: 404,
      body: { error: { code: 'unsupported' } },
    });
    const post = (body: unknown) => ({ method: 'POST', body: JSON.stringify(body) });
    expect(await get('projects', post({ name: 'x', geography: 'EU' }))).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported', param: 'geography' } },
    });
    expect(await get('projects', post({ name: '' }))).toMatchObject({
      status: 400,
      body: { error: { param: 'name' } },
    });
    expect(await get('projects', post([]))).toMatchObject({ status: 400 });
    expect(await get('users?limit=0')).toMatchObject({ status: 400 });
    expect(await get('users?after=nobody')).toMatchObject({ status: 404 });
    expect(await get('admin_api_keys', post({ name: 'x' }))).toMatchObject({ status: 400 });
    const without = await fetch(`${scene.app.url}/v1/organization/users`);
    expect(without.status).toBe(401);
    // An admin key calls no model.
    const models = await fetch(`${scene.app.url}/v1/models`, { headers: { Authorization: `Bearer ${key}` } });
    expect(models.status).toBe(401);
  });

  test('a suspended organization is read and not changed; its usage goes on being read', async () => {
    const closed = await scene.organization('Closed');
    const own = admin(await keyOf(closed));
    await scene.app
      .client(scene.root)
      .organizationManagement.suspend({ params: { id: closed.id }, body: { reason: 'unpaid' } });
    expect((await all(own.projects.list())).length).toBe(1);
    expect(await own.projects.create({ name: 'more' }).catch((error: unknown) => error)).toMatchObject({
      error: { code: 'organization_suspended' },
    });
    const usage = await own.usage.completions({ start_time: Math.floor(Date.now() / 1000) - 3600 });
    expect(usage.object).toBe('page');
  });
});
