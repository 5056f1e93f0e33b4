// Requests and tokens per minute of a project: all of its keys share them, on every node, and OpenAI's API changes them.
import { sql } from 'kysely';
import OpenAI, { BadRequestError, NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ProjectView } from '#contract/admin/organization-projects.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { openScene, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const MODEL = 'gpt-4o-mini';

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  let acme: Organization;
  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL] });
    acme = await scene.organization('Acme');
    const params = { id: acme.id };
    const root = scene.app.client(scene.root);
    await root.organizationManagement.adjustBalance({ params, body: { quota_change: 10_000_000 } });
  });
  afterAll(async () => {
    await scene.close();
    await mock.stop();
  });

  const project = (name: string, limits: object = {}): Promise<ProjectView> =>
    acme.owner.client.projects.create({ body: { name, ...limits } });
  const keyOf = async (project_id: number): Promise<TokenView> => {
    const [token] = await acme.owner.client.tokens.create({
      body: { name: 'key', unlimited_quota: true, project_id },
    });
    if (token === undefined) throw new Error('no token');
    return token;
  };
  const call = async (token: TokenView) => {
    const response = await fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${token.key}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] }),
    });
    const { error } = (await response.json()) as { error?: { code: string } };
    const wait = response.headers.get('retry-after');
    return { status: response.status, code: error?.code, wait: wait === null ? null : Number(wait) };
  };
  const outcomes = async (calls: readonly TokenView[]) => {
    const found: (string | number)[] = [];
    for (const token of calls) {
      const { status, code } = await call(token);
      found.push(code ?? status);
    }
    return found;
  };

  const usedOf = async (project_id: number, limit: 'rpm' | 'tpm') => {
    const row = await scene.app.store.db
      .selectFrom('limit_windows')
      .select(sql<number>`cast(coalesce(sum(used), 0) as bigint)`.as('used'))
      .where('scope', '=', `project:${project_id}:${limit}`)
      .executeTakeFirstOrThrow();
    return row.used;
  };
  /** In this minute and the next ones, so that the test may be slow. */
  async function fill(project_id: number): Promise<void> {
    const minute = Math.floor(Date.now() / 60_000) * 60;
    const rows = [0, 1, 2, 3].map((at) => ({
      scope: `project:${project_id}:rpm`,
      window_start: minute + at * 60,
      used: 1000,
    }));
    await scene.app.store.db
      .insertInto('limit_windows')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['scope', 'window_start']).doUpdateSet({ used: 1000 }))
      .execute();
  }

  test('the keys of a project share its requests per minute, and others have theirs', async () => {
    const limited = await project('Limited', { requests_per_minute: 100 });
    const [one, two] = [await keyOf(limited.id), await keyOf(limited.id)];
    const other = await keyOf((await project('Free')).id);
    expect(await outcomes([one, two, other])).toEqual([200, 200, 200]);
    expect(await usedOf(limited.id, 'rpm')).toBe(2);
    await fill(limited.id);
    const refused = 'project_rate_limited';
    expect(await outcomes([one, two, other])).toEqual([refused, refused, 200]);
    const { status, wait } = await call(two);
    expect(status).toBe(429);
    expect(wait).toBeGreaterThan(0);
    // Raised, the keys that are there may go on.
    await acme.owner.client.projects.change({
      params: { id: limited.id },
      body: { requests_per_minute: 0, based_on: { requests_per_minute: 100 } },
    });
    expect(await outcomes([one, two, one])).toEqual([200, 200, 200]);
  });

  test('what a call used counts in the tokens per minute of its project', async () => {
    const limited = await project('Few tokens', { tokens_per_minute: 1 });
    const [one, two] = [await keyOf(limited.id), await keyOf(limited.id)];
    expect(await outcomes([one, two])).toEqual(['project_tokens_limited', 'project_tokens_limited']);
    await acme.owner.client.projects.change({
      params: { id: limited.id },
      body: { tokens_per_minute: 1_000_000 },
    });
    expect(await outcomes([one])).toEqual([200]);
    const counted = await eventually(
      () => usedOf(limited.id, 'tpm'),
      (sum) => sum > 1,
    );
    expect(counted).toBeGreaterThan(1);
  });

  test('a key takes the limits of the project that it is moved to', async () => {
    const limited = await project('Tight', { requests_per_minute: 1 });
    const key = await keyOf((await project('Wide')).id);
    await fill(limited.id);
    expect(await outcomes([key, key])).toEqual([200, 200]);
    await acme.owner.client.tokens.change({ query: {}, body: { id: key.id, project_id: limited.id } });
    expect(await outcomes([key])).toEqual(['project_rate_limited']);
  });

  test('OpenAI’s API lists and changes the limits of a project', async () => {
    const { key } = await acme.owner.client.adminKeys.create({ body: { name: 'automation' } });
    const { projects } = new OpenAI({
      adminAPIKey: key,
      apiKey: 'none',
      baseURL: `${scene.app.url}/v1`,
      maxRetries: 0,
    }).admin.organization;
    const made = await project('By API', { requests_per_minute: 7 });
    const id = `proj_${made.id}`;
    const listed = [];
    for await (const limit of projects.rateLimits.listRateLimits(id)) listed.push(limit);
    expect(listed).toEqual([
      {
        object: 'project.rate_limit',
        id: `rl-${made.id}`,
        model: '*',
        max_requests_per_1_minute: 7,
        max_tokens_per_1_minute: 0,
      } as never,
    ]);
    const changed = await projects.rateLimits.updateRateLimit(`rl-${made.id}`, {
      project_id: id,
      max_requests_per_1_minute: 9,
      max_tokens_per_1_minute: 5000,
    });
    expect(changed).toMatchObject({ max_requests_per_1_minute: 9, max_tokens_per_1_minute: 5000 });
    const [view] = (await acme.owner.client.projects.list()).filter((each) => each.id === made.id);
    expect(view).toMatchObject({ requests_per_minute: 9, tokens_per_minute: 5000 });
    const refusalOf = (limit: string, fields: object) =>
      projects.rateLimits
        .updateRateLimit(limit, { project_id: id, ...fields })
        .catch((error: unknown) => error);
    const unknown = await refusalOf(`rl-${made.id}`, { max_images_per_1_minute: 1 });
    expect(unknown).toBeInstanceOf(BadRequestError);
    expect(String(unknown)).toContain('max_images_per_1_minute');
    expect(await refusalOf('rl-1000000', { max_requests_per_1_minute: 1 })).toBeInstanceOf(NotFoundError);
  });
});
