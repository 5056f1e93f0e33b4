// The drawer of a channel in a browser: creating, editing, per-type fields, models, mapping, what is refused.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE } from '#tests/support/browser.ts';
import { channelPage, choose, row, sees } from './channels-support.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
});
afterAll(() => application.close());

const field = (page: Page, name: string) =>
  page.getByRole('textbox', { name: new RegExp(`^${name}( \\*)?$`) });

async function chooseType(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^类型: / }).click();
  await page.getByRole('textbox', { name: '搜索类型' }).fill(name);
  await page.getByRole('textbox', { name: '搜索类型' }).press('Enter');
}

async function addModel(page: Page, name: string): Promise<void> {
  await page.getByRole('textbox', { name: '自定义模型名称，多个用逗号分隔' }).fill(name);
  await page.getByRole('button', { name: '填入', exact: true }).click();
}

describe('a new channel', () => {
  test('REL-2.04 REL-2.46 REL-2.65 the button opens the drawer under its address; missing values are marked at their fields', async () => {
    await using stage = await channelPage(application, [{ name: 'first' }]);
    const { page, problems } = stage;
    await page.getByRole('button', { name: '添加渠道' }).click();
    await page.getByRole('heading', { name: '添加渠道' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/channel/add');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    for (const sentence of ['请输入渠道名称', '请输入渠道密钥', '请至少选择一个模型'])
      await sees(page, sentence);
    await page.getByRole('button', { name: '3 处待修正' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await field(page, '名称').fill('made here');
    await page.getByLabel(/^密钥/).fill('sk-made-in-the-browser-1');
    await addModel(page, 'gpt-4o, gpt-4.1');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '渠道创建成功！共 1 个');
    await row(page, 'made here').waitFor();
    expect(new URL(page.url()).pathname).toBe('/channel');
    const made = (await stage.stored()).find(({ name }) => name === 'made here');
    expect(made).toMatchObject({
      models: 'gpt-4o,gpt-4.1',
      group: 'default',
      type: CHANNEL_TYPE.openAi,
      auto_ban: 1,
    });
    expect(problems).toEqual([]);
  });

  test('REL-3.04 O19 several keys: one channel per line, numbered, counted with repetitions', async () => {
    await using stage = await channelPage(application, [], { path: () => '/channel/add' });
    const { page } = stage;
    await field(page, '名称').fill('batch');
    await page.getByRole('checkbox', { name: /批量创建/ }).check();
    await page.getByLabel(/^密钥/).fill('sk-one-0123456789ab\nsk-two-0123456789ab\nsk-one-0123456789ab');
    await sees(page, '2 个密钥 · 1 个重复');
    await addModel(page, 'gpt-4o');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '渠道创建成功！共 2 个');
    expect((await stage.stored()).map(({ name }) => name).toSorted()).toEqual(['batch-1', 'batch-2']);
    await row(page, 'batch-1').getByTitle('batch-1 · …89ab').waitFor();
  });

  test('REL-5.16 REL-3.39 REL-3.42 REL-3.43 fields follow the type: Azure warns, Cloudflare wants an account, Vertex JSON and a region', async () => {
    await using stage = await channelPage(application, [], { path: () => '/channel/add' });
    const { page } = stage;
    await chooseType(page, 'Azure');
    await sees(page, '注意：模型部署名称必须和模型名称保持一致');
    await field(page, 'Azure 终结点').waitFor();
    await chooseType(page, 'Cloudflare');
    await field(page, 'Account ID').waitFor();
    await chooseType(page, 'Vertex');
    await field(page, '部署地区').waitFor();
    await page.getByLabel(/^密钥/).fill('not json');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '密钥必须是合法的 JSON 格式');
    await sees(page, '请填写“部署地区”');
    await chooseType(page, 'Suno');
    await sees(page, 'suno_music');
    await chooseType(page, 'Kling');
    await page.getByPlaceholder('AccessKey|SecretKey').waitFor();
    expect(await page.getByText(/暂不支持调用/).count()).toBe(0);
  });

  test('REL-5.07 REL-5.08 REL-8.01 related models are filled in, a duplicate name is refused, a list is split', async () => {
    await using stage = await channelPage(application, [], { path: () => '/channel/add' });
    const { page } = stage;
    await chooseType(page, 'DeepSeek');
    await page.getByRole('button', { name: '填入相关模型' }).click();
    await sees(page, '2 个模型');
    await addModel(page, 'deepseek-chat');
    await sees(page, '某些模型已存在！');
    await addModel(page, 'one,two');
    await sees(page, '4 个模型');
    await page.getByRole('button', { name: '清除所有模型' }).click();
    await sees(page, '0 个模型');
    await page.getByRole('button', { name: '填入所有模型' }).click();
    await sees(page, /\d{3} 个模型/);
  });

  test('a pasted curl command fills type, address and key', async () => {
    await using stage = await channelPage(application, [], { path: () => '/channel/add' });
    const { page } = stage;
    await page.getByRole('button', { name: '粘贴 curl 或 .env' }).click();
    await page
      .getByRole('textbox', { name: /粘贴 curl 命令/ })
      .fill('curl https://api.deepseek.com/chat/completions -H "Authorization: Bearer sk-pasted-key-123456"');
    await page.getByRole('button', { name: '识别并填入' }).click();
    await page.getByRole('button', { name: '类型: DeepSeek' }).waitFor();
    expect(await page.getByLabel(/^密钥/).inputValue()).toBe('sk-pasted-key-123456');
  });
});

describe('a channel that exists', () => {
  test('REL-2.03 REL-2.58 REL-2.66 editing has its URL, keeps the key and sends only changes', async () => {
    await using stage = await channelPage(application, [{ name: 'before', weight: 3 }]);
    const { page, channels } = stage;
    await choose(page, 'before', '编辑');
    await page.getByRole('heading', { name: '编辑渠道' }).waitFor();
    const id = channels[0]?.id ?? 0;
    expect(new URL(page.url()).pathname).toBe(`/channel/edit/${id}`);
    await page.reload();
    await sees(page, '留空则保留尾号为 6789 的密钥');
    expect(await page.getByLabel(/^密钥/).inputValue()).toBe('');
    await field(page, '名称').fill('after');
    await sees(page, '1 处更改');
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await sees(page, '渠道更新成功');
    expect((await stage.stored())[0]).toMatchObject({ id, name: 'after', weight: 3 });
  });

  test('REL-8.09 a deleted channel shows the exact message', async () => {
    await using stage = await channelPage(application, [{ name: 'here' }], {
      path: () => '/channel/edit/99999999',
    });
    await sees(stage.page, '渠道未找到，请刷新页面后重试。');
    await stage.page.getByRole('link', { name: '全部渠道' }).click();
    await row(stage.page, 'here').waitFor();
  });

  test('a new address asks for the key at its field', async () => {
    await using stage = await channelPage(application, [{ name: 'moving' }], {
      path: ([channel]) => `/channel/edit/${channel?.id}`,
    });
    const { page } = stage;
    await field(page, 'Base URL').fill('http://127.0.0.1:9');
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await sees(page, '修改渠道地址时必须重新填写密钥');
  });

  test('REL-5.06 REL-8.02 the mapping is edited as pairs and as JSON in step; text that is no JSON is refused', async () => {
    await using stage = await channelPage(application, [{ name: 'mapped' }], {
      path: ([channel]) => `/channel/edit/${channel?.id}`,
    });
    const { page } = stage;
    await page.getByRole('button', { name: '填入模板' }).first().click();
    expect(await page.getByRole('textbox', { name: '请求的模型 1' }).inputValue()).toBe('gpt-3.5-turbo');
    await page.getByRole('textbox', { name: '实际的模型 1' }).fill('gpt-4o');
    await page.getByRole('button', { name: 'JSON', exact: true }).first().click();
    const text = page.getByRole('textbox', { name: '模型映射' });
    expect(JSON.parse(await text.inputValue())).toEqual({ 'gpt-3.5-turbo': 'gpt-4o' });
    await text.fill('{"a":');
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await sees(page, '模型映射必须是合法的 JSON 格式！');
    await text.fill('{"a":"b"}');
    await page.getByRole('button', { name: '400→500' }).click();
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await sees(page, '渠道更新成功');
    const saved = (await stage.stored())[0];
    expect(JSON.parse(saved?.model_mapping ?? '')).toEqual({ a: 'b' });
    expect(JSON.parse(saved?.status_code_mapping ?? '')).toEqual({ 400: '500' });
  });

  test('O22 models are fetched from the upstream and compared, taken one by one; the form is tested before saving', async () => {
    await using stage = await channelPage(application, [{ name: 'fetching', models: 'gpt-4o,made-up' }], {
      path: ([channel]) => `/channel/edit/${channel?.id}`,
    });
    const { page } = stage;
    await page.getByRole('button', { name: '获取模型列表' }).click();
    await sees(page, /上游共有 \d+ 个模型/);
    await page.getByRole('button', { name: '移除 1 个上游没有的' }).click();
    await sees(page, '1 个模型');
    await page.getByRole('button', { name: '加入 gpt-4o-mini', exact: true }).click();
    await sees(page, '2 个模型');
    await page.getByRole('button', { name: '保存前测试' }).click();
    await sees(page, /gpt-4o 测试成功，耗时 \d+\.\d\d 秒/);
    expect((await stage.stored())[0]?.test_time).toBe(0);
  });

  test('REL-5.11 a weight below 0 becomes 0 in the form', async () => {
    await using stage = await channelPage(application, [{ name: 'weighed', weight: 3 }], {
      path: ([channel]) => `/channel/edit/${channel?.id}`,
    });
    const { page } = stage;
    await field(page, '权重').fill('-4');
    await field(page, '权重').blur();
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await eventually(async () => (await stage.stored())[0]?.weight === 0, 'saved as 0');
  });

  test.each([
    ['zh', 'dark', PHONE],
    ['en', 'light', undefined],
  ] as const)('the form in %s and %s fits and is accessible', async (language, theme, viewport) => {
    await using stage = await channelPage(application, [{ name: 'shown' }], {
      language,
      theme,
      ...(viewport ? { viewport } : {}),
      path: ([channel]) => `/channel/edit/${channel?.id}`,
    });
    const { page, problems } = stage;
    await page.getByRole('heading', { name: language === 'zh' ? '编辑渠道' : 'Edit channel' }).waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe('unsaved changes', () => {
  test('O18: Esc closes the innermost thing only; closing asks; a reload keeps the draft without the key', async () => {
    await using stage = await channelPage(application, [{ name: 'first' }, { name: 'second' }]);
    const { page, channels } = stage;
    await choose(page, 'first', '编辑');
    const question = page.getByRole('dialog', { name: '放弃更改？' });
    const name = field(page, '名称');
    await name.fill('renamed');
    await page.getByLabel(/^密钥/).fill('sk-never-in-a-draft-1');

    const models = page.getByLabel('模型', { exact: true }).first();
    await models.click();
    const dropdown = page.getByRole('listbox').first();
    await dropdown.waitFor();
    await page.keyboard.press('Escape');
    await dropdown.waitFor({ state: 'hidden' });
    expect(await question.count()).toBe(0);
    expect(await name.inputValue()).toBe('renamed');

    await page.getByRole('button', { name: '关闭', exact: true }).click();
    await question.getByRole('button', { name: '继续编辑' }).click();
    await row(page, 'second').getByText('second').click();
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe(`/channel/edit/${channels[0]?.id}`);
    expect(await name.inputValue()).toBe('renamed');

    // The browser asks because the key would be lost.
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    await (await asked).accept();
    await reloaded;
    await sees(page, '已恢复未保存的更改');
    expect(await name.inputValue()).toBe('renamed');
    expect(await page.getByLabel(/^密钥/).inputValue()).toBe('');
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('sk-never');
    expect(await accessibilityViolations(page)).toEqual([]);

    await row(page, 'second').getByText('second').click();
    await question.getByRole('button', { name: '放弃更改' }).click();
    await page.waitForURL(`**/channel/edit/${channels[1]?.id}`);
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('renamed');
    await name.fill('saved name');
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await page.waitForURL('**/channel');
    expect(await question.count()).toBe(0);
  });
});
