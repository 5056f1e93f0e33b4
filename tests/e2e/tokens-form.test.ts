// The drawer of a token in a browser: creating, batches, editing, every field and its messages.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, eventually } from '#tests/support/browser.ts';
import { clipboard, field, ownTokens, row, sees, tokenPage, turnOn } from './tokens-support.ts';

const MODELS = ['gpt-5.4', 'gpt-5.4-mini', 'claude-sonnet-5', 'qwen3.7-max'];

// Real pages and accessibility checks take longer than the default timeout.
setDefaultTimeout(120_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
  const { db } = application.store;
  await db
    .insertInto('channels')
    .values({ id: 1, name: 'upstream', type: CHANNEL_TYPE.openAi, tag: null })
    .execute();
  await db
    .insertInto('abilities')
    .values(MODELS.map((model) => ({ group: 'default', model, channel_id: 1, tag: null })))
    .execute();
});
afterAll(() => application.close());

const openNew = { path: () => '/token?new=1' };

describe('a new token', () => {
  test('REL-2.70 REL-2.79 REL-8.54 is made in a drawer, announced, and shown how to connect with', async () => {
    await using stage = await tokenPage(application);
    const { page, actor, problems } = stage;
    await page.getByRole('button', { name: '新建令牌' }).click();
    await field(page, '名称').fill('my app');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '令牌创建成功，请在列表页面点击复制获取令牌！');
    await page.getByRole('heading', { name: '接入 my app' }).waitFor();
    const [token] = await ownTokens(application, actor);
    expect(token).toMatchObject({ name: 'my app', remain_quota: 500_000, expired_time: -1 });
    await sees(page, `${application.url}/v1`);
    await sees(page, '等待首次请求…');
    await page.getByRole('button', { name: '复制代码' }).click();
    await eventually(
      async () => (await clipboard(page)).includes(`Authorization: Bearer sk-${token?.key}`),
      'the copied call holds the whole key',
    );
    expect(await page.content()).not.toContain(token?.key ?? '');
    await application.store.db
      .updateTable('tokens')
      .set({ accessed_time: Math.floor(Date.now() / 1000) })
      .where('id', '=', token?.id ?? 0)
      .execute();
    await sees(page, /已收到请求/);
    await row(page, 'my app').waitFor();
    expect(problems).toEqual([]);
  });

  test('REL-5.24 needs a name', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page, actor } = stage;
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '1 处待修正');
    await page.getByText('请输入名称', { exact: true }).waitFor();
    expect(await ownTokens(application, actor)).toEqual([]);
  });

  test('REL-5.25 REL-8.11 REL-5.26 an expiry that does not parse is marked', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page, actor } = stage;
    await field(page, '名称').fill('x');
    await field(page, '过期时间').fill('明天');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '过期时间格式错误！');
    expect(await ownTokens(application, actor)).toEqual([]);
    await field(page, '过期时间').fill('2099-01-02 03:04:05');
    await page.getByRole('button', { name: '创建', exact: true }).click();
    await sees(page, '令牌创建成功，请在列表页面点击复制获取令牌！');
    const [token] = await ownTokens(application, actor);
    const local = await page.evaluate<number>('new Date(2099, 0, 2, 3, 4, 5).getTime() / 1000');
    expect(token?.expired_time).toBe(local);
  });

  test('REL-9.28 REL-9.29 REL-9.30 REL-9.31 offers never, 1 hour, 1 day and 30 days', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page } = stage;
    const expiry = field(page, '过期时间');
    const seconds = async () => {
      const text = await expiry.inputValue();
      return await page.evaluate<number>(
        `Math.round((new Date('${text}'.replace(' ', 'T')).getTime() - Date.now()) / 1000)`,
      );
    };
    for (const [pick, expected] of [
      ['1 小时', 3600],
      ['1 天', 86_400],
      ['30 天', 30 * 86_400],
    ] as const) {
      await page.getByRole('button', { name: pick, exact: true }).click();
      expect(Math.abs((await seconds()) - expected)).toBeLessThan(5);
    }
    await page.getByRole('button', { name: '永不过期', exact: true }).click();
    expect(await expiry.inputValue()).toBe('');
  });

  test('the calendar fills the field', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page } = stage;
    await page.getByRole('button', { name: '选择日期' }).click();
    await page.getByRole('button', { name: '下个月' }).click();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: /^15 / }).first().click();
    expect(await field(page, '过期时间').inputValue()).toMatch(/^\d{4}-\d\d-15 \d\d:\d\d:\d\d$/);
  });

  test('REL-9.20 REL-9.21 REL-9.22 REL-9.23 REL-9.24 REL-9.25 REL-9.26 offers quota presets; money and quota are one value', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page } = stage;
    const money = field(page, '剩余额度（金额）');
    const quota = field(page, '剩余额度（额度）');
    expect(await quota.inputValue()).toBe('500,000');
    for (const [label, expected] of [
      ['1$', '500,000'],
      ['10$', '5,000,000'],
      ['50$', '25,000,000'],
      ['100$', '50,000,000'],
      ['500$', '250,000,000'],
      ['1000$', '500,000,000'],
    ] as const) {
      await page.getByRole('button', { name: label, exact: true }).click();
      expect(await quota.inputValue()).toBe(expected);
    }
    await money.fill('2.5');
    expect(await quota.inputValue()).toBe('1,250,000');
    await quota.fill('69380000');
    expect(await money.inputValue()).toBe('138.76');
  });

  test('REL-5.30 REL-5.31 unlimited closes the quota, and models are chosen only when the limit is on', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page } = stage;
    const quota = field(page, '剩余额度（额度）');
    expect(await quota.isDisabled()).toBe(false);
    await turnOn(page, '不限额度');
    expect(await quota.isDisabled()).toBe(true);
    const models = page
      .getByRole('textbox', { name: '模型限制' })
      .or(page.getByRole('combobox', { name: '模型限制' }));
    expect(await models.first().isDisabled()).toBe(true);
    await turnOn(page, '启用模型限制');
    expect(await models.first().isDisabled()).toBe(false);
  });

  test('REL-9.32 REL-9.33 REL-9.34 REL-5.32 many are made at once, with a look at their names first', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page, actor } = stage;
    await field(page, '名称').fill('nightly');
    for (const preset of ['20', '30', '100', '10']) {
      await page.getByRole('button', { name: preset, exact: true }).click();
      expect(await field(page, '数量').inputValue()).toBe(preset);
    }
    const preview = await page.getByText('将创建').locator('..').innerText();
    expect(preview).toContain('nightly');
    expect(preview).toMatch(/nightly-[a-z0-9]{6}/);
    await page.getByRole('button', { name: '创建 10 个' }).click();
    await sees(page, '令牌创建成功，请在列表页面点击复制获取令牌！');
    const names = (await ownTokens(application, actor)).map((token) => token.name);
    expect(names).toHaveLength(10);
    expect(names.filter((name) => name === 'nightly')).toHaveLength(1);
    expect(names.filter((name) => /^nightly-[A-Za-z0-9]{6}$/.test(name))).toHaveLength(9);
    await field(page, '名称').waitFor({ state: 'detached' });
  });

  test('three tokens get exactly the names that the form showed (O47)', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page, actor } = stage;
    await field(page, '名称').fill('weekly');
    await field(page, '数量').fill('3');
    const shown = await page.getByText('将创建').locator('..').locator('code').allInnerTexts();
    expect(shown).toHaveLength(3);
    await page.getByRole('button', { name: '创建 3 个' }).click();
    await sees(page, '令牌创建成功，请在列表页面点击复制获取令牌！');
    const names = (await ownTokens(application, actor)).map((token) => token.name);
    expect(names.sort()).toEqual(shown.sort());
  });

  test('a count outside 1 to 100 is refused at its field', async () => {
    await using stage = await tokenPage(application, [], openNew);
    const { page, actor } = stage;
    await field(page, '名称').fill('x');
    await field(page, '数量').fill('101');
    await page.getByRole('button', { name: '创建 101 个' }).click();
    await sees(page, '数量须为 1 到 100 的整数');
    expect(await ownTokens(application, actor)).toEqual([]);
  });
});

describe('an edit', () => {
  const edit = { path: (tokens: { id: number }[]) => `/token?edit=${tokens[0]?.id}` };

  test('REL-2.78 REL-8.53 opened by its address, changes every kind of field', async () => {
    await using stage = await tokenPage(application, [{ name: 'before' }], edit);
    const { page, actor, problems } = stage;
    await field(page, '名称').fill('after');
    await field(page, '预算 每天').fill('10');
    await turnOn(page, '启用模型限制');
    await page.getByRole('button', { name: '全部 OpenAI' }).click();
    await page.getByRole('button', { name: '粘贴列表' }).click();
    await page.getByRole('textbox', { name: '每行一个或用逗号分隔' }).fill('qwen3.7-max\nnot-here');
    await page.getByRole('button', { name: '添加', exact: true }).click();
    await sees(page, '1 个模型当前不可用：not-here');
    await page.getByRole('button', { name: '添加我的 IP（127.0.0.1）' }).click();
    await page.getByRole('textbox', { name: '禁止的 IP' }).fill('2001:db8::/32');
    await field(page, '请求 / 分钟').fill('60');
    await field(page, '超限提示').fill('稍等');
    await turnOn(page, '严格转换');
    await page.getByRole('combobox', { name: '绘图模式' }).click();
    await page.getByRole('option', { name: '慢速（relax）' }).click();
    await turnOn(page, '图片经本站转发');
    await sees(page, '11 处更改');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: '保存' }).click();
    await sees(page, '令牌更新成功！');
    expect((await ownTokens(application, actor))[0]).toMatchObject({
      name: 'after',
      day_budget: 5_000_000,
      model_limits_enabled: true,
      model_limits: 'gpt-5.4,gpt-5.4-mini,qwen3.7-max,not-here',
      allow_ips: '127.0.0.1',
      deny_ips: '2001:db8::/32',
      requests_per_minute: 60,
      rate_limit_message: '稍等',
      strict_conversion: true,
      mj_mode: 'relax',
      mj_image_proxy: true,
      mj_backup_pool: true,
    });
    await row(page, 'after').getByText('受限').waitFor();
    expect(problems).toEqual([]);
  });

  test('a bad line shows its reason and blocks the save; the others stay', async () => {
    await using stage = await tokenPage(application, [{ name: 'one' }], edit);
    const { page, actor } = stage;
    const allowed = page.getByRole('textbox', { name: '允许的 IP' });
    await allowed.fill('203.0.113.0/24\n198.51.100.17\n10.0.0.0/33');
    await sees(page, '前缀应为 0 到 32');
    await sees(page, '有效 2 条，待修正 1 条');
    await page.getByRole('button', { name: '保存' }).click();
    await page.getByRole('button', { name: '1 处待修正' }).click();
    expect(await allowed.evaluate((area) => area.matches(':focus'))).toBe(true);
    expect((await ownTokens(application, actor))[0]?.allow_ips).toBe('');
  });

  test('books the quota as a difference to what was loaded', async () => {
    await using stage = await tokenPage(application, [{ name: 'one', remain_quota: 1_000_000 }], edit);
    const { page, actor, tokens } = stage;
    const quota = field(page, '剩余额度（额度）');
    await quota.waitFor();
    await application.store.db
      .updateTable('tokens')
      .set({ remain_quota: 900_000, used_quota: 100_000 })
      .where('id', '=', tokens[0]?.id ?? 0)
      .execute();
    await quota.fill('2000000');
    await page.getByRole('button', { name: '保存' }).click();
    await sees(page, '令牌更新成功！');
    expect((await ownTokens(application, actor))[0]?.remain_quota).toBe(1_900_000);
  });

  test('a deleted token shows a message', async () => {
    await using stage = await tokenPage(application, [], { path: () => '/token?edit=999999' });
    await sees(stage.page, '令牌不存在或已被删除');
  });

  test('REL-2.81 a user without groups sees a message', async () => {
    await using stage = await tokenPage(application, [{ name: 'one' }], {
      path: () => '/about',
    });
    const { page, tokens } = stage;
    await application.settings.set('UserUsableGroups', '{}', 0);
    try {
      await page.goto(`/token?edit=${tokens[0]?.id}`);
      await sees(page, '管理员未设置用户可选分组');
    } finally {
      await application.settings.set('UserUsableGroups', '{"default":"默认分组","vip":"vip 分组"}', 0);
    }
  });
});
