// NUL and other control characters in the strings of the API and of the relay, on both databases: a clear 400, never a 500.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(120_000);

describe.each(['sqlite', 'postgres'] as const)('on %s', (database) => {
  let app: TestApplication;
  let root: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root, quota: 1_000_000 });
    await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4o-mini'] });
  });
  afterAll(() => app.close());

  test('strings of every kind of input are refused with the name of the field (S20)', async () => {
    const calls: [path: string, options: { method?: string; as?: Actor; body?: unknown }, field: string][] = [
      ['/api/user/login', { body: { username: 'a\0', password: 'a-good-password' } }, 'username'],
      ['/api/user/reset', { body: { email: 'a@b.example', token: '\0' } }, 'token'],
      ['/api/user/search?keyword=a%00b', { as: root }, 'keyword'],
      ['/api/log/?model_name=%00', { as: root }, 'model_name'],
      ['/api/token/', { as: root, body: { name: 'x\u0007' } }, 'name'],
      ['/api/option/', { method: 'PUT', as: root, body: { key: 'Notice', value: 'a\0' } }, 'value'],
      ['/api/channel/', { as: root, body: { name: 'c', setting: { 'a\0': 1 } } }, 'setting'],
    ];
    for (const [path, options, field] of calls) {
      const { status, body } = await app.request(path, options);
      expect([path, status, body.code, body['field']]).toEqual([path, 400, 'control_characters', field]);
      expect(body.message).toContain(field);
    }
  });

  test('a previous_response_id with NUL is refused in the format of the API (S20)', async () => {
    const [token] = await app.client(root).tokens.create({ body: { name: 'k', unlimited_quota: true } });
    for (const previous_response_id of ['resp_\0', '\u0001']) {
      const { status, body } = await app.request('/v1/responses', {
        headers: { Authorization: `Bearer sk-${token?.key}` },
        body: { model: 'gpt-4o-mini', input: 'hi', previous_response_id },
      });
      expect(status).toBe(400);
      expect(body['error']).toMatchObject({ param: 'previous_response_id' });
    }
  });
});
