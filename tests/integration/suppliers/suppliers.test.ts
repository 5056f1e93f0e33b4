// Checks of suppliers through the whole gateway: calls by HTTP to a lying and two honest suppliers, the jobs, the scores
// with their evidence, the notice, the lowered weight, probes, and bills. ISSUE-20.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { provingEvidence, reportCsv, reportMarkdown } from '#contract/suppliers/supplier-report.ts';
import type { SupplierView } from '#contract/suppliers/suppliers.ts';
import { createBreaker } from '#server/relay/channel-choice/breaker.ts';
import { openCatalog } from '#server/relay/channel-choice/catalog.ts';
import { selectChannel, createChannelOrders } from '#server/relay/channel-choice/select.ts';
import { weightFactor } from '#server/relay/channel-choice/weight-factor.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { startPatience } from '#tests/support/machine.ts';
import { addChannel } from '#tests/support/channels.ts';
import { prompts, serveSupplier, Supplier, type SupplierServer } from '#tests/support/supplier.ts';

setDefaultTimeout(120_000);

const CALLS = 200;
const GROUPS = ['default', 'vip', 'svip'] as const;

interface Scene {
  app: TestApplication;
  root: Actor;
  servers: SupplierServer[];
  /** By group: the liar, and two honest ones. */
  channels: number[];
  keys: string[][];
}

async function openScene(database: 'sqlite' | 'postgres'): Promise<Scene> {
  const app = await startApplication({ database, settings: { ModelRatio: '{"my-model":1}' } });
  const root = await app.actor({ role: ROLE.root });
  const suppliers = [
    new Supplier(11, { inflation: 1.3, cut: 0.12, fakeCache: 0.6 }),
    new Supplier(12),
    new Supplier(13),
  ];
  const servers = suppliers.map(serveSupplier);
  const channels: number[] = [];
  for (const [index, { url }] of servers.entries())
    channels.push(
      await addChannel(app.store, {
        base_url: url,
        models: ['gpt-4o', 'my-model'],
        groups: [GROUPS[index] ?? ''],
        name: `supplier-${index}`,
        weight: 10,
        fields: { model_mapping: '{"my-model":"gpt-4o"}', auto_ban: 0 },
      }),
    );
  const keys: string[][] = [];
  for (const group of GROUPS) {
    const made: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const user = await app.actor({ group, quota: 500_000_000 });
      const [token] = await app.client(user).tokens.create({ body: { name: 't', unlimited_quota: true } });
      made.push(`sk-${token?.key.replace(/^sk-/, '')}`);
    }
    keys.push(made);
  }
  return { app, root, servers, channels, keys };
}

async function call({ app }: Scene, key: string, text: string, isStream: boolean): Promise<void> {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: isStream ? 'gpt-4o' : 'my-model',
      stream: isStream,
      messages: [{ role: 'user', content: text }],
    }),
  });
  await response.text();
  expect(response.status).toBe(200);
}

/** Calls the channel of one group, four at a time. */
async function traffic(scene: Scene, index: number): Promise<void> {
  const asked = prompts(index + 77);
  const keys = scene.keys[index] ?? [];
  for (let done = 0; done < CALLS; done += keys.length) {
    await Promise.all(
      keys.map((key, at) => call(scene, key, asked.next().value.text, (done + at) % 5 !== 0)),
    );
  }
}

async function run({ app, root }: Scene, name: string): Promise<void> {
  const find = async () => {
    const job = (await app.client(root).jobs.list()).find((each) => each.name === name);
    if (job === undefined) throw new Error(`no job ${name}`);
    return job;
  };
  const { runs } = await find();
  await app.request(`/api/jobs/${name}/run`, { as: root, body: {} });
  for (let look = 0; look < 1500; look += 1) {
    const job = await find();
    if (job.runs > runs && job.state !== 'running') {
      expect([name, job.error]).toEqual([name, '']);
      return;
    }
    await Bun.sleep(20);
  }
  throw new Error(`${name} did not run`);
}

const noticesOf = ({ app }: Scene) =>
  app.store.db.selectFrom('notices').selectAll().where('event', '=', 'supplier_score_low').execute();

for (const database of databaseLabels) {
  describe(database, () => {
    let scene: Scene;
    let views: SupplierView[];
    const find = (index: number) => {
      const view = views.find(({ channel_id }) => channel_id === scene.channels[index]);
      if (view === undefined) throw new Error('no such supplier');
      return view;
    };
    beforeAll(async () => {
      scene = await openScene(database);
      for (const index of [0, 1, 2]) await traffic(scene, index);
      // An answer is counted after its call has ended: the last ones may miss the first run.
      const isOver = startPatience(10_000);
      do {
        await run(scene, 'supplier-counts');
        await run(scene, 'supplier-scores');
        views = await scene.app.client(scene.root).suppliers.list();
      } while ([1, 2].some((index) => find(index).answers < CALLS) && !isOver());
    });
    afterAll(async () => {
      await scene.app.close();
      await Promise.all(scene.servers.map((server) => server.stop()));
    });

    test('the lying supplier is found within 200 calls, the honest ones are not', () => {
      const signals = find(0).models.flatMap(({ findings }) => findings.map(({ signal }) => signal));
      expect(signals.toSorted()).toEqual(
        expect.arrayContaining(['cache_reads', 'cut_streams', 'input_tokens', 'output_tokens']),
      );
      expect(find(0).score).toBeLessThan(60);
      expect(views[0]?.channel_id).toBe(scene.channels[0]);
      for (const index of [1, 2]) {
        // How fast a local server answers is the machine's: given times are judged in the unit tests.
        const findings = find(index).models.flatMap((model) => model.findings);
        expect(findings.filter(({ signal }) => !['fast', 'slow', 'late'].includes(signal))).toEqual([]);
        expect(find(index).score).toBeGreaterThanOrEqual(findings.length === 0 ? 100 : 75);
        expect(find(index).answers).toBe(CALLS);
      }
      // A mapped name is the upstream's: both names of the callers are one model there.
      expect(find(1).models.map(({ model }) => model)).toEqual(['gpt-4o']);
    });

    test('operators are notified once', async () => {
      await run(scene, 'supplier-scores');
      const [notice, ...others] = await noticesOf(scene);
      expect(others).toEqual([]);
      expect(JSON.parse(notice?.details ?? '')).toMatchObject({
        channel_id: scene.channels[0],
        channel_name: 'supplier-0',
        model: 'gpt-4o',
      });
    });

    test('the report names request ids of the log, and no user and no content', async () => {
      const client = scene.app.client(scene.root).suppliers;
      const supplier = await client.read({ params: { id: scene.channels[0] ?? 0 } });
      const proofs = provingEvidence(supplier);
      expect(proofs.length).toBeGreaterThan(10);
      const { count } = await scene.app.store.db
        .selectFrom('logs')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('channel_id', '=', scene.channels[0] ?? 0)
        .where('request_id', 'in', [...new Set(proofs.map(({ request_id }) => request_id))])
        .executeTakeFirstOrThrow();
      expect(count).toBe(new Set(proofs.map(({ request_id }) => request_id)).size);
      const users = await scene.app.store.db.selectFrom('users').select('username').execute();
      for (const text of [
        reportMarkdown(supplier, 'zh'),
        reportMarkdown(supplier, 'en'),
        reportCsv(supplier),
      ]) {
        expect(text).toContain(proofs[0]?.request_id ?? 'none');
        for (const { username } of users) expect(text).not.toContain(username);
      }
      const honest = await client.read({ params: { id: scene.channels[1] ?? 0 } });
      expect(provingEvidence(honest)).toEqual([]);
      expect(Object.keys(honest.distributions[0]?.input ?? {}).length).toBeGreaterThan(2);
    });

    test('SupplierDownWeightBelow and its factor lower the weight of the liar only', async () => {
      const { app, root, channels } = scene;
      for (const group of GROUPS)
        await app.store.db
          .insertInto('abilities')
          .values(
            channels.map((channel_id) => ({
              group: 'shared',
              model: `m-${group}`,
              channel_id,
              enabled: 1 as const,
              priority: 0,
              weight: 10,
              tag: null,
            })),
          )
          .execute();
      const factors = async () => {
        const catalog = await openCatalog(app.store, app.log, (score) =>
          weightFactor(app.settings.current, score),
        );
        const [tier = []] = catalog.current.tiers('shared', 'm-vip');
        catalog.close();
        return tier.map(({ channel }) => channel.weightFactor);
      };
      expect(await factors()).toEqual([1, 1, 1]);
      await app.client(root).options.save({ body: { key: 'SupplierDownWeightFactor', value: '0.05' } });
      await app.client(root).options.save({ body: { key: 'SupplierDownWeightBelow', value: '60' } });
      expect(await factors()).toEqual([0.05, 1, 1]);
      expect((await app.client(root).suppliers.list())[0]?.weight_factor).toBe(0.05);
      const catalog = await openCatalog(app.store, app.log, (score) =>
        weightFactor(app.settings.current, score),
      );
      const orders = createChannelOrders({
        order: () => 'weight',
        costs: { version: 0, usualCost: () => null },
        speeds: { version: 0, firstToken: () => 0, refresh: async () => {} },
      });
      const tiers = orders.of(catalog.current.tiers('shared', 'm-vip'), 'm-vip');
      const wanted = { endpoint: { format: 'openai-chat' as const }, model: 'm-vip' };
      const chosen = (random: number, tried: number[] = []) => {
        const selection = selectChannel(tiers, tried, createBreaker(), wanted, () => random);
        return 'channel' in selection ? selection.channel.id : 0;
      };
      expect([chosen(0.01), chosen(0.05), chosen(0.9)]).toEqual(channels);
      // Alone it still serves.
      expect(chosen(0.5, channels.slice(1))).toBe(channels[0] ?? 0);
      catalog.close();
    });

    test('switched off, nothing is sampled; SupplierAlertBelow decides when a score falls', async () => {
      const { app, root } = scene;
      await app.client(root).options.save({ body: { key: 'SupplierChecksEnabled', value: 'false' } });
      await run(scene, 'supplier-counts');
      const rows = () => app.store.db.selectFrom('supplier_counts').selectAll().execute();
      const before = await rows();
      await call(scene, scene.keys[1]?.[0] ?? '', 'One more question about the harbour.', true);
      await run(scene, 'supplier-counts');
      expect(await rows()).toEqual(before);
      await app.client(root).options.save({ body: { key: 'SupplierChecksEnabled', value: 'true' } });
      // Below 0 nothing is low: the next fall is a new one. Its key holds the second, which may be that of the first.
      await app.store.db.updateTable('notices').set({ once_key: null }).execute();
      await app.client(root).options.save({ body: { key: 'SupplierAlertBelow', value: '0' } });
      await run(scene, 'supplier-scores');
      await app.client(root).options.save({ body: { key: 'SupplierAlertBelow', value: '60' } });
      await run(scene, 'supplier-scores');
      expect(await noticesOf(scene)).toHaveLength(2);
    });

    test('probes: within the budget, marked in the log, and a replaced model is found', async () => {
      const { app, root, channels } = scene;
      const answers = await probeServers(scene);
      const client = app.client(root);
      for (const id of channels.slice(1))
        await client.suppliers.trust({ params: { id }, body: { is_trusted: true } });
      const readProbes = () => app.store.db.selectFrom('supplier_probes').selectAll().execute();
      await run(scene, 'supplier-probes');
      expect(await readProbes()).toEqual([]);
      await client.options.save({ body: { key: 'SupplierProbeBudget', value: '6' } });
      // Each run has a part of the day's budget, and asks the questions first that were not asked.
      const perRun = (6 * app.settings.current.QuotaPerUnit) / 48;
      await run(scene, 'supplier-probes');
      const first = await readProbes();
      const dearest = Math.max(...first.map(({ cost }) => cost));
      expect(first.reduce((sum, { cost }) => sum + cost, 0)).toBeWithin(perRun, perRun + dearest + 1);
      await run(scene, 'supplier-probes');
      expect(await readProbes()).toHaveLength(first.length);
      await app.store.db
        .updateTable('supplier_probes')
        .set(({ eb }) => ({ created_at: eb('created_at', '-', 1900) }))
        .execute();
      await run(scene, 'supplier-probes');
      const probes = await readProbes();
      expect(new Set(probes.map((probe) => `${probe.channel_id} ${probe.question}`)).size).toBe(
        probes.length,
      );
      expect(probes.length).toBeGreaterThan(first.length);
      const ofLiar = probes.filter(({ channel_id }) => channel_id === channels[0]);
      expect(ofLiar.filter(({ verdict }) => verdict === 'differs').length).toBeGreaterThan(5);
      expect(
        probes.filter(({ channel_id, verdict }) => channel_id === channels[2] && verdict === 'differs'),
      ).toEqual([]);
      const logged = await app.store.db
        .selectFrom('logs')
        .selectAll()
        .where('content', 'like', '{"fact":"supplierProbe%')
        .execute();
      expect(logged.length).toBe(probes.length);
      expect(logged.every(({ type, quota, user_id }) => type === 4 && quota === 0 && user_id === 0)).toBe(
        true,
      );
      await run(scene, 'supplier-scores');
      const supplier = await client.suppliers.read({ params: { id: channels[0] ?? 0 } });
      expect(supplier.models.flatMap(({ findings }) => findings.map(({ signal }) => signal))).toContain(
        'probes',
      );
      expect(supplier.probes.length).toBeGreaterThan(5);
      for (const server of answers) await server.stop();
    });

    test('a bill is compared with the log by day and model, kept, and deleted', async () => {
      const { app, root, channels } = scene;
      const client = app.client(root).suppliers;
      const id = channels[1] ?? 0;
      const used = await app.store.db
        .selectFrom('usage_hours')
        .select(({ fn }) => [
          fn.sum<number>('count').as('count'),
          fn.sum<number>('prompt_tokens').as('input'),
          fn.sum<number>('completion_tokens').as('output'),
        ])
        .where('channel_id', '=', id)
        .executeTakeFirstOrThrow();
      const today = new Date().toISOString().slice(0, 10);
      const csv = [
        'start_time_iso,model,api_key_id,num_model_requests,input_tokens,output_tokens',
        `${today}T00:00:00+00:00,gpt-4o-2024-08-06,key_1,${used.count},${used.input + 1000},${used.output}`,
        `${today}T00:00:00+00:00,gpt-4o-mini-2024-07-18,key_1,3,10,10`,
      ].join('\n');
      const bill = await client.importBill({
        body: { name: 'November', shape: 'openai', channel_ids: [id], csv },
      });
      expect(bill).toMatchObject({
        rows: 2,
        unmatched_billed: 1,
        unmatched_recorded: 0,
        has: { requests: true, tokens: true, cost: false },
      });
      expect(bill.billed.input_tokens - bill.recorded.input_tokens).toBe(1010);
      const { lines } = await client.bill({ params: { id: bill.id } });
      expect(lines.map(({ model, match }) => [model, match])).toEqual([
        ['gpt-4o-2024-08-06', 'both'],
        ['gpt-4o-mini-2024-07-18', 'billed'],
      ]);
      expect((await client.bills()).map((each) => each.id)).toEqual([bill.id]);
      // The recorded cost of the calls counts; those without one count at list price.
      const list = bill.recorded.cost;
      const dollar = app.settings.current.QuotaPerUnit;
      const sums = app.store.db.updateTable('margin_days').where('channel_id', '=', id);
      const recorded = async () => {
        const body = { name: 'Again', shape: 'openai' as const, channel_ids: [id], csv };
        const { id: billId, recorded: figures } = await client.importBill({ body });
        await client.removeBill({ params: { id: billId } });
        return figures.cost;
      };
      const changed = await sums
        .set((builder) => ({ cost: 3 * dollar, costed_count: builder.ref('count') }))
        .returning('user_id')
        .execute();
      expect(await recorded()).toBeCloseTo(3 * changed.length, 3);
      await sums
        .set({ costed_count: 0, cost: 0 })
        .where('user_id', '!=', changed[0]?.user_id ?? 0)
        .execute();
      const partly = await recorded();
      const known = changed.filter(({ user_id }) => user_id === changed[0]?.user_id).length;
      expect(known).toBeLessThan(changed.length);
      expect(partly).toBeGreaterThan(3 * known);
      expect(partly).toBeLessThan(3 * known + list);
      await client.removeBill({ params: { id: bill.id } });
      expect(await client.bills()).toEqual([]);
      expect(await app.store.db.selectFrom('supplier_bill_lines').selectAll().execute()).toEqual([]);
    });

    test('refuses what is no bill, and callers below an administrator', async () => {
      const { app, root, channels } = scene;
      const body = { name: 'x', shape: 'openai', channel_ids: [channels[0]], csv: 'a,b\n1,2\n' };
      const send = (change: object, as: Actor) =>
        app.request('/api/supplier/bills/', { as, body: { ...body, ...change } });
      expect((await send({}, root)).body.code).toBe('bill_columns');
      expect((await send({ csv: 'date,model,cost\n"x' }, root)).body.code).toBe('bill_unreadable');
      expect((await send({ csv: 'date,model,cost\nnever,gpt-4o,1\n' }, root)).body.code).toBe(
        'bill_unreadable',
      );
      const foreign = 'date,model,cost,currency\n2026-11-01,gpt-4o,1,EUR\n';
      expect((await send({ csv: foreign }, root)).body.code).toBe('bill_currency');
      const user = await app.actor({});
      expect((await send({}, user)).status).toBe(403);
      expect((await app.request('/api/supplier/', { as: user })).status).toBe(403);
    });
  });
}

/** Replaces the suppliers' servers by ones that answer the probe questions: the first as another model would. */
async function probeServers({ app, channels }: Scene): Promise<{ stop(): Promise<void> }[]> {
  const servers = channels.map((_, index) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { messages } = (await request.json()) as { messages: { content: string }[] };
        const question = messages[0]?.content ?? '';
        const content = index === 0 ? `other ${question.length * 7}` : `same ${question.length}`;
        return Response.json({
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 },
        });
      },
    }),
  );
  for (const [index, server] of servers.entries())
    await app.store.db
      .updateTable('channels')
      .set({ base_url: server.url.href.replace(/\/$/, ''), type: CHANNEL_TYPE.openAi })
      .where('id', '=', channels[index] ?? 0)
      .execute();
  await app.store.changes.announce('channels');
  return servers.map((server) => ({ stop: () => server.stop(true) }));
}
