// Tag mode, the tag dialog, the test dialogs and the route simulator in a browser.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually } from '#tests/support/browser.ts';
import { channelPage, choose, choosePage, row, sees, select } from './channels-support.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
});
afterAll(() => application.close());

const tagMode = { storage: { 'channel-tag-mode': 'true' } };

describe('tag mode', () => {
  test('REL-2.45 REL-4.15 REL-4.17 REL-4.18 O25 channels gather under their tags; what differs is blank', async () => {
    await using stage = await channelPage(application, [
      { name: 'one', tag: 'pool', priority: 5, weight: 1 },
      { name: 'two', tag: 'pool', priority: 5, weight: 2 },
      { name: 'single' },
    ]);
    const { page } = stage;
    await row(page, 'single').waitFor();
    await page.getByRole('button', { name: '标签聚合' }).click();
    await row(page, 'pool').waitFor();
    expect(await row(page, 'pool').innerText()).toContain('2/2');
    expect(await page.getByRole('textbox', { name: '优先级: pool' }).inputValue()).toBe('5');
    expect(await page.getByRole('textbox', { name: '权重: pool' }).inputValue()).toBe('');
    await page.getByRole('button', { name: '收起: pool' }).click();
    await row(page, 'one').waitFor({ state: 'detached' });
    expect(await row(page, 'single').count()).toBe(1);
    await page.getByRole('button', { name: '展开全部标签' }).click();
    await row(page, 'one').waitFor();
    await page.getByRole('button', { name: '收起全部标签' }).click();
    await row(page, 'one').waitFor({ state: 'detached' });
  });

  test('REL-2.60 REL-2.61 a tag row disables and enables all of its channels', async () => {
    await using stage = await channelPage(
      application,
      [
        { name: 'one', tag: 'pool', models: 'shared' },
        { name: 'two', tag: 'pool', models: 'shared' },
        { name: 'backup', models: 'shared' },
      ],
      tagMode,
    );
    const { page } = stage;
    const states = async () =>
      (await stage.stored()).filter(({ tag }) => tag === 'pool').map(({ status }) => status);
    await choose(page, 'pool', '禁用全部');
    await sees(page, '操作成功完成！');
    await eventually(async () => (await states()).every((status) => status === 2), 'disabled');
    await row(page, 'pool').getByText('0/2').waitFor();
    await choose(page, 'pool', '启用全部');
    await eventually(async () => (await states()).every((status) => status === 1), 'enabled');
  });

  test('REL-5.14 REL-5.15 REL-8.04 REL-8.05 REL-8.58 numbers of a tag are checked, asked about and overwrite', async () => {
    await using stage = await channelPage(
      application,
      [
        { name: 'one', tag: 'pool' },
        { name: 'two', tag: 'pool', priority: 4 },
      ],
      tagMode,
    );
    const { page } = stage;
    const priority = page.getByRole('textbox', { name: '优先级: pool' });
    await priority.fill('1.5');
    await priority.press('Enter');
    await sees(page, '优先级必须是整数！');
    const weight = page.getByRole('textbox', { name: '权重: pool' });
    await weight.fill('-1');
    await weight.press('Enter');
    await sees(page, '权重必须是非负整数！');
    await priority.fill('8');
    await priority.press('Enter');
    await sees(page, '标签“pool”下 2 个渠道的优先级都会改为 8。');
    await page.getByRole('button', { name: '修改', exact: true }).click();
    await sees(page, '标签更新成功！');
    expect((await stage.stored()).map((channel) => channel.priority)).toEqual([8, 8]);
  });

  test('REL-2.62 REL-2.67 REL-5.17 REL-5.18 REL-5.20 REL-8.03 REL-9.37 the dialog checks, shows what it overwrites, and saves', async () => {
    await using stage = await channelPage(
      application,
      [
        { name: 'one', tag: 'pool', models: 'keep,lose' },
        { name: 'two', tag: 'pool', models: 'keep' },
      ],
      tagMode,
    );
    const { page } = stage;
    await choose(page, 'pool', '编辑标签');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: '保存' }).click();
    await sees(page, '没有任何修改！');
    await dialog.getByRole('button', { name: '填入模板' }).click();
    expect(await dialog.getByRole('textbox', { name: '请求的模型 1' }).inputValue()).toBe('gpt-3.5-turbo');
    expect(await dialog.getByRole('textbox', { name: '实际的模型 1' }).inputValue()).toBe(
      'gpt-3.5-turbo-0125',
    );
    await dialog.getByRole('button', { name: 'JSON' }).click();
    await dialog.getByRole('textbox', { name: '模型映射' }).fill('{');
    await dialog.getByRole('button', { name: '保存' }).click();
    await sees(page, '模型映射必须是合法的 JSON 格式！');
    await dialog.getByRole('textbox', { name: '模型映射' }).fill('');
    await dialog.getByLabel('模型', { exact: true }).fill('keep');
    await dialog.getByLabel('模型', { exact: true }).press('Enter');
    await sees(page, '将覆盖 1 个渠道');
    expect(await dialog.locator('del').allInnerTexts()).toEqual(['lose']);
    // The open dropdown is Mantine's; the check covers the dialog without it.
    await dialog.getByRole('textbox', { name: '新标签名' }).focus();
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: '保存' }).click();
    const asked = page.getByRole('dialog').filter({ hasText: '1 个模型将没有可用渠道' });
    await asked.getByText('lose').waitFor();
    await asked.getByRole('button', { name: '取消' }).click();
    await asked.waitFor({ state: 'detached' });
    expect((await stage.stored()).map(({ models }) => models).sort()).toEqual(['keep', 'keep,lose']);
    await dialog.getByRole('button', { name: '保存' }).click();
    await asked.getByRole('button', { name: '仍然修改' }).click();
    await sees(page, '标签更新成功！');
    expect((await stage.stored()).map(({ models }) => models)).toEqual(['keep', 'keep']);
  });

  test('REL-5.19 an empty name dissolves the tag', async () => {
    await using stage = await channelPage(application, [{ name: 'one', tag: 'pool' }], tagMode);
    const { page } = stage;
    await choose(page, 'pool', '编辑标签');
    await page.getByRole('dialog').getByRole('textbox', { name: '新标签名' }).fill('');
    await sees(page, '标签将被解散，1 个渠道保留但不再有标签');
    await page.getByRole('dialog').getByRole('button', { name: '保存' }).click();
    await eventually(async () => (await stage.stored())[0]?.tag === null, 'no tag');
  });
});

describe('testing', () => {
  test('REL-2.47 all channels are tested with progress, results and a filter', async () => {
    await using stage = await channelPage(application, [
      { name: 'works' },
      { name: 'fails', key: 'sk-fails.mock-401' },
      { name: 'film', type: CHANNEL_TYPE.kling },
    ]);
    const { page } = stage;
    await page.getByRole('button', { name: '测试全部' }).click();
    await page.getByRole('button', { name: '开始测试' }).click();
    await sees(page, '测试完成 2 / 2');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('row').filter({ hasText: 'works' }).innerText()).toContain('成功');
    expect(await dialog.getByRole('row').filter({ hasText: 'film' }).innerText()).toContain('不支持测试');
    await dialog.getByText(/^失败 1$/).click();
    await dialog.getByRole('row').filter({ hasText: 'works' }).waitFor({ state: 'detached' });
    expect(await dialog.getByRole('row').filter({ hasText: 'fails' }).innerText()).toContain('401');
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('all models of a channel: stop, failing ones removed, one made the test model', async () => {
    await using stage = await channelPage(application, [
      { name: 'many', models: 'gpt-4o,gpt-4o@500,gpt-4.1' },
    ]);
    const { page, upstream } = stage;
    await page.getByRole('button', { name: 'many 的操作', exact: true }).click();
    await page.getByRole('menuitem', { name: '测试模型' }).hover();
    await page.getByRole('menuitem', { name: '测试全部模型…' }).click();
    const release = upstream.behave({ behaviour: { headersDelayMilliseconds: 30_000 } });
    await page.getByRole('button', { name: '开始测试' }).click();
    await page.getByRole('button', { name: '停止' }).click();
    await sees(page, '已完成 0 / 3');
    release();
    await page.getByRole('button', { name: '开始测试' }).click();
    await sees(page, '已完成 3 / 3');
    await page
      .getByRole('dialog')
      .getByRole('row')
      .filter({ hasText: 'gpt-4.1' })
      .getByRole('button', { name: '设为测试模型' })
      .click();
    await eventually(async () => (await stage.stored())[0]?.test_model === 'gpt-4.1', 'the test model');
    await page.getByRole('button', { name: '从渠道中移除 1 个失败的模型' }).click();
    await eventually(
      async () => (await stage.stored())[0]?.models === 'gpt-4o,gpt-4.1',
      'without the failing one',
    );
  });

  test('the selection is tested channel by channel', async () => {
    await using stage = await channelPage(application, [{ name: 'left' }, { name: 'right' }]);
    const { page } = stage;
    await select(page, 'left');
    await select(page, 'right');
    await page.getByRole('button', { name: '测试', exact: true }).click();
    await sees(page, '测试 2 个渠道');
    await page.getByRole('button', { name: '开始测试' }).click();
    await sees(page, '已完成 2 / 2');
    expect((await stage.stored()).every(({ response_time }) => response_time > 0)).toBe(true);
  });
});

describe('the route simulator', () => {
  test('shows which channels serve a model, with what odds, and why the others do not', async () => {
    await using stage = await channelPage(application, [
      { name: 'heavy', priority: 5, weight: 3 },
      { name: 'light', priority: 5, weight: 1 },
      { name: 'spare', priority: 1 },
      { name: 'elsewhere', groups: 'vip' },
    ]);
    const { page } = stage;
    await row(page, 'heavy').waitFor();
    await choosePage(page, '路由模拟');
    await sees(page, '3 个渠道可用，按尝试顺序');
    const drawer = page.getByRole('complementary', { name: '路由模拟' });
    expect(await drawer.getByRole('button').filter({ hasText: 'heavy' }).innerText()).toContain('75.0%');
    expect(await drawer.getByRole('button').filter({ hasText: 'light' }).innerText()).toContain('25.0%');
    expect(await drawer.getByRole('button').filter({ hasText: 'spare' }).innerText()).toContain('第 2 级');
    expect(await drawer.getByRole('button').filter({ hasText: 'elsewhere' }).innerText()).toContain(
      '不属于该分组',
    );
    expect(page.url()).toContain('simulate=true');
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});
