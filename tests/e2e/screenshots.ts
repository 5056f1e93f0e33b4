// Shoots every screen in both languages, both themes and on phone and desk into test-results/screens/, to be looked at by
// eye, and says what no eye should have to find: text that sticks out, Chinese words on an English page, accessibility
// violations, complaints of the browser. Ends with 1 when it found any.
//   bun tests/e2e/screenshots.ts [part of a screen's name] [--shots zh-light-1280,en-dark-375]
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { startApplication } from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, visit } from '#tests/support/browser.ts';
import { startMockUpstream } from '#tests/support/mock-upstream/index.ts';
import { liveIn, type Lived } from './screenshot-data.ts';

interface Screen {
  name: string;
  path: string;
  /** Nobody by default. */
  as?: keyof Lived;
  /** What to do before the picture is taken. */
  prepare?: (page: Page, width: number) => Promise<unknown>;
  /** A dialog or a menu is open over the page. */
  floating?: boolean;
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { shots: { type: 'string' } },
});
const wanted = positionals[0] ?? '';
const FOLDER = fileURLToPath(new URL('../../test-results/screens/', import.meta.url));
const WIDTHS = { 375: 812, 1280: 800 } as const;
const THEMES = ['light', 'dark'] as const;
const CHATS = [
  { NextChat: 'https://chat.example/#/?settings={"key":"{key}","url":"{address}"}' },
  { 'Cherry Studio': 'cherrystudio://providers/api-keys?v=1&data={cherryConfig}' },
  { OpenCat: 'opencat://team/join?domain={address}&token={key}' },
];

async function ask(page: Page): Promise<void> {
  const box = page.getByRole('textbox', { name: /输入消息|Type a message/ });
  await box.waitFor();
  if ((await page.locator('article[data-status="complete"]').count()) > 0) return;
  await box.fill('Write a function that tells whether a year is a leap year.');
  await box.press('Enter');
  await page.locator('article[data-status="complete"]').first().waitFor();
}

const firstRow = (page: Page) => page.locator('tbody tr').first();

const SCREENS: Screen[] = [
  { name: 'home', path: '/' },
  { name: 'about', path: '/about' },
  { name: 'login', path: '/login' },
  { name: 'login-expired', path: '/login?expired=true' },
  { name: 'register', path: '/register?aff=AB12' },
  { name: 'not-found', path: '/tokens', as: 'user' },
  { name: 'pricing', path: '/pricing' },
  { name: 'pricing-signed-in', path: '/pricing?group=vip', as: 'user' },
  { name: 'pricing-model', path: '/pricing?model=gpt-4o', as: 'user' },
  { name: 'tokens', path: '/token', as: 'user' },
  { name: 'tokens-empty', path: '/token', as: 'newcomer' },
  { name: 'tokens-new', path: '/token?new=1', as: 'user' },
  { name: 'tokens-edit', path: '/token?edit=2', as: 'user' },
  { name: 'tokens-connect', path: '/token?connect=1', as: 'user' },
  { name: 'tokens-no-match', path: '/token?q=nothing-like-this&status=1', as: 'user' },
  { name: 'log-user', path: '/log', as: 'user' },
  { name: 'log-empty', path: '/log', as: 'newcomer' },
  { name: 'log-admin', path: '/log', as: 'admin' },
  {
    name: 'log-open',
    path: '/log?type=2',
    as: 'admin',
    prepare: async (page, width) =>
      width < 768 ? undefined : await firstRow(page).locator('td').nth(1).click(),
  },
  { name: 'log-errors', path: '/log?type=5', as: 'admin' },
  { name: 'dashboard-user', path: '/detail?days=7&by=day', as: 'user' },
  { name: 'dashboard-admin', path: '/detail?days=30&by=day&compare=true', as: 'admin' },
  { name: 'dashboard-empty', path: '/detail', as: 'newcomer' },
  { name: 'channels', path: '/channel', as: 'admin' },
  { name: 'channels-add', path: '/channel/add', as: 'admin' },
  { name: 'channels-edit', path: '/channel/edit/1', as: 'admin' },
  { name: 'channels-route', path: '/channel?simulate=true', as: 'admin' },
  { name: 'playground', path: '/playground', as: 'newcomer' },
  { name: 'playground-answer', path: '/playground?model=gpt-4o', as: 'user', prepare: ask },
  { name: 'chat-app', path: '/chat/2', as: 'user' },
  { name: 'chat-no-token', path: '/chat', as: 'newcomer' },
  { name: 'chat2link', path: '/chat2link', as: 'user' },
  {
    name: 'palette',
    path: '/token',
    as: 'user',
    floating: true,
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
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

/** Names of people, channels and models are the operator's own and may be in any language. */
const FOREIGN = /林小满|deepseek 官方|通过兑换码充值 ＄20\.000000 额度|默认分组|vip ?分组|中/g;

const upstream = startMockUpstream();
upstream.behave({ text: ANSWER });
const application = await startApplication({
  settings: { Chats: JSON.stringify(CHATS), ServerAddress: 'https://gate.example' },
});
const lived = await liveIn(application, upstream.url);
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

/** One browser profile for each person: a second page loads nothing anew. */
async function shoot(shot: string, look: Look): Promise<void> {
  const screens = SCREENS.filter(({ name }) => name.includes(wanted));
  for (const [who, own] of Map.groupBy(screens, ({ as }) => as)) {
    await using at = await visit(application, {
      ...(who ? { as: lived[who] } : {}),
      ...look,
      locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
    });
    for (const screen of own) {
      await at.page.goto(screen.path);
      await at.page.waitForLoadState('networkidle').catch(() => undefined);
      try {
        await screen.prepare?.(at.page, look.viewport.width);
      } catch (error) {
        found.push(`${screen.name}-${shot}: ${String(error).split('\n')[0]}`);
      }
      // A tooltip under the pointer is no part of the screen.
      await at.page.mouse.move(0, 0);
      await at.page.waitForTimeout(150);
      await at.page.screenshot({ path: `${FOLDER}${screen.name}-${shot}.png` });
      count += 1;
      found.push(...(await faults(at.page, screen, look)).map((fault) => `${screen.name}-${shot}: ${fault}`));
      found.push(...at.problems.splice(0).map((problem) => `${screen.name}-${shot}: ${problem}`));
    }
  }
}

async function faults(page: Page, screen: Screen, { language }: Look): Promise<string[]> {
  const list: string[] = [];
  if (!(await fitsWidth(page))) list.push('sticks out sideways');
  if (language === 'en') {
    const words = (await page.locator('body').innerText()).replaceAll(FOREIGN, '');
    const left = /[\u4e00-\u9fff].{0,20}/.exec(words)?.[0];
    if (left) list.push(`not translated: ${left}`);
  }
  const options = { floating: screen.floating ?? false };
  list.push(...(await accessibilityViolations(page, options)).map((fault) => fault.slice(0, 300)));
  return list;
}

await application.close();
await upstream.stop();
process.stdout.write(`${count} pictures in test-results/screens/\n`);
for (const fault of found) process.stdout.write(`! ${fault}\n`);
process.exit(found.length === 0 ? 0 : 1);
