// The public pages over HTTP, as a search engine or a reader without scripts gets them: content, head, languages, cache, and
// nothing that is not for everybody.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI from 'openai';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';

setDefaultTimeout(60_000);

const UPSTREAM = 'http://127.0.0.1:9/secret-upstream';
const SITE = 'https://lantern.example';
const HTML = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const PAGES = [
  '/',
  '/models',
  '/models/house-chat',
  '/models/house-drawing',
  '/models/org/with-slash',
  '/plans',
  '/status',
];
/** Words of the operator's side that no page may have. */
const PRIVATE = [
  'staff',
  'secret-channel',
  'secret-upstream',
  'disabled-channel',
  'never-priced',
  'gpt-5"',
  '127.0.0.1',
];

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let user: Actor;
  let key: string;

  beforeAll(async () => {
    app = await startApplication({
      database,
      settings: {
        SystemName: 'Paper <Lantern>',
        ServerAddress: SITE,
        GroupRatio: '{"default":1,"vip":0.5,"staff":0.1}',
        UserUsableGroups: '{"default":"Everybody","vip":"Fast"}',
        ModelPrice: '{"house-drawing":0.04}',
        ModelRatio: '{"house-chat":1.5,"staff-model":1}',
        CompletionRatio: '{"house-chat":4}',
      },
    });
    await addChannel(app.store, {
      base_url: UPSTREAM,
      name: 'secret-channel',
      models: [
        'gpt-4o-mini',
        'claude-sonnet-4-5',
        'house-chat',
        'house-drawing',
        'org/with-slash',
        'never-priced',
      ],
      groups: ['default', 'vip'],
    });
    await app.settings.set('ModelRatio', '{"house-chat":1.5,"staff-model":1,"org/with-slash":2}', 0);
    await addChannel(app.store, { base_url: UPSTREAM, models: ['staff-model'], groups: ['staff'] });
    await addChannel(app.store, {
      base_url: UPSTREAM,
      name: 'disabled-channel',
      models: ['gpt-5'],
      fields: { status: 2 },
    });
    user = await app.actor({ quota: 1_000_000 });
    const [token] = await app.client(user).tokens.create({ body: { name: 'mine' } });
    key = `sk-${token?.key}`;
  });
  afterAll(() => app.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${app.url}${path}`, { headers: { ...HTML, ...headers }, redirect: 'manual' });
  const page = async (path: string, headers: Record<string, string> = {}) =>
    await (await get(path, headers)).text();

  describe.each(PAGES)('%s', (path) => {
    test.each(['zh', 'en'] as const)(
      'D7 %s has its content, title, description, previews and canonical',
      async (language) => {
        const response = await get(`${path}?lang=${language}`);
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        const html = await response.text();
        expect(html).toStartWith('<!doctype html>');
        expect(html).toContain(`<html lang="${language === 'zh' ? 'zh-CN' : 'en'}"`);
        expect(html).toMatch(/<title>[^<]*Paper &lt;Lantern&gt;<\/title>/);
        const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(html) ?? [];
        expect(description.length).toBeGreaterThan(20);
        expect(html).toContain(`<link rel="canonical" href="${SITE}${path}?lang=${language}"/>`);
        for (const other of ['zh-CN', 'en', 'x-default']) expect(html).toContain(`hreflang="${other}"`);
        expect(html).toContain('<meta property="og:site_name" content="Paper &lt;Lantern&gt;"/>');
        for (const name of ['og:title', 'og:description', 'og:url', 'og:image'])
          expect(html).toContain(`property="${name}"`);
        expect(html).toContain('name="twitter:card"');
        expect(/<main[^>]*>(.*)<\/main>/s.exec(html)?.[1]?.length).toBeGreaterThan(300);
        // One heading of the first level, and no script or style inside the page.
        expect(html.match(/<h1/g)).toHaveLength(1);
        expect(html).not.toMatch(/<script(?![^>]*(?:src=|ld\+json))/);
        expect(html).not.toMatch(/ on[a-z]+=/);
      },
    );

    test('shows nothing that is not for everybody', async () => {
      for (const query of ['?lang=en', '?lang=zh', '?group=staff', '?compare=staff-model,gpt-5'])
        for (const word of PRIVATE) {
          // What the reader typed into the address comes back in the field and in the link to the other language.
          const html = (await page(`${path}${query}`)).replace(
            /name="q"[^>]*>|class="language" href="[^"]*"/g,
            '',
          );
          expect([query, word, html.includes(word)]).toEqual([query, word, false]);
        }
    });

    test('is in the site map in both languages', async () => {
      const map = await page('/sitemap.xml');
      for (const language of ['zh', 'en'])
        expect(map).toContain(`<loc>${SITE}${path}?lang=${language}</loc>`);
    });

    test('is sent once: an unchanged page is 304', async () => {
      const first = await get(path, { 'Accept-Encoding': 'gzip' });
      await first.text();
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+-gzip"$/);
      expect(first.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=5, must-revalidate');
      const again = await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': etag });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
    });
  });

  describe('language', () => {
    test('an address without one follows the browser, and its links do not name it', async () => {
      const zh = await get('/', { 'Accept-Language': 'zh-CN,zh;q=0.9' });
      expect(zh.headers.get('vary')).toContain('Accept-Language');
      expect(await zh.text()).toContain('一个地址，接入各家模型。');
      const en = await page('/', { 'Accept-Language': 'en-US' });
      expect(en).toContain('One address for every model.');
      expect(en).toContain('href="/models"');
      expect(await page('/?lang=en', { 'Accept-Language': 'zh-CN' })).toContain('href="/models?lang=en"');
    });
  });

  describe('models', () => {
    test('prices are those that a call pays, in the group of the address', async () => {
      const prices = async (query: string) => {
        const html = await page(`/models/house-chat?lang=en${query}`);
        const [, cells = ''] = /id="price".*?<div class="cells">(.*?)<\/section>/s.exec(html) ?? [];
        return [...cells.matchAll(/class="sign">\$<\/span>([\d.]+)/g)].map(([, digits]) => digits);
      };
      expect((await prices('')).slice(0, 2)).toEqual(['3.00', '12.00']);
      expect((await prices('&group=vip')).slice(0, 2)).toEqual(['1.50', '6.00']);
      expect((await prices('&group=staff')).slice(0, 2)).toEqual(['3.00', '12.00']);
      const drawing = await page('/models/house-drawing?lang=en');
      expect(drawing).toContain('0.04');
    });

    test('the list can be searched and narrowed by address alone', async () => {
      const names = async (query: string) =>
        [...(await page(`/models${query}`)).matchAll(/<tr data-text="(\S+) /g)]
          .map(([, name]) => name)
          .sort();
      expect(await names('')).toEqual([
        'claude-sonnet-4-5',
        'gpt-4o-mini',
        'house-chat',
        'house-drawing',
        'org/with-slash',
      ]);
      expect(await names('?q=HOUSE')).toEqual(['house-chat', 'house-drawing']);
      expect(await names('?vendor=OpenAI')).toEqual(['gpt-4o-mini']);
      expect(await names('?q=nothing-like-it')).toEqual([]);
    });

    test('a comparison has an address', async () => {
      const html = await page('/models?compare=house-chat,gpt-4o-mini&lang=en');
      const [, table = ''] = /<table class="comparison">(.*?)<\/table>/s.exec(html) ?? [];
      expect(table).toContain('house-chat');
      expect(table).toContain('$</span>12.00');
      expect(html).toContain('name="robots" content="noindex"');
    });

    test('the calculator answers a form without scripts', async () => {
      const html = await page('/models/house-chat?lang=en&calls=100&input=1000&cached=0&output=500');
      // (1000 × 3 + 500 × 12) ÷ 1M = $0.009, 100 a day for 30 days: $27.
      expect(html).toContain('<b data-result="call">$0.009</b>');
      expect(html).toMatch(/data-result="month">\$27\.00</);
    });

    test('a change of price is a step of the history', async () => {
      await app.settings.set('ModelRatio', '{"house-chat":1,"staff-model":1,"org/with-slash":2}', 0);
      const html = await page('/models/house-chat?lang=en');
      expect(html).toContain('↘ −33.3%');
      expect(/[1-9]\d* changes? since \d/.test(html)).toBe(true);
      expect(html).toContain('$8.00');
    });

    test('an unknown name is 404 with the closest ones, and not in a search engine', async () => {
      const response = await get('/models/house-chad?lang=en');
      expect(response.status).toBe(404);
      const html = await response.text();
      expect(html).toContain('content="noindex"');
      expect(html).toContain('href="/models/house-chat?lang=en"');
    });

    test('D2: the sample names a model that is sold here, and this address', async () => {
      const html = await page('/?lang=en');
      const [, code = ''] = /<code id="example-curl-code">(.*?)<\/code>/s.exec(html) ?? [];
      expect(code).toContain(`curl ${SITE}/v1/chat/completions`);
      const [, name = ''] = /model&quot;: &quot;([^&]+)&quot;/.exec(code) ?? [];
      expect((await get(`/models/${name}`)).status).toBe(200);
    });

    test('programs get the list they always got', async () => {
      const client = new OpenAI({ apiKey: key, baseURL: app.url, maxRetries: 0 });
      const listed = [];
      for await (const model of client.models.list()) listed.push(model.id);
      expect(listed.sort()).toEqual([
        'claude-sonnet-4-5',
        'gpt-4o-mini',
        'house-chat',
        'house-drawing',
        'org/with-slash',
      ]);
      expect((await client.models.retrieve('house-chat')).id).toBe('house-chat');
      const refused = await fetch(`${app.url}/models`, { headers: { Accept: 'application/json' } });
      expect(refused.status).toBe(401);
      const withKey = await fetch(`${app.url}/models`, {
        headers: { ...HTML, Authorization: `Bearer ${key}` },
      });
      expect(withKey.headers.get('content-type')).toContain('application/json');
      await withKey.json();
    });

    test('the operator can take the catalogue and the figures away', async () => {
      await app.settings.set('PublicMeasuredEnabled', 'false', 0);
      expect(await page('/models?lang=en')).not.toContain('First token');
      await app.settings.set('PublicModelsEnabled', 'false', 0);
      try {
        for (const path of ['/', '/sitemap.xml']) expect(await page(path)).not.toContain('house-chat');
        expect(await page('/models/house-chat')).not.toContain('house-chat');
      } finally {
        await app.settings.reset('PublicModelsEnabled', 0);
        await app.settings.reset('PublicMeasuredEnabled', 0);
      }
      expect(await page('/')).toContain('house-chat');
    });
  });

  describe('structured data', () => {
    const structured = async (path: string) => {
      const [, text = ''] =
        /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await page(`${path}?lang=en`)) ?? [];
      return JSON.parse(text) as Record<string, unknown>;
    };

    test('a model is a product with the price that visitors pay', async () => {
      const product = await structured('/models/claude-sonnet-4-5');
      expect(product).toMatchObject({ '@type': 'Product', name: 'claude-sonnet-4-5' });
      expect(product['offers']).toMatchObject({
        priceCurrency: 'USD',
        price: 3,
        priceSpecification: [
          { price: 3, unitText: '1M input tokens' },
          { price: 15, unitText: '1M output tokens' },
        ],
        seller: { name: 'Paper <Lantern>' },
      });
    });

    test('the catalogue is a list of its models, and what is not for everybody is in none', async () => {
      const list = JSON.stringify(await structured('/models'));
      expect(list).toContain(`${SITE}/models/house-chat`);
      expect(list).not.toContain('staff-model');
    });

    test('questions of the first page are in its data', async () => {
      const root = app.client(await app.login('root', ROOT_PASSWORD));
      await root.faq.create({ body: { question: 'Is </script> safe?', answer: 'It **is**.' } });
      const data = JSON.stringify(await structured('/'));
      expect(data).toContain('FAQPage');
      expect(data).toContain('Is </script> safe?');
      expect(data).toContain('It is.');
    });
  });

  describe("the operator's texts", () => {
    const ATTACK =
      '<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">go</a><iframe src="/"></iframe>';

    test('terms, privacy and contact are pages in both languages once they have a text', async () => {
      expect(await page('/terms')).not.toContain('class="prose"');
      expect(await page('/')).not.toContain('href="/terms');
      await app.settings.set('TermsZh', `# 条款\n\n请勿滥用。${ATTACK}`, 0);
      await app.settings.set('TermsEn', `# Rules\n\nBe kind.${ATTACK}`, 0);
      const html = await page('/terms?lang=en');
      expect(html).toContain('<h1>Rules</h1>');
      expect(html).not.toMatch(/alert\(1\)|javascript:|<iframe/);
      expect(await page('/terms?lang=zh')).toContain('请勿滥用。');
      expect(await page('/?lang=en')).toContain('href="/terms?lang=en"');
      expect(await page('/sitemap.xml')).toContain(`${SITE}/terms?lang=en`);
    });

    test('a home page of the operator takes the place of the shop at once', async () => {
      await app.settings.set('HomePageContent', `# Welcome\n\n${ATTACK}`, 0);
      const html = await page('/?lang=en');
      expect(html).toContain('<h1>Welcome</h1>');
      expect(html).not.toMatch(/alert\(1\)|javascript:|<iframe/);
      expect(html).not.toContain('Base URL');
      await app.settings.set('HomePageContent', 'https://front.example/start', 0);
      const framed = await get('/?lang=en');
      expect(framed.headers.get('content-security-policy')).toContain('https://front.example');
      expect(await framed.text()).toMatch(
        /<iframe[^>]*src="https:\/\/front\.example\/start"[^>]*sandbox="allow-scripts allow-popups allow-forms"/,
      );
      await app.settings.reset('HomePageContent', 0);
      expect(await page('/?lang=en')).toContain('Base URL');
    });

    test('notice, footer, questions and announcements are on the first page', async () => {
      const root = app.client(await app.login('root', ROOT_PASSWORD));
      await app.settings.set('Notice', `closed on *Monday*${ATTACK}`, 0);
      await app.settings.set('Footer', '<b>ICP 1</b>', 0);
      await root.faq.create({ body: { question: 'How <do> I pay?', answer: 'By **card**.' } });
      await root.announcements.create({
        body: { title: 'Sunday', content: 'We *rest*.', audience: 'everybody' },
      });
      await root.announcements.create({
        body: { title: 'Inside', content: 'users only', audience: 'users' },
      });
      const html = await page('/?lang=en');
      for (const part of [
        'closed on <em>Monday</em>',
        '<b>ICP 1</b>',
        'How &lt;do&gt; I pay?',
        '<strong>card</strong>',
        'Sunday',
      ])
        expect(html).toContain(part);
      expect(html).not.toMatch(/alert\(1\)|users only/);
      await app.settings.reset('Notice', 0);
      await app.settings.reset('Footer', 0);
    });
  });

  test('stylesheet and script have addresses that change with their content', async () => {
    const html = await page('/');
    for (const [, address = ''] of html.matchAll(/(?:src|href)="(\/site\/[^"]+)"/g)) {
      const response = await get(address);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toContain('immutable');
      expect((await response.text()).length).toBeGreaterThan(1000);
    }
  });

  test('robots.txt names the site map', async () => {
    expect(await page('/robots.txt')).toContain(`Sitemap: ${SITE}/sitemap.xml`);
  });
});
