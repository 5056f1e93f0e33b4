// Members, service accounts, projects and tags in reports: the dashboard's figures, the statement and its file, and the cost API add
// up to what the ledger charged, to the unit.
import OpenAI from 'openai';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { TokenView } from '#contract/admin/tokens.ts';
import { USAGE_GROUPS } from '#contract/admin/dashboard.ts';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { monthAt } from '#contract/month.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { codeOf, openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const [MODEL, OTHER] = ['gpt-4o-mini', 'gpt-4o'];

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  let acme: Organization;
  let alice: Member;
  let project: number;
  let robot: number;
  /** Charged for each call, by what it was for. */
  const calls: { who: string; project: string; team: string; model: string; quota: number }[] = [];
  const total = () => calls.reduce((sum, { quota }) => sum + quota, 0);
  const sumOf = (isWanted: (call: (typeof calls)[number]) => boolean) =>
    calls.filter(isWanted).reduce((sum, { quota }) => sum + quota, 0);
  const now = () => Math.floor(Date.now() / 1000);
  const span = () => ({ start_timestamp: now() - 3600, end_timestamp: now() });

  const keyOf = async (member: Member, holder: object = {}): Promise<TokenView> => {
    const [token] = await member.client.tokens.create({
      body: { name: 'key', unlimited_quota: true, ...holder },
    });
    if (token === undefined) throw new Error('no token');
    return token;
  };
  const ledgerSum = async () => {
    const row = await scene.app.store.db
      .selectFrom('ledger')
      .select(sql<number>`cast(sum(amount) as bigint)`.as('sum'))
      .where('user_id', '=', acme.id)
      .where('kind', '=', 'use')
      .executeTakeFirstOrThrow();
    return row.sum;
  };
  async function call(token: TokenView, about: Omit<(typeof calls)[number], 'quota'>): Promise<void> {
    const headers: Record<string, string> =
      about.team === '' ? {} : { 'Tollgate-Tags': `team=${about.team}` };
    const response = await fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${token.key}`, ...headers },
      body: JSON.stringify({ model: about.model, messages: [{ role: 'user', content: 'hello' }] }),
    });
    await response.text();
    expect(response.status).toBe(200);
    const { quota } = await scene.app.store.db
      .selectFrom('logs')
      .select('quota')
      .where('user_id', '=', acme.id)
      .where('type', '=', 2)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    calls.push({ ...about, quota });
  }

  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL, OTHER] });
    acme = await scene.organization('Acme');
    const root = scene.app.client(scene.root);
    await root.organizationManagement.adjustBalance({
      params: { id: acme.id },
      body: { quota_change: 10_000_000 },
    });
    const { client } = acme.owner;
    await client.budgets.changeTagKeys({ body: { keys: ['team', 'env'] } });
    alice = await acme.member('member');
    project = (await client.projects.create({ body: { name: 'Website' } })).id;
    robot = (await client.serviceAccounts.create({ body: { name: 'nightly' } })).id;
    const hers = await keyOf(alice, { project_id: project });
    const own = await keyOf(acme.owner);
    const machine = await keyOf(acme.owner, { service_account_id: robot });
    const at = { project: 'Website', model: MODEL };
    await call(hers, { ...at, who: 'alice', team: 'search' });
    await call(hers, { ...at, who: 'alice', team: 'ads', model: OTHER });
    await call(hers, { ...at, who: 'alice', team: '' });
    await call(own, { who: 'owner', project: '', team: 'search', model: OTHER });
    await call(machine, { who: 'robot', project: '', team: '', model: MODEL });
    // Whoever has the key later made none of these calls.
    await client.members.remove({
      params: { user_id: alice.id },
      body: { tokens: { action: 'to_member', user_id: acme.owner.id } },
    });
  });
  afterAll(async () => {
    expect(await checkInvariants(scene.app.store)).toEqual([]);
    await scene.close();
    await mock.stop();
  });

  test('every way of grouping adds up to what the ledger charged', async () => {
    expect(await ledgerSum()).toBe(total());
    for (const by of USAGE_GROUPS) {
      const query = { ...span(), by, tag: by === 'tag' ? 'team' : '', limit: 1 };
      const grouped = await acme.owner.client.dashboard.groups({ query });
      const sum = [...grouped.rows, grouped.others, grouped.none].reduce((all, { quota }) => all + quota, 0);
      expect([by, sum, grouped.total.quota]).toEqual([by, total(), total()]);
      expect(grouped.total.count).toBe(calls.length);
    }
  });

  test('a call stays with who made it and what it was for, also when the key is another one’s now', async () => {
    const { client } = acme.owner;
    const { members, service_accounts, projects } = await client.dashboard.holders({ query: span() });
    const named = (rows: { name: string; quota: number }[]) =>
      Object.fromEntries(rows.map(({ name, quota }) => [name, quota]));
    expect(named(members)).toEqual({
      [alice.username]: sumOf(({ who }) => who === 'alice'),
      [acme.owner.username]: sumOf(({ who }) => who === 'owner'),
    });
    expect(named(service_accounts)).toEqual({ nightly: sumOf(({ who }) => who === 'robot') });
    expect(named(projects)['Website']).toBe(sumOf((made) => made.project === 'Website'));
    const { rows, none } = await client.dashboard.groups({ query: { ...span(), by: 'tag', tag: 'team' } });
    expect(named(rows)).toEqual({
      search: sumOf(({ team }) => team === 'search'),
      ads: sumOf(({ team }) => team === 'ads'),
    });
    expect(none.quota).toBe(sumOf(({ team }) => team === ''));
    expect(await codeOf(client.dashboard.groups({ query: { ...span(), by: 'tag' } }))).toBe(
      'tag_key_not_allowed',
    );
  });

  test('a member reads the own calls only', async () => {
    const member = await acme.member('member');
    const key = await keyOf(member, { project_id: project });
    await call(key, { who: 'second', project: 'Website', team: 'search', model: MODEL });
    const own = sumOf(({ who }) => who === 'second');
    for (const by of USAGE_GROUPS) {
      const query = { ...span(), by, tag: by === 'tag' ? 'team' : '' };
      const { rows, total: all } = await member.client.dashboard.groups({ query });
      const shown = rows.reduce((sum, { quota }) => sum + quota, 0);
      expect([by, all.quota, shown]).toEqual([by, own, by === 'service_account' ? 0 : own]);
    }
  });

  test('the statement and its file have the same sums', async () => {
    const query = { month: monthAt(now()) };
    const { usage } = await acme.owner.client.statements.own({ query });
    expect(usage.total.quota).toBe(total());
    expect(usage.groups.map(({ by, tag }) => `${by} ${tag}`.trim())).toEqual([
      'member',
      'service_account',
      'project',
      'tag team',
    ]);
    for (const { by, rows, none } of usage.groups)
      expect([by, [...rows, none].reduce((sum, { quota }) => sum + quota, 0)]).toEqual([by, total()]);
    const file = await fetch(`${scene.app.url}/api/user/statement/file?month=${query.month}`, {
      headers: {
        Cookie: acme.owner.cookie,
        'New-Api-User': String(acme.owner.id),
        [ORGANIZATION_HEADER]: String(acme.id),
      },
    });
    const lines = (await file.text()).split('\n').map((line) => line.split(','));
    const [head = []] = lines;
    const [section, quota] = [head.indexOf('section'), head.indexOf('quota')];
    for (const by of ['member', 'project', 'tag']) {
      const found = lines.filter((line) => line[section]?.replace(/_none$/, '') === by);
      expect([by, found.reduce((sum, line) => sum + Number(line[quota]), 0)]).toEqual([by, total()]);
    }
    // A person has none of it.
    expect((await acme.owner.own.statements.own({ query })).usage.groups).toEqual([]);
    // An organization without a call has no empty tables.
    const idle = await scene.organization('Idle');
    expect((await idle.owner.client.statements.own({ query })).usage.groups).toEqual([]);
  });

  test('the cost API groups by project, member and tag in OpenAI’s shapes', async () => {
    const { key } = await acme.owner.client.adminKeys.create({ body: { name: 'finops' } });
    const { usage } = new OpenAI({
      adminAPIKey: key,
      apiKey: 'none',
      baseURL: `${scene.app.url}/v1`,
      maxRetries: 0,
    }).admin.organization;
    const perUnit = 500_000;
    const start_time = now() - 7200;
    const costs = async (...group_by: string[]) => {
      const { data } = await usage.costs({ start_time, group_by: group_by as never });
      return data.flatMap(({ results }) => results as unknown as Record<string, unknown>[]);
    };
    const amount = (row: Record<string, unknown> | undefined) =>
      Math.round(((row?.['amount'] as { value: number } | undefined)?.value ?? 0) * perUnit);
    for (const group of ['project_id', 'user_id', 'line_item', 'api_key_id', 'tag:team']) {
      const rows = await costs(group);
      expect([group, rows.reduce((sum, row) => sum + amount(row), 0)]).toEqual([group, total()]);
    }
    const projects = await costs('project_id');
    expect(amount(projects.find((row) => row['project_id'] === `proj_${project}`))).toBe(
      sumOf((made) => made.project === 'Website'),
    );
    const users = await costs('user_id');
    expect(amount(users.find((row) => row['user_id'] === `user-${alice.id}`))).toBe(
      sumOf(({ who }) => who === 'alice'),
    );
    const teams = await costs('tag:team');
    expect(amount(teams.find((row) => (row['tags'] as { team: string | null }).team === 'ads'))).toBe(
      sumOf(({ team }) => team === 'ads'),
    );
    const [only] = await costs('project_id', 'line_item').then((rows) =>
      rows.filter((row) => row['project_id'] === `proj_${project}` && row['line_item'] === OTHER),
    );
    expect(amount(only)).toBe(sumOf((made) => made.project === 'Website' && made.model === OTHER));
  });
});
