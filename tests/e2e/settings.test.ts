// The settings page: tabs by role, the calls of a save, its messages, and its confirmations.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { SETTING_KEYS, type SettingKey } from '#contract/settings.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { startMailServer } from '#tests/support/mail-server.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE } from '#tests/support/browser.ts';
import { eachLook } from '#tests/support/looks.ts';
import {
  confirmed,
  control,
  flip,
  rootOf,
  save,
  sees,
  settingsPage,
  untilSaved,
} from './settings-support.ts';

let application: TestApplication;
let root: Actor;
beforeAll(async () => {
  application = await startApplication();
  root = await rootOf(application);
}, 120_000);
afterAll(() => application.close(), 120_000);
afterEach(async () => {
  const rows = await application.store.db.selectFrom('options').select('key').execute();
  const stored = new Set(rows.map(({ key }) => key));
  const switches = SETTING_KEYS.filter((key) => stored.has(key) && key.endsWith('Enabled'));
  for (const key of [...switches, ...SETTING_KEYS.filter((each) => stored.has(each))])
    await application.settings.reset(key, 0);
});

describe('tabs', () => {
  test('ACC-2.14 ACC-2.30 ACC-2.31 ACC-2.48 ACC-2.60 ACC-2.72 ACC-6.17 users and admins have the personal tab alone', async () => {
    for (const [role, tab] of [
      [ROLE.user, 'operation'],
      [ROLE.admin, 'system'],
      [ROLE.admin, 'other'],
    ] as const) {
      const actor = await application.actor({ role });
      await using stage = await settingsPage(application, actor, `?tab=${tab}`);
      const { page } = stage;
      await sees(page, '运营、系统与其他设置只对超级管理员开放。');
      expect(await page.locator('[id^="control-"]').count()).toBe(0);
      expect(await page.getByRole('tab').allTextContents()).toEqual(['个人']);
      await page.getByRole('link', { name: '设置' }).first().click();
      await page.getByRole('tab', { name: '个人', selected: true }).waitFor();
      expect(new URL(page.url()).searchParams.get('tab')).toBeNull();
    }
  }, 120_000);

  test('ACC-2.15 ACC-2.49 ACC-2.50 ACC-2.51 ACC-2.52 ACC-2.53 ACC-2.54 ACC-2.55 ACC-2.56 ACC-2.57 ACC-6.11 the sections of the operation tab', async () => {
    await using stage = await settingsPage(application, root, '?tab=operation', { language: 'en' });
    const { page, problems } = stage;
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual([
      'All',
      'Operations',
      'System',
      'Other',
      'Personal',
    ]);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      'General',
      'Drawing',
      'Task results',
      'Sensitive words',
      'Logs',
      'Dashboard',
      'Monitoring',
      'Notifications',
      'Quota',
      'Chat',
      'Groups',
      'Call limits',
    ]);
    expect(
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').last().textContent(),
    ).toBe('Model ratios');
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  }, 120_000);

  test('ACC-2.61 ACC-2.62 ACC-2.63 ACC-2.64 ACC-2.65 ACC-2.66 ACC-2.67 ACC-2.68 ACC-2.69 ACC-2.70 ACC-2.71 ACC-6.12 the sections of the system tab', async () => {
    await using stage = await settingsPage(application, root, '?tab=system', { theme: 'dark' });
    const { page } = stage;
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      '服务器地址',
      '代理 Worker',
      '备份',
      '日志导出',
      '支付',
      '代理商分红',
      '组织',
      '登录与注册',
      '邮箱域名白名单',
      'SMTP',
      'GitHub 登录',
      'LinuxDO 登录',
      'WeChat Server',
      'Telegram 登录',
      'Turnstile 人机验证',
      'OIDC 登录',
    ]);
    expect(await accessibilityViolations(page)).toEqual([]);
  }, 120_000);

  test('ACC-2.73 ACC-2.74 ACC-2.75 ACC-2.76 ACC-2.77 ACC-2.78 ACC-6.13 the sections of the other tab, on a phone too', async () => {
    await using stage = await settingsPage(application, root, '?tab=other', { viewport: PHONE });
    const { page } = stage;
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
      '首页公告',
      '名称与 Logo',
      '首页内容',
      '关于',
      '页脚',
      '公开页面',
      '条款、隐私与联系方式',
      '公告',
      '常见问题',
      '配置文件',
      '版本',
    ]);
    for (const key of ['Notice', 'SystemName', 'Logo', 'HomePageContent', 'About', 'Footer'] as const)
      expect(await control(page, key).count()).toBe(1);
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
  }, 120_000);

  test('D36 the index names every section by subject, and finds by name, label and key in both languages', async () => {
    await using stage = await settingsPage(application, root, '?tab=all', { language: 'en' });
    const { page, problems } = stage;
    await page.getByRole('heading', { level: 2, name: 'Prices and money' }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(5);
    for (const [typed, link] of [
      ['分红', 'Resellers'],
      ['QuotaForInviter', 'Quota'],
      ['terms', 'Terms, privacy and contact'],
      ['yejiao', 'Footer'],
    ] as const) {
      await page.getByRole('textbox', { name: 'Search all settings' }).fill(typed);
      await page.getByRole('link', { name: link }).waitFor();
      expect(await page.getByRole('link', { name: 'SMTP' }).count()).toBe(0);
    }
    await page.getByRole('textbox', { name: 'Search all settings' }).fill('RetryTimes');
    await page.keyboard.press('Enter');
    await page.waitForURL(/tab=operation&section=general/);
    await eventually(
      async () => (await page.evaluate('document.activeElement?.id')) === 'control-RetryTimes',
      'the option has the focus',
    );
    await page.goto('/setting?tab=all');
    // One editor of prices; the options that store them are a step further.
    await page.getByRole('link', { name: 'Model ratios' }).click();
    await page.waitForURL(/section=pricing/);
    await page.goto('/setting?tab=all');
    await page.getByRole('link', { name: /^Model prices/ }).click();
    await page.waitForURL(/\/prices/);
    expect(problems).toEqual([]);
  });

  test('every option of the registry has its place on the page', async () => {
    await using stage = await settingsPage(application, root, '?tab=operation');
    const { page } = stage;
    const shown = new Set<string>();
    const look = async (first: SettingKey) => {
      await page.locator(`#option-${first}`).waitFor();
      for (const id of await page.locator('[id^="option-"]').evaluateAll((rows) => rows.map((row) => row.id)))
        shown.add(id.replace('option-', ''));
    };
    await look('RetryTimes');
    await page.getByRole('link', { name: '模型倍率' }).click();
    await page.getByText('JSON', { exact: true }).click();
    await look('ModelRatio');
    await page.getByRole('tab', { name: '系统' }).click();
    await look('ServerAddress');
    await page.getByRole('tab', { name: '其他' }).click();
    await look('Notice');
    // Two options are one grid.
    const inGrid = ['GroupRatio', 'UserUsableGroups'];
    expect(SETTING_KEYS.filter((key) => !shown.has(key))).toEqual(inGrid as typeof SETTING_KEYS);
  }, 120_000);
});

describe('saving', () => {
  test('ACC-4.38 ACC-8.21 without a change there is a warning and nothing is sent', async () => {
    await using stage = await settingsPage(application, root, '?tab=operation');
    const { page, saves } = stage;
    await save(page);
    await sees(page, '你似乎并没有修改什么');
    await control(page, 'RetryTimes').fill('3');
    await control(page, 'RetryTimes').fill('2');
    await save(page);
    expect(saves).toEqual([]);
    await using other = await settingsPage(application, root, '?tab=system', { language: 'en' });
    await save(other.page);
    await sees(other.page, 'You do not seem to have changed anything');
  }, 120_000);

  test('ACC-4.41 each changed option is saved with its own call, switches after the options they need', async () => {
    await using stage = await settingsPage(application, root, '?tab=system');
    const { page, saves } = stage;
    await flip(page, 'GitHubOAuthEnabled');
    await control(page, 'GitHubClientId').fill('id-of-tests');
    await control(page, 'GitHubClientSecret').fill('secret-of-tests');
    await page.getByRole('tab', { name: '运营' }).click();
    await control(page, 'RetryTimes').fill('4');
    await page.getByText('4 项更改').waitFor();
    await save(page);
    await sees(page, '保存成功');
    expect(saves.map(({ key }) => key).toSorted()).toEqual([
      'GitHubClientId',
      'GitHubClientSecret',
      'GitHubOAuthEnabled',
      'RetryTimes',
    ]);
    expect(saves.at(-1)).toEqual({ key: 'GitHubOAuthEnabled', value: 'true' });
    expect(application.settings.current.GitHubOAuthEnabled).toBe(true);
    await sees(page, '没有更改');
  }, 120_000);

  test('ACC-4.39 a secret is never shown, kept while the field is blank, and cleared only by asking for it', async () => {
    await application.settings.set('SMTPToken', 'kept-password', 0);
    await using stage = await settingsPage(application, root, '?tab=system&section=smtp', { language: 'en' });
    const { page, saves } = stage;
    const secret = control(page, 'SMTPToken');
    await secret.waitFor();
    expect(await secret.inputValue()).toBe('');
    expect(await secret.getAttribute('placeholder')).toBe('Configured; leave blank to keep it');
    expect(await page.content()).not.toContain('kept-password');
    await control(page, 'SMTPAccount').fill('mailer');
    await save(page);
    await sees(page, 'Saved');
    expect(saves.map(({ key }) => key)).toEqual(['SMTPAccount']);
    expect(application.settings.current.SMTPToken).toBe('kept-password');
    await page.getByRole('button', { name: 'Clear SMTP password?' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
    await sees(page, 'SMTP password cleared');
    await untilSaved(application, 'SMTPToken', '');
  }, 120_000);

  test('ACC-8.01 ACC-8.23 ACC-8.24 refusals of the server are shown, for all options or for some', async () => {
    await using stage = await settingsPage(application, root, '?tab=system');
    const { page } = stage;
    await flip(page, 'TelegramOAuthEnabled');
    await save(page);
    await sees(page, '保存失败，请重试');
    await page
      .getByRole('alert')
      .getByText('“允许通过 Telegram 进行登录”还不能开启，请先填写“Telegram Bot Token”')
      .first()
      .waitFor();
    await control(page, 'SMTPServer').fill('smtp.example');
    await save(page);
    await sees(page, '部分保存失败，请重试');
    await untilSaved(application, 'SMTPServer', 'smtp.example');
    expect(application.settings.current.TelegramOAuthEnabled).toBe(false);
    // The failed option is still a draft, the saved one is not.
    await page.getByText('1 项更改').waitFor();
  }, 120_000);

  test('ACC-8.15 ACC-8.16 ACC-8.17 ACC-8.22 problems are shown before anything is sent', async () => {
    await using stage = await settingsPage(application, root, '?tab=system', { language: 'en' });
    const { page, saves } = stage;
    const discard = () => page.getByRole('button', { name: 'Discard' }).click();
    await control(page, 'ServerAddress').fill('');
    await control(page, 'EpayId').fill('1001');
    await save(page);
    await page.getByRole('alert').getByText('Fill in the server address first').first().waitFor();
    await discard();
    await control(page, 'TopupGroupRatio').fill('{"default":');
    await save(page);
    await sees(page, 'Top-up group ratios: not valid JSON');
    await discard();
    await page.getByRole('tab', { name: 'Operations' }).click();
    await control(page, 'DataExportInterval').fill('soon');
    await save(page);
    await sees(page, 'Check your input');
    await page.locator('#option-DataExportInterval').getByText('Enter a number').waitFor();
    await page.locator('#control-DataExportInterval:focus').waitFor();
    await discard();
    await page.goto('/setting?tab=operation&section=pricing&view=json');
    for (const [key, label] of [
      ['ModelPrice', 'Fixed model prices'],
      ['ModelRatio', 'Model ratios'],
      ['CompletionRatio', 'Completion ratios'],
    ] as const) {
      await control(page, key).fill('{');
      await save(page);
      await sees(page, `${label}: not valid JSON`);
      await discard();
    }
    expect(saves).toEqual([]);
  }, 120_000);

  test('ACC-8.60 ACC-8.61 ACC-8.62 ACC-8.63 ACC-8.64 ACC-8.65 each text of the site has its success message', async () => {
    const texts = {
      zh: ['公告已更新', '系统名称已更新', 'Logo 已更新', '首页内容已更新', '关于已更新', '页脚内容已更新'],
      en: [
        'Notice updated',
        'System name updated',
        'Logo updated',
        'Home page updated',
        'About updated',
        'Footer updated',
      ],
    };
    const keys = ['Notice', 'SystemName', 'Logo', 'HomePageContent', 'About', 'Footer'] as const;
    for (const language of eachLook(['zh', 'en'] as const)) {
      await using stage = await settingsPage(application, root, '?tab=other', { language });
      const { page } = stage;
      for (const half of [keys.slice(0, 3), keys.slice(3)]) {
        for (const key of half) await control(page, key).fill(`${key} in ${language}`);
        await save(page);
        for (const key of half) {
          const said = page.getByRole('status').filter({ hasText: texts[language][keys.indexOf(key)] ?? '' });
          // Only a few toasts show at once; the others are queued.
          await said.getByRole('button').click();
        }
      }
      await untilSaved(application, 'Footer', `Footer in ${language}`);
    }
  }, 120_000);
});

describe('rules of the form', () => {
  test('ACC-4.14 ACC-4.15 A11 A13 password login goes off only after the consequence was confirmed, which names your own ways in', async () => {
    await using stage = await settingsPage(application, root, '?tab=system');
    const { page, saves } = stage;
    await flip(page, 'PasswordLoginEnabled');
    await save(page);
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/没有通行密钥、也没有绑定其他登录方式的用户将无法登录。 你自己也没有其他登录方式/)
      .waitFor();
    await dialog.getByRole('button', { name: '取消' }).click();
    expect(saves).toEqual([]);
    await save(page);
    await dialog.getByRole('button', { name: '确认关闭' }).click();
    await untilSaved(application, 'PasswordLoginEnabled', false);
  }, 120_000);

  test('ACC-5.31 port 465 switches SSL on in the form and holds it', async () => {
    await using stage = await settingsPage(application, root, '?tab=system&section=smtp');
    const { page } = stage;
    await control(page, 'SMTPPort').fill('465');
    expect(await control(page, 'SMTPSSLEnabled').isChecked()).toBe(true);
    expect(await control(page, 'SMTPSSLEnabled').isDisabled()).toBe(true);
    await save(page);
    await untilSaved(application, 'SMTPSSLEnabled', true);
  }, 120_000);

  test('O18 leaving with unsaved changes asks first; between the tabs and after a reload they stay', async () => {
    await using stage = await settingsPage(application, root, '?tab=other', { language: 'en' });
    const { page } = stage;
    await control(page, 'SystemName').fill('Half done');
    await page.getByRole('tab', { name: 'System' }).click();
    await page.getByRole('tab', { name: 'Other' }).click();
    expect(await control(page, 'SystemName').inputValue()).toBe('Half done');
    await page.reload();
    expect(await control(page, 'SystemName').inputValue()).toBe('Half done');
    await page.getByRole('link', { name: 'API keys' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 change is not saved yet and will be lost.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(page.url()).toContain('/setting');
    expect(await control(page, 'SystemName').inputValue()).toBe('Half done');
    await page.getByRole('link', { name: 'API keys' }).first().click();
    await dialog.getByRole('button', { name: 'Discard and leave' }).click();
    await page.waitForURL('**/token');
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('Half done');
  }, 120_000);

  test('the search finds an option of any tab by its name, its key and its initials', async () => {
    await using stage = await settingsPage(application, root, '?tab=operation');
    const { page } = stage;
    const find = page.getByRole('textbox', { name: '搜索全部设置' });
    for (const [words, key] of [
      ['发送者', 'SMTPFrom'],
      ['retrytimes', 'RetryTimes'],
      ['xtmc', 'SystemName'],
    ] as const) {
      await find.fill(words);
      await page.getByRole('option').filter({ hasText: key }).waitFor();
      await page.keyboard.press('Enter');
      await control(page, key).waitFor();
      await page.locator(`#control-${key}:focus`).waitFor();
    }
  }, 120_000);

  test('the review shows each change and takes one back; the history brings a value back', async () => {
    await application.settings.set('Footer', 'the first footer', root.id);
    await using stage = await settingsPage(application, root, '?tab=other');
    const { page } = stage;
    await control(page, 'Footer').fill('the second footer<script>window.hacked=1</script>');
    await control(page, 'SystemName').fill('Gate');
    await page.getByRole('button', { name: '检查更改' }).click();
    const bar = page.getByRole('region', { name: '未保存的更改' });
    await bar.getByText('Tollgate').waitFor();
    await bar.getByText('the first footer').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await bar.getByRole('button', { name: '撤销 SystemName' }).click();
    expect(await control(page, 'SystemName').inputValue()).toBe('Tollgate');
    await save(page);
    await sees(page, '页脚内容已更新');
    await sees(page, '页脚：已移除不会显示的内容 <script>');
    expect(await control(page, 'Footer').inputValue()).toBe('the second footer');
    await page.getByRole('button', { name: '历史' }).click();
    const past = page.getByRole('listitem').filter({ hasText: 'the second footer' });
    // (O62) The setting by its name, the key beside it.
    await past.getByRole('button', { name: '页脚 Footer' }).waitFor();
    await past.getByRole('button', { name: '恢复为旧值' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '恢复为旧值' }).click();
    await sees(page, '页脚 已恢复');
    await untilSaved(application, 'Footer', 'the first footer');
    expect(await control(page, 'Footer').inputValue()).toBe('the first footer');
  }, 120_000);
});

describe('mail', () => {
  test('a sensitive option asks who is there; the test button sends a mail by the saved settings', async () => {
    const server = await startMailServer();
    try {
      await using stage = await settingsPage(application, root, '?tab=system&section=smtp');
      const { page } = stage;
      await confirmed(application, root, 0);
      await control(page, 'SMTPServer').fill('127.0.0.1');
      await control(page, 'SMTPPort').fill(String(server.port));
      await control(page, 'SMTPAccount').fill(server.settings.SMTPAccount ?? '');
      await control(page, 'SMTPFrom').fill(server.settings.SMTPFrom ?? '');
      await control(page, 'SMTPToken').fill(server.settings.SMTPToken ?? '');
      await page.getByRole('button', { name: '发送测试邮件' }).click();
      await sees(page, '请先保存 SMTP 设置');
      await save(page);
      const dialog = page.getByRole('dialog', { name: '请确认是你本人' });
      await dialog.getByLabel('密码').fill(USER_PASSWORD);
      await dialog.getByRole('button', { name: '确认' }).click();
      await sees(page, '保存成功');
      expect(application.settings.current.SMTPToken).toBe(server.settings.SMTPToken ?? '');
      await page.getByLabel('收件邮箱（留空则发给自己）').fill('operator@example.org');
      await page.getByRole('button', { name: '发送测试邮件' }).click();
      await sees(page, '测试邮件已发送到 operator@example.org');
      expect((await server.mailTo('operator@example.org')).from).toBe(server.settings.SMTPFrom ?? '');
    } finally {
      await server.close();
    }
  }, 120_000);
});

describe('log cleanup', () => {
  test('ACC-5.41 ACC-8.20 ACC-8.25 ACC-8.66 it needs a time, shows how many rows it deletes, and shows the result', async () => {
    const old = Array.from({ length: 3 }, (_, index) => ({
      user_id: root.id,
      created_at: 1_600_000_000 + index,
      type: 4,
    }));
    await application.store.db.insertInto('logs').values(old).execute();
    await application.store.db
      .insertInto('tasks')
      .values({
        hold_id: 'long-over',
        money: 'settled',
        platform: 'midjourney',
        action: 'IMAGINE',
        model: 'mj_imagine',
        user_id: root.id,
        status: 'SUCCESS',
        submit_ms: 1_600_000_000_000,
        deadline_at: 1_600_003_600,
        next_poll_at: 0,
      })
      .execute();
    await using stage = await settingsPage(application, root, '?tab=operation&section=logs');
    const { page } = stage;
    const clean = page.getByRole('button', { name: '清理', exact: true });
    await clean.click();
    await sees(page, '请选择日志记录时间');
    await page.getByLabel('删除此时间之前的日志').fill('2001-01-01 00:00:00');
    await clean.click();
    await sees(page, '此时间之前没有日志可清理');
    await page.getByLabel('删除此时间之前的日志').fill('2021-01-01 00:00:00');
    const refusal = JSON.stringify({ success: false, message: '磁盘已满' });
    await page.route('**/api/log/cleanup**', (route) =>
      route.fulfill({ body: refusal, contentType: 'application/json' }),
    );
    await clean.click();
    await sees(page, '日志清理失败：磁盘已满');
    await page.unroute('**/api/log/cleanup**');
    await clean.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/将永久删除 .* 之前的 3 条日志/).waitFor();
    await dialog.getByText('此时间之前已结束的 1 个绘图任务也会删除').waitFor();
    await dialog.getByRole('textbox').fill('4');
    await dialog.getByRole('button', { name: '清理' }).click();
    await sees(page, '3 条日志已清理 已清理 1 个绘图任务');
    const left = await application.store.db
      .selectFrom('logs')
      .select('id')
      .where('created_at', '<', 1_609_459_200)
      .execute();
    expect(left).toEqual([]);
    expect(await application.store.db.selectFrom('tasks').select('id').execute()).toEqual([]);
  }, 120_000);
});
