// The pictures of the README, taken from the demo: npm run pictures
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import type { Language } from '#contract/language.ts';
import { CHANNELS, DEMO_PASSWORD } from '#demo/users.ts';
import { browserFile } from '#tests/support/browser-file.ts';
import { startDemo } from '#tests/support/demo.ts';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const CALLS = 24_000;
const PATIENCE_MS = 60_000;

interface Picture {
  name: string;
  as: string;
  path: string;
  language: Language;
  theme: 'light' | 'dark';
  viewport: { width: number; height: number };
  prepare?: (page: Page) => Promise<void>;
}

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };
const EN = { language: 'en', theme: 'light', viewport: DESKTOP } as const;

const ZH = { ...EN, language: 'zh' } as const;
const DASHBOARD = { as: 'root', path: '/detail?days=30&by=day' } as const;
/** The row of a call that the reserve answered after another channel had failed, opened. */
const logsWith = (usage: string) => ({
  as: 'root',
  theme: 'dark' as const,
  path: `/log?channel=${CHANNELS.findIndex(({ name }) => name === 'anthropic-reserve') + 1}`,
  prepare: (page: Page) =>
    page
      .getByRole('row')
      .filter({ has: page.getByText(usage, { exact: true }) })
      .first()
      .click(),
});

const PICTURES: readonly Picture[] = [
  { ...EN, name: 'dashboard', ...DASHBOARD },
  { ...ZH, name: 'dashboard-zh', ...DASHBOARD },
  { ...EN, name: 'channels', as: 'root', path: '/channel' },
  { ...EN, name: 'logs', ...logsWith('Usage') },
  { ...ZH, name: 'logs-zh', ...logsWith('消费') },
  { ...EN, name: 'wallet', as: 'paperboat', path: '/topup' },
  {
    ...EN,
    name: 'playground',
    as: 'paperboat',
    path: '/playground',
    async prepare(page) {
      const box = page.getByRole('textbox', { name: /Type a message/ });
      await box.fill('Which years are leap years?');
      await box.press('Enter');
      await page.getByText('2000').last().waitFor();
    },
  },
  { name: 'phone', as: 'root', path: '/log', language: 'zh', theme: 'dark', viewport: PHONE },
];

async function take(page: Page, { path, viewport, prepare, name }: Picture): Promise<void> {
  await page.setViewportSize(viewport);
  await page.goto(path);
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await prepare?.(page);
  // Moves the pointer away: a tooltip is not part of the picture.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(600);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
}

const demo = await startDemo({ calls: CALLS });
const browser = await chromium.launch({
  executablePath: browserFile(),
  args: ['--headless', '--no-sandbox'],
});
mkdirSync(FOLDER, { recursive: true });
try {
  for (const picture of PICTURES) {
    const { as: username, language, theme } = picture;
    const context = await browser.newContext({
      baseURL: demo.url,
      reducedMotion: 'reduce',
      locale: language === 'zh' ? 'zh-CN' : 'en-US',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    // The session comes by the cookie that the context shares with this call.
    const login = await context.request.post('/api/user/login', {
      data: { username, password: DEMO_PASSWORD },
    });
    const { data: user } = (await login.json()) as { data: unknown };
    const storage = {
      user: JSON.stringify(user),
      i18nextLng: language,
      'theme-mode': theme,
      'demo-tour-seen': '1',
    };
    await page.addInitScript(`for (const [key, text] of Object.entries(${JSON.stringify(storage)}))
      localStorage.setItem(key, text)`);
    await take(page, picture);
    await context.close();
    process.stdout.write(`docs/images/${picture.name}.png\n`);
  }
} finally {
  await browser.close();
  await demo.stop();
}
process.exit(0);
