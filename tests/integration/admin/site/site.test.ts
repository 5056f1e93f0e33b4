// Public reads: the status object, the operator's content, the API description.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { api } from '#contract/api.ts';
import { ERRORS } from '#contract/errors.ts';
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';

let app: TestApplication;
beforeAll(async () => {
  app = await startApplication();
});
afterAll(() => app.close());

const status = async () => (await app.request('/api/status')).body.data as Record<string, unknown>;

/** Field of the status object, the setting it shows, a text other than its default, what is then answered. */
const FIELDS: readonly [id: string, field: string, key: string, text: string, shown: unknown][] = [
  ['ACC-3.120', 'system_name', 'SystemName', 'My Gateway', 'My Gateway'],
  ['ACC-3.121', 'logo', 'Logo', 'https://cdn.example/l.png', 'https://cdn.example/l.png'],
  ['ACC-3.122', 'footer_html', 'Footer', '<b>footer</b>', '<b>footer</b>'],
  ['ACC-3.123', 'quota_per_unit', 'QuotaPerUnit', '1000', 1000],
  ['ACC-3.124', 'display_in_currency', 'DisplayInCurrencyEnabled', 'false', false],
  ['ACC-3.125', 'enable_drawing', 'DrawingEnabled', 'false', false],
  ['ACC-3.126', 'enable_task', 'TaskEnabled', 'false', false],
  ['ACC-3.127', 'enable_data_export', 'DataExportEnabled', 'false', false],
  ['ACC-3.128', 'chats', 'Chats', '[{"A":"https://a.example"}]', [{ A: 'https://a.example' }]],
  ['ACC-3.129', 'data_export_default_time', 'DataExportDefaultTime', 'day', 'day'],
  ['ACC-3.130', 'default_collapse_sidebar', 'DefaultCollapseSidebar', 'true', true],
  ['ACC-3.131', 'mj_notify_enabled', 'MjNotifyEnabled', 'true', true],
  ['ACC-3.132', 'chat_link', 'ChatLink', 'https://chat.example', 'https://chat.example'],
  ['ACC-3.133', 'chat_link2', 'ChatLink2', 'https://chat2.example', 'https://chat2.example'],
  ['ACC-3.136', 'turnstile_site_key', 'TurnstileSiteKey', 'site-key', 'site-key'],
  ['ACC-3.138', 'github_client_id', 'GitHubClientId', 'gh', 'gh'],
  ['ACC-3.140', 'linuxdo_client_id', 'LinuxDOClientId', 'ld', 'ld'],
  [
    'ACC-3.142',
    'wechat_qrcode',
    'WeChatAccountQRCodeImageURL',
    'https://q.example/q.png',
    'https://q.example/q.png',
  ],
  ['ACC-3.144', 'telegram_bot_name', 'TelegramBotName', 'bot', 'bot'],
  ['ACC-3.145', 'server_address', 'ServerAddress', 'https://gw.example/', 'https://gw.example'],
  ['ACC-3.146', 'top_up_link', 'TopUpLink', 'https://pay.example', 'https://pay.example'],
  ['ACC-3.147', 'min_topup', 'MinTopUp', '9', 9],
];

test.each(FIELDS)('%s the status object has %s', async (_, field, key, text, shown) => {
  const before = (await status())[field];
  await app.settings.set(key, text, 1);
  expect((await status())[field]).toEqual(shown);
  expect(before).not.toEqual(shown);
  await app.settings.reset(key as 'Notice', 1);
});

/** The same for switches that need configuration first. */
const SWITCHES: readonly [id: string, field: string, switchKey: string, needs: Record<string, string>][] = [
  [
    'ACC-3.134',
    'email_verification',
    'EmailVerificationEnabled',
    { SMTPServer: 'smtp.example', SMTPFrom: 'gate@example.com' },
  ],
  [
    'ACC-3.135',
    'turnstile_check',
    'TurnstileCheckEnabled',
    { TurnstileSiteKey: 's', TurnstileSecretKey: 'x' },
  ],
  ['ACC-3.137', 'github_oauth', 'GitHubOAuthEnabled', { GitHubClientId: 's', GitHubClientSecret: 'x' }],
  ['ACC-3.139', 'linuxdo_oauth', 'LinuxDOOAuthEnabled', { LinuxDOClientId: 's', LinuxDOClientSecret: 'x' }],
  [
    'ACC-3.141',
    'wechat_login',
    'WeChatAuthEnabled',
    { WeChatServerAddress: 'https://w.example', WeChatServerToken: 'x' },
  ],
  ['ACC-3.143', 'telegram_oauth', 'TelegramOAuthEnabled', { TelegramBotToken: 's', TelegramBotName: 'x' }],
];

test.each(SWITCHES)('%s the status object has %s', async (_, field, switchKey, needs) => {
  expect((await status())[field]).toBe(false);
  for (const [key, text] of Object.entries({ ...needs, [switchKey]: 'true' }))
    await app.settings.set(key, text, 1);
  expect((await status())[field]).toBe(true);
  for (const key of [switchKey, ...Object.keys(needs)]) await app.settings.reset(key as 'Notice', 1);
});

test('ACC-3.148 enable_online_topup is true only when the payment is fully configured', async () => {
  const steps = { PayAddress: 'https://pay.example', EpayId: '1001', EpayKey: 'epay-merchant-key' };
  for (const [key, text] of Object.entries(steps)) {
    expect((await status())['enable_online_topup']).toBe(false);
    await app.settings.set(key, text, 1);
  }
  expect((await status())['enable_online_topup']).toBe(true);
});

test('ACC-3.118 ACC-7.55 the status is public and has no secret', async () => {
  const secret = (key: string) => `canary-${key}`;
  const secrets = SETTING_KEYS.filter((key) => settingOf(key).kind === 'secret');
  for (const key of secrets) await app.settings.set(key, secret(key), 1);
  const reply = await app.request('/api/status');
  expect(reply.status).toBe(200);
  expect(reply.body.data).toMatchObject({
    version: expect.any(String),
    start_time: expect.any(Number),
    price: 7.3,
  });
  expect(JSON.stringify(reply.body)).not.toContain('canary-');
});

test('notice, about and home page content are answered as saved', async () => {
  const content = {
    '/api/notice': 'Notice',
    '/api/about': 'About',
    '/api/home_page_content': 'HomePageContent',
  };
  for (const [path, key] of Object.entries(content)) {
    expect((await app.request(path)).body).toEqual({ success: true, message: '', data: '' });
    await app.settings.set(key, `# ${key}\n内容`, 1);
    expect((await app.request(path)).body.data).toBe(`# ${key}\n内容`);
  }
});

test('the address endpoint answers the caller’s address', async () => {
  const user = await app.actor();
  expect(await app.client(user).site.address()).toEqual({ address: '127.0.0.1' });
});

describe('language', () => {
  test.each([
    ['zh-CN,zh;q=0.9,en;q=0.8', ERRORS.not_signed_in.zh],
    ['en-US,en;q=0.9,zh;q=0.1', ERRORS.not_signed_in.en],
    ['fr-FR', ERRORS.not_signed_in.zh],
    ['fr, en;q=0.3', ERRORS.not_signed_in.en],
  ])('Accept-Language %s', async (header, message) => {
    const reply = await app.request('/api/user/self', { headers: { 'Accept-Language': header } });
    expect(reply.body.message).toBe(message);
  });

  test('ACC-8.28 an invalid parameter names its fields, in the language of the caller', async () => {
    const user = await app.actor();
    const ask = (language: 'zh' | 'en') => app.request('/api/token/?p=x&size=0', { as: user, language });
    const english = await ask('en');
    expect(english.status).toBe(200);
    expect(english.body).toMatchObject({ success: false, code: 'invalid_parameter', data: null });
    expect(english.body.message).toStartWith('Invalid parameter: ');
    expect((english.body['fields'] as { field: string }[]).map(({ field }) => field)).toEqual(['p', 'size']);
    const chinese = await ask('zh');
    expect(chinese.body.message).toStartWith('无效的参数：');
    expect(chinese.body.message).toMatch(/[\u4e00-\u9fff]{2}.*p /);
  });
});

interface Described {
  summary: string;
  requestBody?: object;
  responses: Record<string, { content?: { 'application/json': { schema: { oneOf: object[] } } } }>;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: {
    schemas: Record<string, { properties: Record<string, { enum?: string[] }> }>;
    securitySchemes: Record<string, { name?: string }>;
  };
}

describe('the API description', () => {
  test('openapi.json lists every endpoint of the contract', async () => {
    const reply = await app.request('/api/openapi.json');
    const document = reply.body as unknown as {
      openapi: string;
      paths: Record<string, Record<string, object>>;
    };
    expect(document.openapi).toBe('3.1.0');
    for (const group of Object.values(api)) {
      for (const endpoint of Object.values(group)) {
        const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
        expect(operation).toMatchObject({ summary: endpoint.summary.en, 'x-access': endpoint.access });
      }
    }
    expect(document.paths['/api/token/{id}']?.['get']).toMatchObject({
      parameters: [
        { name: 'id', in: 'path', required: true },
        { name: 'Tollgate-Organization', in: 'header', required: false },
      ],
    });
  });

  test('N17: it is English unless asked otherwise, and names the cookie of the scheme', async () => {
    const read = async (query = '', headers: Record<string, string> = {}) => {
      const reply = await fetch(`${app.url}/api/openapi.json${query}`, { headers });
      return (await reply.json()) as Document;
    };
    const plain = await read();
    expect(plain.paths['/api/status']?.['get']?.summary).toBe('Status of the installation');
    expect(plain.components.securitySchemes['session']?.name).toBe('sid');
    expect((await read('?lang=zh')).paths['/api/status']?.['get']?.summary).toBe('站点状态');
    const chinese = await read('', { 'Accept-Language': 'zh-CN' });
    expect(chinese.paths['/api/status']?.['get']?.summary).toBe('站点状态');
  });

  test('N17: it has the model calls, named schemas, required data and the answers of refusals', async () => {
    const reply = await fetch(`${app.url}/api/openapi.json`);
    const document = (await reply.json()) as Document;
    const { paths, components } = document;
    for (const { path } of relayEndpoints)
      expect(paths[path]?.['post']).toMatchObject({ security: [{ apiKey: [] }] });
    expect(paths['/v1/models']?.['get']).toBeDefined();
    const read = paths['/api/token/{id}']?.['get'];
    expect(read?.responses['200']?.content?.['application/json'].schema.oneOf).toEqual([
      expect.objectContaining({
        required: ['success', 'message', 'data'],
        properties: expect.objectContaining({ data: { $ref: '#/components/schemas/TokenView' } }) as object,
      }),
      { $ref: '#/components/schemas/Refusal' },
    ]);
    expect(Object.keys(read?.responses ?? {})).toEqual(['200', '401', '403', '404', '429', '500', '503']);
    expect(paths['/api/token/']?.['post']?.requestBody).toMatchObject({
      content: { 'application/json': { schema: { $ref: '#/components/schemas/TokenCreateInput' } } },
    });
    expect(components.schemas['Refusal']?.properties['code']?.enum).toContain('not_signed_in');
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, target = '']) => target,
    );
    const missing = references.filter(
      (target) =>
        target
          .slice(2)
          .split('/')
          .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document) ===
        undefined,
    );
    expect([...new Set(missing)]).toEqual([]);
  });

  test('/api/docs leads to the reference in the console (R12)', async () => {
    const reply = await fetch(`${app.url}/api/docs`, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/docs/api']);
  });
});
