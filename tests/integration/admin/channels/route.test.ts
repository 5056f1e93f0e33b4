// The route simulator predicts the relay: the same tiers, the same odds, and a reason for every other channel.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { createBreaker } from '#server/relay/channel-choice/breaker.ts';
import { openCatalog } from '#server/relay/channel-choice/catalog.ts';
import { selectChannel } from '#server/relay/channel-choice/select.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

setDefaultTimeout(60_000);

let application: TestApplication;
let admin: Actor;
const ids: Record<string, number> = {};

beforeAll(async () => {
  application = await startApplication();
  admin = await application.actor({ role: ROLE.admin });
  const wishes: Record<string, Record<string, unknown>> = {
    heavy: { priority: 10, weight: 30 },
    light: { priority: 10, weight: 10 },
    reserve: { priority: 10, weight: 0 },
    lower: { priority: 5, weight: 0, model_mapping: '{"gpt-4o":"gpt-4o-2024-08-06"}' },
    'lower-too': { priority: 5, weight: 0 },
    off: { priority: 99 },
    broken: { priority: 99 },
    elsewhere: { groups: 'vip' },
    other: { models: 'gpt-3.5-turbo' },
    film: { type: CHANNEL_TYPE.kling, base_url: 'http://127.0.0.1:9' },
    newer: {},
  };
  const client = application.client(admin).channels;
  for (const [name, fields] of Object.entries(wishes)) {
    const [channel] = await client.create({
      body: { name, type: CHANNEL_TYPE.openAi, key: 'sk', models: 'gpt-4o', groups: 'default', ...fields },
    });
    ids[name] = channel?.id ?? 0;
  }
  await client.setStatus({ body: { ids: [ids['off'] ?? 0], status: 2 } });
  await application.store.db
    .updateTable('channels')
    .set({ status: 3, other_info: '{"status_reason":"status 401","status_time":1}' })
    .where('id', '=', ids['broken'] ?? 0)
    .execute();
  await application.store.db
    .updateTable('channels')
    .set({ type: 9999 })
    .where('id', '=', ids['newer'] ?? 0)
    .execute();
  await client.fix();
});
afterAll(() => application.close());

const route = () =>
  application.client(admin).channels.route({ query: { model: 'gpt-4o', group: 'default' } });

test('tiers by priority, odds by weight, zero weights as a reserve or evenly', async () => {
  const { candidates } = await route();
  expect(candidates.map(({ name, tier, odds }) => [name, tier, odds])).toEqual([
    ['heavy', 1, 0.75],
    ['light', 1, 0.25],
    ['reserve', 1, 0],
    ['lower', 2, 0.5],
    ['lower-too', 2, 0.5],
  ]);
  expect(candidates.find(({ name }) => name === 'lower')?.upstream_model).toBe('gpt-4o-2024-08-06');
});

test('every other channel has its reason', async () => {
  const { others } = await route();
  const reasons = Object.fromEntries(others.map(({ name, reason, detail }) => [name, [reason, detail]]));
  expect(reasons).toEqual({
    off: ['disabled', ''],
    broken: ['auto_disabled', 'status 401'],
    elsewhere: ['no_group', ''],
    other: ['no_model', ''],
    film: ['other_format', ''],
    newer: ['type_not_ready', ''],
  });
});

test('a type without the kind of call is skipped, as in the relay', async () => {
  const client = application.client(admin).channels;
  const body = { key: 'sk', models: 'text-embedding-3-small', groups: 'default' };
  await client.create({ body: { ...body, name: 'chat-only', type: CHANNEL_TYPE.deepSeek } });
  await client.create({ body: { ...body, name: 'embeds', type: CHANNEL_TYPE.mistral } });
  const { candidates, others } = await client.route({ query: { model: 'text-embedding-3-small' } });
  expect(candidates.map(({ name }) => name)).toEqual(['embeds']);
  expect(others.find(({ name }) => name === 'chat-only')?.reason).toBe('other_format');
  const catalog = await openCatalog(application.store, application.log);
  const tiers = catalog.current.tiers('default', 'text-embedding-3-small');
  const picked = selectChannel(tiers, [], createBreaker(), {
    endpoint: { format: 'openai-embeddings' },
    model: 'text-embedding-3-small',
  });
  expect('channel' in picked && picked.channel.name).toBe('embeds');
  catalog.close();
});

test('a channel without its ability is reported as inconsistent', async () => {
  const light = ids['light'] ?? 0;
  const { db } = application.store;
  await db.deleteFrom('abilities').where('channel_id', '=', light).execute();
  const { others } = await route();
  expect(others.find(({ id }) => id === light)?.reason).toBe('inconsistent');
  await application.client(admin).channels.fix();
});

test("the relay's own choice follows these odds", async () => {
  const catalog = await openCatalog(application.store, application.log);
  const breaker = createBreaker();
  const counts = new Map<number, number>();
  const draws = 4000;
  const wanted = { endpoint: { format: 'openai-chat' }, model: 'gpt-4o' } as const;
  // Evenly spaced random numbers: the shares are exact.
  for (let draw = 0; draw < draws; draw += 1) {
    const tiers = catalog.current.tiers('default', 'gpt-4o');
    const picked = selectChannel(tiers, [], breaker, wanted, () => (draw + 0.5) / draws);
    if (!('channel' in picked)) throw new Error('nothing was chosen');
    counts.set(picked.channel.id, (counts.get(picked.channel.id) ?? 0) + 1);
  }
  catalog.close();
  const { candidates } = await route();
  for (const { id, tier, odds } of candidates) {
    expect((counts.get(id) ?? 0) / draws).toBeCloseTo(tier === 1 ? odds : 0, 2);
  }
});

test('a low score of its supplier leaves a channel a part of its calls, in every order', async () => {
  const { store, settings } = application;
  const root = await application.actor({ role: ROLE.root });
  const { options } = application.client(root);
  const { heavy = 0, lower = 0 } = ids;
  await options.save({ body: { key: 'SupplierDownWeightFactor', value: '0.2' } });
  await options.save({ body: { key: 'SupplierDownWeightBelow', value: '60' } });
  // The job that computes scores runs once at the start and may write after this.
  const lowered = await eventually(
    async () => {
      await store.db
        .insertInto('supplier_scores')
        .values([heavy, lower].map((channel_id) => ({ channel_id, score: 20, models: '[]' })))
        .onConflict((conflict) => conflict.column('channel_id').doUpdateSet({ score: 20 }))
        .execute();
      await store.changes.announce('channels');
      return (await route()).candidates.find(({ name }) => name === 'heavy')?.weight_factor;
    },
    (factor) => factor === 0.2,
  );
  expect(lowered).toBe(0.2);
  const odds = async (key: string) => {
    await options.save({ body: { key: 'ChannelOrder', value: key } });
    expect(settings.current.ChannelOrder as string).toBe(key);
    const { candidates } = await route();
    return candidates.map(({ name, weight_factor, place, odds: chance }) => [
      name,
      weight_factor,
      place,
      Number(chance.toFixed(3)),
    ]);
  };
  expect(await odds('weight')).toEqual([
    ['light', 1, 1, 0.625],
    ['heavy', 0.2, 1, 0.375],
    ['reserve', 1, 2, 0],
    ['lower-too', 1, 1, 0.833],
    ['lower', 0.2, 1, 0.167],
  ]);
  expect(await odds('priority')).toEqual([
    ['light', 1, 1, 0.8],
    ['heavy', 0.2, 2, 0.2],
    ['reserve', 1, 3, 0],
    ['lower-too', 1, 1, 0.9],
    ['lower', 0.2, 2, 0.1],
  ]);
});
