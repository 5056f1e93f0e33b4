// Shoots every screen in both languages, both themes and three widths into test-results/, to be looked at by eye:
// `bun tests/e2e/screenshots.ts [part of a screen's name]`.
import type { Page } from 'playwright-core';
import { LANGUAGES } from '#contract/language.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { screenshot, visit } from '#tests/support/browser.ts';

interface Screen {
  name: string;
  path: string;
  signedIn?: boolean;
  /** What to do before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>;
}

const VIEWPORTS = [
  { width: 375, height: 812 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const THEMES = ['light', 'dark'] as const;

const SCREENS: Screen[] = [
  { name: 'home', path: '/' },
  { name: 'about', path: '/about' },
  { name: 'login', path: '/login' },
  { name: 'login-expired', path: '/login?expired=true' },
  {
    name: 'register',
    path: '/register?aff=AB12',
    prepare: async (page) => {
      await page.locator('input[name=username]').fill('paperboat');
      await page.locator('input[name=password]').fill('zq7Kfmwxp');
      await page.locator('input[name=password2]').fill('zq7');
    },
  },
  { name: 'not-found', path: '/tokens', signedIn: true },
  { name: 'tokens', path: '/token', signedIn: true },
  { name: 'tokens-new', path: '/token?new=1', signedIn: true },
  { name: 'tokens-edit', path: '/token?edit=1', signedIn: true },
  { name: 'tokens-no-match', path: '/token?q=nothing-like-this&status=1', signedIn: true },
  {
    name: 'palette',
    path: '/token',
    signedIn: true,
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
];

const NAMES = [
  'prod-web',
  'agent-runner',
  'claude-code',
  'batch-eval',
  'notebook',
  'reader-ios',
  'old-laptop',
];

async function fill(application: TestApplication, actor: Actor): Promise<void> {
  const { tokens } = application.client(actor);
  for (const [index, name] of NAMES.entries()) {
    const [created] = await tokens.create({
      body: {
        name,
        unlimited_quota: index === 2,
        remain_quota: 5_000_000 * (index + 1),
        model_limits_enabled: index === 1,
        model_limits: index === 1 ? 'gpt-4o-mini,gpt-4o' : '',
        allow_ips: index === 1 ? '203.0.113.0/24\n198.51.100.17' : '',
      },
    });
    if (index === 6 && created)
      await tokens.change({ query: { status_only: 'true' }, body: { id: created.id, status: 2 } });
  }
}

const wanted = process.argv[2] ?? '';
const application = await startApplication();
const actor = await application.actor({ username: 'paperboat', quota: 64_200_000, group: 'vip' });
await fill(application, actor);
let count = 0;
for (const screen of SCREENS.filter(({ name }) => name.includes(wanted))) {
  for (const language of LANGUAGES) {
    for (const theme of THEMES) {
      for (const viewport of VIEWPORTS) {
        await using at = await visit(application, {
          as: screen.signedIn ? actor : undefined,
          language,
          theme,
          viewport,
        });
        await at.page.goto(screen.path);
        await at.page.waitForLoadState('networkidle');
        await screen.prepare?.(at.page);
        await at.page.waitForTimeout(250);
        await screenshot(at.page, `${screen.name}-${language}-${theme}-${viewport.width}`);
        count += 1;
      }
    }
  }
}
await application.close();
process.stdout.write(`${count} pictures in test-results/\n`);
process.exit(0);
