// S4: an upstream must not run script on the console's origin, and a page of another site must not spend a key.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(60_000);

const path = '/v1/chat/completions';
let app: TestApplication;
let upstream: Bun.Server<undefined>;
let key: string;
/** What the upstream answers next. */
let next = { type: 'application/json', body: '{}' };
/** Paths the upstream was asked for. */
const asked: string[] = [];

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      asked.push(new URL(request.url).pathname);
      if (request.method === 'GET') return new Response('', { headers: { 'Content-Type': 'text/plain' } });
      return new Response(next.body, { headers: { 'Content-Type': next.type, 'Set-Cookie': 'a=b' } });
    },
  });
  app = await startApplication();
  await addChannel(app.store, { base_url: `http://127.0.0.1:${upstream.port}`, models: ['gpt-4o'] });
  const user = await app.actor({ quota: 1_000_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 's4', unlimited_quota: true } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

const chat = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });

const call = (headers: Record<string, string> = {}) =>
  fetch(app.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    body: chat,
  });

describe('S4 the type of an answer', () => {
  test.each([
    ['text/html', 'application/octet-stream'],
    ['text/html; charset=utf-8', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['application/xhtml+xml', 'application/octet-stream'],
    ['text/xml', 'application/octet-stream'],
    ['text/javascript', 'application/octet-stream'],
    ['multipart/x-mixed-replace; boundary=x', 'application/octet-stream'],
    ['application/pdf', 'application/octet-stream'],
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['audio/mpeg', 'audio/mpeg'],
    ['image/png', 'image/png'],
    ['video/mp4', 'video/mp4'],
    ['application/octet-stream', 'application/octet-stream'],
  ])('%s leaves as %s, under a sandbox and without sniffing', async (type, expected) => {
    next = { type, body: '<script>1</script>' };
    const response = await call();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(expected);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await response.text()).toBe('<script>1</script>');
  });

  test('refusals and lists carry the same policy', async () => {
    for (const target of ['/v1/models', '/v1/nothing', '/v1beta/models']) {
      const { headers } = await fetch(app.url + target);
      expect(headers.get('content-security-policy'), target).toBe("sandbox; default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('S4 a form of another site', () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const text = { 'Content-Type': 'text/plain' };
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' };
  test.each([
    ['cross-site form', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', ...form }, 415],
    ['cross-site text', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', ...text }, 415],
    [
      'cross-site upload',
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', ...multipart },
      415,
    ],
    ['same-site text', { 'Sec-Fetch-Site': 'same-site', ...text }, 415],
    ['text of a browser without Sec-Fetch', { Origin: 'https://evil.example', ...text }, 415],
    ['JSON of a page elsewhere', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example' }, 200],
    ['a program that names no type', { ...form }, 200],
  ])('%s: %#', async (_what, headers, status) => {
    next = { type: 'application/json', body: '{"choices":[]}' };
    const before = asked.length;
    const response = await call(headers);
    expect(response.status).toBe(status);
    expect(asked.length - before).toBe(status === 200 ? 1 : 0);
  });
});

describe('S4 in a browser', () => {
  /** Sends a form from a page on `site` and waits until the answer is loaded. */
  async function submit(site: string, pageUrl: string): Promise<void> {
    await using visitor = await visit(app, { site });
    const { page } = visitor;
    const fields = `{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}],"metadata":{"x":"`;
    await page.route(pageUrl, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" enctype="text/plain" action="${app.url}${path}?key=${key}">
          <input name='${fields}' value='"}}'></form>`,
      }),
    );
    await page.goto(pageUrl);
    // An answer of bytes is offered as a download, not shown.
    const answered = page.waitForResponse((response) => response.url().includes(path));
    await page.evaluate(`document.forms[0].submit()`);
    await answered;
    await page.waitForTimeout(500);
  }

  const ran = () => asked.includes('/ran');

  test.each([
    ['HTML', 'text/html', (mark: string) => `<h1>hello</h1>${mark}`],
    [
      'SVG',
      'image/svg+xml',
      (mark: string) => `<svg xmlns="http://www.w3.org/2000/svg">${mark}<text>hello</text></svg>`,
    ],
  ])('%s of an upstream runs no script on the console’s origin', async (_what, type, body) => {
    asked.length = 0;
    const script = `<script>new Image().src = 'http://127.0.0.1:${upstream.port}/ran?' + localStorage.length</script>`;
    next = { type, body: body(script) };
    await submit(app.url, `${app.url}/form-of-the-same-origin`);
    expect(asked).toContain('/v1/chat/completions');
    expect(ran()).toBe(false);
  });

  test('a form on another site does not reach an upstream', async () => {
    asked.length = 0;
    next = { type: 'application/json', body: '{"choices":[]}' };
    await submit(app.url, 'http://evil.example/form');
    expect(asked).toEqual([]);
  });
});
