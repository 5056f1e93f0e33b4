// The list of tokens in a browser: rows, search, facets, row actions, many at once, keyboard.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { ROLE } from '#contract/access.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually, visit } from '#tests/support/browser.ts';
import { addChannel } from '#tests/support/channels.ts';
import { choose, clipboard, ownTokens, row, sees, tokenPage, WIDE } from './tokens-support.ts';

// Real pages and accessibility checks take longer than the default timeout.
setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
});
afterAll(() => application.close());

describe('the list', () => {
  test('REL-2.05 REL-2.80 an empty list explains what a token is for, and the page warns against handing them on', async () => {
    await using stage = await tokenPage(application);
    const { page, problems } = stage;
    await page.getByRole('heading', { level: 1, name: '令牌' }).waitFor();
    await sees(page, '令牌仅供本人使用，请勿提供给他人。');
    await sees(page, '还没有令牌');
    await page.getByRole('button', { name: '创建第一个令牌' }).click();
    await page.getByRole('heading', { name: '新建令牌' }).waitFor();
    expect(page.url()).toContain('new=1');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('N6: an operator is led to a channel, then to a price, then to a key', async () => {
    const root = await application.actor({ role: ROLE.root });
    await using opened = await visit(application, { as: root, language: 'zh', viewport: WIDE });
    const { page, problems } = opened;
    await page.goto('/token');
    await page.getByRole('link', { name: '接入渠道' }).click();
    await page.getByRole('heading', { name: '接入上游' }).waitFor();
    await addChannel(application.store, { base_url: 'http://127.0.0.1:9', models: ['house-model'] });
    await page.goto('/token');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('link', { name: '设置价格' }).click();
    await page.getByRole('row').filter({ hasText: 'house-model' }).waitFor();
    await application.settings.set('ModelRatio', '{"house-model":1}', 0);
    await page.goto('/token');
    await page.getByRole('button', { name: '创建第一个令牌' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('REL-3.48 REL-4.23 rows show a masked key with its prefix, the group and the state', async () => {
    await using stage = await tokenPage(application, [
      { name: 'plain', group: 'vip' },
      { name: 'narrow', model_limits_enabled: true, model_limits: 'gpt-5.4' },
    ]);
    const { page, tokens } = stage;
    const [plain] = tokens;
    await row(page, 'plain').waitFor();
    const text = await row(page, 'plain').innerText();
    expect(text).toContain(`sk-${plain?.key.slice(0, 4)}…${plain?.key.slice(-4)}`);
    expect(text).toContain('vip');
    expect(text).toContain('已启用');
    expect(await row(page, 'narrow').innerText()).toContain('受限');
    expect(await page.content()).not.toContain(plain?.key ?? '');
  });

  test('REL-2.68 REL-2.69 the search finds a part of the name, the end of a key and a whole key', async () => {
    await using stage = await tokenPage(application, [{ name: 'alpha' }, { name: 'beta' }]);
    const { page, tokens } = stage;
    const alpha = tokens[0];
    const search = page.getByRole('textbox', { name: '名称或密钥' });
    for (const text of ['lph', alpha?.key.slice(-4), `sk-${alpha?.key}`]) {
      await search.fill(text ?? '');
      await row(page, 'beta').waitFor({ state: 'detached' });
      await row(page, 'alpha').waitFor();
      expect(await row(page, 'alpha').count()).toBe(1);
      await search.fill('');
      await row(page, 'beta').waitFor();
    }
    await search.fill('%');
    await sees(page, '没有符合条件的内容');
    await page.getByRole('button', { name: '清除全部筛选' }).click();
    await row(page, 'beta').waitFor();
  });

  test('facets filter, are in the URL and survive a reload', async () => {
    await using stage = await tokenPage(application, [{ name: 'good' }, { name: 'spent', remain_quota: 0 }]);
    const { page } = stage;
    await row(page, 'good').waitFor();
    await page.getByRole('button', { name: '状态' }).first().click();
    await page.getByRole('menuitemcheckbox', { name: '已耗尽' }).click();
    await row(page, 'good').waitFor({ state: 'detached' });
    expect(page.url()).toContain('status=4');
    await page.reload();
    await row(page, 'spent').waitFor();
    expect(await row(page, 'good').count()).toBe(0);
    await page.getByRole('button', { name: '清除', exact: true }).click();
    await row(page, 'good').waitFor();
  });

  test('the export holds the rows and no key', async () => {
    await using stage = await tokenPage(application, [{ name: '=cmd', remain_quota: 5 }]);
    const { page, tokens } = stage;
    await row(page, '=cmd').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '导出 CSV' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toContain(`"'=cmd"`);
    expect(text).toContain('剩余额度');
    expect(text).not.toContain(tokens[0]?.key ?? '');
  });
});

describe('row actions', () => {
  test('REL-2.72 REL-2.73 the key is shown and copied when asked for', async () => {
    await using stage = await tokenPage(application, [{ name: 'one' }]);
    const { page, tokens } = stage;
    const key = `sk-${tokens[0]?.key}`;
    await choose(page, 'one', '查看密钥');
    await page.getByRole('dialog').getByText(key).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await choose(page, 'one', '复制密钥');
    await sees(page, '已复制到剪贴板');
    expect(await clipboard(page)).toBe(key);
    expect(await page.getByText(key).count()).toBe(0);
  });

  test('REL-2.74 REL-2.75 the chat menu opens a configured link with the key and the address in it', async () => {
    await using stage = await tokenPage(application, [{ name: 'one' }]);
    const { page, tokens, context } = stage;
    await context.route('https://app.nextchat.dev/**', (route) => route.fulfill({ body: 'chat' }));
    await page.getByRole('button', { name: 'one 的操作' }).click();
    for (const name of ['ChatGPT Next Web', 'AMA 问天', 'OpenCat']) {
      await page.getByRole('menuitem', { name }).waitFor();
    }
    await page.getByRole('menuitem', { name: 'ChatGPT Next Web' }).click();
    // S23: the key is handed over after a question that names the host.
    const question = page.getByRole('dialog', { name: '把密钥交给 app.nextchat.dev？' });
    await question.waitFor();
    const [chat] = await Promise.all([
      context.waitForEvent('page'),
      question.getByRole('button', { name: '交出密钥并打开' }).click(),
    ]);
    await chat.waitForURL('https://app.nextchat.dev/**');
    const settings = new URLSearchParams(chat.url().split('?')[1]).get('settings');
    expect(JSON.parse(settings ?? '')).toEqual({ key: `sk-${tokens[0]?.key}`, url: application.url });
    expect(await chat.evaluate<boolean>('window.opener === null')).toBe(true);
  });

  test('REL-2.77 REL-4.24 REL-8.51 a token is disabled and enabled again', async () => {
    await using stage = await tokenPage(application, [{ name: 'one' }]);
    const { page } = stage;
    await choose(page, 'one', '禁用');
    await sees(page, '操作成功完成！');
    await row(page, 'one').getByText('已禁用').waitFor();
    await choose(page, 'one', '启用');
    await row(page, 'one').getByText('已启用').waitFor();
  });

  test('REL-4.25 REL-4.26 a token that cannot be enabled shows why and opens the field to change', async () => {
    await using stage = await tokenPage(application, [{ name: 'late' }, { name: 'spent', remain_quota: 0 }]);
    const { page, tokens } = stage;
    await application.store.db
      .updateTable('tokens')
      .set({ status: 3, expired_time: 1_700_000_000 })
      .where('id', '=', tokens[0]?.id ?? 0)
      .execute();
    await page.reload();
    await row(page, 'late').getByText('已过期').waitFor();
    await choose(page, 'late', '启用');
    await sees(page, '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期');
    const expiry = page.getByRole('textbox', { name: '过期时间' });
    await eventually(() => expiry.evaluate((field) => field.matches(':focus')), 'the expiry has the focus');
    await page.getByRole('button', { name: '永不过期' }).click();
    await page.getByRole('button', { name: '保存' }).click();
    await sees(page, '令牌更新成功！');
    await row(page, 'late').getByText('已启用').waitFor();

    await choose(page, 'spent', '启用');
    await sees(page, '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度');
    const quota = page.getByRole('textbox', { name: '剩余额度（金额）' });
    await eventually(() => quota.evaluate((field) => field.matches(':focus')), 'the quota has the focus');
  });

  test('REL-2.76 a token is deleted and the deletion taken back, with the same key', async () => {
    await using stage = await tokenPage(application, [{ name: 'one' }]);
    const { page, actor, tokens } = stage;
    await choose(page, 'one', '删除');
    await sees(page, '操作成功完成！已删除“one”');
    await sees(page, '还没有令牌');
    await page.getByRole('button', { name: '撤销' }).click();
    await row(page, 'one').waitFor();
    expect((await ownTokens(application, actor))[0]?.key).toBe(tokens[0]?.key ?? '');
  });
});

describe('many at once', () => {
  test('REL-2.71 REL-5.45 REL-8.12 copying needs a selection, and copies what is selected', async () => {
    await using stage = await tokenPage(application, [{ name: 'one' }, { name: 'two' }, { name: 'three' }]);
    const { page, tokens } = stage;
    await row(page, 'one').waitFor();
    await page.getByRole('button', { name: '复制所选令牌' }).click();
    await sees(page, '请至少选择一个令牌！');
    await page.getByRole('checkbox', { name: '选择此行: one' }).check();
    await page.getByRole('checkbox', { name: '选择此行: two' }).check();
    await sees(page, '已选 2 项');
    await page.getByRole('button', { name: '复制所选令牌' }).click();
    await sees(page, '已复制到剪贴板');
    const [one, two] = tokens;
    expect((await clipboard(page)).split('\n').sort()).toEqual([
      `one    sk-${one?.key}`,
      `two    sk-${two?.key}`,
    ]);
    await page.getByRole('button', { name: '复制', exact: true }).click();
    await page.getByRole('menuitem', { name: '.env 格式' }).click();
    await eventually(
      async () => (await clipboard(page)).includes('ONE_API_KEY=sk-'),
      'the variables are copied',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: '选择此行: one' }).focus();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: '复制所选令牌' }).click();
    await sees(page, '请至少选择一个令牌！');
  });

  test('selected tokens are disabled, enabled and deleted together, and the deletion can be undone', async () => {
    // More than a page has, however many rows fit the window.
    await using stage = await tokenPage(application, [{ name: 'batch', count: 22 }]);
    const { page, actor } = stage;
    const states = async () => (await ownTokens(application, actor)).map((token) => token.status);
    const selectAll = async () => {
      await page.getByRole('checkbox', { name: '选择本页全部' }).check();
      await page.getByRole('button', { name: '选择全部 22 项' }).click();
      await sees(page, '已选全部 22 项');
    };
    await row(page, 'batch').first().waitFor();
    await selectAll();
    await page.getByRole('button', { name: '禁用' }).click();
    await sees(page, '操作成功完成！');
    await eventually(async () => (await states()).every((status) => status === 2), 'all are disabled');
    await selectAll();
    await page.getByRole('button', { name: '启用' }).click();
    await eventually(async () => (await states()).every((status) => status === 1), 'all are enabled');
    await selectAll();
    await page.getByRole('button', { name: '删除' }).click();
    await sees(page, '操作成功完成！已删除 22 个令牌');
    await eventually(async () => (await states()).length === 0, 'all are deleted');
    await page.getByRole('button', { name: '撤销' }).click();
    await eventually(async () => (await states()).length === 22, 'all are back');
    await row(page, 'batch').first().waitFor();
  });
});

test('the list is worked by keyboard: search, move, open, close, select', async () => {
  await using stage = await tokenPage(application, [{ name: 'first' }, { name: 'second' }]);
  const { page, tokens } = stage;
  await row(page, 'first').waitFor();
  await page.keyboard.press('/');
  const search = page.getByRole('textbox', { name: '名称或密钥' });
  expect(await search.evaluate((field) => field.matches(':focus'))).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press(' ');
  await sees(page, '已选 1 项');
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  await page.getByRole('heading', { name: '编辑令牌' }).waitFor();
  expect(page.url()).toContain(`edit=${tokens[0]?.id}`);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: '编辑令牌' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/token/${tokens[0]?.id}`);
});
