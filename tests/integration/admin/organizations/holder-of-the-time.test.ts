// A key that changes hands: what it was used for stays with the project, the member and the service account that had it when each call
// was made, in every report.
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { monthAt } from '#contract/month.ts';
import { positionOf } from '#server/money/sums/engine.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
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

  /** There is no channel for the model. */
  async function refusedWith(key: string): Promise<void> {
    const response = await fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key}` },
      body: JSON.stringify({ model: 'no-such-model', messages: [{ role: 'user', content: 'hello' }] }),
    });
    await response.text();
    expect(response.status).toBeGreaterThanOrEqual(400);
  }

  /** By the job; others on the same server may hold the last rows back for a moment. */
  const countCells = () =>
    eventually(
      async () => {
        await scene.app
          .client(scene.root)
          .jobs.run({ params: { name: 'usage-cells' } })
          .catch(() => {});
        const { id } = await scene.app.store.db
          .selectFrom('logs')
          .select(({ fn }) => fn.max('id').as('id'))
          .executeTakeFirstOrThrow();
        return (await positionOf(scene.app.store, 'holder_cells')) - id;
      },
      (behind) => behind === 0,
    );

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
    await refusedWith(token.key);
    await alice.client.tokens.change({ query: {}, body: { id: token.id, project_id: second } });
    charged[1] = await callWith(token.key, 1);
    for (let round = 0; round < 2; round += 1) await refusedWith(token.key);
    await client.members.remove({
      params: { user_id: alice.id },
      body: { tokens: { action: 'to_service_account', service_account_id: robot } },
    });
    charged[2] = await callWith(token.key, 1);
    for (let round = 0; round < 4; round += 1) await refusedWith(token.key);
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
    await countCells();
    const calls = async (query: object) => {
      const { data } = await usage.completions({ start_time, ...query });
      return data
        .flatMap(({ results }) => results as unknown as Record<string, unknown>[])
        .map((row) => [row['project_id'], row['user_id'], row['num_model_requests'], row['input_tokens']]);
    };
    const tokens = async (member_id: number, project_id: number) => {
      const row = await scene.app.store.db
        .selectFrom('logs')
        .select(({ fn }) => fn.sum<number>('prompt_tokens').as('tokens'))
        .where('type', '=', 2)
        .where('user_id', '=', acme.id)
        .where('member_id', '=', member_id)
        .where('project_id', '=', project_id)
        .executeTakeFirstOrThrow();
      return row.tokens;
    };
    const [inFirst, inSecond, ofRobot] = [
      await tokens(alice.id, first),
      await tokens(alice.id, second),
      await tokens(0, second),
    ];
    expect([inFirst, inSecond, ofRobot].every((count) => count > 0)).toBe(true);
    const proj = (id: number) => `proj_${id}`;
    const added = (rows: unknown[][]) => {
      const sums = new Map<string, number[]>();
      for (const [project, user, requests, input] of rows) {
        const key = `${String(project)} ${String(user)}`;
        const [before = 0, inputBefore = 0] = sums.get(key) ?? [];
        sums.set(key, [before + Number(requests), inputBefore + Number(input)]);
      }
      return Object.fromEntries(sums);
    };
    for (const bucket_width of ['1m', '1h', '1d']) {
      // Of minutes a page has 1440 at most: the calls may be in two hours, or two days.
      const span = { bucket_width, limit: bucket_width === '1m' ? 1440 : bucket_width === '1h' ? 168 : 31 };
      const grouped = await calls({ ...span, group_by: ['project_id', 'user_id'] });
      expect([bucket_width, added(grouped)]).toEqual([
        bucket_width,
        {
          [`${proj(first)} user-${alice.id}`]: [1, inFirst],
          [`${proj(second)} user-${alice.id}`]: [1, inSecond],
          [`${proj(second)} null`]: [1, ofRobot],
        },
      ]);
      expect(added(await calls({ ...span, project_ids: [proj(second)] }))).toEqual({
        'null null': [2, inSecond + ofRobot],
      });
      const ofAlice = await calls({ ...span, user_ids: [`user-${alice.id}`], group_by: ['project_id'] });
      expect(added(ofAlice)).toEqual({
        [`${proj(first)} null`]: [1, inFirst],
        [`${proj(second)} null`]: [1, inSecond],
      });
      expect(added(await calls(span))).toEqual({ 'null null': [3, inFirst + inSecond + ofRobot] });
    }
  });

  test('the dashboard of a member has the calls of their time, whoever has the key today, equal to their usage', async () => {
    const { client } = acme.owner;
    const dora = await acme.member('member');
    const [token] = await dora.client.tokens.create({ body: { name: 'passed on', unlimited_quota: true } });
    if (token === undefined) throw new Error('no token');
    const hers = [await callWith(token.key, 1), await callWith(token.key, 30)].reduce((a, b) => a + b);
    const erin = await acme.member('member');
    await client.members.remove({
      params: { user_id: dora.id },
      body: { tokens: { action: 'to_member', user_id: erin.id } },
    });
    const theirs = await callWith(token.key, 60);
    const again = await acme.owner.client.invitations.create({ body: { to: dora.username, role: 'member' } });
    await dora.own.invitations.accept({ body: { id: again.id } });
    const rowsOf = async (id: number) =>
      await scene.app.store.db
        .selectFrom('logs')
        .select(['quota', 'prompt_tokens', 'completion_tokens', 'other'])
        .where('type', '=', 2)
        .where('member_id', '=', id)
        .execute();
    const sum = <Row>(rows: readonly Row[], figure: (row: Row) => number) =>
      rows.reduce((total, row) => total + figure(row), 0);
    for (const [member, charge, count] of [
      [dora, hers, 2],
      [erin, theirs, 1],
    ] as const) {
      const query = span();
      const hours = await member.client.dashboard.self({ query });
      const rows = await rowsOf(member.id);
      expect([sum(hours, (row) => row.quota), sum(hours, (row) => row.count)]).toEqual([charge, count]);
      expect(sum(hours, (row) => row.token_used)).toBe(
        sum(rows, (row) => row.prompt_tokens + row.completion_tokens),
      );
      const took = rows.map(({ other }) => JSON.parse(other) as { use_ms: number; frt: number });
      expect(sum(hours, (row) => row.use_time_ms)).toBe(sum(took, ({ use_ms }) => use_ms));
      expect(sum(hours, (row) => row.first_token_ms)).toBe(sum(took, ({ frt }) => Math.max(0, frt)));
      const tokens = await member.client.dashboard.tokens({ query });
      expect(tokens.map((row) => [row.id, row.name, row.quota])).toEqual([[token.id, 'passed on', charge]]);
      const { total: usage } = await member.client.dashboard.groups({ query: { ...query, by: 'model' } });
      expect(usage.quota).toBe(charge);
      expect((await member.client.logs.statSelf({ query: {} })).quota).toBe(charge);
    }
    const everybody = await client.dashboard.self({ query: span() });
    expect(sum(everybody, (row) => row.quota)).toBe(total() + hers + theirs);
    // A call that failed is in the failures of whose it was.
    await client.tokens.change({ query: {}, body: { id: token.id, service_account_id: robot } });
    const undo = mock.behave({ status: 400 });
    const failed = await fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${token.key}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] }),
    });
    undo();
    expect(failed.status).toBe(400);
    await client.tokens.change({ query: {}, body: { id: token.id, member_id: erin.id } });
    const failures = async (member: Member) =>
      (await member.client.dashboard.failuresSelf({ query: span() })).total;
    expect([await failures(erin), await failures(dora)]).toEqual([0, 0]);
  });

  test('a refused call is of the holder that the key had then', async () => {
    const { client } = acme.owner;
    const refused = async (query: object) => {
      const { items } = await client.logs.listSelf({ query: { type: LOG_TYPE.refused, ...query } });
      return items.map((row) => [
        row.member_name,
        row.service_account_name,
        row.project_name,
        (JSON.parse(row.other) as { refused: { count: number } }).refused.count,
      ]);
    };
    const rows = await eventually(
      () => refused({}),
      (found) => found.reduce((sum, row) => sum + Number(row[3]), 0) === 7,
    );
    const counts = (found: unknown[][], at: number, name: string) =>
      found.filter((row) => row[at] === name).reduce((sum, row) => sum + Number(row[3]), 0);
    expect(counts(rows, 2, 'First')).toBe(1);
    expect(counts(rows, 2, 'Second')).toBe(6);
    expect(counts(rows, 0, alice.username)).toBe(3);
    expect(counts(rows, 1, 'robot')).toBe(4);
    expect(counts(await refused({ project_id: first }), 2, 'First')).toBe(1);
    expect(counts(await refused({ member_id: alice.id }), 0, alice.username)).toBe(3);
    expect(counts(await refused({ service_account_id: robot }), 1, 'robot')).toBe(4);
    const { refused_count } = await client.logs.statSelf({ query: { project_id: second } });
    expect(refused_count).toBe(6);
  });

  test('a member reads the refused calls of their own time', async () => {
    const { client } = acme.owner;
    const carol = await acme.member('member');
    const [token] = await carol.client.tokens.create({ body: { name: 'hers', unlimited_quota: true } });
    if (token === undefined) throw new Error('no token');
    for (let round = 0; round < 2; round += 1) await refusedWith(token.key);
    await client.tokens.change({ query: {}, body: { id: token.id, service_account_id: robot } });
    await refusedWith(token.key);
    const counted = () => client.logs.statSelf({ query: { service_account_id: robot } });
    await eventually(counted, ({ refused_count }) => refused_count === 5);
    const query = { start_timestamp: now() - 3600, end_timestamp: now() + 60 };
    expect(await carol.client.dashboard.failuresSelf({ query })).toMatchObject({ total: 2, refused: 2 });
    const own = await carol.client.logs.listSelf({ query: { type: LOG_TYPE.refused } });
    expect(own.items.map(({ member_name }) => member_name)).toEqual(own.items.map(() => carol.username));
  });
});
