// Budgets of an organization: who makes, sees, changes and asks for more of them, and what a call reads that one refuses.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import type { Input } from '#contract/endpoint.ts';
import type { budgets } from '#contract/admin/organization-budgets.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { ApiRefusal } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const [MODEL, OTHER] = ['gpt-4o-mini', 'gpt-4o'];
const PLENTY = 1_000_000_000;
type New = Input<typeof budgets.create>['body'];

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL, OTHER] });
  });
  afterAll(async () => {
    expect(await checkInvariants(scene.app.store)).toEqual([]);
    await scene.close();
    await mock.stop();
  });

  async function funded(): Promise<Organization> {
    const organization = await scene.organization('Payer');
    const params = { id: organization.id };
    const root = scene.app.client(scene.root);
    await root.organizationManagement.adjustBalance({ params, body: { quota_change: 10_000_000 } });
    return organization;
  }
  const create = (by: Member, body: Partial<New> = {}) =>
    by.client.budgets.create({
      body: { name: 'All', subject: 'organization', period: 'month', quota: PLENTY, ...body },
    });
  const keyOf = async (member: Member, holder: object = {}): Promise<TokenView> => {
    const [token] = await member.client.tokens.create({
      body: { name: 'key', unlimited_quota: true, ...holder },
    });
    if (token === undefined) throw new Error('no token');
    return token;
  };
  const call = async (
    token: Pick<TokenView, 'key'>,
    more: object = {},
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${token.key}`, ...headers },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }], ...more }),
    });
    const { error } = (await response.json()) as { error?: { code: string; message: string } };
    return { status: response.status, code: error?.code, message: error?.message ?? '', response };
  };
  const find = async (by: Member, id: number): Promise<BudgetView> => {
    const found = (await by.client.budgets.list()).find((budget) => budget.id === id);
    if (found === undefined) throw new Error('no such budget');
    return found;
  };
  const lastLog = (id: number) =>
    scene.app.store.db
      .selectFrom('logs')
      .selectAll()
      .where('user_id', '=', id)
      .where('type', '=', 2)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();

  test('a budget counts the calls of its subject and its models, and shows what is left', async () => {
    const organization = await funded();
    const { owner, id } = organization;
    const member = await organization.member('member');
    const project = await owner.client.projects.create({ body: { name: 'Beta' } });
    const [mine, others] = [await keyOf(member, { project_id: project.id }), await keyOf(owner)];
    const made = [
      await create(owner),
      await create(owner, { name: 'Beta', subject: 'project', subject_id: project.id, period: 'week' }),
      await create(owner, { name: 'Member', subject: 'member', subject_id: member.id, period: 'day' }),
      await create(owner, { name: 'Key', subject: 'token', subject_id: others.id, period: 'total' }),
      await create(owner, { name: 'Model', models: OTHER }),
    ];
    expect((await call(mine)).status).toBe(200);
    const first = (await lastLog(id)).quota;
    expect((await call(others, { model: OTHER })).status).toBe(200);
    const second = (await lastLog(id)).quota;
    const spent = async () => {
      const all = await owner.client.budgets.list();
      return made.map((budget) => all.find(({ id: other }) => other === budget.id)?.spent);
    };
    expect(first).toBeGreaterThan(0);
    expect(await spent()).toEqual([first + second, first, first, second, second]);
    expect(await find(owner, made[2]?.id ?? 0)).toMatchObject({
      subject_name: member.username,
      left: PLENTY - first,
      held: 0,
      ended: false,
    });
    // A member sees those that bound the own calls.
    const seen = (await member.client.budgets.list()).map(({ name }) => name);
    expect(seen).toEqual(['All', 'Beta', 'Member', 'Model']);
  });

  test('a refusal names the budget, what is left, when it resets and whom to ask', async () => {
    const organization = await funded();
    const { owner } = organization;
    const token = await keyOf(owner);
    await create(owner, { name: 'Tiny', period: 'day', quota: 1 });
    const day = await call(token);
    expect([day.status, day.code]).toEqual([429, 'organization_budget']);
    for (const text of ['“Tiny”', owner.username, ' left', 'resets at']) expect(day.message).toContain(text);
    expect(Number(day.response.headers.get('retry-after'))).toBeGreaterThan(0);
    await create(owner, { name: 'Never', period: 'total', quota: 0 });
    const total = await call(token);
    expect([total.status, total.code]).toEqual([403, 'organization_budget_total']);
    expect(total.message).toContain('does not reset');
    // In the caller's own wire format.
    const response = await fetch(`${scene.app.url}/v1/messages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'x-api-key': `sk-${token.key}` },
      body: JSON.stringify({ model: MODEL, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }),
    });
    const body = (await response.json()) as { type: string; error: { message: string } };
    expect([response.status, body.type]).toEqual([403, 'error']);
    expect(body.error.message).toContain('“Never”');
    expect((await lastRefusals(organization.id)).length).toBeGreaterThan(0);
  });
  const lastRefusals = (id: number) =>
    scene.app.store.db
      .selectFrom('notices')
      .selectAll()
      .where('user_id', '=', id)
      .where('event', '=', 'organization_budget')
      .execute();

  test('a sheet is saved as a whole or not at all, and names the row that is refused', async () => {
    const organization = await funded();
    const { owner } = organization;
    const [kept, gone] = [await create(owner, { name: 'Kept' }), await create(owner, { name: 'Gone' })];
    const project = await owner.client.projects.create({ body: { name: 'Lab' } });
    const added = { name: 'Lab', subject: 'project', period: 'week', quota: 500 } as const;
    const change = { id: kept.id, name: 'Gone', quota: 7, based_on: { name: 'Kept', quota: PLENTY } };
    const save = (body: Input<typeof budgets.save>['body']) => owner.client.budgets.save({ body });
    const fieldOf = async (body: Input<typeof budgets.save>['body']) => {
      try {
        await save(body);
        return 'done';
      } catch (error) {
        return error instanceof ApiRefusal ? error.body.field : String(error);
      }
    };
    // The first row would be done; the second has no project.
    const half = { create: [{ ...added, subject_id: 0 }], change: [change], remove: [gone.id] };
    expect(await fieldOf(half)).toBe('create.0.subject_id');
    const stale = { create: [], remove: [], change: [{ ...change, based_on: { quota: 1 } }] };
    expect(await fieldOf(stale)).toBe('change.0.quota');
    expect(await fieldOf({ create: [], change: [], remove: [kept.id, gone.id + 1_000_000] })).toBe(
      'remove.1',
    );
    const names = async () => (await owner.client.budgets.list()).map(({ name, quota }) => [name, quota]);
    expect(await names()).toEqual([
      ['Gone', PLENTY],
      ['Kept', PLENTY],
    ]);
    // A removed budget leaves its name to another one of the same save.
    const saved = await save({
      create: [{ ...added, subject_id: project.id }],
      change: [change],
      remove: [gone.id],
    });
    expect(saved.map(({ name }) => name)).toEqual(['Gone', 'Lab']);
    expect(await names()).toEqual([
      ['Gone', 7],
      ['Lab', 500],
    ]);
    expect(await codeOf(save({ create: [], change: [], remove: [] }))).toBe('nothing_changed');
    const token = await keyOf(owner);
    expect((await call(token)).code).toBe('organization_budget');
  });

  test('a change decides about the next call, and a deleted budget about none', async () => {
    const { owner } = await funded();
    const token = await keyOf(owner);
    const budget = await create(owner);
    const params = { id: budget.id };
    const codes: (string | undefined)[] = [];
    const attempt = async () => codes.push((await call(token)).code);
    await attempt();
    const based_on = { quota: budget.quota };
    await owner.client.budgets.change({ params, body: { quota: 0, based_on } });
    await attempt();
    await owner.client.budgets.change({ params, body: { is_hard: false } });
    await attempt();
    await owner.client.budgets.change({ params, body: { is_hard: true } });
    await attempt();
    expect(await codeOf(owner.client.budgets.change({ params, body: { quota: 5, based_on } }))).toBe(
      'changed_meanwhile',
    );
    await owner.client.budgets.remove({ params });
    await attempt();
    expect(codes).toEqual([undefined, 'organization_budget', undefined, 'organization_budget', undefined]);
    expect(await owner.client.budgets.list()).toEqual([]);
  });

  test('a member asks for more, and one call grants it for the window', async () => {
    const organization = await funded();
    const { owner } = organization;
    const member = await organization.member('member');
    const token = await keyOf(member);
    const budget = await create(owner, { name: 'Mine', subject: 'member', subject_id: member.id, quota: 1 });
    const params = { id: budget.id };
    expect((await call(token)).code).toBe('organization_budget');
    const body = { amount: PLENTY, reason: 'a large job' };
    const asked = await member.client.budgets.ask({ params, body });
    expect(asked).toMatchObject({ status: 'open', asked_by_name: member.username, budget_name: 'Mine' });
    expect(await codeOf(member.client.budgets.ask({ params, body }))).toBe('budget_request_open');
    const decision = { params: { id: asked.id }, body: {} };
    expect(await codeOf(member.client.budgets.grant(decision))).toBe('organization_right_missing');
    const granted = await owner.client.budgets.grant(decision);
    expect(granted).toMatchObject({ status: 'granted', granted: PLENTY, decided_by_name: owner.username });
    expect(await codeOf(owner.client.budgets.decline(decision))).toBe('budget_request_decided');
    const notices = await scene.app.store.db
      .selectFrom('notices')
      .select(['event', 'user_id'])
      .where('event', 'in', ['budget_asked', 'budget_decided'])
      .orderBy('id')
      .execute();
    expect(notices).toEqual([
      { event: 'budget_asked', user_id: organization.id },
      { event: 'budget_decided', user_id: member.id },
    ]);
    expect((await call(token)).status).toBe(200);
    expect(await find(owner, budget.id)).toMatchObject({ quota: 1, extra: PLENTY });
    expect((await member.client.budgets.requests()).map(({ id }) => id)).toEqual([asked.id]);
    const other = await organization.member('member');
    expect(await other.client.budgets.requests()).toEqual([]);
    expect(await codeOf(other.client.budgets.ask({ params, body }))).toBe('not_found');
  });

  test('what is not of the organization has no budget, and a name is used once', async () => {
    const [{ owner }, other] = [await funded(), await funded()];
    const foreign = await keyOf(other.owner);
    const subject = { subject: 'token', subject_id: foreign.id } as const;
    expect(await codeOf(create(owner, subject))).toBe('budget_subject_unknown');
    expect(await codeOf(create(owner, { subject: 'tag', tag_key: 'team' }))).toBe('tag_key_not_allowed');
    const made = await create(owner);
    expect(await codeOf(create(owner, { name: 'ALL' }))).toBe('budget_name_taken');
    const params = { id: made.id };
    expect(await codeOf(other.owner.client.budgets.change({ params, body: { quota: 1 } }))).toBe('not_found');
    expect(await codeOf(other.owner.client.budgets.remove({ params }))).toBe('not_found');
  });

  test('the budgets of a project and of a member end with them, and that of a key with the key', async () => {
    const organization = await funded();
    const { owner } = organization;
    const member = await organization.member('member');
    const project = await owner.client.projects.create({ body: { name: 'Gone' } });
    const token = await keyOf(owner);
    await create(owner, { name: 'a', subject: 'project', subject_id: project.id });
    await create(owner, { name: 'b', subject: 'member', subject_id: member.id });
    await create(owner, { name: 'c', subject: 'token', subject_id: token.id });
    await owner.client.projects.archive({ params: { id: project.id } });
    await owner.client.members.remove({ params: { user_id: member.id }, body: {} });
    await owner.client.tokens.remove({ params: { id: token.id } });
    const left = await owner.client.budgets.list();
    expect(left.map(({ name, ended }) => [name, ended])).toEqual([['c', true]]);
  });

  describe('tags', () => {
    test('only those that the organization keeps are logged, from the header, metadata and user', async () => {
      const { owner, id } = await funded();
      const token = await keyOf(owner);
      const tagsOf = async (more: object, headers: Record<string, string> = {}) => {
        expect((await call(token, more, headers)).status).toBe(200);
        return (await lastLog(id)).tags;
      };
      expect(await tagsOf({ user: 'eve' })).toBe('');
      await owner.client.budgets.changeTagKeys({ body: { keys: ['user', 'team'] } });
      expect(await tagsOf({ user: 'eve', metadata: { team: 'a', other: 'x' } })).toBe(
        JSON.stringify({ team: 'a', user: 'eve' }),
      );
      const header = { 'Tollgate-Tags': 'team = search, other=1, broken' };
      expect(await tagsOf({ metadata: { team: 'a', user_id: 'adam' } }, header)).toBe(
        JSON.stringify({ team: 'search', user: 'adam' }),
      );
      const { items } = await owner.client.logs.listSelf({ query: { type: 2 } });
      expect(items[0]?.tags).toBe(JSON.stringify({ team: 'search', user: 'adam' }));
      const long = JSON.parse(await tagsOf({ user: 'x'.repeat(500) })) as { user: string };
      expect(long.user).toHaveLength(100);
    });

    test('a budget of a tag counts its value, and one without a value each for itself', async () => {
      const { owner } = await funded();
      const token = await keyOf(owner);
      await owner.client.budgets.changeTagKeys({ body: { keys: ['user', 'team'] } });
      const team = { subject: 'tag', tag_key: 'team', tag_value: 'blue', quota: 0, name: 'Blue' } as const;
      await create(owner, team);
      const each = await create(owner, { subject: 'tag', tag_key: 'user', quota: PLENTY, name: 'Users' });
      const code = async (tags: string) => (await call(token, {}, { 'Tollgate-Tags': tags })).code;
      expect(await code('team=blue')).toBe('organization_budget');
      expect(await code('team=red')).toBeUndefined();
      expect(await code('user=adam')).toBeUndefined();
      expect(await code('user=adam')).toBeUndefined();
      expect(await code('user=eve')).toBeUndefined();
      expect(await codeOf(owner.client.budgets.changeTagKeys({ body: { keys: ['team'] } }))).toBe(
        'tag_key_in_use',
      );
      const { counters, left } = await find(owner, each.id);
      expect(left).toBeNull();
      expect(counters.map(({ value }) => value)).toEqual(['adam', 'eve']);
      const params = { id: each.id };
      await owner.client.budgets.change({ params, body: { quota: counters[1]?.spent ?? 0 } });
      expect([await code('user=adam'), await code('user=eve'), await code('user=new')]).toEqual([
        'organization_budget',
        'organization_budget',
        'organization_budget',
      ]);
      const ask = (value: string) => owner.client.budgets.ask({ params, body: { amount: PLENTY, value } });
      expect(await codeOf(ask('nobody'))).toBe('budget_value_unknown');
      const { id } = await ask('eve');
      await owner.client.budgets.grant({ params: { id }, body: {} });
      expect([await code('user=adam'), await code('user=eve')]).toEqual(['organization_budget', undefined]);
    });
  });
});
