// What people outside of an organization try, over HTTP: another organization's owner, an ex-member, whoever has an old link or an old
// key. Nothing is read, changed or spent, whichever account the call says that it acts for.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import type { Actor } from '#tests/support/application.ts';
import { openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const MODEL = 'gpt-4o-mini';
const SECRET = 'Secret of Acme';

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  let acme: Organization;
  let beta: Organization;
  let alice: Member;
  let things: Record<
    'project' | 'account' | 'budget' | 'request' | 'invitation' | 'token' | 'admin_key' | 'member' | 'order',
    number
  >;
  let aliceKey: TokenView;
  let adminKey: string;

  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL] });
    acme = await scene.organization(SECRET);
    beta = await scene.organization('Beta');
    for (const { id } of [acme, beta])
      await scene.app.client(scene.root).organizationManagement.adjustBalance({
        params: { id },
        body: { quota_change: 10_000_000 },
      });
    const { client } = acme.owner;
    alice = await acme.member('member');
    await client.budgets.changeTagKeys({ body: { keys: ['team'] } });
    const { id: project } = await client.projects.create({ body: { name: `${SECRET} project` } });
    const { id: account } = await client.serviceAccounts.create({ body: { name: `${SECRET} robot` } });
    const [key] = await alice.client.tokens.create({
      body: { name: `${SECRET} key`, unlimited_quota: true, project_id: project },
    });
    if (key === undefined) throw new Error('no key');
    aliceKey = key;
    const { id: budget } = await client.budgets.create({
      body: {
        name: `${SECRET} budget`,
        subject: 'member',
        subject_id: alice.id,
        period: 'month',
        quota: 5_000_000,
      },
    });
    const { id: request } = await alice.client.budgets.ask({
      params: { id: budget },
      body: { amount: 1000, reason: SECRET },
    });
    const guest = await scene.app.actor();
    const { id: invitation } = await client.invitations.create({
      body: { to: guest.username, role: 'admin' },
    });
    const made = await client.adminKeys.create({ body: { name: `${SECRET} admin` } });
    adminKey = made.key;
    expect((await call(key)).status).toBe(200);
    const order = await scene.app.store.db
      .insertInto('orders')
      .values({
        trade_no: `acme-${acme.id}`,
        user_id: acme.id,
        provider: 'epay',
        amount_minor: 1,
        currency: 'CNY',
        quota: 1,
        created_at: 1,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    things = {
      project,
      account,
      budget,
      request,
      invitation,
      token: key.id,
      admin_key: made.id,
      member: alice.id,
      order: order.id,
    };
  });
  afterAll(async () => {
    expect(await checkInvariants(scene.app.store)).toEqual([]);
    await scene.close();
    await mock.stop();
  });
  let before: unknown;
  const state = async () => {
    const { db } = scene.app.store;
    const of = async (table: string, column: string) =>
      (
        await db
          .selectFrom(table as 'projects')
          .selectAll()
          .where(column as 'organization_id', '=', acme.id)
          .orderBy('id')
          .execute()
      ).map((row) => ({ ...row, used_at: 0, last_used_at: 0, accessed_time: 0 }));
    return await Promise.all([
      of('projects', 'organization_id'),
      of('service_accounts', 'organization_id'),
      of('budgets', 'organization_id'),
      of('budget_counters', 'organization_id'),
      of('budget_requests', 'organization_id'),
      of('organization_invitations', 'organization_id'),
      of('organization_members', 'organization_id'),
      of('tokens', 'user_id'),
      of('admin_keys', 'organization_id'),
      of('ledger', 'user_id'),
      of('organizations', 'id'),
    ]);
  };
  beforeEach(async () => {
    before = await state();
  });

  const call = ({ key }: Pick<TokenView, 'key'>, headers: Record<string, string> = {}) =>
    fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key}`, ...headers },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] }),
    });

  /** By a session, for no organization, for the reader's own, or for the other one. */
  async function ask(
    as: Actor,
    organization: number | undefined,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; text: string; isOk: boolean }> {
    const answer = await fetch(scene.app.url + path, {
      method,
      headers: {
        Cookie: as.cookie,
        'New-Api-User': String(as.id),
        Origin: scene.app.url,
        'Content-Type': 'application/json',
        ...(organization === undefined ? {} : { [ORGANIZATION_HEADER]: String(organization) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, isOk: answer.status < 400 && !text.includes('"success":false') };
  }

  /** Each names a thing of Acme by its number. */
  const attempts = (): [string, string, object?][] => {
    const { project, account, budget, request, invitation, token, admin_key, member, order } = things;
    const now = Math.floor(Date.now() / 1000);
    const span = `start_timestamp=${now - 86_400}&end_timestamp=${now}`;
    return [
      ['PUT', `/api/organization/projects/${project}`, { name: 'taken' }],
      ['POST', `/api/organization/projects/${project}/archive`, {}],
      ['DELETE', `/api/organization/service_accounts/${account}`],
      ['PUT', `/api/organization/budgets/${budget}`, { quota: 1 }],
      ['DELETE', `/api/organization/budgets/${budget}`],
      ['POST', `/api/organization/budgets/${budget}/requests`, { amount: 5, reason: 'x' }],
      ['POST', `/api/organization/budget_requests/${request}/grant`, { amount: 1000 }],
      ['POST', `/api/organization/budget_requests/${request}/decline`, {}],
      ['DELETE', `/api/organization/invitations/${invitation}`],
      ['POST', `/api/organization/invitations/${invitation}/resend`, {}],
      ['POST', '/api/organization/invited/accept', { id: invitation }],
      ['POST', '/api/organization/invited/decline', { id: invitation }],
      ['PUT', `/api/organization/members/${member}`, { role: 'admin' }],
      ['POST', `/api/organization/members/${member}/remove`, {}],
      ['GET', `/api/token/${token}`],
      ['GET', `/api/token/${token}/page`],
      ['GET', '/api/token/search?keyword=Secret'],
      ['PUT', '/api/token/', { id: token, name: 'taken' }],
      ['POST', '/api/token/batch', { ids: [token], action: 'disable' }],
      ['DELETE', `/api/token/${token}/`],
      ['POST', `/api/token/${token}/restore`],
      ['DELETE', `/api/admin_key/${admin_key}/`],
      ['GET', `/api/order/${order}/page`],
      ['GET', `/api/order/self/acme-${acme.id}`],
      ['GET', `/api/order/self/acme-${acme.id}/receipt`],
      ['GET', `/api/log/self/?member_id=${member}`],
      ['GET', `/api/log/self/?project_id=${project}`],
      ['GET', `/api/log/self/?token_id=${token}`],
      ['GET', `/api/log/self/stat?project_id=${project}`],
      ['GET', `/api/log/self/search?keyword=${MODEL}`],
      ['GET', `/api/log/self/export?format=csv&project_id=${project}`],
      ['GET', `/api/data/self?${span}`],
      ['GET', `/api/data/self/groups?${span}&by=member`],
      ['GET', `/api/data/self/groups?${span}&by=project`],
      ['GET', `/api/data/self/holders?${span}`],
      ['GET', `/api/user/${acme.id}/statement?month=2026-11`],
      ['GET', `/api/organization/${acme.id}`],
      ['POST', `/api/organization/${acme.id}/owner`, { user_id: beta.owner.id }],
      [
        'POST',
        '/api/organization/moves/out',
        { amount: 1000, to_user_id: beta.owner.id, request_id: 'outsider-000000001' },
      ],
      ['GET', '/api/organization/members'],
      ['GET', '/api/organization/projects'],
      ['GET', '/api/organization/budgets'],
      ['GET', '/api/organization/audit'],
      ['GET', '/api/organization/current'],
      ['GET', '/api/attention'],
      // Its things as the holders and subjects of the own ones.
      ['POST', '/api/token/', { name: 'x', project_id: project }],
      ['POST', '/api/token/', { name: 'x', service_account_id: account }],
      ['POST', '/api/token/', { name: 'x', member_id: member }],
      ['POST', '/api/organization/service_accounts', { name: 'x', project_id: project }],
      [
        'POST',
        '/api/organization/budgets',
        { name: 'x', subject: 'project', subject_id: project, period: 'day', quota: 1 },
      ],
      [
        'POST',
        '/api/organization/budgets',
        { name: 'x', subject: 'member', subject_id: member, period: 'day', quota: 1 },
      ],
      [
        'POST',
        '/api/organization/budgets',
        { name: 'x', subject: 'token', subject_id: token, period: 'day', quota: 1 },
      ],
      ['POST', '/api/organization/ownership', { user_id: member, then_role: 'owner' }],
    ];
  };

  test('each of the attempts that read something reads it for an owner', async () => {
    const found: string[] = [];
    for (const [method, path] of attempts()) {
      if (method !== 'GET' || /^\/api\/(user|organization)\/\d+|attention|receipt|log\/self\/stat/.test(path))
        continue;
      const { text, isOk } = await ask(acme.owner, acme.id, method, path);
      const isEmpty = /"data":(\[\]|\{"items":\[\])/.test(text);
      if (!isOk || isEmpty) found.push(`${path}: ${text.slice(0, 200)}`);
    }
    expect(found).toEqual([]);
  });

  test('nothing of it is read or changed by an owner of another one, by a person, or by an administrator of the site as such', async () => {
    const person = await scene.app.actor({ quota: 1_000_000 });
    const admin = await scene.app.actor({ role: 10 });
    const found: string[] = [];
    for (const [who, as, scopes] of [
      ['owner of Beta', beta.owner, [undefined, beta.id, acme.id]],
      ['person', person, [undefined, acme.id]],
      ['administrator', admin, [acme.id]],
    ] as const)
      for (const scope of scopes)
        for (const [method, path, body] of attempts()) {
          const { text, isOk } = await ask(as, scope, method, path, body);
          if (text.includes(SECRET) || text.includes(aliceKey.key))
            found.push(`${who}, ${String(scope)}: ${method} ${path} reads ${text.slice(0, 200)}`);
          // So that the refusal is not one of the text of the call.
          if (/"code":"(invalid_parameter|time_span_too_long)"/.test(text))
            found.push(`${method} ${path} is no call`);
          if (scope === acme.id && isOk) found.push(`${who}: ${method} ${path} works`);
        }
    expect(found).toEqual([]);
    expect(await state()).toEqual(before as never);
  });

  test('a call is paid by the account of its key, whatever the header says', async () => {
    const [key] = await beta.owner.client.tokens.create({ body: { name: 'beta', unlimited_quota: true } });
    const charged = async (id: number) =>
      (await scene.app.store.db.selectFrom('logs').select('id').where('user_id', '=', id).execute()).length;
    const counts = [await charged(acme.id), await charged(beta.id)];
    const answer = await call(key!, {
      [ORGANIZATION_HEADER]: String(acme.id),
      'OpenAI-Organization': `org-${acme.id}`,
      'OpenAI-Project': `proj_${things.project}`,
      'New-Api-User': String(acme.id),
    });
    expect(answer.status).toBe(200);
    expect([await charged(acme.id), await charged(beta.id)]).toEqual([counts[0]!, counts[1]! + 1]);
  });

  test('an admin key of another organization, or a key for models, opens nothing of it', async () => {
    const { key: foreign } = await beta.owner.client.adminKeys.create({ body: { name: 'beta admin' } });
    const paths = [
      `/v1/organization/projects/proj_${things.project}`,
      `/v1/organization/projects/proj_${things.project}/api_keys`,
      `/v1/organization/projects/proj_${things.project}/service_accounts`,
      `/v1/organization/users/user-${things.member}`,
      `/v1/organization/users`,
      `/v1/organization/invites`,
      `/v1/organization/audit_logs`,
      `/v1/organization/usage/completions?start_time=1&project_ids=proj_${things.project}`,
      `/v1/organization/usage/completions?start_time=1&user_ids=user-${things.member}&group_by=user_id`,
      `/v1/organization/costs?start_time=1&project_ids=proj_${things.project}`,
    ];
    const found: string[] = [];
    for (const [who, key] of [
      ['admin key of Beta', foreign],
      ['key for models of Acme', `sk-${aliceKey.key}`],
    ] as const)
      for (const path of paths)
        for (const headers of [
          {},
          { [ORGANIZATION_HEADER]: String(acme.id) },
          { 'OpenAI-Organization': `org-${acme.id}` },
        ]) {
          const answer = await fetch(scene.app.url + path, {
            headers: { Authorization: `Bearer ${key}`, ...(headers as Record<string, string>) },
          });
          const text = await answer.text();
          const isEmpty = !/"num_model_requests":[1-9]|"value":0\.0*[1-9]|"value":[1-9]/.test(text);
          if (text.includes(SECRET) || text.includes(alice.username) || !isEmpty)
            found.push(`${who}: ${path}: ${text.slice(0, 200)}`);
        }
    // The admin key is none for models, and none for the console.
    for (const [path, header] of [
      ['/v1/models', 'Authorization'],
      ['/api/token/', 'Authorization'],
    ] as const) {
      const answer = await fetch(scene.app.url + path, { headers: { [header]: `Bearer ${adminKey}` } });
      if (answer.status < 400) found.push(`an admin key opens ${path}`);
    }
    for (const method of ['POST', 'DELETE'])
      for (const path of [
        `/v1/organization/projects/proj_${things.project}`,
        `/v1/organization/projects/proj_${things.project}/archive`,
        `/v1/organization/users/user-${things.member}`,
        `/v1/organization/projects/proj_${things.project}/api_keys/key_${things.token}`,
        `/v1/organization/invites/invite-${things.invitation}`,
        `/v1/organization/admin_api_keys/key_${things.admin_key}`,
      ]) {
        const answer = await fetch(scene.app.url + path, {
          method,
          headers: { Authorization: `Bearer ${foreign}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'taken', role: 'owner' }),
        });
        if (answer.status < 400) found.push(`${method} ${path}: ${answer.status}`);
      }
    expect(found).toEqual([]);
    expect(await state()).toEqual(before as never);
  });

  test('who was removed reads and spends nothing any more: session, key, admin key, invitation, request', async () => {
    const { client } = acme.owner;
    const carol = await acme.member('admin');
    const [key] = await carol.client.tokens.create({ body: { name: 'carol', unlimited_quota: true } });
    const { key: hers } = await carol.client.adminKeys.create({ body: { name: 'carol admin' } });
    const friend = await scene.app.actor();
    const { id: invited } = await carol.client.invitations.create({
      body: { to: friend.username, role: 'admin' },
    });
    expect((await call(key!)).status).toBe(200);
    await client.members.remove({ params: { user_id: carol.id }, body: {} });
    before = await state();
    const found: string[] = [];
    for (const [method, path, body] of attempts()) {
      const { text, isOk } = await ask(carol, acme.id, method, path, body);
      if (isOk || text.includes(SECRET)) found.push(`${method} ${path}: ${text.slice(0, 120)}`);
    }
    expect(found).toEqual([]);
    expect((await call(key!)).status).toBeGreaterThanOrEqual(400);
    const admin = await fetch(`${scene.app.url}/v1/organization/users`, {
      headers: { Authorization: `Bearer ${hers}` },
    });
    expect(admin.status).toBeGreaterThanOrEqual(400);
    const { isOk } = await ask(friend, undefined, 'POST', '/api/organization/invited/accept', {
      id: invited,
    });
    expect(isOk).toBe(false);
    // The own account of whoever left is as before.
    expect((await ask(carol, undefined, 'GET', '/api/token/')).isOk).toBe(true);
    expect(await state()).toEqual(before as never);
  });

  test('an invitation that is over is over for everybody: expired, revoked, answered, of somebody else', async () => {
    const { client } = acme.owner;
    const { db } = scene.app.store;
    const [guest, other] = [await scene.app.actor(), await scene.app.actor()];
    const invite = async () =>
      (await client.invitations.create({ body: { to: guest.username, role: 'admin' } })).id;
    const accept = async (as: Actor, id: number) =>
      (await ask(as, undefined, 'POST', '/api/organization/invited/accept', { id })).isOk;
    const isMember = async (as: Actor) =>
      (await scene.app.client(as).organizations.mine()).items.some(({ id }) => id === acme.id);

    const expired = await invite();
    await db
      .updateTable('organization_invitations')
      .set({ expires_at: 1 })
      .where('id', '=', expired)
      .execute();
    expect([await accept(guest, expired), await accept(other, expired)]).toEqual([false, false]);
    const revoked = await invite();
    await client.invitations.revoke({ params: { id: revoked } });
    expect(await accept(guest, revoked)).toBe(false);
    const open = await invite();
    // Not that of another person, not from inside another organization, and not by two calls at once twice.
    expect(await accept(other, open)).toBe(false);
    const both = await Promise.all([accept(guest, open), accept(guest, open)]);
    expect(both.filter(Boolean)).toHaveLength(1);
    await client.members.remove({ params: { user_id: guest.id }, body: {} });
    expect(await accept(guest, open)).toBe(false);
    expect([await isMember(guest), await isMember(other)]).toEqual([false, false]);
  });

  test('nothing is spent, moved or promised by a suspended organization; it can be read', async () => {
    const gamma = await scene.organization('Gamma');
    const { id, owner } = gamma;
    const root = scene.app.client(scene.root);
    await root.organizationManagement.adjustBalance({ params: { id }, body: { quota_change: 1_000_000 } });
    const [key] = await owner.client.tokens.create({ body: { name: 'gamma', unlimited_quota: true } });
    await root.organizationManagement.suspend({ params: { id }, body: { reason: 'unpaid' } });
    const balance = async () =>
      await scene.app.store.db
        .selectFrom('users')
        .select(['quota', 'held_quota'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    const [start, found] = [await balance(), [] as string[]];
    for (const [method, path, body] of [
      ['POST', '/api/user/topup', { key: 'x' }],
      [
        'POST',
        '/api/organization/moves/out',
        { amount: 1000, to_user_id: owner.id, request_id: 'suspended-00000001' },
      ],
      ['POST', '/api/token/', { name: 'more' }],
      ['PUT', '/api/token/', { id: key!.id, name: 'renamed' }],
      ['POST', '/api/plan/1/buy', {}],
      ['POST', '/api/organization/ownership', { user_id: owner.id, then_role: 'owner' }],
      ['DELETE', '/api/organization/current'],
    ] as const) {
      const { isOk } = await ask(owner, id, method, path, body);
      if (isOk) found.push(`${method} ${path}`);
    }
    for (const path of [
      '/v1/chat/completions',
      '/v1/messages',
      '/v1/responses',
      '/v1/embeddings',
      '/v1/files',
      '/v1/videos',
    ]) {
      const answer = await fetch(scene.app.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key!.key}` },
        body: JSON.stringify({
          model: MODEL,
          input: 'x',
          prompt: 'x',
          messages: [{ role: 'user', content: 'x' }],
        }),
      });
      const { error } = (await answer.json()) as { error?: { code?: string; type?: string } };
      if (answer.status !== 403) found.push(`${path}: ${answer.status} ${JSON.stringify(error)}`);
    }
    const models = await fetch(`${scene.app.url}/v1/models`, {
      headers: { Authorization: `Bearer sk-${key!.key}` },
    });
    if (models.status !== 403) found.push(`/v1/models: ${models.status}`);
    expect(found).toEqual([]);
    expect(await balance()).toEqual(start);
    expect((await ask(owner, id, 'GET', '/api/organization/current')).isOk).toBe(true);
  });
});
