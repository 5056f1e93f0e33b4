// S4: an upstream must not run script on the console's origin, and a page of another site must not spend a key.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(60_000);

const path = '/v1/chat/completions';
const speechPath = '/v1/audio/speech';
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
  await addChannel(app.store, {
    base_url: `http://127.0.0.1:${upstream.port}`,
    models: ['gpt-4o', 'tts-1', 'whisper-1'],
  });
  const user = await app.actor({ quota: 1_000_000_000 });
  const [token] = await app.client(user).tokens.create({ body: { name: 's4', unlimited_quota: true } });
  key = `sk-${token?.key}`;
});
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

const answered =
  '{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}';

const post = (target: string, body: string | FormData, headers: Record<string, string> = {}) =>
  fetch(app.url + target, { method: 'POST', headers: { Authorization: `Bearer ${key}`, ...headers }, body });

const json = { 'Content-Type': 'application/json' };
const chat = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });
const call = (headers: Record<string, string> = {}) => post(path, chat, { ...json, ...headers });
const speak = () => post(speechPath, '{"model":"tts-1","input":"hello","voice":"alloy"}', json);
const transcribe = () => {
  const form = new FormData();
  form.set('model', 'whisper-1');
  form.set('response_format', 'text');
  form.set('file', new File([new Uint8Array(4000)], 'a.wav'));
  return post('/v1/audio/transcriptions', form);
};

const script = '<script>1</script>';

/** Nothing of it runs in a browser, whatever it is. */
function expectHarmless({ headers }: Response): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
  expect(headers.get('set-cookie')).toBeNull();
}

// An answer that is not one of the endpoint is a failed attempt, and a model that fails several times in a row rests.
beforeEach(async () => {
  for (const [send, type, body] of [
    [call, 'application/json', answered],
    [speak, 'audio/mpeg', 'sound'],
    [transcribe, 'text/plain', 'hello'],
  ] as const) {
    next = { type, body };
    expect((await send()).status).toBe(200);
  }
});

describe('S4 the type of an answer', () => {
  const bytes = 'application/octet-stream';
  const error = 'an error';
  /** Each type, and as what it leaves where sound and where text is asked for. */
  const types: [type: string, spoken: string, transcribed: string][] = [
    ['text/html', error, error],
    ['text/html; charset=utf-8', error, error],
    ['application/xhtml+xml', error, error],
    ['text/xml', error, bytes],
    ['text/javascript', error, bytes],
    ['text/vtt', error, bytes],
    ['text/plain; charset=utf-8', error, 'text/plain; charset=utf-8'],
    ['image/svg+xml', bytes, bytes],
    ['multipart/x-mixed-replace; boundary=x', bytes, bytes],
    ['application/pdf', bytes, bytes],
    ['audio/mpeg', 'audio/mpeg', 'audio/mpeg'],
    ['image/png', 'image/png', 'image/png'],
    ['video/mp4', 'video/mp4', 'video/mp4'],
    [bytes, bytes, bytes],
  ];

  test.each(types)(
    '%s leaves as %s of speech and as %s of a transcript, under a sandbox and without sniffing',
    async (type, spoken, transcribed) => {
      next = { type, body: script };
      for (const [send, expected] of [
        [speak, spoken],
        [transcribe, transcribed],
        [call, error],
      ] as const) {
        const response = await send();
        const text = await response.text();
        expectHarmless(response);
        if (expected === error) {
          expect(response.status).toBe(502);
          expect(response.headers.get('content-type')).toBe('application/json');
          expect(JSON.parse(text)).toMatchObject({ error: { code: 'upstream_failed' } });
          expect(text).not.toContain('script');
        } else {
          expect(response.status).toBe(200);
          expect(response.headers.get('content-type')).toBe(expected);
          expect(text).toBe(script);
        }
      }
    },
  );

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
    next = { type: 'application/json', body: answered };
    const before = asked.length;
    const response = await call(headers);
    expect(response.status).toBe(status);
    expect(asked.length - before).toBe(status === 200 ? 1 : 0);
  });
});

describe('S4 in a browser', () => {
  /** `fields` is the name of an input: the sign after it stands inside the last string. */
  const chatForm = {
    target: path,
    fields: '{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}],"user":"',
  };
  const speechForm = { target: speechPath, fields: '{"model":"tts-1","voice":"alloy","input":"hello' };

  /** Sends a form from a page on `site` and waits until the answer is loaded; resolves with its status. */
  async function submit(site: string, pageUrl: string, { target, fields } = chatForm): Promise<number> {
    await using visitor = await visit(app, { site });
    const { page } = visitor;
    await page.route(pageUrl, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" enctype="text/plain" action="${app.url}${target}?key=${key}">
          <input name='${fields}' value='"}'></form>`,
      }),
    );
    await page.goto(pageUrl);
    // An answer of bytes is offered as a download, not shown.
    const loaded = page.waitForResponse((response) => response.url().includes(target));
    await page.evaluate(`document.forms[0].submit()`);
    const status = (await loaded).status();
    await page.waitForTimeout(500);
    return status;
  }

  const ran = () => asked.includes('/ran');

  /** A page that tells the upstream that it ran. */
  const mark = () =>
    `<script>new Image().src = 'http://127.0.0.1:${upstream.port}/ran?' + localStorage.length</script>`;
  const html = () => `<h1>hello</h1>${mark()}`;
  const svg = () => `<svg xmlns="http://www.w3.org/2000/svg">${mark()}<text>hello</text></svg>`;

  test.each([
    ['HTML as a chat', 'text/html', html, chatForm, 502],
    ['SVG as a chat', 'image/svg+xml', svg, chatForm, 502],
    ['HTML as speech', 'text/html', html, speechForm, 502],
    ['HTML as nameless speech', 'application/octet-stream', html, speechForm, 200],
    ['SVG as speech', 'image/svg+xml', svg, speechForm, 200],
    ['SVG as another picture', 'image/png', svg, speechForm, 200],
  ])('%s of an upstream runs no script on the console’s origin', async (_what, type, body, form, status) => {
    asked.length = 0;
    next = { type, body: body() };
    expect(await submit(app.url, `${app.url}/form-of-the-same-origin`, form)).toBe(status);
    expect(asked).toContain(form.target);
    expect(ran()).toBe(false);
  });

  test('a form on another site does not reach an upstream', async () => {
    asked.length = 0;
    next = { type: 'application/json', body: answered };
    expect(await submit(app.url, 'http://evil.example/form')).toBe(415);
    expect(asked).toEqual([]);
  });
});
