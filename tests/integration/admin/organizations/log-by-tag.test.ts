// The log of an organization by tag: exact, in list, sums and choices, for everybody what they may read.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { openScene, type Member, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);
const MODEL = 'gpt-4o-mini';

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let mock: MockUpstream;
  let acme: Organization;
  let alice: Member;
  let bob: Member;

  async function callOf(key: string, tags: Record<string, string>): Promise<void> {
    const response = await fetch(`${scene.app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer sk-${key}` },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'hello' }], metadata: tags }),
    });
    await response.text();
    expect(response.status).toBe(200);
  }
  async function keyOf(member: Member): Promise<string> {
    const [token] = await member.client.tokens.create({ body: { name: 'key', unlimited_quota: true } });
    return token?.key ?? '';
  }
  /** The tags of the rows that a filter finds, and what its sums count. */
  async function found(member: Member, tag: string) {
    const { items, total } = await member.client.logs.listSelf({ query: { tag } });
    const { count } = await member.client.logs.statSelf({ query: { tag } });
    return { rows: items.length, total, count };
  }
  const all = (rows: number) => ({ rows, total: rows, count: rows });

  beforeAll(async () => {
    mock = startMockUpstream();
    scene = await openScene(database);
    await addChannel(scene.app.store, { base_url: mock.url, models: [MODEL] });
    acme = await scene.organization('Acme');
    await scene.app.client(scene.root).organizationManagement.adjustBalance({
      params: { id: acme.id },
      body: { quota_change: 10_000_000 },
    });
    await acme.owner.client.budgets.changeTagKeys({ body: { keys: ['team', 'env'] } });
    alice = await acme.member('member');
    bob = await acme.member('member');
    const [hers, his] = [await keyOf(alice), await keyOf(bob)];
    await callOf(hers, { team: 'search', env: 'prod' });
    await callOf(hers, { team: 'Search' });
    await callOf(hers, { team: 'search%' });
    await callOf(hers, { team: 'x "team":"search" y' });
    await callOf(his, { team: 'search' });
    await callOf(his, {});
  });
  afterAll(async () => {
    await scene.close();
    await mock.stop();
  });

  test('finds the calls with exactly this value, whatever other tags they have', async () => {
    expect(await found(acme.owner, 'team=search')).toEqual(all(2));
    expect(await found(acme.owner, 'team=Search')).toEqual(all(1));
    expect(await found(acme.owner, 'team=search%')).toEqual(all(1));
    expect(await found(acme.owner, 'team=x "team":"search" y')).toEqual(all(1));
    expect(await found(acme.owner, 'env=prod')).toEqual(all(1));
    expect(await found(acme.owner, 'env=search')).toEqual(all(0));
    // With any of its values.
    expect(await found(acme.owner, 'team')).toEqual(all(5));
  });

  test('a member finds the own calls only, and is offered the own tags', async () => {
    expect(await found(bob, 'team=search')).toEqual(all(1));
    const tags = async (member: Member) =>
      (await member.client.logs.facetsSelf({ query: {} })).tags.toSorted();
    expect(await tags(bob)).toEqual(['team=search']);
    expect(await tags(alice)).toEqual(
      ['env=prod', 'team=Search', 'team=search', 'team=search%', 'team=x "team":"search" y'].toSorted(),
    );
    expect((await tags(acme.owner)).length).toBe(5);
    // A person's own calls have no tags, whatever the person may read elsewhere.
    expect((await bob.own.logs.facetsSelf({ query: {} })).tags).toEqual([]);
    expect((await bob.own.logs.listSelf({ query: { tag: 'team=search' } })).total).toBe(0);
  });

  test('the operator finds them among the calls of everybody, and the file has the same rows', async () => {
    const root = scene.app.client(scene.root);
    expect((await root.logs.list({ query: { tag: 'team=search' } })).total).toBe(2);
    const file = await fetch(`${scene.app.url}/api/log/export?format=jsonl&tag=team%3Dsearch`, {
      headers: { Cookie: scene.root.cookie, 'New-Api-User': String(scene.root.id) },
    });
    expect((await file.text()).trim().split('\n').length).toBe(2);
  });
});
