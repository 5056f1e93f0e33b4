// The list of channels in a browser: rows, search, modes, inline numbers, row actions, tags, many at once.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  eventually,
  fitsWidth,
  PHONE,
  stored as storedValue,
  until,
  visit,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';
import {
  channelPage,
  choose,
  choosePage,
  openMenu,
  row,
  sees,
  select,
  type Stage,
} from './channels-support.ts';

// Real pages and accessibility checks take longer than the default timeout.
setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
});
afterAll(() => application.close());

const one = async (stage: Stage, name: string) => (await stage.stored()).find((each) => each.name === name);

describe('the page', () => {
  test('REL-2.02 REL-2.139 an administrator finds it in the menu; empty, it offers the first upstream', async () => {
    await using stage = await channelPage(application);
    const { page, problems } = stage;
    await page.getByRole('link', { name: '渠道' }).first().waitFor();
    await sees(page, '接入第一个上游');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('REL-2.37 REL-2.150 an ordinary user has no such menu entry and cannot use the page', async () => {
    const user = await application.actor();
    await using opened = await visit(application, { as: user, language: 'zh' });
    await opened.page.goto('/channel');
    await sees(opened.page, '你没有权限查看此内容');
    expect(await opened.page.getByRole('link', { name: '渠道' }).count()).toBe(0);
    await opened.page.goto('/channel/add');
    await sees(opened.page, '你没有权限查看此内容');
    expect(await opened.page.getByRole('heading', { name: '添加渠道' }).count()).toBe(0);
  });

  test('REL-4.04 REL-4.05 REL-4.10 N11 O7 O17 a model without a price is named; rows never carry a key; a disabled one is greyed, an automatically disabled one shows why, when and in which words; what was spent is shown whole', async () => {
    await using stage = await channelPage(application, [
      { name: 'good' },
      { name: 'manual' },
      { name: 'automatic', models: 'house-model' },
    ]);
    const { page, channels } = stage;
    await sees(page, '1 个模型没有价格，其调用会被拒绝：house-model。');
    const { db } = application.store;
    await db
      .updateTable('channels')
      .set({ status: 2 })
      .where('id', '=', channels[1]?.id ?? 0)
      .execute();
    await db
      .updateTable('channels')
      .set({
        status: 3,
        used_quota: 61_728_390_000,
        other_info:
          '{"status_reason":"status 401","status_time":1794600000,"status_words":"Incorrect API key provided: sk-pr***4k"}',
      })
      .where('id', '=', channels[2]?.id ?? 0)
      .execute();
    await page.reload();
    await row(page, 'automatic').waitFor();
    expect(await row(page, 'good').getAttribute('data-muted')).toBeNull();
    expect(await row(page, 'manual').getAttribute('data-muted')).toBe('true');
    expect(await row(page, 'manual').innerText()).toContain('已禁用');
    // The number in the head filters the list.
    await page.getByRole('button', { name: '1 自动禁用' }).click();
    await row(page, 'manual').waitFor({ state: 'detached' });
    await row(page, 'automatic').getByText('自动禁用').hover();
    await sees(page, '上游返回 401');
    await sees(page, 'Incorrect API key provided: sk-pr***4k');
    const spent = row(page, 'automatic').getByText('$123,456.78');
    expect(
      await spent.evaluate(
        (text) => (text.closest('td')?.scrollWidth ?? 1) <= (text.closest('td')?.clientWidth ?? 0),
      ),
    ).toBe(true);
    await sees(page, /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d 自动禁用/);
    expect(await page.content()).not.toContain('sk-of-the-upstream');
    // Its form says the same and enables it again.
    await page.goto(`/channel/edit/${channels[2]?.id}`);
    const notice = page.getByRole('alert').filter({ hasText: '自动禁用' });
    await notice.getByText('Incorrect API key provided: sk-pr***4k').waitFor();
    await notice.getByRole('button', { name: '启用' }).click();
    await notice.waitFor({ state: 'detached' });
    const kept = await db.selectFrom('channels').select('status').where('name', '=', 'automatic').execute();
    expect(kept).toEqual([{ status: 1 }]);
  });
});

describe('finding', () => {
  test('REL-2.38 REL-2.39 REL-2.40 REL-2.41 REL-2.42 by id, name, key, model keyword and group', async () => {
    await using stage = await channelPage(application, [
      { name: 'alpha', key: 'sk-alpha-whole-key-01', models: 'gpt-4o', groups: 'default' },
      { name: 'beta', models: 'claude-opus-5', groups: 'vip' },
    ]);
    const { page, channels } = stage;
    const search = page.getByRole('textbox', { name: 'ID、名称或密钥' });
    for (const text of [String(channels[0]?.id), 'alph', 'sk-alpha-whole-key-01']) {
      await search.fill(text);
      await row(page, 'beta').waitFor({ state: 'detached' });
      expect(await row(page, 'alpha').count()).toBe(1);
      await search.fill('');
      await row(page, 'beta').waitFor();
    }
    await page.getByRole('textbox', { name: '模型关键字' }).fill('opus');
    await row(page, 'alpha').waitFor({ state: 'detached' });
    expect(page.url()).toContain('model=opus');
    await page.getByRole('textbox', { name: '模型关键字' }).fill('');
    await row(page, 'alpha').waitFor();
    await page.getByRole('button', { name: '分组' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'vip', exact: true }).click();
    await row(page, 'alpha').waitFor({ state: 'detached' });
    expect(await row(page, 'beta').count()).toBe(1);
  });

  test('REL-2.43 REL-2.44 REL-2.50 id-sort is remembered, batch mode shows and hides the boxes, refresh asks again', async () => {
    await using stage = await channelPage(application, [{ name: 'first', priority: 9 }, { name: 'second' }]);
    const { page } = stage;
    const names = async () =>
      (await page.getByRole('row').allInnerTexts()).map((text) => /first|second/.exec(text)?.[0]);
    await row(page, 'second').waitFor();
    expect(await names()).toEqual([undefined, 'first', 'second']);
    await page.getByRole('button', { name: 'ID 排序' }).click();
    await eventually(async () => (await names())[1] === 'second', 'sorted by id');
    expect(await storedValue(page, 'id-sort')).toBe('true');
    expect(await page.getByRole('checkbox').count()).toBe(3);
    await page.getByRole('button', { name: '批量操作' }).click();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await application.store.db
      .updateTable('channels')
      .set({ name: 'renamed' })
      .where('name', '=', 'first')
      .execute();
    await choosePage(page, '刷新');
    await row(page, 'renamed').waitFor();
  });
});

test('channels are imported from JSON; the problem of an entry is shown', async () => {
  await using stage = await channelPage(application, []);
  const { page } = stage;
  await choosePage(page, '从 JSON 导入…');
  const dialog = page.getByRole('dialog', { name: '从 JSON 导入渠道' });
  const box = dialog.getByRole('textbox');
  await box.fill('[{');
  await dialog.getByText('不是合法的 JSON').waitFor();
  const entries = [
    {
      name: 'imported-one',
      type: CHANNEL_TYPE.openAi,
      key: 'sk-import-1',
      models: 'gpt-4o',
      group: 'default',
    },
    {
      name: 'imported-two',
      type: CHANNEL_TYPE.openAi,
      key: 'sk-import-2',
      models: ['gpt-4o-mini'],
      weight: 5,
    },
    { name: 'no-key', type: CHANNEL_TYPE.openAi, models: 'gpt-4o' },
    { name: 'odd-type', type: 998, key: 'sk', models: 'gpt-4o' },
  ];
  await box.fill(JSON.stringify(entries));
  await dialog.getByText('no-key: 缺少密钥').waitFor();
  await dialog.getByRole('button', { name: '导入 3 个' }).click();
  await dialog.getByText('imported-two：已创建 1 个渠道').waitFor();
  await dialog.getByText(/odd-type: 未知的渠道类型/).waitFor();
  expect(await accessibilityViolations(page, { floating: true })).toEqual([]);
  await dialog.getByRole('button', { name: '关闭' }).last().click();
  await row(page, 'imported-one').waitFor();
  await row(page, 'imported-two').waitFor();
});

describe('row actions', () => {
  test('REL-2.57 REL-4.10 REL-8.51 disabling names the models that lose their only channel, and can be undone', async () => {
    await using stage = await channelPage(application, [{ name: 'only', models: 'lonely-model' }]);
    const { page } = stage;
    await choose(page, 'only', '禁用');
    await sees(page, '1 个模型将没有可用渠道');
    await sees(page, 'lonely-model');
    await page.getByRole('button', { name: '仍然禁用' }).click();
    await sees(page, '已禁用 1 个渠道');
    await eventually(async () => (await one(stage, 'only'))?.status === 2, 'disabled');
    await page.getByRole('button', { name: '撤销' }).click();
    await eventually(async () => (await one(stage, 'only'))?.status === 1, 'enabled again');
    await choose(page, 'only', '禁用');
    await page.getByRole('button', { name: '仍然禁用' }).click();
    await choose(page, 'only', '启用');
    await sees(page, '操作成功完成！');
  });

  test('REL-2.54 REL-2.55 a test shows its seconds, also with a chosen model', async () => {
    await using stage = await channelPage(application, [{ name: 'tested', models: 'gpt-4o,gpt-4.1' }]);
    const { page, upstream } = stage;
    await row(page, 'tested').waitFor();
    expect(await row(page, 'tested').innerText()).toContain('未测试');
    await choose(page, 'tested', '测试');
    await sees(page, /tested 测试成功，耗时 \d+\.\d\d 秒/);
    await row(page, 'tested').getByText(/ms|s/).first().waitFor();
    await openMenu(page, 'tested');
    await page.getByRole('menuitem', { name: '测试模型' }).hover();
    await page.getByRole('menuitem', { name: 'gpt-4.1', exact: true }).click();
    await eventually(async () => upstream.requests.at(-1)?.model === 'gpt-4.1', 'the chosen model');
  });

  test('REL-2.59 REL-8.52 a copy appears; REL-8.10 REL-7.02 a refused copy shows a toast with the cause', async () => {
    await using stage = await channelPage(application, [{ name: 'original' }]);
    const { page, channels } = stage;
    await choose(page, 'original', '复制');
    await sees(page, '渠道复制成功');
    await row(page, 'original_复制').waitFor();
    await application.store.db
      .updateTable('channels')
      .set({ deleted_at: 1 })
      .where('id', '=', channels[0]?.id ?? 0)
      .execute();
    await page.getByRole('button', { name: 'original 的操作', exact: true }).click();
    await page.getByRole('menuitem', { name: '复制', exact: true }).click();
    await sees(page, /渠道复制失败: .*渠道未找到，请刷新页面后重试。/);
  });

  test('REL-2.56 REL-8.62 a deletion shows its count and can be undone', async () => {
    await using stage = await channelPage(application, [{ name: 'gone' }, { name: 'stays' }]);
    const { page } = stage;
    await choose(page, 'gone', '删除');
    await sees(page, '已删除 1 个渠道');
    await row(page, 'gone').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '撤销' }).click();
    await row(page, 'gone').waitFor();
  });

  test('REL-2.63 REL-2.64 REL-5.12 REL-5.13 O24 priority and weight are edited in place, where the row stays; blank is ignored, Esc restores', async () => {
    await using stage = await channelPage(application, [
      { name: 'ranked', priority: 3, weight: 4 },
      { name: 'other', priority: 2 },
    ]);
    const { page } = stage;
    const priority = page.getByRole('textbox', { name: '优先级: ranked' });
    const weight = page.getByRole('textbox', { name: '权重: ranked' });
    await priority.fill('12');
    await priority.press('Enter');
    await eventually(async () => (await one(stage, 'ranked'))?.priority === 12, 'priority');
    await weight.fill('-7');
    await weight.press('Enter');
    await eventually(async () => (await one(stage, 'ranked'))?.weight === 0, 'weight below 0 becomes 0');
    const last = page.getByRole('textbox', { name: '优先级: other' });
    let reads = 0;
    page.on('request', (sent) => {
      if (/\/api\/channel\/\?/.test(sent.url())) reads += 1;
    });
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await last.fill('99');
    await last.press('Enter');
    await saved;
    await until(page, `document.querySelector('input[aria-label="优先级: other"]')?.value === '99'`);
    // A second frame: by then a new reading of the list would have been sent.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(reads).toBe(0);
    expect(await page.getByRole('row').nth(1).innerText()).toContain('ranked');
    await priority.fill('');
    await priority.press('Enter');
    await weight.fill('99');
    await weight.press('Escape');
    await eventually(async () => (await priority.inputValue()) === '12', 'the old priority stands');
    await Bun.sleep(200);
    expect(await one(stage, 'ranked')).toMatchObject({ priority: 12, weight: 0 });
  });

  test('the balance is read by a click', async () => {
    await using stage = await channelPage(application, [{ name: 'paid' }]);
    const { page } = stage;
    await page.getByRole('button', { name: /刷新 paid 的余额/ }).click();
    await sees(page, 'paid 的余额更新成功');
    await row(page, 'paid').getByText('$99.50').waitFor();
  });

  test('a key is revealed after the password only', async () => {
    await using stage = await channelPage(application, [{ name: 'locked', key: 'sk-locked-away-key-77' }]);
    const { page } = stage;
    await choose(page, 'locked', '查看密钥');
    await page.getByLabel('登录密码').fill('wrong-password');
    await page.getByRole('button', { name: '查看', exact: true }).click();
    await sees(page, '原密码错误');
    await page.getByLabel('登录密码').fill('user-password-of-tests');
    await page.getByRole('button', { name: '查看', exact: true }).click();
    await sees(page, 'sk-locked-away-key-77');
  });
});

describe('many at once', () => {
  test('REL-2.51 REL-2.53 REL-5.21 REL-5.22 REL-8.06 REL-8.07 without a selection both say so', async () => {
    await using stage = await channelPage(application, [{ name: 'a' }]);
    const { page } = stage;
    await choosePage(page, '删除所选渠道');
    await sees(page, '请先选择要删除的通道！');
    await choosePage(page, '批量设置标签');
    await sees(page, '请先选择要设置标签的渠道！');
  });

  test('REL-5.23 REL-8.08 REL-8.64 a tag for the selection must not be empty; its count is shown', async () => {
    await using stage = await channelPage(application, [{ name: 'left' }, { name: 'right' }]);
    const { page } = stage;
    await select(page, 'left');
    await select(page, 'right');
    await page.getByRole('button', { name: '设置标签' }).click();
    await page.getByRole('button', { name: '设置', exact: true }).click();
    await sees(page, '标签不能为空！');
    await page.getByRole('dialog').getByRole('textbox', { name: '标签' }).fill('pool');
    await page.getByRole('button', { name: '设置', exact: true }).click();
    await sees(page, '已为 2 个渠道设置标签');
    expect((await stage.stored()).map(({ tag }) => tag)).toEqual(['pool', 'pool']);
    await page.getByRole('button', { name: '撤销' }).click();
    await eventually(
      async () => (await stage.stored()).every(({ tag }) => tag === null),
      'tags are off again',
    );
  });

  test('REL-2.51 the selection is deleted and its count shown', async () => {
    await using stage = await channelPage(application, [{ name: 'x1' }, { name: 'x2' }, { name: 'keep' }]);
    const { page } = stage;
    await select(page, 'x1');
    await select(page, 'x2');
    await page.getByRole('button', { name: '删除', exact: true }).click();
    await sees(page, '已删除 2 个渠道');
    expect((await stage.stored()).map(({ name }) => name)).toEqual(['keep']);
  });

  test('REL-2.48 REL-2.49 REL-2.52 REL-8.63 O20 balances (each failure with its reason), deleting disabled and fixing consistency show their counts', async () => {
    await using stage = await channelPage(application, [{ name: 'on' }, { name: 'off' }]);
    const { page, channels } = stage;
    await application
      .client(stage.admin)
      .channels.setStatus({ body: { ids: [channels[1]?.id ?? 0], status: 2 } });
    await application.store.db.deleteFrom('abilities').execute();
    await choosePage(page, '更新所有已启用渠道余额');
    await sees(page, '余额已更新 1 个，失败 0 个，不支持 0 个');
    await application.client(stage.admin).channels.change({
      body: { id: channels[0]?.id ?? 0, key: 'sk-1.mock-401', base_url: stage.upstream.url },
    });
    await choosePage(page, '更新所有已启用渠道余额');
    const failures = page.getByRole('dialog', { name: '1 个渠道的余额读取失败' });
    await failures.getByRole('link', { name: `#${channels[0]?.id} on` }).waitFor();
    await failures.getByText(/401/).waitFor();
    await failures.getByRole('button', { name: '关闭' }).click();
    await choosePage(page, '修复数据库一致性');
    await sees(page, /已修复 [1-9]\d* 个渠道/);
    await choosePage(page, '删除禁用渠道');
    await page.getByRole('dialog').getByRole('button', { name: '删除', exact: true }).click();
    await sees(page, '已删除所有禁用渠道，共计 1 个');
    await row(page, 'off').waitFor({ state: 'detached' });
  });
});

describe('looks', () => {
  testLooks.each([
    ['zh', 'light', undefined],
    ['en', 'dark', undefined],
    ['zh', 'dark', PHONE],
    ['en', 'light', PHONE],
  ] as const)('%s, %s: nothing sticks out, nothing is inaccessible', async (language, theme, viewport) => {
    await using stage = await channelPage(
      application,
      [
        { name: 'one', tag: 'pool' },
        { name: 'two', tag: 'pool', type: CHANNEL_TYPE.deepSeek },
        { name: 'three', type: CHANNEL_TYPE.azure },
      ],
      { language, theme, ...(viewport ? { viewport } : {}), storage: { 'channel-tag-mode': 'true' } },
    );
    const { page, problems } = stage;
    await page.getByText('three').first().waitFor();
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
