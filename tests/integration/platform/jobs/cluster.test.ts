// The nodes of a cluster as the super admin sees them: what each reports, who is silent, and how one drains and resumes.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { NodeView } from '#contract/operating/cluster.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 1500; look += 1) {
    if (await isTrue()) return;
    await Bun.sleep(20);
  }
  throw new Error('it did not happen');
}

const readiness = async (app: TestApplication) => (await fetch(`${app.url}/readyz`)).status;

async function report(app: TestApplication, as: Actor): Promise<void> {
  // The schedule may be running it at this moment; then its report is as good.
  await app.request('/api/jobs/node-report/run', { as, body: {} });
}

describe('one node on SQLite', () => {
  let app: TestApplication;
  let root: Actor;
  beforeAll(async () => {
    app = await startApplication({ nodeId: 'only' });
    root = await app.actor({ role: ROLE.root });
    await until(async () => (await app.client(root).cluster.view()).nodes.length === 1);
  });
  afterAll(() => app.close());

  test('reports what it measures; only the super admin reads it', async () => {
    const { nodes, database, queues, standbys } = await app.client(root).cluster.view();
    const [node] = nodes;
    expect(node).toMatchObject({ id: 'only', state: 'serving', is_here: true, process_id: process.pid });
    expect(node?.memory_mb).toBeGreaterThan(20);
    expect(database.engine).toBe('sqlite');
    expect(database.bytes).toBeGreaterThan(10_000);
    expect([queues.holds, standbys]).toEqual([0, []]);
    for (const role of [ROLE.user, ROLE.admin])
      expect((await app.request('/api/cluster', { as: await app.actor({ role }) })).status).toBe(403);
  });

  test('is never drained from here: no other node would serve', async () => {
    const { status, body } = await app.request('/api/cluster/nodes/only/drain', { as: root, body: {} });
    expect([status, body.code]).toEqual([409, 'cluster_last_node']);
    const unknown = await app.request('/api/cluster/nodes/other/drain', { as: root, body: {} });
    expect(unknown.body.code).toBe('not_found');
  });

  test('a report that this version cannot read is shown without figures, and an old one is removed', async () => {
    const now = Math.floor(Date.now() / 1000);
    const rows = [
      {
        node_id: 'newer',
        report: '{"host":5,"version":"9.0.0"}',
        reported_at: now,
      },
      { node_id: 'gone', report: '{}', reported_at: now - 8 * 86_400 },
      { node_id: 'late', report: '{"host":"b"}', reported_at: now - 31 },
    ];
    await app.store.db.insertInto('node_reports').values(rows).execute();
    const states = async () =>
      Object.fromEntries(
        (await app.client(root).cluster.view()).nodes.map(({ id, state }) => [id, state]),
      ) as Record<string, NodeView['state']>;
    expect(await states()).toEqual({ only: 'serving', newer: 'serving', gone: 'silent', late: 'silent' });
    await app.request('/api/jobs/expired-rows/run', { as: root, body: {} });
    await until(async () => (await states())['gone'] === undefined);
    expect(Object.keys(await states()).toSorted()).toEqual(['late', 'newer', 'only']);
  });
});

describe('two nodes on PostgreSQL', () => {
  let place: TemporaryPlace;
  let first: TestApplication;
  let second: TestApplication;
  let root: Actor;
  const start = (nodeId: string) => {
    const { dataDir, databaseUrl } = place;
    return startApplication({ place: { dataDir, databaseUrl }, nodeId });
  };
  beforeAll(async () => {
    place = await temporaryPlace('postgres');
    first = await start('first');
    second = await start('second');
    root = await first.actor({ role: ROLE.root });
    await until(async () => (await first.client(root).cluster.view()).nodes.length === 2);
  });
  afterAll(async () => {
    await second.close();
    await first.close();
    await place.remove();
  });

  const change = (id: string, what: 'drain' | 'resume') =>
    first.request(`/api/cluster/nodes/${id}/${what}`, { as: root, body: {} });
  const node = async (id: string) =>
    (await first.client(root).cluster.view()).nodes.find((each) => each.id === id);

  test('a drained node tells its balancer and still serves what comes; resumed, it is ready again', async () => {
    expect(await readiness(second)).toBe(200);
    expect((await change('second', 'drain')).status).toBe(200);
    await report(second, root);
    await until(async () => (await readiness(second)) === 503);
    expect((await fetch(`${second.url}/api/status`)).status).toBe(200);
    await report(second, root);
    await until(async () => (await node('second'))?.state === 'draining');
    expect(await readiness(first)).toBe(200);
    expect((await change('first', 'drain')).body.code).toBe('cluster_last_node');
    expect((await change('second', 'resume')).status).toBe(200);
    await report(second, root);
    await until(async () => (await readiness(second)) === 200);
    const rows = await first.store.db
      .selectFrom('audit')
      .select(['action', 'target'])
      .where('action', 'like', 'node.%')
      .orderBy('id')
      .execute();
    expect(rows).toEqual([
      { action: 'node.drain', target: 'node:second' },
      { action: 'node.resume', target: 'node:second' },
    ]);
  });

  test('a node that starts again serves, though it was drained before', async () => {
    await change('second', 'drain');
    await report(second, root);
    await until(async () => (await readiness(second)) === 503);
    await second.close();
    second = await start('second');
    await until(async () => (await node('second'))?.drain_wanted === false);
    expect(await readiness(second)).toBe(200);
  });
});
