// Calls with an organization's keys: who pays, whom they are attributed to, what bounds them, and who sees them in the log.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const [MODEL, OTHER] = ['gpt-4o-mini', 'gpt-4o'];

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL, OTHER] });
  });
  afterAll(async () => {
    await scene.close();
    await mock.stop();
  });

  async function funded(name = 'Payer', quota = 10_000_000): Promise<Organization> {
    const organization = await scene.organization(name);
    const root = scene.app.client(scene.root);
    const params = { id: organization.id };
    await root.organizationManagement.adjustBalance({ params, body: { quota_change: quota } });
    return organization;
  }
  const keyOf = async (member: Member, holder: object = {}): Promise<TokenView> => {
    const body = { name: 'key', unlimited_quota: true, ...holder };
    const [token] = await member.client.tokens.create({ body });
    if (token === undefined) throw new Error('no token');
    return token;
  };
  const call = (token: Pick<TokenView, 'key'>, model = MODEL, more: object = {}) =>
    fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${token.key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...more }),
    });
  const statusOf = async (token: Pick<TokenView, 'key'>, model = MODEL) => {
    const response = await call(token, model);
    const { error } = (await response.json()) as { error?: { code?: string } };
    return [response.status, error?.code];
  };
  const quotaOf = async (id: number) =>
    (await scene.app.store.db.selectFrom('users').select('quota').where('id', '=', id).executeTakeFirst())
      ?.quota;
  const charged = async (id: number) =>
    await scene.app.store.db
      .selectFrom('logs')
      .select(['user_id', 'member_id', 'project_id', 'service_account_id', 'quota', 'type'])
      .where('user_id', '=', id)
      .where('type', 'in', [2, 5])
      .orderBy('id')
      .execute();

  test('the organization pays, and the row says whose call it was', async () => {
    const organization = await funded();
    const { id, owner } = organization;
    const member = await organization.member('member', { quota: 5_000_000 });
    const robot = await owner.client.serviceAccounts.create({ body: { name: 'robot' } });
    const [project] = await owner.client.projects.list();
    const [mine, robots] = [await keyOf(member), await keyOf(owner, { service_account_id: robot.id })];
    expect((await call(mine)).status).toBe(200);
    expect((await call(robots)).status).toBe(200);
    const rows = await charged(id);
    expect(rows).toMatchObject([
      { user_id: id, member_id: member.id, project_id: project?.id ?? 0, service_account_id: 0, type: 2 },
      { user_id: id, member_id: 0, project_id: project?.id ?? 0, service_account_id: robot.id, type: 2 },
    ]);
    const spent = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect(spent).toBeGreaterThan(0);
    expect(await quotaOf(id)).toBe(10_000_000 - spent);
    expect(await quotaOf(member.id)).toBe(5_000_000);
  });

  test('a failed call is attributed, too', async () => {
    const { id, owner } = await funded();
    const token = await keyOf(owner);
    const undo = mock.behave({ status: 400 });
    expect((await call(token)).status).toBe(400);
    undo();
    expect(await charged(id)).toMatchObject([{ type: 5, member_id: owner.id }]);
  });

  test('a member sees their own calls in log, sums, search and file; those with the right the calls of all', async () => {
    const organization = await funded();
    const { owner } = organization;
    const [member, other, billing] = [
      await organization.member('member'),
      await organization.member('member'),
      await organization.member('billing'),
    ];
    const beta = await owner.client.projects.create({ body: { name: 'beta' } });
    const [mine, others] = [await keyOf(member), await keyOf(other, { project_id: beta.id })];
    for (const token of [mine, others, others]) expect((await call(token)).status).toBe(200);
    const seen = async (as: Member, filter: object = {}) => {
      const query = { type: 2, ...filter };
      const { items } = await as.client.logs.listSelf({ query });
      const stat = await as.client.logs.statSelf({ query });
      expect(stat.count).toBe(items.length);
      expect(stat.quota).toBe(items.reduce((sum, { quota }) => sum + quota, 0));
      const histogram = await as.client.logs.histogramSelf({ query });
      expect(histogram.buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(items.length);
      return items.map(({ member_name, project_name }) => [member_name, project_name]);
    };
    const [ofMine, ofOthers] = [
      [member.username, 'default'],
      [other.username, 'beta'],
    ];
    expect(await seen(member)).toEqual([ofMine]);
    expect(await seen(other)).toEqual([ofOthers, ofOthers]);
    for (const as of [owner, billing]) expect(await seen(as)).toEqual([ofOthers, ofOthers, ofMine]);
    expect(await seen(owner, { member_id: member.id })).toEqual([ofMine]);
    expect(await seen(owner, { project_id: beta.id })).toEqual([ofOthers, ofOthers]);
    // The filter narrows what a member sees, it does not open more.
    expect(await seen(member, { member_id: other.id })).toEqual([ofMine]);
    const search = await member.client.logs.searchSelf({ query: { keyword: MODEL } });
    expect(search.map(({ member_id }) => member_id)).toEqual([member.id]);
    const file = async (as: Member) => {
      const reply = await fetch(`${scene.app.url}/api/log/self/export?type=2&format=csv`, {
        headers: {
          Cookie: as.cookie,
          'New-Api-User': String(as.id),
          'Tollgate-Organization': String(organization.id),
        },
      });
      return (await reply.text()).trim().split('\n');
    };
    expect(await file(member)).toHaveLength(2);
    const whole = await file(owner);
    expect(whole).toHaveLength(4);
    expect(whole[0]).toContain('member_name');
    const facets = await member.client.logs.facetsSelf({ query: {} });
    expect(facets.models).toEqual([MODEL]);
    // Nothing of it in the personal log of anybody.
    for (const as of [owner, member])
      expect((await as.own.logs.listSelf({ query: { type: 2 } })).items).toEqual([]);
  });

  test('a call that was refused is seen by the member of its key alone, and by those who see all', async () => {
    const organization = await funded('Refused', 1);
    const [member, other] = [await organization.member('member'), await organization.member('member')];
    const token = await keyOf(member);
    expect((await call(token)).status).toBeGreaterThanOrEqual(400);
    const refused = async (as: Member) =>
      (await as.client.logs.listSelf({ query: { type: LOG_TYPE.refused } })).items.length;
    for (let tries = 0; tries < 100 && (await refused(organization.owner)) === 0; tries += 1)
      await Bun.sleep(100);
    expect([await refused(organization.owner), await refused(member), await refused(other)]).toEqual([
      1, 1, 0,
    ]);
  });

  test('the project bounds models and addresses in addition to the key', async () => {
    const { owner } = await funded();
    const project = await owner.client.projects.create({ body: { name: 'narrow', models: MODEL } });
    const token = await keyOf(owner, { project_id: project.id });
    expect(await statusOf(token)).toEqual([200, undefined]);
    expect((await statusOf(token, OTHER))[0]).toBe(403);
    const both = await keyOf(owner, {
      project_id: project.id,
      model_limits_enabled: true,
      model_limits: OTHER,
    });
    expect([(await statusOf(both, OTHER))[0], (await statusOf(both))[0]]).toEqual([403, 403]);
    const params = { id: project.id };
    await owner.client.projects.change({ params, body: { models: '', allow_ips: '203.0.113.0/24' } });
    expect((await statusOf(token))[0]).toBe(403);
    await owner.client.projects.change({ params, body: { allow_ips: '127.0.0.0/8\n::1' } });
    expect(await statusOf(token, OTHER)).toEqual([200, undefined]);
  });

  test('keys stop with the suspension of the organization, with the ban of their member, and with the removal', async () => {
    const organization = await funded();
    const { id, owner } = organization;
    const member = await organization.member('member');
    const [owners, members] = [await keyOf(owner), await keyOf(member)];
    const both = async () => [(await statusOf(owners))[0], (await statusOf(members))[0]];
    expect(await both()).toEqual([200, 200]);
    const root = scene.app.client(scene.root);
    await root.organizationManagement.suspend({ params: { id }, body: { reason: 'unpaid' } });
    for (const token of [owners, members]) {
      const refused = await call(token);
      const { error } = (await refused.json()) as { error: { code: string; message: string } };
      expect([refused.status, error.code]).toEqual([403, 'organization_suspended']);
      // What happened, why, what it cost, and what to do.
      for (const part of ['suspended', '(unpaid)', 'Nothing was charged', 'An owner'])
        expect(error.message).toContain(part);
    }
    const change = scene.app.request('/api/organization/budgets', {
      as: owner,
      headers: { 'Tollgate-Organization': String(id) },
      body: { name: 'b', subject: 'organization', period: 'day', quota: 1 },
    });
    expect((await change).body.message).toContain('(unpaid): it can be viewed');
    expect((await owner.client.organizations.read()).suspended_reason).toBe('unpaid');
    await root.organizationManagement.lift({ params: { id } });
    expect(await both()).toEqual([200, 200]);
    await root.userManagement.manage({ body: { id: member.id, action: 'disable' } });
    const [ofOwner, ofBanned] = await both();
    expect(ofOwner).toBe(200);
    expect(ofBanned).toBeGreaterThanOrEqual(400);
    await root.userManagement.manage({ body: { id: member.id, action: 'enable' } });
    expect(await both()).toEqual([200, 200]);
    await owner.client.members.remove({ params: { user_id: member.id }, body: {} });
    const [still, gone] = await both();
    expect(still).toBe(200);
    expect(gone).toBeGreaterThanOrEqual(400);
  });

  test('a removal in the middle of running calls: each that was admitted is charged, and no later one is', async () => {
    const organization = await funded();
    const { id, owner } = organization;
    const member = await organization.member('member');
    const token = await keyOf(member);
    const running = Array.from({ length: 12 }, async (_, number) => {
      await Bun.sleep(number * 5);
      const response = await call(token, MODEL, { stream: true });
      await response.text();
      return response.status;
    });
    await Bun.sleep(25);
    await owner.client.members.remove({ params: { user_id: member.id }, body: {} });
    expect((await statusOf(token))[0]).toBeGreaterThanOrEqual(400);
    const statuses = await Promise.all(running);
    const admitted = statuses.filter((status) => status === 200).length;
    const rows = (await charged(id)).filter(({ type }) => type === 2);
    expect(rows).toHaveLength(admitted);
    expect(rows.every(({ member_id }) => member_id === member.id)).toBe(true);
    const spent = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect(await quotaOf(id)).toBe(10_000_000 - spent);
  });

  test('it is not deleted while it has money or runs calls; deleted, its keys and members are gone', async () => {
    const { id, owner } = await funded('Leaving', 5000);
    const token = await keyOf(owner);
    expect(await codeOf(owner.client.organizations.remove())).toBe('organization_has_balance');
    const root = scene.app.client(scene.root);
    const spend = { params: { id }, body: { quota_change: -5000 } };
    await root.organizationManagement.adjustBalance(spend);
    await scene.app.store.db
      .insertInto('orders')
      .values({
        trade_no: `open-${id}`,
        user_id: id,
        provider: 'epay',
        amount_minor: 1,
        currency: 'CNY',
        quota: 1,
        created_at: 1,
      })
      .execute();
    expect(await codeOf(owner.client.organizations.remove())).toBe('organization_has_orders');
    await scene.app.store.db.deleteFrom('orders').where('user_id', '=', id).execute();
    expect(await codeOf(owner.client.organizations.remove())).toBe('done');
    expect(await codeOf(owner.client.organizations.read())).toBe('organization_missing');
    expect((await owner.own.organizations.mine()).items).toEqual([]);
    expect((await statusOf(token))[0]).toBe(401);
    const { state } = await root.organizationManagement.read({ params: { id } });
    expect(state).toBe('deleted');
  });

  test('the check of the books passes with organizations', async () => {
    expect(await checkInvariants(scene.app.store)).toEqual([]);
  });
});
