// The screens of virtual models.
import type { Page } from 'playwright-core';
import type { Screen } from './screenshot-screen.ts';

const rulesOf = (place: number) => new RegExp(`^(Rules of target ${place}|目标 ${place} 的规则)$`);
const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();

async function openRules(page: Page): Promise<void> {
  for (const place of [2, 3]) await button(page, rulesOf(place)).click();
}

async function tryOut(page: Page): Promise<void> {
  await page
    .getByRole('textbox', { name: /^(Prompt|提示词)$/ })
    .first()
    .fill('Which years are leap years?');
  await button(page, /^(Try it|试一次)$/).click();
  await page.getByRole('region', { name: /^(Decision|结果)$/ }).waitFor();
}

const PAGE = '/virtual-model/fast';

export const VIRTUAL: Screen[] = [
  { name: 'virtual-models', path: '/virtual-model', as: 'admin' },
  { name: 'virtual-model-page', path: PAGE, as: 'admin', height: 1500, prepare: tryOut },
  { name: 'virtual-model-own', path: '/virtual-model/house-model', as: 'admin', height: 1300 },
  { name: 'virtual-model-edit', path: `${PAGE}?edit=1`, as: 'admin', height: 2200, prepare: openRules },
  { name: 'virtual-model-new', path: '/virtual-model?new=1', as: 'admin', height: 1300 },
  {
    name: 'virtual-model-code',
    path: `${PAGE}?edit=1`,
    as: 'admin',
    height: 1300,
    prepare: (page) => page.getByText(/^(As code|代码)$/).click(),
  },
  {
    name: 'virtual-model-log',
    path: '/log?request=req_virtual',
    as: 'admin',
    height: 1100,
    prepare: async (page, width) => {
      const row =
        width < 768
          ? page.getByRole('list').getByRole('button', { name: /gemini-2.5-flash/ })
          : page.getByRole('row', { name: /gemini-2.5-flash/ });
      await row.first().click();
    },
  },
  { name: 'model-virtual', path: '/models/fast', height: 1200 },
];
