// The jobs of the whole application: who may list them, manual runs, the summary in the status object, and the rows they
// remove.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { JobView } from '#contract/operating/jobs.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

setDefaultTimeout(60_000);

const NAMES = [
  'incidents',
  'measured-calls',
  'measured-days',
  'money-audit',
  'audit-trail',
  'hold-recovery',
  'mail',
  'notices',
  'token-expiry',
  'drawing-tasks',
  'media-keeping',
  'media-cleanup',
  'shadow-samples',
  'channel-tests',
  'order-reconciliation',
  'spend-dividends',
  'subscriptions',
  'price-publication',
  'price-lists',
  'usage-rollup',
  'usage-cells',
  'cost-days',
  'cache-savings',
  'margins',
  'margin-sums',
  'rerating',
  'sign-on-check',
  'expired-rows',
  'log-retention',
  'backup',
  'log-export',
  'node-report',
  'attention',
  'supplier-counts',
  'supplier-scores',
  'supplier-probes',
];

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let root: Actor;
    beforeAll(async () => {
      app = await startApplication({ database, nodeId: 'node-1' });
      root = await app.actor({ role: ROLE.root });
    });
    afterAll(() => app.close());

    const list = () => app.client(root).jobs.list();
    const find = async (name: string) => (await list()).find((view) => view.name === name) as JobView;
    async function runAndWait(name: string): Promise<JobView> {
      const { runs } = await find(name);
      // The schedule may have started the job.
      for (let look = 0; look < 1500; look += 1) {
        const reply = await app.request(`/api/jobs/${name}/run`, { as: root, body: {} });
        if (reply.status === 200) break;
        expect(reply.body.code).toBe('job_running');
        await Bun.sleep(20);
      }
      for (let look = 0; look < 1000; look += 1) {
        const view = await find(name);
        if (view.runs > runs && view.state !== 'running') return view;
        await Bun.sleep(20);
      }
      throw new Error(`${name} does not end`);
    }

    test('every job is listed in both languages, with its interval and its node', async () => {
      const views = await list();
      expect(views.map(({ name }) => name).toSorted()).toEqual(
        (database === 'postgres' ? [...NAMES, 'node-heartbeat'] : NAMES).toSorted(),
      );
      for (const { title, description } of views)
        expect([title.zh, title.en, description.zh, description.en].every((text) => text.length > 3)).toBe(
          true,
        );
      expect(await find('channel-tests')).toMatchObject({ every_seconds: 0, next_run_at: 0 });
      expect(await find('mail')).toMatchObject({ every_seconds: 5, node: 'node-1', is_here: true });
    });

    test('only the super admin lists and runs jobs', async () => {
      const others = [undefined, await app.actor({ role: ROLE.user }), await app.actor({ role: ROLE.admin })];
      for (const as of others) {
        const expected = as === undefined ? 401 : 403;
        expect((await app.request('/api/jobs', { as })).status).toBe(expected);
        expect((await app.request('/api/jobs/mail/run', { as, body: {} })).status).toBe(expected);
      }
    });

    test('the status object has a summary for the super admin and for no other caller', async () => {
      const status = async (as?: Actor) =>
        (await app.request('/api/status', { as })).body.data as Record<string, unknown>;
      expect(await status(root)).toMatchObject({
        jobs: { total: NAMES.length + (database === 'postgres' ? 1 : 0), failed: [] },
      });
      for (const as of [
        undefined,
        await app.actor({ role: ROLE.user }),
        await app.actor({ role: ROLE.admin }),
      ])
        expect('jobs' in (await status(as))).toBe(false);
      // A page of another site sends the cookie, but cannot set the user-id header.
      const cookieOnly = await app.request('/api/status', { headers: { Cookie: root.cookie } });
      expect('jobs' in (cookieOnly.body.data as object)).toBe(false);
    });

    test('a manual run is recorded and audited; an unknown job name is refused', async () => {
      const view = await runAndWait('usage-rollup');
      expect(view).toMatchObject({ state: 'ok', error: '', node: 'node-1' });
      expect(view.next_run_at).toBeGreaterThan(view.finished_at + 500);
      const rows = await app.store.db
        .selectFrom('audit')
        .select(['action', 'target', 'actor_id'])
        .where('action', '=', 'job.run')
        .execute();
      expect(rows).toContainEqual({ action: 'job.run', target: 'job:usage-rollup', actor_id: root.id });
      const unknown = await app.request('/api/jobs/nothing/run', { as: root, body: {} });
      expect([unknown.status, unknown.body.code]).toEqual([404, 'job_not_found']);
    });

    test('the money is checked at the start, and a breach is the job’s error', async () => {
      for (let look = 0; look < 1500 && (await find('money-audit')).runs === 0; look += 1)
        await Bun.sleep(20);
      expect(await find('money-audit')).toMatchObject({ state: 'ok' });
      const { id } = await app.createUser({ quota: 1000 });
      await app.store.db.updateTable('users').set({ quota: 5 }).where('id', '=', id).execute();
      // The first run of a process checks all users; later ones check users whose money moved.
      await app.ledger.credit({
        idem: `jobs:${id}`,
        userId: id,
        amount: 1,
        from: 'world:admin',
        kind: 'test',
        reference: '',
      });
      const view = await runAndWait('money-audit');
      expect(view.state).toBe('failed');
      expect(view.error).toContain('a balance is the sum of its transfers');
      const summary = (await app.request('/api/status', { as: root })).body.data as {
        jobs: { failed: string[] };
      };
      expect(summary.jobs.failed).toEqual(['money-audit']);
    });

    test('expired rows are removed, and no others', async () => {
      const { db } = app.store;
      const now = Math.floor(Date.now() / 1000);
      const day = 86_400;
      const conversation = { user_id: 1, channel_id: 1, created_at: 1, items: '', response: '' };
      await db
        .insertInto('stored_responses')
        .values([
          { ...conversation, id: 'old', expires_at: now - 1 },
          { ...conversation, id: 'new', expires_at: now + day },
        ])
        .execute();
      const mail = { recipient: 'a@example.com', dedupe_key: null, next_try_at: now + day };
      await db
        .insertInto('mails')
        .values([
          { ...mail, subject: 'old', status: 'sent', created_at: now - 31 * day },
          { ...mail, subject: 'waiting', status: 'pending', created_at: now - 31 * day },
          { ...mail, subject: 'new', status: 'sent', created_at: now - 29 * day },
        ])
        .execute();
      const code = { purpose: 'email', subject: 'a@example.com', created_at: 1 };
      await db
        .insertInto('verification_codes')
        .values([
          { ...code, code_digest: 'old', expires_at: now - day - 1 },
          { ...code, code_digest: 'new', expires_at: now - 1 },
        ])
        .execute();
      await db
        .insertInto('used_proofs')
        .values([
          { digest: 'old', expires_at: now - 1 },
          { digest: 'new', expires_at: now + day },
        ])
        .execute();
      await db
        .insertInto('login_attempts')
        .values([
          { kind: 'pair', digest: 'old', known: 0, last_at_ms: (now - 3601) * 1000 },
          { kind: 'pair', digest: 'known', known: 1, last_at_ms: (now - 3601) * 1000 },
        ])
        .execute();
      const session = { created_at: 1, seen_at: now, ip: '', user_agent: '' };
      await db
        .insertInto('sessions')
        .values([
          { ...session, id_digest: 'old', expires_at: now - 1 },
          { ...session, id_digest: 'idle', expires_at: now + day, seen_at: now - 8 * day },
          { ...session, id_digest: 'new', expires_at: now + day },
        ])
        .execute();
      await db
        .insertInto('jobs')
        .values([
          { name: 'mail', node_id: 'gone', finished_ms: (now - day - 60) * 1000 },
          { name: 'mail', node_id: 'quiet', finished_ms: (now - 60) * 1000 },
        ])
        .execute();

      expect(await runAndWait('expired-rows')).toMatchObject({ state: 'ok' });

      const conversations = await db.selectFrom('stored_responses').select('id').execute();
      expect(conversations).toEqual([{ id: 'new' }]);
      const mails = await db
        .selectFrom('mails')
        .select('subject')
        .where('recipient', '=', 'a@example.com')
        .execute();
      expect(mails.map(({ subject }) => subject).toSorted()).toEqual(['new', 'waiting']);
      expect(await db.selectFrom('verification_codes').select('code_digest').execute()).toEqual([
        { code_digest: 'new' },
      ]);
      expect(await db.selectFrom('used_proofs').select('digest').execute()).toEqual([{ digest: 'new' }]);
      const attempts = await db
        .selectFrom('login_attempts')
        .select('digest')
        .where('digest', 'in', ['old', 'known'])
        .execute();
      expect(attempts).toEqual([{ digest: 'known' }]);
      const sessions = await db
        .selectFrom('sessions')
        .select('id_digest')
        .where('id_digest', 'in', ['old', 'idle', 'new'])
        .execute();
      expect(sessions).toEqual([{ id_digest: 'new' }]);
      const nodes = await db
        .selectFrom('jobs')
        .select('node_id')
        .where('node_id', 'in', ['gone', 'quiet'])
        .execute();
      expect(nodes).toEqual([{ node_id: 'quiet' }]);
      // A node that sends no heartbeat is not shown.
      expect((await list()).filter(({ name }) => name === 'mail')).toHaveLength(1);
    });
  });
}

test('two nodes share the rows of cluster jobs and have separate rows for the others', async () => {
  const { databaseUrl = '', dataDir, remove } = await temporaryPlace('postgres');
  const nodes = [
    await startApplication({ place: { dataDir, databaseUrl }, nodeId: 'node-1' }),
    await startApplication({ place: { dataDir, databaseUrl }, nodeId: 'node-2' }),
  ] as const;
  const root = await nodes[0].actor({ role: ROLE.root });
  const nodesOf = async (name: string) => {
    const views = await nodes[0].client(root).jobs.list();
    return views
      .filter((view) => view.name === name)
      .map(({ node }) => node)
      .toSorted();
  };
  for (let look = 0; look < 1500 && (await nodesOf('mail')).length < 2; look += 1) await Bun.sleep(20);
  expect(await nodesOf('mail')).toEqual(['node-1', 'node-2']);
  expect(await nodesOf('money-audit')).toHaveLength(1);
  for (const node of nodes) await node.close();
  await remove();
});
