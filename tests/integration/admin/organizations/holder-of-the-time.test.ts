// A key that changes hands: what it was used for stays with the project, the member and the service account that had it when each call
// was made, in every report.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { monthAt } from '#contract/month.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const MODEL = 'gpt-4o-mini';
const PER_UNIT = 500_000;

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  let acme: Organization;
  let alice: Member;
  let first: number;
  let second: number;
  let robot: number;
  /** Charged by alice in the first project, by alice in the second, by the service account in the second. */
  const charged: [number, number, number] = [0, 0, 0];
  const now = () => Math.floor(Date.now() / 1000);
  const span = () => ({ start_timestamp: now() - 3600, end_timestamp: now() });
  const total = () => charged[0] + charged[1] + charged[2];

  async function callWith(key: string, words: number): Promise<number> {
    const response = await fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello '.repeat(words) }] }),
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
    return quota;
  }

  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL] });
    acme = await scene.organization('Acme');
    await scene.app.client(scene.root).organizationManagement.adjustBalance({
      params: { id: acme.id },
      body: { quota_change: 10_000_000 },
    });
    const { client } = acme.owner;
    alice = await acme.member('member');
    first = (await client.projects.create({ body: { name: 'First' } })).id;
    second = (await client.projects.create({ body: { name: 'Second' } })).id;
    robot = (await client.serviceAccounts.create({ body: { name: 'robot', project_id: second } })).id;
    const [token] = await alice.client.tokens.create({
      body: { name: 'key', unlimited_quota: true, project_id: first },
    });
    if (token === undefined) throw new Error('no token');
    charged[0] = await callWith(token.key, 1);
    await alice.client.tokens.change({ query: {}, body: { id: token.id, project_id: second } });
    charged[1] = await callWith(token.key, 1);
    await client.members.remove({
      params: { user_id: alice.id },
      body: { tokens: { action: 'to_service_account', service_account_id: robot } },
    });
    charged[2] = await callWith(token.key, 1);
    for (const quota of charged) expect(quota).toBeGreaterThan(0);
  });
  afterAll(async () => {
    await scene.close();
    await mock.stop();
  });

  const byId = (rows: readonly { id: number; quota: number }[]) =>
    Object.fromEntries(rows.map(({ id, quota }) => [id, quota]));

  test('the figures of members, service accounts and projects', async () => {
    const { client } = acme.owner;
    const { members, service_accounts, projects } = await client.dashboard.holders({ query: span() });
    expect(byId(members)).toEqual({ [alice.id]: charged[0] + charged[1] });
    expect(byId(service_accounts)).toEqual({ [robot]: charged[2] });
    expect(byId(projects)).toEqual({ [first]: charged[0], [second]: charged[1] + charged[2] });
    for (const by of ['member', 'service_account', 'project'] as const) {
      const { rows, others, none } = await client.dashboard.groups({ query: { ...span(), by } });
      expect([by, [...rows, others, none].reduce((sum, { quota }) => sum + quota, 0)]).toEqual([by, total()]);
    }
  });

  test('the log by holder, and what a member who left is shown as', async () => {
    const { client } = acme.owner;
    const spent = async (query: object) => (await client.logs.statSelf({ query })).quota;
    expect(await spent({ project_id: first })).toBe(charged[0]);
    expect(await spent({ project_id: second })).toBe(charged[1] + charged[2]);
    expect(await spent({ member_id: alice.id })).toBe(charged[0] + charged[1]);
    expect(await spent({ service_account_id: robot })).toBe(charged[2]);
    const { items } = await client.logs.listSelf({ query: { type: 2 } });
    expect(
      items.map((row) => [row.member_name ?? '', row.service_account_name ?? '', row.project_name]),
    ).toEqual([
      ['', 'robot', 'Second'],
      [alice.username, '', 'Second'],
      [alice.username, '', 'First'],
    ]);
  });

  test('the statement and its file', async () => {
    const query = { month: monthAt(now()) };
    const { usage } = await acme.owner.client.statements.own({ query });
    const rowsOf = (by: string) => usage.groups.find((group) => group.by === by)?.rows ?? [];
    const named = (by: string) => Object.fromEntries(rowsOf(by).map(({ name, quota }) => [name, quota]));
    expect(named('project')).toEqual({ First: charged[0], Second: charged[1] + charged[2] });
    expect(named('member')).toEqual({ [alice.username]: charged[0] + charged[1] });
    expect(named('service_account')).toEqual({ robot: charged[2] });
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
    const amountOf = (name: string, by: string) =>
      lines
        .filter((line) => line[section] === by && line.includes(name))
        .reduce((sum, line) => sum + Number(line[quota]), 0);
    expect(amountOf('First', 'project')).toBe(charged[0]);
    expect(amountOf(alice.username, 'member')).toBe(charged[0] + charged[1]);
    expect(amountOf('robot', 'service_account')).toBe(charged[2]);
  });

  test('the usage and cost API', async () => {
    const { key } = await acme.owner.client.adminKeys.create({ body: { name: 'finops' } });
    const { usage } = new OpenAI({
      adminAPIKey: key,
      apiKey: 'none',
      baseURL: `${scene.app.url}/v1`,
      maxRetries: 0,
    }).admin.organization;
    const start_time = now() - 7200;
    const costs = await usage.costs({ start_time, group_by: ['project_id', 'user_id'] as never });
    const rows = costs.data.flatMap(({ results }) => results as unknown as Record<string, unknown>[]);
    const cost = (name: string, value: string) =>
      rows
        .filter((row) => row[name] === value)
        .reduce(
          (sum, row) => sum + Math.round(((row['amount'] as { value: number }).value ?? 0) * PER_UNIT),
          0,
        );
    expect(cost('project_id', `proj_${first}`)).toBe(charged[0]);
    expect(cost('project_id', `proj_${second}`)).toBe(charged[1] + charged[2]);
    expect(cost('user_id', `user-${alice.id}`)).toBe(charged[0] + charged[1]);
    const calls = await usage.completions({ start_time, group_by: ['project_id'] as never });
    const counted = calls.data.flatMap(({ results }) => results as unknown as Record<string, unknown>[]);
    const requests = (project: number) =>
      counted
        .filter((row) => row['project_id'] === `proj_${project}`)
        .reduce((sum, row) => sum + Number(row['num_model_requests']), 0);
    expect([requests(first), requests(second)]).toEqual([1, 2]);
  });
});
