// Stored markup in every stored text, shown on every page that renders it: nothing runs, no part of
// it becomes an element of the page, and the browser's policy blocks nothing. The operator's content is
// written to the database, past the sanitiser of the save. The id is that of the attack list.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { until, visit, type Visit, type VisitOptions } from '#tests/support/browser.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { addChannel } from '#tests/support/channels.ts';

setDefaultTimeout(120_000);

/** Each sets `window.hacked` when it runs. */
const PAYLOADS = [
  '<img src=x onerror="window.hacked=1">',
  '<script>window.hacked=2</script>',
  '<svg onload="window.hacked=3"><animate onbegin="window.hacked=3" attributeName=x dur=1s></svg>',
  '<iframe srcdoc="<script>parent.window.hacked=4</script>"></iframe>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hacked=5&gt;">',
  '[click](javascript:window.hacked=6)',
  '<a href="java&#10;script:window.hacked=7">go</a>',
  '<form action="javascript:window.hacked=8"><button autofocus>go</button></form>',
  '<details open ontoggle="window.hacked=9">x</details>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/">',
  '"><img src=x onerror=window.hacked=10>',
  '{{constructor.constructor("window.hacked=11")()}}',
];
const ALL = PAYLOADS.join('\n\n');
/** Names are short: each object gets another payload. */
const NAME = '<img src=x onerror="window.hacked=12">';
const SHORT = '<svg/onload=hacked=1>';

let application: TestApplication;
let root: Actor;

beforeAll(async () => {
  application = await startApplication();
  root = await application.actor({ role: ROLE.root, quota: 1_000_000, row: { display_name: SHORT } });
  const save = async (key: string, value: string) =>
    (await application.request('/api/option/', { method: 'PUT', as: root, body: { key, value } })).body
      .success;
  await application.store.db
    .insertInto('options')
    .values(
      Object.entries({
        Notice: ALL,
        HomePageContent: `# planted home\n\n${ALL}`,
        About: `# planted about\n\n${ALL}`,
        Footer: `<b>planted footer</b>${ALL}`,
      }).map(([key, value]) => ({ key, value, updated_at: 1 })),
    )
    .execute();
  await application.settings.reload();
  for (const [key, value] of [
    ['SystemName', NAME],
    ['Logo', '"><img src=x onerror=window.hacked=13>'],
    ['GroupRatio', JSON.stringify({ default: 1, [NAME]: 1 })],
    ['UserUsableGroups', JSON.stringify({ default: NAME, [NAME]: NAME })],
    ['ModelRatio', JSON.stringify({ [NAME]: 1 })],
    ['Chats', JSON.stringify([{ [NAME]: 'https://chat.example/#k={key}' }])],
  ] as const)
    expect([key, await save(key, value)]).toEqual([key, true]);
  // Script addresses are refused on save.
  for (const [key, value] of [
    ['Chats', '[{"x":"javascript:window.hacked=14"}]'],
    ['ServerAddress', 'javascript:window.hacked=14'],
  ] as const)
    expect([key, await save(key, value)]).toEqual([key, false]);
  const { store } = application;
  const channel = await addChannel(store, {
    base_url: 'http://127.0.0.1:9',
    models: [NAME],
    name: NAME,
    fields: { tag: SHORT, status: 3, other_info: JSON.stringify({ status_reason: ALL, status_time: 1 }) },
  });
  await application.client(root).tokens.create({ body: { name: SHORT, group: NAME } });
  await application.createUser({ username: SHORT, group: NAME, row: { display_name: NAME } });
  const now = Math.floor(Date.now() / 1000);
  const line = {
    user_id: root.id,
    username: SHORT,
    token_name: NAME,
    model_name: NAME,
    channel_id: channel,
    quota: 10,
    prompt_tokens: 1,
    completion_tokens: 1,
  };
  await store.db
    .insertInto('logs')
    .values([
      {
        ...line,
        created_at: now - 60,
        type: 2,
        content: ALL,
      },
      { ...line, created_at: now - 50, type: 5, content: ALL },
      { ...line, created_at: now - 40, type: 4, content: ALL },
    ])
    .execute();
});
afterAll(() => application.close());

/** A visit that records the policy reports of the browser, also of documents without a window. */
async function watchedVisit(options: VisitOptions): Promise<Visit> {
  const at = await visit(application, options);
  await at.context.addInitScript(`
    window.reports = [];
    addEventListener('securitypolicyviolation', (event) =>
      window.reports.push(event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample));
  `);
  return at;
}

/** Planted markup that became an element, ran, or was blocked. */
async function expectHarmless({ page, problems }: Visit, where: string): Promise<void> {
  const planted = await page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter((element) => element.getAttributeNames().some((name) => name.startsWith('on')) ||
      /^\\s*java\\s*script:/i.test(element.getAttribute('href') ?? '') ||
      element.matches('base, iframe[srcdoc]:not([sandbox]), meta[http-equiv=refresh], form[action^=java]'))
    .map((element) => element.outerHTML.slice(0, 200))`);
  expect([where, planted]).toEqual([where, []]);
  expect([where, await page.evaluate('window.hacked')]).toEqual([where, undefined]);
  expect([where, await page.evaluate('window.reports')]).toEqual([where, []]);
  const stopped = problems.filter((text) =>
    /content security policy|trusted ?(type|html|script)|refused to|violates/i.test(text),
  );
  expect([where, stopped]).toEqual([where, []]);
}

const visitorPages = ['/', '/about', '/login', '/register', '/reset', '/pricing'];
test('S11 a visitor sees planted markup as text, on every public page (plan S11)', async () => {
  await using at = await watchedVisit({ language: 'zh' });
  for (const path of visitorPages) {
    await at.page.goto(path);
    await until(at.page, `document.body.innerText.includes(${JSON.stringify('onerror')})`);
    await expectHarmless(at, path);
  }
  faultSeen(
    'S11',
    `${PAYLOADS.length} payloads on ${visitorPages.length} public pages: none ran, 0 reports of the policy`,
  );
});

const consolePages: readonly [string, string][] = [
  ['/token', SHORT],
  ['/log', NAME],
  ['/channel', NAME],
  ['/user', SHORT],
  ['/pricing', NAME],
  ['/detail', NAME],
  ['/personal', SHORT],
  ['/audit', 'option'],
  ['/setting', ''],
  ['/setting?tab=operation', NAME],
  ['/setting?tab=system', ''],
  ['/setting?tab=other', ''],
  ['/setting?tab=other&history=true', 'SystemName'],
  ['/playground', ''],
  ['/chat', ''],
];
test('S11 the super admin sees it as text, on every page of the console (plan S11)', async () => {
  await using at = await watchedVisit({ language: 'en', as: root });
  for (const [path, shown] of consolePages) {
    await at.page.goto(path);
    await at.page.getByRole('heading').first().waitFor();
    await until(at.page, `document.body.innerText.includes(${JSON.stringify(shown)})`);
    await expectHarmless(at, path);
  }
  faultSeen('S11', `and on ${consolePages.length} pages of the console`);
});

test('S11 rows that open, drawers and forms show it as text, too (plan S11)', async () => {
  await using at = await watchedVisit({ language: 'en', as: root });
  const { page } = at;
  await page.goto('/log');
  await page.getByRole('row').filter({ hasText: NAME }).first().click();
  await expectHarmless(at, 'a row of the log');
  const users = await application.store.db
    .selectFrom('users')
    .select('id')
    .where('username', '=', SHORT)
    .executeTakeFirstOrThrow();
  const channels = await application.store.db.selectFrom('channels').select('id').executeTakeFirstOrThrow();
  for (const [path, name] of [
    [`/user/edit/${users.id}`, 'Edit user'],
    [`/channel/edit/${channels.id}`, 'Edit channel'],
  ] as const) {
    await page.goto(path);
    await page.getByRole('heading', { name }).waitFor();
    await expectHarmless(at, path);
  }
  faultSeen('S11', 'and in rows, drawers and forms');
});

test('S13 a login returns to pages of this site only, and an address that is code becomes no link (plan S13)', async () => {
  const targets = [
    'https://evil.example/',
    '//evil.example/',
    '/\t/evil.example/',
    'javascript:window.hacked=15',
  ];
  await using at = await watchedVisit({ language: 'en', as: root });
  const left: string[] = [];
  at.page.on('request', (request) => {
    if (!request.url().startsWith(application.url) && !request.url().startsWith('data:'))
      left.push(request.url());
  });
  for (const target of targets) {
    await at.page.goto(`/login?next=${encodeURIComponent(target)}`);
    await at.page.waitForURL('**/token');
    expect([target, at.page.url()]).toEqual([target, `${application.url}/token`]);
  }
  await at.page.goto(`/login?next=${encodeURIComponent('/log')}`);
  await at.page.waitForURL('**/log');
  expect(left).toEqual([]);
  expect(await at.page.evaluate('window.hacked')).toBeUndefined();
  const save = async (key: string) => {
    const body = { key, value: 'javascript:window.hacked=15' };
    return (await application.request('/api/option/', { method: 'PUT', as: root, body })).body.success;
  };
  for (const key of ['PayAddress', 'ServerAddress', 'ChatLink', 'ChatLink2', 'TopUpLink'])
    expect([key, await save(key)]).toEqual([key, false]);
  for (const path of ['/topup', '/chat']) {
    await at.page.goto(path);
    await at.page.getByRole('heading').first().waitFor();
    await expectHarmless(at, path);
  }
  faultSeen(
    'S13',
    `${targets.length} foreign pages after a login, 5 settings with code as an address: refused`,
  );
});
