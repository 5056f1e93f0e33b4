// What a search engine or a link preview reads of the documents, and of the pages of the console that people share.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApplication, type TestApplication } from '#tests/support/application.ts';

setDefaultTimeout(60_000);

const SITE = 'https://lantern.example';
/** The document as it is written: the server finds the places that it fills by their text. */
const INDEX = readFileSync(new URL('../../../../web/index.html', import.meta.url), 'utf8');

let folder: string;
let app: TestApplication;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'heads-'));
  mkdirSync(path.join(folder, 'documents'));
  const page = (title: string) => ({ title, headings: [] });
  const list = [
    {
      name: { zh: '接入', en: 'Connect' },
      audience: 'customers',
      pages: [{ slug: 'connect', en: page('Connect your client'), zh: page('接入客户端') }],
    },
  ];
  const article = (text: string) =>
    JSON.stringify({ description: text, html: `<h1>${text}</h1><p>${text.repeat(20)}</p>` });
  const files = {
    'index.html': INDEX,
    'documents/list.json': JSON.stringify(list),
    'documents/connect.en.json': article('Make a key, then give your program two things.'),
    'documents/connect.zh.json': article('先新建一个令牌，再把地址和令牌这两项填进你要用的客户端程序里。'),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  app = await startApplication({
    consoleDirectory: folder,
    settings: { ServerAddress: SITE, SystemName: 'Paper <Lantern> $&', About: 'Who we are.' },
  });
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(`${app.url}${address}`, { headers: { Accept: 'text/html', ...headers }, redirect: 'manual' });
const htmlOf = async (address: string, headers = {}) => await (await get(address, headers)).text();
const metaOf = (html: string, name: string) =>
  new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"/>`).exec(html)?.[1];

const TITLES = {
  '/docs': ['接入客户端', 'Connect your client'],
  '/docs/connect': ['接入客户端', 'Connect your client'],
  '/pricing': ['模型价格', 'Pricing'],
  '/login': ['登录', 'Sign in'],
  '/register': ['注册', 'Register'],
  '/about': ['关于', 'About'],
} as const;

describe.each(Object.entries(TITLES))('%s', (address, [zh, en]) => {
  test.each([
    ['zh', zh],
    ['en', en],
  ] as const)('D7 %s: title, description, preview and canonical address', async (language, title) => {
    const html = await htmlOf(`${address}?lang=${language}`);
    expect(html).toContain(`<title>${title} · Paper &lt;Lantern&gt; $&amp;</title>`);
    expect(html.match(/<title>/g)).toHaveLength(1);
    expect(html).toContain(`<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"`);
    expect(metaOf(html, 'description')?.length).toBeGreaterThan(20);
    expect(metaOf(html, 'og:title')).toBe(title);
    expect(metaOf(html, 'og:description')).toBe(metaOf(html, 'description'));
    expect(metaOf(html, 'og:site_name')).toBe('Paper &lt;Lantern&gt; $&amp;');
    expect(metaOf(html, 'og:image')).toBe(`${SITE}/logo.png`);
    expect(metaOf(html, 'twitter:card')).toBe('summary');
    expect(metaOf(html, 'og:url')).toStartWith(`${SITE}/`);
    expect(html).toMatch(new RegExp(`<link rel="canonical" href="${SITE}/[\\w/]+\\?lang=${language}"/>`));
    for (const other of ['zh-CN', 'en', 'x-default']) expect(html).toContain(`hreflang="${other}"`);
  });
});

describe('a page of the console that people share', () => {
  test('is the console, in the language that the browser asks for', async () => {
    const response = await get('/register', { 'Accept-Language': 'en-US' });
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(response.headers.get('vary')).toContain('Accept-Language');
    const html = await response.text();
    expect(html).toContain('<div id="root">');
    expect(html).toContain('<title>Register · ');
    expect(html).toContain('<noscript>Paper &lt;Lantern&gt; $&amp; needs JavaScript.');
    expect(html).not.toContain('Tollgate');
  });

  test('a preview of an invitation leads to the invitation; of other parameters it keeps none', async () => {
    const html = await htmlOf('/register?lang=en&aff=q7Xk&next=%2Ftoken');
    expect(metaOf(html, 'og:url')).toBe(`${SITE}/register?aff=q7Xk&amp;lang=en`);
    expect(html).toContain(`<link rel="canonical" href="${SITE}/register?lang=en"/>`);
    expect(metaOf(await htmlOf('/pricing?lang=en&aff=q7Xk'), 'og:url')).toBe(`${SITE}/pricing?lang=en`);
  });

  test('an unchanged one is 304, and another name of the site changes it at once', async () => {
    const first = await get('/pricing?lang=en');
    await first.text();
    const etag = first.headers.get('etag') ?? '';
    const again = await get('/pricing?lang=en', { 'If-None-Match': etag });
    expect(again.status).toBe(304);
    await app.settings.set('SystemName', 'Lantern', 0);
    expect(await htmlOf('/pricing?lang=en')).toContain('<title>Pricing · Lantern</title>');
  });

  test('prices and About are in the site map, the sign-in and pages for users are for no search engine', async () => {
    const map = await htmlOf('/sitemap.xml');
    for (const listed of ['/pricing', '/about', '/register'])
      expect(map).toContain(`${SITE}${listed}?lang=en`);
    for (const not of ['/login', '/token']) expect(map).not.toContain(`${SITE}${not}`);
    expect(metaOf(await htmlOf('/login'), 'robots')).toBe('noindex');
    expect(metaOf(await htmlOf('/pricing'), 'robots')).toBeUndefined();
    expect((await get('/token')).headers.get('x-robots-tag')).toBe('noindex');
    expect((await get('/pricing')).headers.get('x-robots-tag')).toBeNull();
  });
});
