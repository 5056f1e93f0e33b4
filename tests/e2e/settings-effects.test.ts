// Options with a visible effect: each is changed on a running installation, and the next page shows it. The
// table of docs/options.md names this file beside the test of the server.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { SettingKey } from '#contract/settings.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { PATIENCE_MS } from '#tests/support/browser-profiles.ts';
import { visit } from '#tests/support/browser.ts';
import { startPatience } from '#tests/support/machine.ts';

setDefaultTimeout(120_000);

const QR = 'data:image/png;base64,iVBORw0KGgo=';

let application: TestApplication;
let user: Actor;

beforeAll(async () => {
  application = await startApplication({
    settings: {
      // Settings that the options below depend on.
      GitHubClientId: 'id',
      GitHubClientSecret: 'secret',
      OIDCIssuer: 'http://127.0.0.1:9',
      OIDCClientId: 'id',
      OIDCClientSecret: 'secret',
      OIDCEnabled: 'true',
      WeChatServerAddress: 'http://127.0.0.1:9',
      WeChatServerToken: 'token',
      WeChatAuthEnabled: 'true',
      TelegramBotToken: '1:token',
      TelegramBotName: 'first_bot',
      TelegramOAuthEnabled: 'true',
      Chats: '[]',
      PayAddress: 'http://127.0.0.1:9',
      EpayId: '1001',
      EpayKey: 'key',
    },
  });
  user = await application.actor({ quota: 500_000 });
});
afterAll(() => application.close());

interface Sight {
  key: SettingKey;
  text: string;
  path: string;
  /** The path of the page, or the steps to see the effect. */
  see: string | ((page: Page) => Promise<unknown>);
  before: unknown;
  after: unknown;
}

const includes = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;
const inMenu = (path: string) => `document.querySelector('nav a[href="${path}"]') !== null`;

/** Opens a dialog of the login page, reads something in it and closes it. */
const inDialog = (button: string, expression: string) => async (page: Page) => {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').waitFor();
  const isOver = startPatience(PATIENCE_MS);
  let seen: unknown;
  while (!(seen = await page.evaluate(expression)) && !isOver()) await Bun.sleep(25);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return seen;
};

const SIGHTS: readonly Sight[] = [
  {
    key: 'SystemName',
    text: 'House Gate',
    path: '/',
    see: 'document.title',
    before: 'Tollgate',
    after: 'House Gate',
  },
  {
    key: 'Logo',
    text: '/logo.png?house',
    path: '/',
    see: `document.querySelector('header img')?.getAttribute('src') ?? null`,
    before: null,
    after: '/logo.png?house',
  },
  {
    key: 'Footer',
    text: '<b>house rules</b>',
    path: '/',
    see: includes('house rules'),
    before: false,
    after: true,
  },
  {
    key: 'Notice',
    text: 'closed on *Monday*',
    path: '/',
    see: includes('closed on Monday'),
    before: false,
    after: true,
  },
  { key: 'Price', text: '6.5', path: '/', see: includes('¥6.50 per $1'), before: false, after: true },
  { key: 'MinTopUp', text: '5', path: '/', see: includes('from $5'), before: false, after: true },
  {
    key: 'ServerAddress',
    text: 'https://gate.example',
    path: '/',
    see: includes('https://gate.example/v1'),
    before: false,
    after: true,
  },
  {
    key: 'About',
    text: 'Run by *three*',
    path: '/about',
    see: includes('Run by three'),
    before: false,
    after: true,
  },
  {
    key: 'OIDCName',
    text: 'House ID',
    path: '/login',
    see: includes('House ID'),
    before: false,
    after: true,
  },
  {
    key: 'GitHubOAuthEnabled',
    text: 'true',
    path: '/login',
    see: includes('GitHub'),
    before: false,
    after: true,
  },
  {
    key: 'TelegramBotName',
    text: 'house_bot',
    path: '/login',
    see: inDialog(
      'Telegram',
      `document.querySelector('[data-telegram-login]')?.getAttribute('data-telegram-login')`,
    ),
    before: 'first_bot',
    after: 'house_bot',
  },
  {
    key: 'WeChatAccountQRCodeImageURL',
    text: QR,
    path: '/login',
    see: inDialog('WeChat', `document.querySelector('[role=dialog] img')?.getAttribute('src') ?? 'none'`),
    before: 'none',
    after: QR,
  },
  {
    key: 'RegisterEnabled',
    text: 'false',
    path: '/login',
    see: includes('Register'),
    before: true,
    after: false,
  },
  {
    key: 'DisplayInCurrencyEnabled',
    text: 'false',
    path: '/setting',
    see: includes('$1.00'),
    before: true,
    after: false,
  },
  {
    key: 'TopUpLink',
    text: 'https://shop.example/codes',
    path: '/topup',
    see: `document.querySelector('a[href="https://shop.example/codes"]') !== null`,
    before: false,
    after: true,
  },
  {
    key: 'DataExportEnabled',
    text: 'false',
    path: '/token',
    see: inMenu('/detail'),
    before: true,
    after: false,
  },
  {
    key: 'ChatLink',
    text: 'https://chat.example',
    path: '/token',
    see: inMenu('/chat'),
    before: false,
    after: true,
  },
  {
    key: 'DefaultCollapseSidebar',
    text: 'true',
    path: '/token',
    see: `document.querySelector('nav[data-collapsed]') !== null`,
    before: false,
    after: true,
  },
];

const FOR_USERS = ['/setting', '/token', '/topup'];

/** The values that the pages show now; polls until they are as expected. */
async function look(when: 'before' | 'after'): Promise<[SettingKey, unknown][]> {
  const seen: [SettingKey, unknown][] = [];
  for (const path of new Set(SIGHTS.map((sight) => sight.path))) {
    await using at = await visit(application, {
      language: 'en',
      ...(FOR_USERS.includes(path) ? { as: user } : {}),
    });
    await at.page.route('https://telegram.org/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: '' }),
    );
    await at.page.goto(path);
    await at.page.getByRole('banner').waitFor();
    for (const sight of SIGHTS.filter((candidate) => candidate.path === path)) {
      const { see } = sight;
      const read = () => (typeof see === 'string' ? at.page.evaluate(see) : see(at.page));
      const isOver = startPatience(PATIENCE_MS);
      let value = await read();
      while (value !== sight[when] && !isOver()) {
        await Bun.sleep(25);
        value = await read();
      }
      seen.push([sight.key, value]);
    }
  }
  return seen;
}

test('what people see of an option changes with it', async () => {
  expect(await look('before')).toEqual(SIGHTS.map(({ key, before }) => [key, before]));
  for (const { key, text } of SIGHTS) await application.settings.set(key, text, 1);
  try {
    expect(await look('after')).toEqual(SIGHTS.map(({ key, after }) => [key, after]));
  } finally {
    for (const { key } of SIGHTS.filter(({ key }) => key !== 'TelegramBotName'))
      await application.settings.reset(key, 1);
  }
});

test('HomePageContent takes the place of the default home', async () => {
  await application.settings.set('HomePageContent', '# A house of its own', 1);
  try {
    await using at = await visit(application, { language: 'en' });
    await at.page.goto('/');
    await at.page.getByRole('heading', { name: 'A house of its own' }).waitFor();
  } finally {
    await application.settings.reset('HomePageContent', 1);
  }
});

test('DataExportInterval: an open dashboard reads its figures again after so many minutes', async () => {
  await application.settings.set('DataExportInterval', '15', 1);
  try {
    await using at = await visit(application, { language: 'en', as: user });
    await at.page.clock.install();
    let reads = 0;
    at.page.on('request', (request) => {
      if (new URL(request.url()).pathname.startsWith('/api/data')) reads += 1;
    });
    await at.page.goto('/detail');
    await at.page.getByRole('heading').first().waitFor();
    await at.page.waitForLoadState('networkidle');
    const first = reads;
    expect(first).toBeGreaterThan(0);
    await at.page.clock.fastForward('14:00');
    await at.page.waitForLoadState('networkidle');
    expect(reads).toBe(first);
    const again = at.page.waitForRequest((request) =>
      new URL(request.url()).pathname.startsWith('/api/data'),
    );
    // A whole interval: an earlier refetch may have restarted it.
    await at.page.clock.fastForward('15:30');
    await again;
  } finally {
    await application.settings.reset('DataExportInterval', 1);
  }
});
