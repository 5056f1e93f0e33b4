// Notices are sent by server/platform/egress: a user's notice reaches public addresses only, in every spelling of an address, and a
// refusal says nothing about the operator's network.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { sealConfig } from '#server/platform/notices/index.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { startNoticeServices, type NoticeServices } from '#tests/support/notice-services.ts';

let app: TestApplication;
let services: NoticeServices;
let user: Actor;
beforeAll(async () => {
  services = startNoticeServices();
  app = await startApplication();
  user = await app.actor();
});
afterAll(async () => {
  await app.close();
  await services.close();
});

const body = (address: string, kind = 'webhook') => ({
  kind,
  events: ['low_balance'],
  config: { address, secret: 'a-secret-of-many-characters', token: 'token', device_key: 'key', chat_id: '1' },
});
const save = (address: string, kind?: string) =>
  app.request('/api/user/notices/ways', { as: user, body: body(address, kind) });

const FORBIDDEN = [
  'http://127.0.0.1/x',
  'http://127.0.0.1:6379/x',
  'http://localhost/x',
  'http://[::1]/x',
  'http://[::ffff:127.0.0.1]/x',
  'http://2130706433/x',
  'http://0x7f.1/x',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/x',
  'http://192.168.1.1/x',
  'http://0.0.0.0/x',
  'https://93.184.215.14:8443/x',
  'http://user:password@93.184.215.14/x',
  'ftp://93.184.215.14/x',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'gopher://93.184.215.14/x',
  'not an address',
  'http://name-that-does-not-exist.invalid/x',
];

describe('an address of a user', () => {
  test('REL-1.18 that is private, odd or unknown is refused with one sentence when it is saved', async () => {
    const messages = new Set<string>();
    for (const address of FORBIDDEN)
      for (const kind of ['webhook', 'gotify', 'bark']) {
        const reply = await save(address, kind);
        expect([address, reply.body.code]).toEqual([address, 'notice_address_refused']);
        messages.add(reply.body.message);
      }
    expect([...messages]).toEqual(['This address cannot be reached or is not allowed']);
  });

  test('that became private after it was saved is refused when it is called, with the same sentence', async () => {
    const before = services.requests;
    const results = [];
    for (const address of [services.url, 'http://169.254.169.254', 'http://gone-name.invalid']) {
      const config = sealConfig(app.store, user.id, 'gotify', { address, token: 'x' });
      const { id } = await app.store.db
        .insertInto('notice_ways')
        .values({ user_id: user.id, created_at: 1, kind: 'gotify', config, events: '[]' })
        .returning('id')
        .executeTakeFirstOrThrow();
      results.push(await app.client(user).notices.testWay({ params: { id } }));
    }
    const refused = { status: 'dead', error: 'The address cannot be reached or is not allowed' } as const;
    expect(results).toEqual([refused, refused, refused]);
    expect(services.requests).toBe(before);
  });

  test('UserNoticePrivateAddressEnabled opens the networks of ALLOWED_PRIVATE_ADDRESSES, and no others', async () => {
    await app.settings.set('UserNoticePrivateAddressEnabled', 'true', 0);
    expect((await save(`${services.url}/webhook/x`)).body.success).toBe(true);
    expect((await save('http://169.254.169.254/x')).body.code).toBe('notice_address_refused');
    expect((await save('http://10.0.0.1/x')).body.code).toBe('notice_address_refused');
    await app.settings.set('UserNoticePrivateAddressEnabled', 'false', 0);
    expect((await save(`${services.url}/webhook/x`)).body.code).toBe('notice_address_refused');
  });

  test('the answer of the address is not shown: only its status', async () => {
    await app.settings.set('UserNoticePrivateAddressEnabled', 'true', 0);
    const made = await save(`${services.url}/webhook/secrets-inside`);
    const { id } = made.body.data as { id: number };
    services.answerWith(
      () => new Response('{"errmsg":"inner secret","message":"inner secret"}', { status: 500 }),
    );
    expect(await app.client(user).notices.testWay({ params: { id } })).toEqual({
      status: 'dead',
      error: 'The service answered 500',
    });
    services.answerWith(() => new Response('x'.repeat(200_000)));
    expect(await app.client(user).notices.testWay({ params: { id } })).toEqual({
      status: 'dead',
      error: "The service's answer is too large",
    });
    services.answerWith(null);
    await app.settings.set('UserNoticePrivateAddressEnabled', 'false', 0);
  });
});

test('the operators may use the networks that channels may, after a step-up, and only the super admin', async () => {
  const root = await app.actor({ role: ROLE.root });
  const way = { ...body(`${services.url}/webhook/ops`), events: ['channel_disabled'] };
  const refused = await app.request('/api/notices/ways', { as: user, body: way });
  expect(refused.status).toBe(403);
  await app.store.db.updateTable('sessions').set({ verified_at: 0 }).where('user_id', '=', root.id).execute();
  expect((await app.request('/api/notices/ways', { as: root, body: way })).body.code).toBe(
    'step_up_required',
  );
  const again = await app.login(root.username);
  expect((await app.request('/api/notices/ways', { as: again, body: way })).body.success).toBe(true);
});
