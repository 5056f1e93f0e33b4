// Takes a picture of every screen in both languages and themes, from phone to wide desktop, into test-results/screens/, and
// reports what a program can find: cut or covered text, small targets, Chinese words on an English page, accessibility
// violations, console errors. Exits with 1 when it found any. --stretch gives everything long names, some of them
// written from right to left; --quick leaves out the accessibility check, which takes most of the time.
//   bun tests/e2e/screenshots.ts [parts of screens' names] [--shots zh-light-1440,en-dark-375] [--stretch] [--quick]
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { startApplication } from '#tests/support/application.ts';
import { visit, type Visit } from '#tests/support/browser.ts';
import { providerSettings, startProviders, closeProviders } from '#mock/logins/index.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { liveIn } from './screenshot-data.ts';
import { faultsOf } from './screenshot-faults.ts';
import { LEGAL, openShop } from './screenshot-shop.ts';
import { stretch } from './screenshot-stretch.ts';
import type { Screen } from './screenshot-screen.ts';
import { SCREENS, type SettingSets } from './screenshot-screens.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    shots: { type: 'string' },
    stretch: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});
const wanted = positionals.length === 0 ? [''] : positionals;
const FOLDER = fileURLToPath(new URL('../../test-results/screens/', import.meta.url));
const WIDTHS = { 375: 812, 768: 1024, 1440: 900, 1920: 1080 } as const;
const PATIENCE_MS = 60_000;
const SITE = 'https://gate.example';
const THEMES = ['light', 'dark'] as const;
const CHATS = [
  { NextChat: 'https://chat.example/#/?settings={"key":"{key}","url":"{address}"}' },
  { 'Cherry Studio': 'cherrystudio://providers/api-keys?v=1&data={cherryConfig}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
];

const ANSWER = [
  'A year is a leap year when it can be divided by 4, except centuries that cannot be divided by 400.',
  '',
  '```python',
  'def is_leap(year: int) -> bool:',
  '    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)',
  '```',
  '',
  '| year | leap |',
  '|---|---|',
  '| 1900 | no |',
  '| 2000 | yes |',
].join('\n');

const upstream = startMockUpstream();
upstream.behave({ text: ANSWER });
const application = await startApplication({
  settings: { Chats: JSON.stringify(CHATS), ServerAddress: SITE, ...LEGAL },
});
const providers = await startProviders();
const SETS: SettingSets = {
  outside: providerSettings(providers),
  verified: {
    SMTPServer: '127.0.0.1',
    SMTPFrom: 'gate@example.com',
    EmailVerificationEnabled: 'true',
  },
};
const OFF = {
  outside: [
    'GitHubOAuthEnabled',
    'LinuxDOOAuthEnabled',
    'OIDCEnabled',
    'WeChatAuthEnabled',
    'TelegramOAuthEnabled',
  ],
  verified: ['EmailVerificationEnabled'],
};
const lived = await liveIn(application, upstream.url);
const shared = await openShop(application, lived);
if (options.stretch) await stretch(application);
mkdirSync(FOLDER, { recursive: true });
const found: string[] = [];
let count = 0;

for (const language of LANGUAGES) {
  for (const theme of THEMES) {
    for (const [width, height] of Object.entries(WIDTHS)) {
      const shot = `${language}-${theme}-${width}`;
      if (options.shots && !options.shots.split(',').includes(shot)) continue;
      await shoot(shot, { language, theme, viewport: { width: Number(width), height } });
    }
  }
}

interface Look {
  language: Language;
  theme: (typeof THEMES)[number];
  viewport: { width: number; height: number };
}

/** One browser profile per user and site, so that later pages use the cache. */
async function shoot(shot: string, look: Look): Promise<void> {
  const screens = SCREENS.filter(({ name }) => wanted.some((part) => name.includes(part)));
  const kinds = Map.groupBy(screens, ({ as, settings, storage }) => JSON.stringify([as, settings, storage]));
  for (const own of kinds.values()) {
    const { as: who, settings: set, storage } = own[0] ?? {};
    if (set)
      for (const [key, text] of Object.entries(SETS[set])) await application.settings.set(key, text, 0);
    await using at = await visit(application, {
      ...(who ? { as: lived[who] } : {}),
      ...(storage ? { storage } : {}),
      ...look,
      locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
    });
    // Files of results have the public address of the site.
    await at.page.route(`${SITE}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: `${application.url}${pathname}${search}` }) });
    });
    // A long timeout: a busy machine must not end the run half way.
    at.page.setDefaultTimeout(PATIENCE_MS);
    for (const screen of own) await shootOne(at, screen, shot, look);
    if (set) for (const key of OFF[set]) await application.settings.set(key, 'false', 0);
  }
}

async function shootOne(at: Visit, screen: Screen, shot: string, look: Look): Promise<void> {
  const { page, problems } = at;
  await page.setViewportSize({ ...look.viewport, ...(screen.height ? { height: screen.height } : {}) });
  await page.goto(screen.path.replace('{shared}', shared));
  await page.waitForLoadState('networkidle').catch(() => undefined);
  try {
    await screen.prepare?.(page, look.viewport.width);
  } catch (error) {
    found.push(`${screen.name}-${shot}: ${String(error).split('\n')[0]}`);
  }
  // Moves the pointer away: a tooltip is not part of the screen.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(150);
  await page.screenshot({ path: `${FOLDER}${screen.name}-${shot}.png` });
  count += 1;
  // A page that moves on by itself, on a busy machine: one picture less to check, not the end of the run.
  const faults = await faultsOf(page, {
    language: look.language,
    floating: screen.floating ?? false,
    quick: options.quick,
  }).catch((error: unknown) => [String(error).split('\n')[0] ?? '']);
  found.push(...faults.map((fault) => `${screen.name}-${shot}: ${fault}`));
  const complaints = problems
    .splice(0)
    .filter((problem) => !screen.refused || !problem.startsWith('Failed to load resource'));
  found.push(...complaints.map((problem) => `${screen.name}-${shot}: ${problem}`));
}

await application.close();
await upstream.stop();
await closeProviders(providers);
process.stdout.write(`${count} pictures in test-results/screens/\n`);
for (const fault of found) process.stdout.write(`! ${fault}\n`);
process.exit(found.length === 0 ? 0 : 1);
