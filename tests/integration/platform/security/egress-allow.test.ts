// EGRESS_ALLOW against the wired server: whatever a caller, an operator or a default names, only listed hosts are reached.
// tests/support/stay-on-this-machine.ts fails the test that resolves a name all the same.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

setDefaultTimeout(60_000);

let app: TestApplication;
let root: Actor;

beforeAll(async () => {
  app = await startApplication({
    environment: { EGRESS_ALLOW: '127.0.0.1' },
    settings: { SMTPServer: 'mail.evil.test', SMTPFrom: 'gate@example.com' },
  });
  root = await app.actor({ role: ROLE.root });
});
afterAll(() => app.close());

test('a channel without an address does not dial the default host of its vendor, and the operator is told why (S25)', async () => {
  const body = {
    name: 'no address',
    type: CHANNEL_TYPE.openAi,
    key: 'sk-x',
    models: 'gpt-4o',
    groups: ['default'],
  };
  const [channel] = await app.client(root).channels.create({ body: { ...body, group: 'default' } });
  const tested = await app.request(`/api/channel/test/${channel?.id}?model=gpt-4o`, { as: root });
  expect(tested.body.message).toContain('api.openai.com is not among the hosts');
  expect(tested.body.message).toContain('EGRESS_ALLOW');
});

test('a channel at a host outside the list cannot be saved (S25)', async () => {
  const body = {
    name: 'elsewhere',
    type: CHANNEL_TYPE.openAi,
    key: 'sk-x',
    models: 'gpt-4o',
    group: 'default',
  };
  const reply = await app.request('/api/channel/', {
    as: root,
    body: { ...body, base_url: 'https://upstream.evil.test' },
  });
  expect(reply.body).toMatchObject({ success: false, code: 'channel_base_url_invalid' });
  expect(reply.body.message).toContain('EGRESS_ALLOW');
});

test('mail goes to no other mail server (S25)', async () => {
  const reply = await app.request('/api/mail/test', { as: root, body: { to: 'someone@example.com' } });
  expect(reply.body).toMatchObject({ success: false, code: 'mail_failed' });
  expect(reply.body.message).toContain('mail.evil.test');
});
