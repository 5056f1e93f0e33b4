// Scheduled tests of all channels: one run for all nodes, in the super admin's log. And the route simulator's answer for
// a channel that cools down after failures.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { createTokenCache } from '#server/models/providers/signing/tools.ts';
import { createTestRuns } from '#server/admin/channels/test-all.ts';
import { startApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(60_000);

test('of two nodes one tests all channels and learns their formats anew; its tests are in the log of the super admin', async () => {
  const upstream = startMockUpstream();
  const application = await startApplication();
  const { store, settings, log } = application;
  const clock = { now: Math.floor(Date.now() / 1000) };
  const node = () =>
    createTestRuns({
      store,
      settings,
      log,
      types: [],
      egress: { fetch: (_class: string, url: string, init?: object) => fetch(url, init) } as never,
      checkAddress: async () => {},
      isPasswordOf: async () => false,
      upstreamModel: (_mapping: string, model: string) => model,
      tokenCache: createTokenCache(),
      now: () => clock.now,
    });
  const [one, two] = [node(), node()];
  const id = await addChannel(store, { base_url: upstream.url, models: ['gpt-4o-mini'] });
  const done = async () => {
    for (let attempt = 0; attempt < 400; attempt += 1) {
      const run = await one.progress('zh');
      if (!run.running && run.started_at > 0) return run;
      await Bun.sleep(25);
    }
    throw new Error('the run does not end');
  };

  // What was refused once may work now.
  await store.db.updateTable('channels').set({ refused_formats: 'openai-responses' }).execute();
  const { signal } = new AbortController();
  const began = await Promise.all([one.runAll(signal), two.runAll(signal)]);
  expect(began.toSorted()).toEqual([false, true]);
  expect((await done()).results).toMatchObject([{ id, result: 'passed' }]);
  const { refused_formats } = await store.db
    .selectFrom('channels')
    .select('refused_formats')
    .executeTakeFirstOrThrow();
  expect(refused_formats).toBe('');
  const root = await store.db
    .selectFrom('users')
    .select('id')
    .where('role', '=', ROLE.root)
    .executeTakeFirstOrThrow();
  const testRows = () => store.db.selectFrom('logs').selectAll().where('type', '=', 4).execute();
  expect(await testRows()).toMatchObject([{ user_id: root.id, channel_id: id, quota: 0 }]);

  // The previous run released the lease; a stopped node tests nothing more.
  expect(await two.runAll(AbortSignal.abort())).toBe(true);
  expect(await testRows()).toHaveLength(1);
  await two.close();
  await one.close();
  await application.close();
  await upstream.stop();
});

test('the simulator shows a channel that cools down, and the others share its odds', async () => {
  const upstream = startMockUpstream();
  const application = await startApplication({ settings: { RetryTimes: '0' } });
  const admin = await application.actor({ role: ROLE.admin, quota: 50_000_000 });
  const failed: string[] = [];
  const broken = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      failed.push(request.url);
      return Response.json({ error: { message: 'out of order' } }, { status: 503 });
    },
  });
  const [token] = await application
    .client(admin)
    .tokens.create({ body: { name: 'a', unlimited_quota: true } });
  const bad = await addChannel(application.store, {
    base_url: `http://127.0.0.1:${broken.port}`,
    models: ['gpt-4o-mini'],
    name: 'bad',
  });
  const call = () =>
    fetch(`${application.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer sk-${token?.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    });
  const route = async () =>
    (await application.client(admin).channels.route({ query: { model: 'gpt-4o-mini' } })).candidates;
  // The gateway loads a new channel a moment after it is written.
  for (let round = 0; round < 200 && failed.length < 5; round += 1) {
    await (await call()).text();
    await Bun.sleep(10);
  }
  expect(failed).toHaveLength(5);
  const good = await addChannel(application.store, {
    base_url: upstream.url,
    models: ['gpt-4o-mini'],
    name: 'good',
  });
  expect((await route()).map(({ id, cooling, odds }) => [id, cooling, odds])).toEqual([
    [good, false, 1],
    [bad, true, 0],
  ]);
  await application.close();
  await upstream.stop();
  await broken.stop(true);
});
