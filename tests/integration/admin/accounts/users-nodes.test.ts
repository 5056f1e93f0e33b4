// A ban on one node applies on the other within seconds: to sessions, system access token and API keys.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { addChannel } from '#tests/support/channels.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { startPatience } from '#tests/support/machine.ts';

/** Of the guarantee. */
const BAN_MS = 5000;
/** For what has no promised time. */
const PATIENCE_MS = 30_000;
let place: TemporaryPlace;
let here: TestApplication;
let there: TestApplication;
let upstream: MockUpstream;
let root: Actor;

beforeAll(async () => {
  place = await temporaryPlace('postgres');
  const { dataDir, databaseUrl } = place;
  const shared = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
  here = await startApplication({ place: shared });
  there = await startApplication({ place: shared });
  upstream = startMockUpstream();
  await addChannel(here.store, { base_url: upstream.url, models: ['gpt-4o-mini'] });
  root = await here.login('root', ROOT_PASSWORD);
}, 30_000);
afterAll(async () => {
  await here.close();
  await there.close();
  await upstream.stop();
  await place.remove();
});

/** The other node's answers to the user's session, access token and API key. */
async function statusesThere(user: Actor, key: string, accessToken: string): Promise<number[]> {
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const [session, token, call] = await Promise.all([
    there.request('/api/user/self', { as: user }),
    there.request('/api/user/self', { headers: { ...bearer(accessToken), 'New-Api-User': String(user.id) } }),
    there.request('/v1/chat/completions', {
      headers: bearer(`sk-${key}`),
      body: { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
    }),
  ]);
  return [session.status, token.status, call.status];
}

async function until(wanted: string, ask: () => Promise<number[]>, patienceMs = PATIENCE_MS): Promise<void> {
  const isOver = startPatience(patienceMs);
  while (!isOver() && String(await ask()) !== wanted) await Bun.sleep(50);
  expect(String(await ask())).toBe(wanted);
}

test.each(['disable', 'delete'] as const)(
  '%s on one node stops sessions, access token and API keys on the other within 5 seconds',
  async (action) => {
    const user = await here.actor({ quota: 1_000_000 });
    const [token] = await here.client(user).tokens.create({ body: { name: 'key', unlimited_quota: true } });
    const accessToken = await here.client(user).self.accessToken();
    const ask = () => statusesThere(user, token?.key ?? '', accessToken);
    await until('200,200,200', ask);
    const managed = await here.request('/api/user/manage', { as: root, body: { id: user.id, action } });
    expect(managed.body.success).toBe(true);
    await until('401,401,403', ask, BAN_MS);
    if (action === 'delete') return;
    await here.request('/api/user/manage', { as: root, body: { id: user.id, action: 'enable' } });
    // Session and access token stay ended; API keys work again.
    await until('401,401,200', ask);
  },
  90_000,
);

test('a demotion applies on the other node', async () => {
  const admin = await here.actor({ role: 10 });
  const status = async () => [(await there.request('/api/user/', { as: admin })).status];
  await until('200', status);
  await here.request('/api/user/manage', { as: root, body: { id: admin.id, action: 'demote' } });
  await until('401', status);
}, 90_000);
