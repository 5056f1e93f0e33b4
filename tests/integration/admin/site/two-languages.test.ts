// What operators write can have an English version: the reader gets their language, the other when only one is written.
// Bodies without the second version are those of before and keep working.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROOT_PASSWORD, startApplication, type TestApplication } from '#tests/support/application.ts';

setDefaultTimeout(60_000);

let app: TestApplication;
beforeAll(async () => {
  app = await startApplication();
});
afterAll(() => app.close());

const ask = async (path: string, language: 'zh' | 'en') =>
  (await app.request(path, { language })).body.data as string;
const page = async (path: string) =>
  await (await fetch(`${app.url}${path}`, { headers: { Accept: 'text/html' } })).text();
const root = async () => app.client(await app.login('root', ROOT_PASSWORD));

const TEXTS = [
  ['/api/notice', 'Notice', 'NoticeEn'],
  ['/api/about', 'About', 'AboutEn'],
  ['/api/home_page_content', 'HomePageContent', 'HomePageContentEn'],
] as const;

test.each(TEXTS)('%s is answered in the language of the request', async (path, key, english) => {
  await app.settings.set(key, '原文', 0);
  expect([await ask(path, 'zh'), await ask(path, 'en')]).toEqual(['原文', '原文']);
  await app.settings.set(english, 'the text', 0);
  expect([await ask(path, 'zh'), await ask(path, 'en')]).toEqual(['原文', 'the text']);
  // A client that says nothing of languages reads what it always read.
  const plain = (await (await fetch(`${app.url}${path}`)).json()) as { data: string };
  expect(plain.data).toBe('原文');
  await app.settings.reset(key, 0);
  expect([await ask(path, 'zh'), await ask(path, 'en')]).toEqual(['the text', 'the text']);
  await app.settings.reset(english, 0);
});

test('notice, home and footer of the public pages, and a framed page of each language', async () => {
  await app.settings.set('Notice', '周一休息', 0);
  await app.settings.set('NoticeEn', 'closed on *Monday*<script>alert(1)</script>', 0);
  await app.settings.set('Footer', '<b>中文页脚</b>', 0);
  await app.settings.set('FooterEn', '<b onclick=alert(1)>English foot</b>', 0);
  const english = await page('/?lang=en');
  expect(english).toContain('closed on <em>Monday</em>');
  expect(english).toContain('<b>English foot</b>');
  expect(english).not.toMatch(/周一休息|中文页脚|alert\(1\)/);
  const chinese = await page('/?lang=zh');
  expect(chinese).toContain('周一休息');
  expect(chinese).not.toContain('English foot');

  await app.settings.set('HomePageContent', '<!doctype html><html><body>中文首页</body></html>', 0);
  await app.settings.set('HomePageContentEn', 'https://front.example/en', 0);
  const framed = await fetch(`${app.url}/?lang=en`, { headers: { Accept: 'text/html' } });
  expect(framed.headers.get('content-security-policy')).toContain('https://front.example');
  expect(await framed.text()).toContain('src="https://front.example/en"');
  expect(await page('/?lang=zh')).toContain('/content/home?lang=zh&amp;v=');
  await app.settings.set('HomePageContentEn', '<!doctype html><html><body>English home</body></html>', 0);
  expect(await page('/content/home?lang=zh')).toContain('中文首页');
  expect(await page('/content/home?lang=en')).toContain('English home');
  for (const key of [
    'Notice',
    'NoticeEn',
    'Footer',
    'FooterEn',
    'HomePageContent',
    'HomePageContentEn',
  ] as const)
    await app.settings.reset(key, 0);
});

test('announcements and questions have an English version, also on the first page', async () => {
  const client = await root();
  const old = await client.faq.create({ body: { question: '怎么付款？', answer: '刷卡' } });
  expect(old).toMatchObject({ question_en: '', answer_en: '' });
  const both = await client.faq.create({
    body: {
      question: '在哪里？',
      question_en: 'Where?',
      answer: '这里',
      answer_en: 'Here<script>alert(1)</script>',
    },
  });
  expect(both.answer_en).toBe('Here');
  await client.announcements.create({
    body: { title: '维护', title_en: 'Maintenance', content: '周日', content_en: 'On Sunday' },
  });
  const english = await page('/?lang=en');
  for (const part of ['怎么付款？', 'Where?', 'Here', 'Maintenance', 'On Sunday'])
    expect(english).toContain(part);
  expect(english).not.toMatch(/在哪里|周日|alert\(1\)/);
  expect(await page('/?lang=zh')).toContain('在哪里？');

  // A save that does not name the English version leaves it.
  const { id, question, answer } = both;
  const kept = await client.faq.change({
    params: { id },
    body: { question: '在何处？', answer, based_on: { question, answer } },
  });
  expect(kept).toMatchObject({ question: '在何处？', question_en: 'Where?', answer_en: 'Here' });
});

test('a plan has an English name where it is sold, and what was bought shows it until the plan is renamed', async () => {
  const client = await root();
  const fields = {
    duration_unit: 'month',
    duration_count: 1,
    quota: 1000,
    reset: 'never',
    price_quota: 100,
    on_sale: true,
  } as const;
  const plan = await client.plans.create({
    body: { ...fields, name: '入门版', name_en: 'Starter', description: '便宜', description_en: 'cheap' },
  });
  expect(plan).toMatchObject({ name: '入门版', name_en: 'Starter', description_en: 'cheap' });
  expect(await page('/plans?lang=en')).toMatch(/Starter[^]*cheap/);
  expect(await page('/plans?lang=zh')).toMatch(/入门版[^]*便宜/);

  const buyer = await app.actor({ quota: 1_000_000 });
  const bought = await app.client(buyer).plans.buy({
    params: { id: plan.id },
    body: { request_id: 'request-0001', price_quota: 100 },
  });
  expect(bought).toMatchObject({ plan_name: '入门版', plan_name_en: 'Starter' });
  await client.plans.change({
    params: { id: plan.id },
    body: { ...fields, name: '基础版', name_en: 'Basic', based_on: { name: '入门版' } },
  });
  const { subscriptions } = await app.client(buyer).plans.own();
  expect(subscriptions[0]).toMatchObject({ plan_name: '入门版', plan_name_en: '' });
});
