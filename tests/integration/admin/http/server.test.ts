// The HTTP layer of the server: bodies, limits, headers, static files, health, and what must not be logged.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';

const INDEX = '<!doctype html><title>console</title><div id="root"></div>';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(5000))})`;

let app: TestApplication;
let root: Actor;
let dist: string;

beforeAll(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-dist-'));
  dist = path.join(folder, 'dist');
  mkdirSync(path.join(dist, 'assets'), { recursive: true });
  mkdirSync(path.join(dist, '.vite'));
  writeFileSync(path.join(dist, 'index.html'), INDEX);
  writeFileSync(path.join(dist, 'assets', 'main-abc123.js'), SCRIPT);
  writeFileSync(path.join(dist, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(path.join(dist, '.vite', 'manifest.json'), '{}');
  writeFileSync(path.join(dist, '.built-from'), 'hash');
  writeFileSync(path.join(folder, 'secret.txt'), 'outside the build folder');
  symlinkSync(path.join(folder, 'missing.txt'), path.join(dist, 'dangling.txt'));
  symlinkSync(path.join(folder, 'secret.txt'), path.join(dist, 'assets', 'outside.txt'));
  app = await startApplication({ consoleDirectory: dist });
  root = await app.login('root', ROOT_PASSWORD);
});
afterAll(async () => {
  await app.close();
  rmSync(path.dirname(dist), { recursive: true, force: true });
});

describe('bodies', () => {
  const send = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/api/user/login`, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json', 'Accept-Language': 'en', ...headers },
    });
  const codeOf = async (response: Response) => [
    response.status,
    ((await response.json()) as { code?: string }).code,
  ];

  test('over 1 MiB is 413, declared or not', async () => {
    const big = JSON.stringify({ username: 'x'.repeat(1024 * 1024 + 1), password: 'y' });
    expect(await codeOf(await send(big))).toEqual([413, 'body_too_large']);
    const streamed = await fetch(`${app.url}/api/user/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: new ReadableStream({
        start(controller) {
          for (let index = 0; index < 20; index += 1) controller.enqueue(new Uint8Array(128 * 1024).fill(32));
          controller.close();
        },
      }),
    });
    expect(streamed.status).toBe(413);
  });

  test('an endless chunked body is refused while it arrives', async () => {
    const reply = await rawRequest(app.port, (socket) => {
      socket.write(
        'POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
      for (let index = 0; index < 32; index += 1) socket.write(chunk);
    });
    expect(reply).toStartWith('HTTP/1.1 413');
  });

  test.each([
    ['not JSON', '{"username":', 400, 'invalid_json'],
    ['a bare word', 'hello', 400, 'invalid_json'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400, 'invalid_json'],
    ['nested too deep', '['.repeat(100_000) + ']'.repeat(100_000), 400, 'invalid_json'],
    ['an array where an object belongs', '[]', 200, 'invalid_parameter'],
    ['no body', '', 200, 'invalid_parameter'],
    ['wrong types', '{"username":1,"password":{}}', 200, 'invalid_parameter'],
    [
      'brackets in a string are not nesting',
      JSON.stringify({ username: '['.repeat(300), password: 'x' }),
      200,
      'wrong_credentials',
    ],
  ])('%s', async (_, body, status, code) => {
    expect(await codeOf(await send(body))).toEqual([status, code]);
  });

  test('another content type, a compressed body and a form are 415', async () => {
    expect((await send('{}', { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect(
      (await send('username=root', { 'Content-Type': 'application/x-www-form-urlencoded' })).status,
    ).toBe(415);
    expect((await send(Bun.gzipSync('{}'), { 'Content-Encoding': 'gzip' })).status).toBe(415);
    expect((await send('{}', { 'Content-Type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  test('__proto__ in a body changes no object', async () => {
    const response = await fetch(`${app.url}/api/user/self`, {
      method: 'PUT',
      headers: { Cookie: root.cookie, 'New-Api-User': '1', 'Content-Type': 'application/json' },
      body: '{"__proto__":{"role":1,"polluted":true},"display_name":"Root User"}',
    });
    expect(response.status).toBe(200);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('headers', () => {
  test('every answer has its own request id under both names', async () => {
    const ids = new Set<string>();
    for (const target of ['/api/status', '/api/nothing', '/', '/healthz', '/assets/none.js']) {
      const { headers } = await fetch(app.url + target);
      const id = headers.get('x-request-id') ?? '';
      expect(id).toMatch(/^\d{14}[\w-]{8}$/);
      expect(headers.get('x-tollgate-request-id')).toBe(id);
      ids.add(id);
    }
    expect(ids.size).toBe(5);
  });

  test('no CORS on the API, not even for a preflight (plan S22)', async () => {
    const preflight = await fetch(`${app.url}/api/status`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'GET' },
    });
    const read = await fetch(`${app.url}/api/status`, { headers: { Origin: 'https://evil.example' } });
    for (const { headers } of [preflight, read])
      expect(headers.get('access-control-allow-origin')).toBeNull();
    faultSeen('S22', 'API: no origin allowed');
  });

  test('API answers are never stored, framed or sniffed (plan S22)', async () => {
    const { headers } = await fetch(`${app.url}/api/status`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    faultSeen('S22', 'API: not stored, framed or sniffed');
  });

  test('the console’s content policy follows the settings and takes no directive from an operator’s text (plan S22)', async () => {
    await app.settings.set('PayAddress', 'https://pay.example/submit', 1);
    await app.settings.set('HomePageContent', 'https://home.example/page', 1);
    await app.settings.set(
      'Chats',
      '[{"Evil":"https://x.example; script-src *"},{"Ok":"https://chat.example/#/"}]',
      1,
    );
    const policy = (await fetch(app.url)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("form-action 'self' https://pay.example;");
    expect(policy).toContain("frame-src 'self' https://chat.example https://home.example;");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('x.example');
    faultSeen('S22', 'console: a directive in an address of a setting is not taken into the policy');
    for (const key of ['PayAddress', 'HomePageContent', 'Chats'] as const) await app.settings.reset(key, 1);
  });
});

describe('console files', () => {
  const get = (target: string, headers: Record<string, string> = {}) =>
    fetch(app.url + target, { headers: { 'Accept-Encoding': 'identity', ...headers } });

  test('pages of the console answer with index.html, cached only with revalidation', async () => {
    for (const target of ['/login', '/token', '/channel/edit/12', '/no/such/page', '/index.html']) {
      const response = await get(target);
      expect([target, response.status, await response.text()]).toEqual([target, 200, INDEX]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('content-type')).toStartWith('text/html');
    }
  });

  test('N22: a program that asks for metrics gets no page', async () => {
    const response = await get('/metrics');
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('<');
  });

  test('hashed assets are cacheable for ever and compressed', async () => {
    const plain = await get('/assets/main-abc123.js');
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toContain('javascript');
    expect(await plain.text()).toBe(SCRIPT);
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const response = await fetch(`${app.url}/assets/main-abc123.js`, {
        headers: { 'Accept-Encoding': encoding },
        decompress: false,
      });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(bytes.length).toBeLessThan(SCRIPT.length);
      expect(decode(bytes).toString()).toBe(SCRIPT);
    }
  });

  test.each([
    ['br;q=0, gzip', 'gzip'],
    ['GZIP;q=0.5, br;q=1', 'br'],
    ['gzip;q=0, br;q=0', null],
    ['deflate, brotli-like', null],
  ])('with Accept-Encoding `%s` a file is encoded as %p (R18)', async (accepted, encoding) => {
    const response = await fetch(`${app.url}/assets/main-abc123.js`, {
      headers: { 'Accept-Encoding': accepted },
      decompress: false,
    });
    expect(response.headers.get('content-encoding')).toBe(encoding);
  });

  test('an unchanged file is answered with 304', async () => {
    const etag = (await get('/favicon.svg')).headers.get('etag') ?? '';
    expect((await get('/favicon.svg', { 'If-None-Match': etag })).status).toBe(304);
    expect((await get('/favicon.svg', { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  test.each([
    '/assets/gone-123.js',
    '/humans.txt',
    '/.built-from',
    '/.vite/manifest.json',
    '/dangling.txt',
    '/assets/outside.txt',
    '/assets/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/..%5csecret.txt',
    '/assets/%00main-abc123.js',
    '/assets',
    '/v1/no/such/call',
    '/v1beta/models',
    '/mj/image/1',
  ])('%s is not served (plan S14)', async (target) => {
    const reply = await rawRequest(app.port, (socket) => {
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    });
    expect(reply).not.toContain('outside the build folder');
    expect(reply).toMatch(/^HTTP\/1\.1 (404|400|401)/);
    expect(reply).not.toContain(INDEX);
    faultSeen('S14', 'dots plain and encoded, NUL, backslash, hidden files, symbolic links: nothing served');
  });

  test('other methods on pages are refused', async () => {
    expect((await fetch(`${app.url}/login`, { method: 'POST' })).status).toBe(404);
  });

  test('without a build the answer has a hint, and a later build is found', async () => {
    const folder = path.join(path.dirname(dist), 'later');
    const early = await startApplication({ consoleDirectory: folder });
    try {
      const hint = await fetch(`${early.url}/login`);
      expect(hint.status).toBe(200);
      expect(await hint.text()).toContain('npm run build');
      mkdirSync(folder);
      writeFileSync(path.join(folder, 'index.html'), INDEX);
      await Bun.sleep(2100);
      expect(await (await fetch(`${early.url}/login`)).text()).toBe(INDEX);
    } finally {
      await early.close();
    }
  });
});

describe('limits', () => {
  test('ACC-8.42 too many calls are 429 with Retry-After and a sentence', async () => {
    const tight = await startApplication({ limits: { api: { most: 5, seconds: 60 } } });
    try {
      for (let index = 0; index < 5; index += 1)
        expect((await tight.request('/api/status')).status).toBe(200);
      const refused = await tight.request('/api/notice');
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ success: false, message: 'Too many requests, please try later' });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await tight.request('/api/unknown')).status).toBe(429);
      expect((await fetch(`${tight.url}/healthz`)).status).toBe(200);
    } finally {
      await tight.close();
    }
  });

  test('O27: sign-ins count when they fail, sign-ups always; the limits are settings and the next call follows them', async () => {
    const tight = await startApplication({
      limits: 'of the settings',
      settings: { FailedSignInsPerTwentyMinutes: '2', SensitiveCallsPerTwentyMinutes: '1' },
    });
    try {
      await tight.createUser({ username: 'office' });
      const logIn = async (password: string) =>
        (await tight.request('/api/user/login', { body: { username: 'office', password } })).status;
      for (let index = 0; index < 4; index += 1) expect(await logIn(USER_PASSWORD)).toBe(200);
      expect([await logIn('wrong'), await logIn('wrong'), await logIn('wrong')]).toEqual([200, 200, 429]);
      expect(await logIn(USER_PASSWORD)).toBe(429);
      const register = async () =>
        (await tight.request('/api/user/register', { body: { username: 'x', password: 'y' } })).status;
      expect([await register(), await register()]).toEqual([200, 429]);
      await tight.settings.set('FailedSignInsPerTwentyMinutes', '3', 0);
      expect(await logIn(USER_PASSWORD)).toBe(200);
      for (const key of ['ApiCallsPerThreeMinutes', 'PageLoadsPerThreeMinutes', 'SearchesPerMinute'])
        await tight.settings.set(key, '1', 0);
      expect((await tight.request('/api/status')).status).toBe(429);
    } finally {
      await tight.close();
    }
  });

  test("O27: the super admin's access token goes on beyond the limit of its address, no other caller does", async () => {
    const tight = await startApplication({ limits: { api: { most: 4, seconds: 60 } } });
    try {
      const codes = async (as: Actor, token: string) => {
        const headers = { Authorization: token, 'New-Api-User': String(as.id) };
        return (await tight.request('/api/user/self', { headers })).status;
      };
      const [root, user] = [await tight.actor({ role: ROLE.root }), await tight.actor()];
      const tokens = [];
      for (const as of [root, user]) tokens.push(await tight.client(as).self.accessToken());
      const [rootToken = '', userToken = ''] = tokens;
      for (let index = 0; index < 6; index += 1) expect(await codes(root, rootToken)).toBe(200);
      expect(await codes(user, userToken)).toBe(429);
      expect(await codes(user, rootToken)).toBe(429);
      expect((await tight.request('/api/user/self', { as: root })).status).toBe(429);
    } finally {
      await tight.close();
    }
  });

  test('O27: searches are counted by user, and not for administrators, whose palette searches while they type', async () => {
    const tight = await startApplication({ limits: { search: { most: 2, seconds: 60 } } });
    try {
      const codes = async (as: Actor) => {
        const found: number[] = [];
        for (let index = 0; index < 3; index += 1)
          found.push((await tight.request('/api/token/search?either=ab', { as })).status);
        return found;
      };
      for (const user of [await tight.actor(), await tight.actor()])
        expect(await codes(user)).toEqual([200, 200, 429]);
      expect(await codes(await tight.actor({ role: ROLE.admin }))).toEqual([200, 200, 200]);
      expect((await tight.request('/api/token/search?either=ab')).status).toBe(401);
    } finally {
      await tight.close();
    }
  });

  test('page loads are limited, assets are not, and a forged X-Forwarded-For changes nothing', async () => {
    const tight = await startApplication({
      consoleDirectory: dist,
      limits: { web: { most: 3, seconds: 60 } },
    });
    try {
      for (let index = 0; index < 50; index += 1)
        expect((await fetch(`${tight.url}/assets/main-abc123.js`)).status).toBe(200);
      const codes: number[] = [];
      for (let index = 0; index < 4; index += 1) {
        const headers = { 'X-Forwarded-For': `203.0.113.${index}` };
        codes.push((await fetch(`${tight.url}/login`, { headers })).status);
      }
      expect(codes).toEqual([200, 200, 200, 429]);
    } finally {
      await tight.close();
    }
  });
});

describe('failures', () => {
  test('ACC-8.43 an unexpected error is 500 with the request id and no other detail', async () => {
    const broken = await startApplication();
    const user = await broken.actor();
    await broken.store.db.schema.alterTable('users').renameColumn('aff_history_quota', 'gone').execute();
    const reply = await broken.request('/api/user/self', { as: user });
    expect(reply.status).toBe(500);
    expect(reply.body).toMatchObject({ success: false, code: 'internal', data: null });
    expect(reply.body.message).toBe('Internal server error, contact the administrator');
    expect(JSON.stringify(reply.body)).not.toMatch(/column|sql|aff_history/i);
    const line = broken.logged.find((one) => one.includes('"request failed"')) ?? '';
    expect(line).toContain(String(reply.body['request_id']));
    expect(line).toContain('aff_history_quota');
    await broken.close();
  });

  test('an unavailable database is 503 with Retry-After, for calls and for readiness, and status still answers', async () => {
    const orphan = await startApplication();
    const user = await orphan.actor();
    await orphan.store.close();
    const reply = await orphan.request('/api/user/self', { as: user });
    expect([reply.status, reply.body.code]).toEqual([503, 'database_unavailable']);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.stringify(reply.body)).not.toMatch(/sqlite|closed/i);
    expect((await fetch(`${orphan.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${orphan.url}/healthz`)).status).toBe(200);
    expect((await orphan.request('/api/status')).status).toBe(200);
    await orphan.close();
  });

  test('ACC-8.46 a demo site refuses changes with 405 but allows signing in', async () => {
    const demo = await startApplication({ settings: { DemoSiteEnabled: 'true' } });
    try {
      const user = await demo.actor();
      const reply = await demo.request('/api/user/self', {
        method: 'PUT',
        as: user,
        body: { display_name: 'x' },
      });
      expect([reply.status, reply.body.code]).toEqual([405, 'demo_site']);
      expect(reply.body.message).toBe('This site is for demonstration only, no server');
      const boss = await demo.login('root', ROOT_PASSWORD);
      const change = { method: 'PUT', as: boss, body: { display_name: 'x' } };
      expect((await demo.request('/api/user/self', change)).status).toBe(200);
    } finally {
      await demo.close();
    }
  });
});

describe('log', () => {
  test('passwords, cookies, tokens, queries and settings secrets are in no line', async () => {
    const canary = 'canary-7f3a9c';
    await app.settings.set('SMTPToken', `${canary}-smtp`, 1);
    await app.request('/api/user/login', { body: { username: 'root', password: `${canary}-password` } });
    await app.request('/api/user/register', { body: { username: 'log', password: `${canary}-password2` } });
    await app.request(`/api/token/search?token=${canary}-key`, { as: root });
    await app.request(`/api/${canary.slice(0, 3)}?code=${canary}-code`);
    await app.request('/api/user/self', {
      headers: { Authorization: `Bearer ${canary}-token`, 'New-Api-User': '1' },
    });
    app.log.info(`smtp said no to ${canary}-smtp`, {
      nested: { password: `${canary}-nested` },
      key: `${canary}-x`,
    });
    const lines = app.logged.join('\n');
    expect(lines).not.toContain(canary);
    expect(lines).not.toContain(root.cookie.slice(4));
    expect(lines).not.toContain(ROOT_PASSWORD);
    expect(lines).toContain('smtp said no to [redacted]');
  });

  test('a log line stays one line of JSON, with any text in the request (plan S15)', async () => {
    const before = app.logged.length;
    await fetch(`${app.url}/api/%0a%7b%22level%22:%22forged%22%7d%1b[31m`);
    const forged = 'a\n{"level":"forged"}\r\u0000\u001b[31m\u2028';
    await app.request('/api/user/login', { body: { username: forged, password: forged } });
    app.log.error(`upstream said ${forged}`, { words: forged });
    for (const line of app.logged.slice(before)) {
      expect(line).not.toMatch(/\p{Cc}/u);
      expect((JSON.parse(line) as { level: string }).level).not.toBe('forged');
    }
    expect(app.logged.slice(before).join(' ')).toContain('forged');
    faultSeen(
      'S15',
      `line breaks, ANSI and NUL in an address, a name and an error: ${app.logged.length - before} lines of JSON`,
    );
  });
});

test('health and readiness; a closed server answers no request', async () => {
  const short = await startApplication();
  expect(await (await fetch(`${short.url}/healthz`)).json()).toEqual({ status: 'ok' });
  expect(await (await fetch(`${short.url}/readyz`)).json()).toEqual({ status: 'ready' });
  await short.close();
  const gone = await fetch(`${short.url}/healthz`).catch(() => null);
  expect(gone).toBeNull();
});

/** One raw exchange over a socket; returns the bytes the server wrote until it closed or was silent. */
function rawRequest(port: number, write: (socket: ReturnType<typeof connect>) => void): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => write(socket));
    const finish = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(1500, finish);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', finish);
    socket.on('error', finish);
  });
}
