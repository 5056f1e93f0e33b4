// /docs over HTTP: a page of the server for visitors and search engines, the console for users.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DocumentArticle, DocumentSection } from '#contract/admin/documents.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

const SITE = 'https://lantern.example';
const HTML = { Accept: 'text/html' };

let folder: string;
let app: TestApplication;
let user: Actor;

const list: DocumentSection[] = [
  {
    name: { zh: '接入', en: 'Connect' },
    audience: 'customers',
    pages: [
      {
        slug: 'connect',
        en: {
          title: 'Connect your client',
          headings: [{ level: 2, text: 'Claude Code', id: 'claude-code' }],
        },
        zh: { title: '接入客户端', headings: [] },
      },
      {
        slug: 'troubleshooting',
        en: {
          title: 'Troubleshooting',
          headings: [],
          codes: [{ id: 'no_price', text: 'no_price: no price' }],
        },
      },
    ],
  },
  {
    name: { zh: '运行', en: 'Operate' },
    audience: 'operators',
    pages: [{ slug: 'start', en: { title: 'Start', headings: [] } }],
  },
];
const article: DocumentArticle = {
  description: 'Make a key, then give your program two things.',
  html: `<h1>Connect your client</h1><p>See <a href="/docs/troubleshooting#no_price">errors</a>.</p><pre><code>curl http://localhost:3000/v1 gpt-4o-mini ws://localhost:3000/v1/realtime</code></pre>`,
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'docs-'));
  mkdirSync(path.join(folder, 'documents'));
  const files = {
    'index.html': '<!doctype html><title>console</title>',
    'documents/list.json': JSON.stringify(list),
    'documents/connect.en.json': JSON.stringify(article),
    'documents/connect.zh.json': JSON.stringify({ ...article, html: '<h1>接入客户端</h1>' }),
    'documents/troubleshooting.en.json': JSON.stringify({ ...article, html: '<h1>Troubleshooting</h1>' }),
    'documents/start.en.json': JSON.stringify({ ...article, html: '<h1>Start</h1>' }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  app = await startApplication({ consoleDirectory: folder, settings: { ServerAddress: SITE } });
  await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4.1-nano'] });
  user = await app.actor();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${address}`, { headers: { ...HTML, ...headers }, redirect: 'manual' });

describe('a visitor', () => {
  test('reads the first page of customers, with the address and a model of this site', async () => {
    const response = await get('/docs?lang=en');
    const html = await response.text();
    expect(html).toContain('<title>Connect your client · ');
    expect(html).toContain(article.description);
    expect(html).toContain(`curl ${SITE}/v1 gpt-4.1-nano wss://lantern.example/v1/realtime`);
    expect(html).toContain('href="/docs/troubleshooting?lang=en#no_price"');
    // What operators read is not in the list of contents.
    expect(html).toContain('href="/docs/troubleshooting?lang=en"');
    expect(html).not.toContain('/docs/start');
    expect(html.match(/<h1/g)).toHaveLength(1);
    expect(await (await get('/docs/connect?lang=zh')).text()).toContain('接入客户端');
    expect(await (await get('/docs/start?lang=zh')).text()).toContain('此页面向开发者，只有英文。');
  });

  test('reads the limits of this site above the errors, as they are set', async () => {
    const limits = async (language: string) => {
      const html = await (await get(`/docs/troubleshooting?lang=${language}`)).text();
      const [, section = ''] = /<section class="site-limits"[^>]*>(.*?)<\/section>/s.exec(html) ?? [];
      return section.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    };
    const english = await limits('en');
    expect(english).toContain('Limits of this site Size of a request 64 MB body_too_large');
    expect(english).toContain('Size of an uploaded file 50 MB file_too_large');
    expect(english).toContain('Wait for an answer to begin 10 min upstream_timeout');
    // 0 is none.
    expect(english).not.toContain('Requests at once');
    await app.settings.set('FileUploadMegabytes', '20', 0);
    await app.settings.set('MaxRequestsPerAddress', '7', 0);
    await app.settings.set('RelayIdleSeconds', '45', 0);
    const chinese = await limits('zh');
    for (const row of ['上传文件的大小 20 MB', '同一 IP 同时进行的请求 7', '回答中途停顿 45 秒'])
      expect(chinese).toContain(row);
    expect(await (await get('/docs/connect?lang=en')).text()).not.toContain('site-limits');
  });

  test('finds titles, headings and error codes; the page of results is not for search engines', async () => {
    const html = await (await get('/docs?lang=en&q=NO_price')).text();
    expect(html).toContain('href="/docs/troubleshooting?lang=en#no_price"');
    expect(html).toContain('name="robots" content="noindex"');
    expect(await (await get('/docs?lang=en&q=claude')).text()).toContain('/docs/connect?lang=en#claude-code');
    expect(await (await get('/docs?lang=en&q=zebra')).text()).toContain('No matching title or error');
    expect(await (await get('/docs?q=%3Cscript%3Ealert(1)')).text()).not.toContain('<script>alert');
  });

  test('and search engines find the pages of customers in the site map', async () => {
    const map = await (await get('/sitemap.xml')).text();
    expect(map).toContain(`<loc>${SITE}/docs/connect?lang=en</loc>`);
    expect(map).not.toContain('/docs/start');
  });
});

describe('the console answers', () => {
  test('a user, and no cache between gives one the answer of the other', async () => {
    const visitors = await get('/docs/connect');
    expect(visitors.headers.get('cache-control')).toStartWith('private');
    expect(visitors.headers.get('vary')).toContain('Cookie');
    const users = await get('/docs/connect', { Cookie: user.cookie });
    expect(await users.text()).toContain('<title>console</title>');
    // What only looks like a session is a visitor.
    expect(await (await get('/docs/connect?lang=en', { Cookie: 'sid=x' })).text()).toContain(
      'Connect your client',
    );
  });

  test('the reference of the API, and pages that do not exist', async () => {
    for (const address of ['/docs/api', '/docs/no-such-page'])
      expect(await (await get(address)).text()).toContain('<title>console</title>');
  });

  test('everybody while the documents are not public', async () => {
    await app.settings.set('PublicDocsEnabled', 'false', 0);
    expect(await (await get('/docs')).text()).toContain('<title>console</title>');
    expect(await (await get('/sitemap.xml')).text()).not.toContain('/docs/');
    await app.settings.set('PublicDocsEnabled', 'true', 0);
  });
});

test('the files behind the pages have no address', async () => {
  for (const name of ['list.json', 'connect.en.json'])
    expect((await get(`/documents/${name}`)).status).toBe(404);
});
