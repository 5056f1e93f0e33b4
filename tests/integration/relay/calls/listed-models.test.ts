// Lists of models show what can be called: a model without a price is in none of them, in any format.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(60_000);

const PRICED = 'gpt-4o-mini';
/** Sold at the price of the model without the suffix. */
const SUFFIXED = 'o3-mini-high';
const UNPRICED = 'unheard-of';
const DRAWING = 'mj_imagine';

forEachDatabase((database) => {
  let app: TestApplication;
  let upstream: MockUpstream;
  let user: Actor;
  let admin: Actor;
  let key: string;
  beforeAll(async () => {
    upstream = startMockUpstream();
    app = await startApplication({ database });
    await addChannel(app.store, { base_url: upstream.url, models: [PRICED, SUFFIXED, UNPRICED] });
    user = await app.actor({ quota: 5_000_000 });
    admin = await app.actor({ role: ROLE.admin });
    const [token] = await app.client(user).tokens.create({ body: { name: 'reader' } });
    key = `sk-${token?.key}`;
  });
  afterAll(async () => {
    await app.close();
    await upstream.stop();
  });

  async function get(path: string, headers: Record<string, string>) {
    const response = await fetch(app.url + path, { headers });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  }
  const bearer = () => ({ Authorization: `Bearer ${key}` });
  const idsOf = (json: Record<string, unknown>) =>
    ((json['data'] ?? json['models']) as { id?: string; name?: string }[]).map(
      ({ id, name }) => id ?? name?.replace('models/', ''),
    );
  async function listed(): Promise<Record<string, (string | undefined)[]>> {
    const anthropic = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const google = { 'x-goog-api-key': key };
    const { data } = await app.client(user).pricing.list();
    return {
      openai: idsOf((await get('/v1/models', bearer())).json),
      anthropic: idsOf((await get('/v1/models', anthropic)).json),
      gemini: idsOf((await get('/v1beta/models', google)).json),
      compatible: idsOf((await get('/v1beta/openai/models', bearer())).json),
      console: await app.client(user).users.models(),
      prices: data.map(({ model_name }) => model_name),
    };
  }
  const chat = async (model: string) => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] });
    const headers = { ...bearer(), 'Content-Type': 'application/json' };
    return (await fetch(`${app.url}/v1/chat/completions`, { method: 'POST', headers, body })).status;
  };

  test('a model without a price is listed to no customer, in no format, and one with a price in all of them (O40)', async () => {
    const names = [PRICED, SUFFIXED];
    expect(await listed()).toEqual({
      openai: names,
      anthropic: names,
      gemini: names,
      compatible: names,
      console: names,
      prices: names,
    });
    expect([await chat(PRICED), await chat(SUFFIXED), await chat(UNPRICED)]).toEqual([200, 200, 400]);
    for (const [path, headers] of [
      [`/v1/models/${UNPRICED}`, bearer()],
      [`/v1beta/models/${UNPRICED}`, { 'x-goog-api-key': key }],
    ] as const)
      expect((await get(path, headers)).status).toBe(404);
    expect(await app.client(admin).channels.unpriced()).toContain(UNPRICED);
  });

  test('a price, or self-use mode, brings the model into the lists at once (O40)', async () => {
    for (const [name, value, before] of [
      ['ModelRatio', JSON.stringify({ [UNPRICED]: 1 }), '{}'],
      ['SelfUseModeEnabled', 'true', 'false'],
    ] as const) {
      await app.settings.set(name, value, 0);
      const everywhere = Object.values(await listed());
      expect([name, everywhere.every((names) => names.includes(UNPRICED))]).toEqual([name, true]);
      expect(await chat(UNPRICED)).toBe(200);
      await app.settings.set(name, before, 0);
      expect(Object.values(await listed()).some((names) => names.includes(UNPRICED))).toBe(false);
    }
  });

  test('a drawing that is priced per token cannot be charged: it is listed nowhere and refused, until it has a price per call (O40)', async () => {
    await addChannel(app.store, { base_url: upstream.url, models: [DRAWING] });
    await app.store.changes.announce('channels');
    const isListed = async () => Object.values(await listed()).map((names) => names.includes(DRAWING));
    const draw = async () => {
      const headers = { ...bearer(), 'Content-Type': 'application/json' };
      const body = JSON.stringify({ prompt: 'a gate' });
      const reply = await fetch(`${app.url}/mj/submit/imagine`, { method: 'POST', headers, body });
      return await reply.text();
    };
    await app.settings.set('ModelRatio', JSON.stringify({ [DRAWING]: 1 }), 0);
    expect(new Set(await isListed())).toEqual(new Set([false]));
    expect(await draw()).toContain(DRAWING);
    expect(await app.client(admin).channels.unpriced()).toContain(DRAWING);
    await app.settings.set('ModelRatio', '{}', 0);
    expect(new Set(await isListed())).toEqual(new Set([true]));
    expect(await app.client(admin).channels.unpriced()).not.toContain(DRAWING);
  });
});
