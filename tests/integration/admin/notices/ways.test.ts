// Every way, from the API to a server that behaves as the real service does: accepted messages, refusals, wrong secrets.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { NoticeDestinationKind, NoticeDestinationView } from '#contract/admin/notices.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { KEYS, startNoticeServices, type NoticeServices } from '#tests/support/notice-services.ts';

let app: TestApplication;
let services: NoticeServices;
beforeAll(async () => {
  services = startNoticeServices();
  app = await startApplication({ settings: { UserNoticePrivateAddressEnabled: 'true' } });
});
afterAll(async () => {
  await app.close();
  await services.close();
});
beforeEach(() => {
  services.answerWith(null);
  services.received.length = 0;
});

type Kind = Exclude<NoticeDestinationKind, 'mail'>;
const KINDS = Object.keys({
  webhook: 1,
  bark: 1,
  gotify: 1,
  telegram: 1,
  feishu: 1,
  wecom: 1,
  dingtalk: 1,
} satisfies Record<Kind, 1>) as Kind[];

const bodyOf = (kind: Kind, config = services.configs[kind] ?? {}, more: object = {}) => ({
  kind,
  name: '',
  language: 'en' as const,
  events: ['low_balance' as const],
  is_enabled: true,
  config,
  ...more,
});

const create = (user: Actor, kind: Kind, config?: Record<string, string>, more?: object) =>
  app.client(user).notices.createWay({ body: bodyOf(kind, config, more) });
const press = (user: Actor, id: number) => app.client(user).notices.testWay({ params: { id } });

describe.each(KINDS)('%s', (kind) => {
  test('REL-1.18 the test notice arrives with a valid signature or key, and the history says so', async () => {
    const user = await app.actor();
    const way = await create(user, kind);
    expect(await press(user, way.id)).toEqual({ status: 'sent', error: '' });
    const [message] = services.received;
    expect(message?.service).toBe(kind);
    expect(JSON.stringify(message?.body)).toContain('Test notification');
    const { items } = await app.client(user).notices.history({ query: {} });
    expect(items).toMatchObject([
      { event: 'test', deliveries: [{ kind, status: 'sent', tries: 1, error: '' }] },
    ]);
  });

  test('a wrong secret is refused by the service; the test says so in its words and names no secret', async () => {
    const user = await app.actor();
    const right = services.configs[kind] ?? {};
    const last = Object.keys(right).findLast((name) => name !== 'address' && name !== 'chat_id') ?? 'address';
    const way = await create(user, kind, { ...right, [last]: `${right[last]}-that-is-wrong` });
    const { status, error } = await press(user, way.id);
    expect(status).toBe('dead');
    expect(error).toMatch(/^The service answered \d{3}/);
    expect(services.received).toEqual([]);
    const seen = JSON.stringify([error, await app.client(user).notices.history({ query: {} }), app.logged]);
    for (const secret of Object.values(KEYS))
      if (secret !== KEYS.telegramChat) expect(seen).not.toContain(secret);
  });

  test('an answer that is no answer of the service is no success', async () => {
    const user = await app.actor();
    const way = await create(user, kind);
    // A page of a captive portal or of a hosting provider.
    services.answerWith(
      () => new Response('<html>welcome</html>', { headers: { 'Content-Type': 'text/html' } }),
    );
    // The body of a web hook’s answer is not read: its status decides.
    if (kind !== 'webhook') expect((await press(user, way.id)).status).toBe('dead');
    services.answerWith(() => new Response('gone', { status: 503 }));
    expect(await press(user, way.id)).toEqual({ status: 'dead', error: 'The service answered 503' });
    services.answerWith(() => new Response(null, { status: 302, headers: { Location: services.url } }));
    const before = services.requests;
    expect((await press(user, way.id)).status).toBe('dead');
    // Redirects are not followed.
    expect(services.requests).toBe(before + 1);
  });

  test('the list, the change and the audit contain no secret; a blank secret keeps the stored one', async () => {
    const user = await app.actor();
    const way = await create(user, kind);
    const listed = await app.client(user).notices.ways();
    const view = listed.ways.find(({ id }) => id === way.id);
    const fields = listed.kinds.find((each) => each.kind === kind)?.fields ?? [];
    const secretNames = fields.filter(({ is_secret }) => is_secret).map(({ name }) => name);
    expect(view?.secrets_set.toSorted()).toEqual(secretNames.toSorted());
    const kept = Object.fromEntries(
      fields.map(({ name, is_secret }) => [name, is_secret ? '' : (view?.config[name] ?? '')]),
    );
    const changed = await app.client(user).notices.changeWay({
      params: { id: way.id },
      body: bodyOf(kind, kept, { name: 'renamed' }),
    });
    expect(changed.name).toBe('renamed');
    // What the list shows can be sent back.
    const shown = { ...bodyOf(kind, view?.config ?? {}) };
    await app.client(user).notices.changeWay({ params: { id: way.id }, body: shown });
    expect(await press(user, way.id)).toMatchObject({ status: 'sent' });
    const audit = await app.store.db.selectFrom('audit').selectAll().execute();
    const stored = await app.store.db.selectFrom('notice_ways').selectAll().execute();
    const seen = JSON.stringify([listed, changed, audit, stored, app.logged]);
    for (const secret of Object.values(KEYS))
      if (secret !== KEYS.telegramChat) expect(seen).not.toContain(secret);
  });
});

test('the body of a web hook has the id, the event, its values and both times', async () => {
  const user = await app.actor();
  const way = await create(user, 'webhook');
  await press(user, way.id);
  const [message] = services.received;
  expect(message?.body).toMatchObject({ event: 'test', values: {}, text: expect.any(String) });
  expect(message?.body['title']).toBe('Tollgate: Test notification');
  expect(message?.headers.get('x-tollgate-delivery')).toBe(String(message?.body['id']));
});

test('a text cannot mention a whole group, and is cut to what the service takes', async () => {
  const user = await app.actor();
  const at = '<at user_id="all">all</at>';
  await app
    .client(user)
    .notices.changeWay({ params: { id: 0 }, body: { ...bodyOf('webhook'), kind: 'mail', config: {} } });
  const feishu = await create(user, 'feishu', undefined, { events: ['withdrawal_decided'] });
  const wecom = await create(user, 'wecom', undefined, { events: ['withdrawal_decided'] });
  expect([feishu.id, wecom.id].every(Boolean)).toBe(true);
  const { raiseNotice } = await import('#server/platform/notices/raise.ts');
  const values = { decision: 'refused' as const, amount: '$1', reason: `${at}${'长'.repeat(3000)}` };
  await raiseNotice(app.store.db, { event: 'withdrawal_decided', userId: user.id, values });
  await until(() => services.received.length === 2);
  const textOf = (service: string) =>
    JSON.stringify(services.received.find((message) => message.service === service)?.body);
  expect(textOf('feishu')).not.toContain('<at');
  const wecomText = services.received.find(({ service }) => service === 'wecom')?.body['text'];
  const { content = '' } = (wecomText ?? {}) as { content?: string };
  expect(Buffer.byteLength(content)).toBeLessThanOrEqual(2048 + 200);
  expect(content.endsWith('…')).toBe(true);
});

describe('rules', () => {
  test('a user sees and changes only the own ways; an administrator not those of the operators', async () => {
    const owner = await app.actor();
    const way = await create(owner, 'webhook');
    const other = await app.actor({ role: ROLE.admin });
    const path = `/api/user/notices/ways/${way.id}`;
    for (const call of [
      { path, method: 'PUT', body: bodyOf('webhook') },
      { path, method: 'DELETE' },
      { path: `${path}/test`, method: 'POST', body: {} },
    ])
      expect((await app.request(call.path, { ...call, as: other })).status).toBe(404);
    expect((await app.request('/api/notices/ways', { as: other })).status).toBe(403);
    expect((await app.request('/api/notices', { as: other })).status).toBe(403);
    const { ways } = await app.client(other).notices.ways();
    expect(ways.map(({ id }) => id)).toEqual([0]);
  });

  test('a stored secret is not sent to a new address', async () => {
    const user = await app.actor();
    const way = await create(user, 'gotify');
    const moved = { ...services.configs['gotify'], address: `${services.url}/elsewhere`, token: '' };
    const reply = await app.request(`/api/user/notices/ways/${way.id}`, {
      as: user,
      method: 'PUT',
      body: bodyOf('gotify', moved),
    });
    expect(reply.body).toMatchObject({ code: 'notice_field_required', field: 'token' });
  });

  test('a secret that would break out of its header or path stays inside, and nothing is sent with it', async () => {
    const user = await app.actor();
    const before = services.requests;
    const token = 'a\r\nX-Injected: yes';
    const gotify = await create(user, 'gotify', { ...services.configs['gotify'], token });
    expect(await press(user, gotify.id)).toMatchObject({ status: 'dead' });
    expect(services.requests).toBe(before);
    const path = { ...services.configs['telegram'], token: '../../webhook/x?#' };
    const telegram = await create(user, 'telegram', path);
    expect(await press(user, telegram.id)).toEqual({
      status: 'dead',
      error: 'The service answered 404: Not Found',
    });
  });

  test('a missing field, a short signing secret, a wrong event and the eleventh way are refused', async () => {
    const user = await app.actor();
    const ask = (body: object) => app.request('/api/user/notices/ways', { as: user, body });
    expect((await ask(bodyOf('telegram', { token: 'x' }))).body).toMatchObject({ field: 'chat_id' });
    const short = { ...services.configs['webhook'], secret: 'short' };
    expect((await ask(bodyOf('webhook', short))).body.code).toBe('notice_secret_short');
    expect((await ask({ ...bodyOf('webhook'), events: ['job_failed'] })).body.code).toBe('invalid_parameter');
    expect((await ask({ ...bodyOf('webhook'), kind: 'mail' })).body.code).toBe('invalid_parameter');
    const made = await Promise.all(Array.from({ length: 12 }, () => ask(bodyOf('webhook'))));
    expect(made.filter(({ body }) => body.success)).toHaveLength(10);
    expect(made.find(({ body }) => !body.success)?.body.code).toBe('notice_ways_full');
  });

  test('mail carries every event until the receiver chooses, then the chosen ones; operators name addresses', async () => {
    await app.settings.set('SMTPServer', '127.0.0.1', 0);
    await app.settings.set('SMTPPort', '9', 0);
    await app.settings.set('SMTPFrom', 'gate@example.com', 0);
    const email = 'chooser@example.com';
    const user = await app.actor({ row: { email } });
    const client = app.client(user);
    const [standard] = (await client.notices.ways()).ways;
    expect(standard).toMatchObject({ id: 0, kind: 'mail', is_enabled: true });
    expect(standard?.events).toContain('subscription_ending');
    const choose = (events: ('low_balance' | 'token_expiring')[]) =>
      client.notices.changeWay({ params: { id: 0 }, body: { kind: 'mail', events } });
    const { raiseNotice } = await import('#server/platform/notices/raise.ts');
    const raise = async () => {
      await app.store.db.deleteFrom('mails').execute();
      await raiseNotice(app.store.db, { event: 'low_balance', userId: user.id, values: { balance: 1 } });
      const values = { username: 'anna', amount: '$1' };
      await raiseNotice(app.store.db, { event: 'withdrawal_requested', values });
      await app.request('/api/jobs/notices/run', { as: root, body: {} });
      const waiting = app.store.db.selectFrom('notices').select('id').where('dispatched_at', '=', 0);
      await until(async () => (await waiting.execute()).length === 0);
      const mails = await app.store.db.selectFrom('mails').select('recipient').execute();
      return mails.map(({ recipient }) => recipient).toSorted();
    };
    const root = await app.actor({ role: ROLE.root, row: { email: 'boss@example.com' } });
    expect(await raise()).toEqual(['boss@example.com', email]);
    // A second tab still knows the default.
    const [first, second] = [await choose(['low_balance']), await choose(['token_expiring'])];
    expect(second.id).toBe(first.id);
    const ops = (addresses: string) =>
      app.request('/api/notices/ways/0', {
        as: root,
        method: 'PUT',
        body: { kind: 'mail', events: ['withdrawal_requested'], config: { addresses } },
      });
    expect((await ops('ops@example.com; not an address')).body).toMatchObject({ field: 'addresses' });
    expect((await ops('ops@example.com, night@example.com')).body.success).toBe(true);
    expect(await raise()).toEqual(['night@example.com', 'ops@example.com']);
    expect(
      (await app.request(`/api/user/notices/ways/${first.id}`, { as: user, method: 'DELETE' })).status,
    ).toBe(404);
    // The words of the operator's mail server are not for users.
    expect(await press(user, first.id)).toEqual({ status: 'pending', error: '' });
    await app.store.db.updateTable('mails').set({ error: 'inner words', status: 'dead' }).execute();
    const { items } = await client.notices.history({ query: {} });
    expect(items[0]?.deliveries).toMatchObject([{ kind: 'mail', status: 'dead', error: '' }]);
    const all = await app.client(root).operatorNotices.history({ query: { state: 'failed' } });
    expect(JSON.stringify(all)).toContain('inner words');
    await app.settings.set('SMTPServer', '', 0);
  });

  test('a way that is switched off, or lacks the event, gets nothing', async () => {
    const user = await app.actor();
    await create(user, 'bark', undefined, { is_enabled: false });
    await create(user, 'wecom', undefined, { events: ['token_expiring'] });
    const wanted: NoticeDestinationView = await create(user, 'webhook');
    const { raiseNotice } = await import('#server/platform/notices/raise.ts');
    await raiseNotice(app.store.db, { event: 'low_balance', userId: user.id, values: { balance: 1 } });
    await until(
      async () =>
        (await app.client(user).notices.history({ query: {} })).items[0]?.deliveries[0]?.status === 'sent',
    );
    const { items } = await app.client(user).notices.history({ query: {} });
    expect(items[0]?.deliveries.map(({ kind }) => kind)).toEqual([wanted.kind]);
    expect(services.received.map(({ service }) => service)).toEqual(['webhook']);
  });
});

async function until(look: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600 && !(await look()); tries += 1) await Bun.sleep(25);
  expect(await look()).toBe(true);
}
