// The pages of the server and what floats over the pages of an operator, for the screenshots.
import type { Page } from 'playwright-core';
import type { Screen } from './screenshot-screen.ts';

async function find(page: Page, text: string, shown: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('textbox').fill(text);
  await page.getByRole('dialog').getByRole('button', { name: shown }).first().waitFor();
}

async function openBell(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /需要你处理|件事需要处理|needs? your attention|公告|Announcements/ })
    .first()
    .click();
  await page.getByRole('dialog').waitFor();
}

export const SHOP: Screen[] = [
  { name: 'models', path: '/models' },
  { name: 'models-whole', path: '/models', height: 1600 },
  { name: 'models-narrowed', path: '/models?q=gpt&vendor=OpenAI' },
  { name: 'models-none', path: '/models?q=nothing-like-it' },
  { name: 'models-compare', path: '/models?compare=gpt-4o,claude-sonnet-4-5,deepseek-chat', height: 1200 },
  { name: 'model', path: '/models/gpt-4o' },
  { name: 'model-whole', path: '/models/claude-sonnet-4-5', height: 2200 },
  { name: 'model-missing', path: '/models/gpt-4p', refused: true },
  { name: 'shop-plans', path: '/plans' },
  { name: 'status', path: '/status' },
  { name: 'status-whole', path: '/status', height: 1600 },
  { name: 'terms', path: '/terms' },
  { name: 'privacy', path: '/privacy' },
  { name: 'contact', path: '/contact' },
  { name: 'shared-chat', path: '{shared}' },
  { name: 'docs-found', path: '/docs?q=balance' },
  { name: 'docs-connect', path: '/docs/connect', height: 1600 },
  { name: 'docs-user', path: '/docs', as: 'user' },
  { name: 'docs-operator', path: '/docs', as: 'admin' },
];

export const OVERVIEWS: Screen[] = [
  { name: 'overview-today', path: '/overview?day=today', as: 'admin', height: 1100 },
  { name: 'overview-month', path: '/overview?day=month', as: 'admin', height: 1100 },
  ...(['came', 'used', 'cost', 'margin', 'unknown'] as const).map((open): Screen => ({
    name: `overview-equation-${open}`,
    path: `/overview?day=month&open=${open}`,
    as: 'admin',
  })),
  { name: 'overview-own', path: '/overview?view=own', as: 'admin', height: 1100 },
  { name: 'overview-new', path: '/overview', as: 'newcomer' },
  { name: 'dashboard-span', path: '/detail?span=month&by=day', as: 'admin', height: 1700 },
  { name: 'log-own', path: '/log?user=operator', as: 'admin' },
  { name: 'incidents', path: '/incidents', as: 'admin' },
  {
    name: 'incident-new',
    path: '/incidents?write=true',
    as: 'admin',
    floating: true,
    prepare: (page) => page.getByRole('dialog').waitFor(),
  },
  {
    name: 'palette-found',
    path: '/token',
    as: 'admin',
    floating: true,
    prepare: (page) => find(page, 'openai', /openai-main/),
  },
  {
    name: 'palette-action',
    path: '/token',
    as: 'admin',
    floating: true,
    prepare: (page) => find(page, 'disable channel moonshot', /moonshot/),
  },
  { name: 'bell', path: '/token', as: 'admin', floating: true, prepare: openBell },
  { name: 'bell-user', path: '/token', as: 'user', floating: true, prepare: openBell },
];
