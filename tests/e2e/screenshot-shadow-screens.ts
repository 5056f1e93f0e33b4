// The screens of shadow calls.
import type { Page } from 'playwright-core';
import type { Screen } from './screenshot-screen.ts';

const PAGE = '/shadow-calls/1';
const compare = (page: Page) => page.getByRole('button', { name: /^(Compare|对照)$/ }).first();

export const SHADOWS: Screen[] = [
  { name: 'shadow-calls', path: '/shadow-calls', as: 'admin' },
  { name: 'shadow-calls-new', path: '/shadow-calls?new=1', as: 'admin', height: 1100 },
  {
    name: 'shadow-calls-page',
    path: PAGE,
    as: 'admin',
    height: 1300,
    prepare: (page) => compare(page).waitFor(),
  },
  {
    name: 'shadow-calls-compare',
    path: PAGE,
    as: 'admin',
    height: 1000,
    prepare: async (page) => {
      await compare(page).click();
      await page.locator('mark').first().waitFor();
    },
  },
  {
    name: 'shadow-calls-consent',
    path: '/setting?tab=personal',
    as: 'user',
    prepare: (page) =>
      page.getByRole('region', { name: /^(Shadow calls|影子调用)$/ }).scrollIntoViewIfNeeded(),
  },
];
