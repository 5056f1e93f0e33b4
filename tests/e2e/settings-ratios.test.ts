// The ratio sheet and its JSON: two views of the same options.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  hiddenControls,
  PHONE,
  sidewaysRegions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';
import { control, rootOf, save, sees, settingsPage, untilSaved } from './settings-support.ts';

const SHEET = '?tab=operation&section=pricing';
const WIDE = { width: 1440, height: 900 };

let application: TestApplication;
let root: Actor;
beforeAll(async () => {
  application = await startApplication();
  root = await rootOf(application);
  await addChannel(application.store, {
    base_url: 'http://127.0.0.1:9',
    models: ['gpt-4o', 'house-model', 'mj_imagine'],
  });
}, 120_000);
afterAll(() => application.close(), 120_000);
afterEach(async () => {
  for (const key of [
    'ModelPrice',
    'PriceUnit',
    'ResolutionPrice',
    'ModelRatio',
    'CompletionRatio',
    'GroupRatio',
    'UserUsableGroups',
  ] as const)
    await application.settings.reset(key, 0);
});

describe('the sheet', () => {
  test('ACC-0.05 ACC-2.59 ACC-5.47 ACC-5.48 N11 ratios or dollars are typed into cells and saved separately; what is empty is left out', async () => {
    await application.settings.set('ModelRatio', '{"house-model":3}', 0);
    await application.settings.set('CompletionRatio', '{"house-model":2}', 0);
    await using stage = await settingsPage(application, root, SHEET, { viewport: WIDE });
    const { page, saves, problems } = stage;
    const cell = (model: string, column: string) =>
      page.getByRole('textbox', { name: `${model} 的${column}`, exact: true });
    await cell('gpt-4o', '模型倍率').fill('2');
    await page.keyboard.press('Enter');
    // 2 × $2 per 1M, and the built-in completion ratio of 4.
    await page.locator('tr[data-model="gpt-4o"]').getByText('$16.00').first().waitFor();
    await cell('house-model', '补全倍率').fill('');
    await page.keyboard.press('Enter');
    // N11: the same in dollars: $20 out at $4 in is a completion ratio of 5.
    await page.getByRole('button', { name: 'gpt-4o 在 default 分组的输出价格' }).click();
    await page.getByRole('textbox', { name: 'gpt-4o 在 default 分组的输出价格' }).fill('20');
    await page.keyboard.press('Enter');
    await page.locator('tr[data-model="gpt-4o"]').getByText('$20.00').first().waitFor();
    await page.getByText('3 项更改').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await save(page);
    await sees(page, '保存成功');
    expect(saves.map(({ key }) => key).toSorted()).toEqual(['CompletionRatio', 'ModelRatio']);
    expect(application.settings.current.ModelRatio).toEqual({ 'gpt-4o': 2, 'house-model': 3 });
    expect(application.settings.current.CompletionRatio).toEqual({ 'gpt-4o': 5 });
    expect(problems).toEqual([]);
  }, 120_000);

  test('ACC-5.44 ACC-5.45 ACC-5.46 a fixed price closes the ratios of its model and is saved only as a price', async () => {
    await application.settings.set('ModelRatio', '{"house-model":3}', 0);
    await application.settings.set('CompletionRatio', '{"house-model":2}', 0);
    await using stage = await settingsPage(application, root, SHEET, {
      language: 'en',
      theme: 'dark',
      viewport: WIDE,
    });
    const { page } = stage;
    await page.getByRole('combobox', { name: 'Billing for house-model' }).selectOption('call');
    const closed = (column: string) =>
      page.getByRole('textbox', { name: `${column} of house-model`, exact: true });
    expect(await closed('Model ratio').count()).toBe(0);
    expect(await closed('Completion').count()).toBe(0);
    await closed('Fixed price').fill('0.25');
    await page.keyboard.press('Enter');
    await page.locator('tr[data-model="house-model"]').getByText('$0.250').first().waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await save(page);
    await sees(page, 'Saved');
    const { ModelPrice, ModelRatio, CompletionRatio } = application.settings.current;
    expect([ModelPrice, ModelRatio, CompletionRatio]).toEqual([{ 'house-model': 0.25 }, {}, {}]);
    // By the second, with a price of its resolution.
    await page.getByRole('combobox', { name: 'Billing for house-model' }).selectOption('second');
    await page.locator('tr[data-model="house-model"]').getByText('/s').first().waitFor();
    await closed('Prices by resolution').fill('1080p=0.5');
    await page.keyboard.press('Enter');
    expect(await accessibilityViolations(page)).toEqual([]);
    await save(page);
    await page.getByText('No changes').waitFor();
    const { PriceUnit, ResolutionPrice } = application.settings.current;
    expect([PriceUnit, ResolutionPrice]).toEqual([
      { 'house-model': 'second' },
      { 'house-model': { '1080p': 0.5 } },
    ]);
  }, 120_000);

  test('ACC-5.42 ACC-5.43 ACC-8.18 ACC-8.19 numbers only, and no name twice', async () => {
    for (const [language, words] of [
      [
        'zh',
        {
          add: '添加模型',
          name: '模型名称',
          exists: '模型名称已存在',
          number: '请输入数字',
          ratio: '模型倍率',
          cell: 'gpt-4o 的模型倍率',
        },
      ],
      [
        'en',
        {
          add: 'Add model',
          name: 'Model name',
          exists: 'The model name already exists',
          number: 'Enter a number',
          ratio: 'Model ratio',
          cell: 'Model ratio of gpt-4o',
        },
      ],
    ] as const) {
      await using stage = await settingsPage(application, root, SHEET, { language });
      const { page, saves } = stage;
      await page.getByRole('textbox', { name: words.cell, exact: true }).fill('dear');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText(words.number).waitFor();
      await page.getByRole('button', { name: words.add }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(words.name).fill('gpt-4o');
      await dialog.getByRole('button', { name: words.add }).click();
      await page.getByRole('alert').getByText(words.exists).waitFor();
      await dialog.getByLabel(words.name).fill('new-model');
      await dialog.getByLabel(words.ratio, { exact: true }).fill('5');
      await dialog.getByRole('button', { name: words.add }).click();
      await page.locator('tr[data-model="new-model"]').waitFor();
      expect(saves).toEqual([]);
    }
  }, 120_000);

  test('ACC-9.34 ACC-9.35 a price is twice the ratio, times completion, times the group, each once', async () => {
    await application.settings.set('GroupRatio', '{"default":1,"vip":0.5}', 0);
    await application.settings.set('ModelRatio', '{"house-model":2}', 0);
    await application.settings.set('CompletionRatio', '{"house-model":4}', 0);
    await using stage = await settingsPage(application, root, SHEET, { viewport: WIDE });
    const row = stage.page.locator('tr[data-model="house-model"]');
    await row.waitFor();
    const prices = (await row.locator('td').allTextContents()).filter((text) => text.startsWith('$'));
    expect(prices).toEqual(['$4.00', '$16.00', '$2.00', '$8.00']);
  }, 120_000);

  test('ACC-2.58 the JSON and the sheet are in step', async () => {
    await using stage = await settingsPage(application, root, SHEET, { viewport: WIDE });
    const { page } = stage;
    await page.getByRole('textbox', { name: 'gpt-4o 的模型倍率', exact: true }).fill('2.5');
    await page.keyboard.press('Enter');
    await page.getByText('JSON', { exact: true }).click();
    expect(JSON.parse(await control(page, 'ModelRatio').inputValue())).toEqual({ 'gpt-4o': 2.5 });
    await control(page, 'ModelRatio').fill('{"gpt-4o": 7, "typed-model": 1}');
    await page.getByText('可视化', { exact: true }).click();
    await page.locator('tr[data-model="typed-model"]').waitFor();
    expect(await page.getByRole('textbox', { name: 'gpt-4o 的模型倍率', exact: true }).inputValue()).toBe(
      '7',
    );
    await page.getByText('JSON', { exact: true }).click();
    await control(page, 'ModelRatio').fill('{');
    await page
      .locator('#option-ModelRatio')
      .getByText(/不是合法的 JSON 字符串/)
      .waitFor();
    await page.getByText('可视化', { exact: true }).click();
    await sees(page, '有倍率不是合法的 JSON，请先在 JSON 视图中修正。');
  }, 120_000);

  test('the ratios are reset after a confirmation; models without a price are found', async () => {
    await application.settings.set('ModelRatio', '{"gpt-4o":9}', 0);
    await using stage = await settingsPage(application, root, SHEET);
    const { page } = stage;
    await page.getByRole('button', { name: '1 个已启用的模型没有价格' }).click();
    expect(await page.locator('tr[data-model]').count()).toBe(1);
    await page.locator('tr[data-model="house-model"]').waitFor();
    await page.getByRole('button', { name: '重置倍率' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '重置倍率' }).click();
    await sees(page, '模型倍率已重置');
    await untilSaved(application, 'ModelRatio', {});
  }, 120_000);

  testLooks.each(['zh', 'en'] as const)(
    'a phone has a card for each model, and nothing scrolls sideways, in %s',
    async (language) => {
      await using stage = await settingsPage(application, root, SHEET, { viewport: PHONE, language });
      const { page } = stage;
      await page.locator('tr[data-model="gpt-4o"]').waitFor();
      expect(await fitsWidth(page)).toBe(true);
      expect(await sidewaysRegions(page)).toEqual([]);
      expect(await hiddenControls(page)).toEqual([]);
      expect(await accessibilityViolations(page)).toEqual([]);
    },
    30_000,
  );
});

describe('groups', () => {
  test('A17 the sheet names the groups whose prices it does not show', async () => {
    const ratios = { default: 1, vip: 0.9, svip: 0.8, team: 0.7, partner: 0.6 };
    await application.settings.set('GroupRatio', JSON.stringify(ratios), 0);
    await using stage = await settingsPage(application, root, SHEET, { viewport: WIDE });
    await sees(stage.page, '以下分组的价格放不下，没有显示：partner');
  }, 120_000);

  test('one grid edits the ratios and the groups users may choose', async () => {
    await using stage = await settingsPage(application, root, '?tab=operation&section=groups', {
      language: 'en',
    });
    const { page, saves } = stage;
    await page.getByLabel('Ratio of vip').fill('0.8');
    await page.locator('tr#group-svip label').first().click();
    await page.getByLabel('Description of svip').fill('the best');
    await page.getByLabel('Name of the new group').fill('vip');
    await page.getByRole('button', { name: 'Add group' }).click();
    await sees(page, 'The group already exists');
    await page.getByLabel('Name of the new group').fill('team');
    await page.getByRole('button', { name: 'Add group' }).click();
    await save(page);
    await sees(page, 'Saved');
    expect(saves.map(({ key }) => key)).toEqual(['GroupRatio', 'UserUsableGroups']);
    expect(application.settings.current.GroupRatio).toEqual({ default: 1, vip: 0.8, svip: 1, team: 1 });
    expect(application.settings.current.UserUsableGroups).toMatchObject({ svip: 'the best' });
  }, 120_000);
});
