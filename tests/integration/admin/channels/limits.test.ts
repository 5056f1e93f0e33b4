// What the console, the simulator and /metrics show of limits of upstreams: what is paused, why and until when, and what is left.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { limitedTo } from '#mock/upstream/limits.ts';
import { simulateRoute } from '#server/admin/channels/route.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { createBreaker } from '#server/relay/channel-choice/breaker.ts';
import { openCatalog } from '#server/relay/channel-choice/catalog.ts';
import { standingOf } from '#server/relay/channel-choice/channel-standing.ts';
import { selectChannel } from '#server/relay/channel-choice/select.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { createPainter } from '#tests/integration/relay/drawing/support.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { problemsOf } from '#tests/integration/operating/telemetry/exposition.ts';

const TOKEN = 'a-token-for-prometheus';
const MODEL = 'gpt-4o';
const OTHER = 'gpt-4o-mini';

let app: TestApplication;
let admin: Actor;
let upstream: MockUpstream;
let key: string;

beforeAll(async () => {
  upstream = startMockUpstream();
  app = await startApplication({
    environment: { METRICS_TOKEN: TOKEN },
    settings: { RetryTimes: '0', ModelRatio: JSON.stringify({ [MODEL]: 1, [OTHER]: 1 }) },
  });
  admin = await app.actor({ role: ROLE.admin });
  ({ key } = await createPainter(app));
}, 60_000);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});

let channels = 0;
let first: number;
let second: number;
/** A group of two channels for one test: the group of the caller, so the channels of earlier tests are removed. */
beforeEach(async () => {
  await app.store.db.deleteFrom('abilities').execute();
  upstream.reset();
  const wish = { type: CHANNEL_TYPE.openAi, base_url: upstream.url, models: [MODEL, OTHER], weight: 10 };
  channels += 1;
  first = await addChannel(app.store, { ...wish, name: `one-${channels}`, key: 'sk-one', priority: 5 });
  second = await addChannel(app.store, { ...wish, name: `two-${channels}`, key: 'sk-two', priority: 5 });
});

/** Returns when the relay has read that no other channel serves. */
const only = async (id: number) => {
  const { db, changes } = app.store;
  await db.deleteFrom('abilities').where('channel_id', '<>', id).execute();
  await db.updateTable('channels').set({ name: 'alone' }).where('id', '=', id).execute();
  await changes.announce('channels');
  await eventually(metrics, (text) => text.includes(`channel="${id}",name="alone"`));
};
async function metrics(): Promise<string> {
  const answer = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  return await answer.text();
}
async function statusOf(model: string): Promise<number> {
  const answer = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await answer.text();
  return answer.status;
}
const limit = (requests: number) =>
  upstream.behave({ behaviour: limitedTo({ vendor: 'openai', requests, resetSeconds: 40 }) });
const now = () => Date.now() / 1000;

test('the page and the list: what is paused, why and until when, and what is left', async () => {
  await only(first);
  limit(1);
  expect([await statusOf(MODEL), await statusOf(MODEL)]).toEqual([200, 429]);
  const page = await app.client(admin).channelPages.read({ params: { id: first }, query: { window: '24h' } });
  expect(page.limits.pauses).toMatchObject([{ model: MODEL, cause: 'requests' }]);
  const until = page.limits.pauses[0]?.until ?? 0;
  expect(until).toBeGreaterThan(now() + 30);
  expect(until).toBeLessThanOrEqual(now() + 41);
  expect(page.limits.left).toMatchObject([{ model: MODEL, requests: { left: 0, limit: 1 } }]);
  // One model is paused, the channel is not.
  expect(page.channel).toMatchObject({ cooling_until: 0, paused_models: 1 });
  expect(await statusOf(OTHER)).toBe(200);
});

/** The simulator and the relay's choice with limits of their own. */
async function openRoute() {
  const { store, log, settings } = app;
  const catalog = await openCatalog(store, log);
  const breaker = createBreaker(() => 0);
  const handler = simulateRoute({
    store,
    settings,
    types: [],
    checkAddress: async () => {},
    isPasswordOf: async () => false,
    upstreamModel: (_mapping, model) => model,
    standingOf: (id, model) => standingOf(breaker, catalog.current.channel(id), id, model),
  });
  const route = async (model: string) => {
    const query = { model, group: 'default' };
    const { candidates } = await handler({ query, params: undefined, body: undefined }, {} as RequestContext);
    return new Map(candidates.map((each) => [each.id, each]));
  };
  return { catalog, breaker, route, [Symbol.dispose]: () => catalog.close() };
}

test('the simulator says why a channel is skipped, and for how long', async () => {
  using parts = await openRoute();
  const { breaker, route } = parts;
  breaker.failed(first, { retryAfterSeconds: 40, model: MODEL, isLimit: true, cause: 'tokens' });
  const pause = { cause: 'tokens', is_whole: false, seconds: 40 };
  expect((await route(MODEL)).get(first)).toMatchObject({ cooling: true, odds: 0, pause });
  const others = await route(OTHER);
  expect([first, second].map((id) => [others.get(id)?.pause, others.get(id)?.odds])).toEqual([
    [null, 0.5],
    [null, 0.5],
  ]);
  breaker.failed(second, { retryAfterSeconds: 9, cause: 'quota' });
  const whole = { cause: 'quota', is_whole: true, seconds: 9 };
  expect((await route(OTHER)).get(second)).toMatchObject({ odds: 0, pause: whole });
});

test('the simulator’s odds are those of the relay where little is left, and none where nothing is', async () => {
  using parts = await openRoute();
  const { breaker, catalog, route } = parts;
  const note = (left: number) =>
    breaker.headroom.note({ id: first, baseUrl: upstream.url }, MODEL, {
      requests: { limit: 100, left, resetSeconds: 60 },
      tokens: undefined,
      organization: '',
    });
  note(10);
  const found = await route(MODEL);
  const counts = new Map<number, number>();
  const wanted = { endpoint: { format: 'openai-chat' }, model: MODEL } as const;
  const tiers = catalog.current.tiers('default', MODEL);
  for (let draw = 0; draw < 1200; draw += 1) {
    const picked = selectChannel(tiers, [], breaker, wanted, () => (draw + 0.5) / 1200);
    if ('channel' in picked) counts.set(picked.channel.id, (counts.get(picked.channel.id) ?? 0) + 1);
  }
  for (const id of [first, second])
    expect((counts.get(id) ?? 0) / 1200).toBeCloseTo(found.get(id)?.odds ?? -1, 3);
  expect(found.get(first)?.odds).toBeCloseTo(1 / 6, 6);
  note(0);
  const empty = (await route(MODEL)).get(first);
  expect(empty).toMatchObject({ at_limit: true, odds: 0, cooling: false, pause: null });
});

test('/metrics: seconds of pauses and what is left, by channel and model, and no line when nothing is known', async () => {
  const lines = async () => {
    const text = await metrics();
    expect(problemsOf(text)).toEqual([]);
    return text
      .split('\n')
      .filter((line) => line.startsWith('tollgate_upstream_') && line.includes(`channel="${first}"`));
  };
  expect(await lines()).toEqual([]);
  await only(first);
  limit(1);
  expect([await statusOf(MODEL), await statusOf(MODEL)]).toEqual([200, 429]);
  const all = await lines();
  const paused = all.find((line) => line.startsWith('tollgate_upstream_paused_seconds{')) ?? '';
  expect(paused).toContain(`model="${MODEL}",cause="requests"`);
  const seconds = Number(paused.split(' ').at(-1));
  expect(seconds).toBeGreaterThan(20);
  expect(seconds).toBeLessThanOrEqual(41);
  expect(all).toContain(
    `tollgate_upstream_limit_left{channel="${first}",model="${MODEL}",counts="requests"} 0`,
  );
});
