// The relay as the application mounts it: beside the API on one port, with separate CORS rules, and with the console's
// session on /pg.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

const MODEL = 'gpt-4o-mini';
const chat = { model: MODEL, messages: [{ role: 'user', content: 'hello' }] };

let app: TestApplication;
let mock: MockUpstream;
let user: Actor;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream();
  app = await startApplication();
  await addChannel(app.store, { base_url: mock.url, models: [MODEL, 'gpt-4o-realtime-preview'] });
  user = await app.actor({ quota: 10_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 'relay', unlimited_quota: true } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  await app.close();
  await mock.stop();
});

const relay = (path: string, headers: Record<string, string>) =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(chat),
  });

test('ACC-0.06 a call with a key succeeds, and the balance in the console falls by its cost', async () => {
  const before = await app.client(user).users.self();
  const response = await relay('/v1/chat/completions', { Authorization: `Bearer ${key}` });
  expect(response.status).toBe(200);
  const after = await app.client(user).users.self();
  expect(after.quota).toBeLessThan(before.quota);
  expect(after.used_quota - before.used_quota).toBe(before.quota - after.quota);
  expect(after.request_count).toBe(before.request_count + 1);
  expect(await app.client(user).users.models()).toContain(MODEL);
});

test('browsers of any site may call the relay with a key, and get no cookie', async () => {
  const response = await relay('/v1/chat/completions', {
    Authorization: `Bearer ${key}`,
    Origin: 'https://chat.example',
    'Sec-Fetch-Site': 'cross-site',
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect(response.headers.getSetCookie()).toEqual([]);
});

test('the playground charges the session’s user: signed in, right header, same site', async () => {
  const session = { Cookie: user.cookie, 'New-Api-User': String(user.id) };
  expect((await relay('/pg/chat/completions', session)).status).toBe(200);
  const refused = [
    await relay('/pg/chat/completions', {}),
    await relay('/pg/chat/completions', { Cookie: user.cookie }),
    await relay('/pg/chat/completions', { ...session, 'New-Api-User': '1' }),
    await relay('/pg/chat/completions', { ...session, 'Sec-Fetch-Site': 'cross-site' }),
    await relay('/pg/chat/completions', { ...session, Origin: 'https://evil.example' }),
    await relay('/pg/chat/completions', { Authorization: `Bearer ${key}` }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
});

test('a session of the console is refused on relay paths, and a key on API paths', async () => {
  const session = { Cookie: user.cookie, 'New-Api-User': String(user.id) };
  expect((await relay('/v1/chat/completions', session)).status).toBe(401);
  const self = await app.request('/api/user/self', {
    headers: { Authorization: `Bearer ${key}`, 'New-Api-User': String(user.id) },
  });
  expect(self.status).toBe(401);
});

test('a WebSocket reaches the realtime upstream and back', async () => {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/v1/realtime?model=gpt-4o-realtime-preview`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const first = await new Promise<string>((resolve, reject) => {
    socket.addEventListener('message', ({ data }) => resolve(String(data)));
    socket.addEventListener('close', ({ code, reason }) => reject(new Error(`closed: ${code} ${reason}`)));
  });
  expect((JSON.parse(first) as { type: string }).type).toBe('session.created');
  socket.close();
});

test('a ban is enforced in the relay: the next call with a cached key is refused', async () => {
  const victim = await app.actor({ quota: 1_000_000 });
  const [token] = await app.client(victim).tokens.create({ body: { name: 'x', unlimited_quota: true } });
  const authorization = { Authorization: `Bearer sk-${token?.key}` };
  expect((await relay('/v1/chat/completions', authorization)).status).toBe(200);
  await app.store.db.updateTable('users').set({ status: 2 }).where('id', '=', victim.id).execute();
  await app.store.changes.announce('users', String(victim.id));
  expect([401, 403]).toContain((await relay('/v1/chat/completions', authorization)).status);
});
