// The personal tab in a real browser: the account, its actions, and its messages.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  USER_PASSWORD,
  type Actor,
  type NewUser,
  type TestApplication,
} from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  stored,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { eachLook, testLooks } from '#tests/support/looks.ts';
import { addChannel } from '#tests/support/channels.ts';
import { codeIn, startMailServer, type MailServer } from '#tests/support/mail-server.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let mail: MailServer;
/** A passkey needs a host name; an IP address has none. */
let site: string;
beforeAll(async () => {
  mail = await startMailServer();
  application = await startApplication({ settings: mail.settings });
  site = `http://localhost:${application.port}`;
  await application.settings.set('ServerAddress', site, 0);
  const models = Array.from({ length: 13 }, (_, index) => `model-${String.fromCharCode(97 + index)}`);
  const prices = Object.fromEntries(models.map((model) => [model, 1]));
  await application.settings.set('ModelRatio', JSON.stringify(prices), 0);
  await addChannel(application.store, { base_url: 'http://127.0.0.1:9', models });
});
afterAll(async () => {
  await application.close();
  await mail.close();
});

/** A new user on the tab. */
async function tab(user: NewUser | Actor, options: VisitOptions = {}) {
  const actor = 'cookie' in user ? user : await application.actor(user);
  const at = await visit(application, {
    as: actor,
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await at.page.goto('/setting');
  await at.page.getByRole('region', { name: /^(账户|Account)$/ }).waitFor();
  return { ...at, actor };
}

const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const rowOf = (id: number) =>
  application.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const now = () => Math.floor(Date.now() / 1000);

describe('the tab of every user', () => {
  test('ACC-1.04 ACC-1.05 ACC-1.06 ACC-1.12 ACC-1.15 ACC-2.14 ACC-2.15 ACC-2.30 ACC-2.31 ACC-2.32 ACC-2.33 ACC-2.34 ACC-6.02 ACC-6.19 ACC-6.20 the tab is there for every role, with balance, consumption, requests and the two labels', async () => {
    const root = await application.login('root', ROOT_PASSWORD);
    const admin = await application.actor({ role: ROLE.admin, row: { request_count: 7 }, quota: 750_000 });
    const user = await application.actor({ row: { request_count: 1234 }, quota: 1_500_000 });
    for (const [actor, label, exact] of [
      [root, '管理员', '超级管理员'],
      [admin, '普通用户', '管理员'],
      [user, '普通用户', '普通用户'],
    ] as const) {
      await using at = await tab(actor);
      const role = at.page.locator('[data-role-label]');
      expect([actor.username, await role.innerText()]).toEqual([actor.username, label]);
      await role.hover();
      await sees(at.page, `角色：${exact}`);
      expect(at.problems).toEqual([]);
      if (actor !== user) continue;
      const head = await at.page.getByRole('region', { name: '账户' }).innerText();
      expect(head).toMatch(/当前余额\s*\$3\s*\.00[\s\S]*历史消耗\s*\$0\s*\.00[\s\S]*请求次数\s*1,234/);
      expect(await at.page.getByRole('tab').allInnerTexts()).toEqual(['个人']);
      await at.page.goto('/setting?tab=personal');
      await at.page.getByRole('region', { name: '账户' }).waitFor();
    }
  });

  test('ACC-2.38 ACC-2.39 ACC-2.40 ACC-2.41 ACC-2.42 A21 every binding is named; only what can be used has a row', async () => {
    await using at = await tab({ row: { email: 'own@mail.example', github_id: '4711' } }, { language: 'en' });
    const rows = at.page.getByRole('region', { name: 'Linked accounts' });
    const text = await rows.innerText();
    for (const name of ['Email', 'WeChat', 'GitHub', 'Telegram', 'LinuxDO', 'OIDC'])
      expect(text).toContain(name);
    expect(text).toContain('own@mail.example');
    expect(text).toContain('Account ID 4711');
    await rows.getByRole('button', { name: 'Change Email' }).waitFor();
    expect(await rows.getByRole('button', { name: 'Linked GitHub' }).isDisabled()).toBe(true);
    expect(text).toContain('Not offered on this site: WeChat, Telegram, LinuxDO, OIDC.');
    expect(await rows.getByRole('button', { name: /WeChat/ }).count()).toBe(0);
  });

  test('ACC-1.07 ACC-2.46 ACC-2.47 ten models, then the rest; a click copies a name', async () => {
    await using at = await tab({});
    const { page } = at;
    const list = page.getByRole('list', { name: '可用模型' });
    await list.waitFor();
    expect(await list.getByRole('listitem').count()).toBe(10);
    await press(page, '展开其余 3 个');
    expect(await list.getByRole('listitem').count()).toBe(13);
    await page.getByRole('tabpanel').getByRole('button', { name: '收起' }).click();
    expect(await list.getByRole('listitem').count()).toBe(10);
    await press(page, '复制 model-c');
    await sees(page, '已复制 model-c');
    expect(await clipboard(page)).toBe('model-c');
    await page.getByRole('textbox', { name: '筛选模型' }).fill('el-m');
    expect(await list.innerText()).toBe('model-m');
  });

  test('ACC-1.22 ACC-1.23 ACC-1.24 ACC-1.25 ACC-9.36 ACC-1.19 ACC-1.20 language and theme, kept in this browser', async () => {
    await using at = await tab({});
    const { page } = at;
    await page.getByRole('radio', { name: '深色' }).locator('xpath=following-sibling::label').click();
    expect(await stored(page, 'theme-mode')).toBe('dark');
    await page.reload();
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await page.getByRole('radio', { name: '跟随系统' }).locator('xpath=following-sibling::label').click();
    expect(await stored(page, 'theme-mode')).toBeNull();
    await page.getByRole('radio', { name: 'English' }).locator('xpath=following-sibling::label').click();
    await sees(page, 'Where you are signed in');
    expect(await stored(page, 'i18nextLng')).toBe('en');
  });

  testLooks('the phone, the dark theme and both languages: no violation, nothing sticks out', async () => {
    for (const options of [
      { language: 'zh', theme: 'dark' },
      { language: 'en', viewport: PHONE },
    ] as const) {
      await using at = await tab({ quota: 12_345_678 }, options);
      await at.page.getByRole('list', { name: /可用模型|Models you can use/ }).waitFor();
      expect(await fitsWidth(at.page)).toBe(true);
      expect(await accessibilityViolations(at.page)).toEqual([]);
      expect(at.problems).toEqual([]);
    }
  });
});

describe('email', () => {
  test('ACC-1.03 ACC-6.03 ACC-4.16 ACC-5.13 ACC-5.19 ACC-5.20 ACC-8.13 ACC-8.14 ACC-8.52 ACC-8.57 ACC-9.07 messages, a code by mail, the button resting 30 seconds, bound', async () => {
    const words = {
      zh: [
        '绑定 邮箱',
        '绑定',
        '获取验证码',
        '邮箱地址',
        '验证码',
        '请输入邮箱',
        '请输入邮箱验证码',
        '验证码发送成功，请检查邮箱',
        '邮箱账户绑定成功',
        /^重新发送（(30|2\d)）$/,
      ],
      en: [
        'Link Email',
        'Link',
        'Send code',
        'Email address',
        'Verification code',
        'Enter your email',
        'Enter the verification code',
        'Code sent. Check your inbox.',
        'Email linked',
        /^Send again \((30|2\d)\)$/,
      ],
    } as const;
    for (const language of eachLook(['zh', 'en'] as const)) {
      const [open, bind, send, email, code, noEmail, noCode, sent, done, resting] = words[language];
      await using at = await tab({}, { language });
      const { page, actor } = at;
      const address = `${actor.username}@mail.example`;
      await press(page, open);
      await inDialog(page, bind);
      await sees(page, noEmail);
      await sees(page, noCode);
      await press(page, send);
      expect(mail.mails.some(({ to }) => to === '')).toBe(false);
      await page.getByRole('dialog').getByLabel(email).fill(address);
      await press(page, send);
      await sees(page, sent);
      const again = page.getByRole('button', { name: resting });
      await again.waitFor();
      expect(await again.isDisabled()).toBe(true);
      await page
        .getByRole('dialog')
        .getByLabel(code)
        .fill(codeIn(await mail.mailTo(address)));
      await inDialog(page, bind);
      await sees(page, done);
      await sees(page, address);
      expect((await rowOf(actor.id)).email).toBe(address);
    }
  });
});

describe('invites', () => {
  test('ACC-2.35 ACC-2.36 ACC-2.37 ACC-1.11 ACC-6.06 ACC-5.21 ACC-8.12 ACC-8.54 the link is copied, the earnings are moved from one unit on', async () => {
    const actor = await application.actor();
    await application.store.db.transaction().execute((transaction) =>
      application.ledger.transferWithin(transaction, {
        idem: `inviter:test:${actor.id}`,
        userId: actor.id,
        amount: 1_250_000,
        from: 'world:signup',
        to: 'aff',
        kind: 'inviter',
        reference: '',
      }),
    );
    await using at = await tab(actor, { language: 'en' });
    const { page } = at;
    const part = page.getByRole('region', { name: 'Invites' });
    await part.getByText('Pending earnings', { exact: true }).waitFor();
    expect(await part.innerText()).toMatch(/Pending earnings\s*\$2\s*\.50/);
    await press(page, 'Copy the invite link');
    await sees(page, 'Invite link copied to the clipboard');
    const { aff_code } = await rowOf(actor.id);
    expect(await clipboard(page)).toEndWith(`/register?aff=${aff_code}`);
    await press(page, 'Transfer');
    const money = page.getByRole('dialog').getByLabel('Amount to transfer (money)');
    await money.fill('0.5');
    await inDialog(page, 'Transfer');
    await sees(page, 'The transfer amount must be at least $1.00');
    expect((await rowOf(actor.id)).quota).toBe(0);
    await money.fill('9');
    await inDialog(page, 'Transfer');
    await sees(page, 'At most $2.50 can be transferred');
    await money.fill('2');
    await inDialog(page, 'Transfer');
    await sees(page, 'Transferred: $2.00 added to your balance');
    expect(await rowOf(actor.id)).toMatchObject({ quota: 1_000_000, aff_quota: 250_000 });
  });
});

describe('password and access token', () => {
  test('ACC-1.09 ACC-2.44 ACC-5.18 ACC-8.09 ACC-8.10 ACC-8.58 the password: messages in both languages, then changed', async () => {
    const words = {
      zh: [
        '修改密码',
        '原密码',
        '新密码',
        '确认新密码',
        '请输入原密码',
        '密码长度不得小于 8 位',
        '两次输入的密码不一致',
        '密码修改成功',
      ],
      en: [
        'Change password',
        'Current password',
        'New password',
        'New password again',
        'Enter the current password',
        'The password must have at least 8 characters',
        'The two passwords differ',
        'Password changed',
      ],
    } as const;
    for (const language of eachLook(['zh', 'en'] as const)) {
      const [change, original, next, again, missing, short, differ, done] = words[language];
      await using at = await tab({}, { language });
      const { page, actor } = at;
      await press(page, change);
      const field = (label: string) => page.getByRole('dialog').getByLabel(label, { exact: true });
      await field(next).fill('seven77');
      await field(again).fill('other');
      await inDialog(page, change);
      for (const message of [missing, short, differ]) await sees(page, message);
      await field(original).fill(USER_PASSWORD);
      await field(next).fill('a-new-password');
      await field(again).fill('a-new-password');
      await inDialog(page, change);
      await sees(page, done);
      // The session of this browser remains.
      await page.reload();
      await page.getByRole('region', { name: /账户|Account/ }).waitFor();
      expect((await application.login(actor.username, 'a-new-password')).id).toBe(actor.id);
    }
  });

  test('ACC-1.08 ACC-2.43 ACC-6.04 ACC-8.53 the access token is made, copied, shown once, and works', async () => {
    await using at = await tab({});
    const { page, actor } = at;
    await press(page, '生成系统访问令牌');
    await sees(page, '令牌已重置并已复制到剪贴板');
    const token = await clipboard(page);
    await page.getByRole('dialog').getByText(token, { exact: true }).waitFor();
    const headers = { Authorization: token, 'New-Api-User': String(actor.id) };
    expect((await application.request('/api/user/self', { headers })).body.success).toBe(true);
    await page.getByRole('dialog').getByRole('button', { name: '关闭' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(token);
    await press(page, '重置系统访问令牌');
    await inDialog(page, '重置系统访问令牌');
    await page.getByRole('dialog', { name: '系统访问令牌' }).waitFor();
    expect((await application.request('/api/user/self', { headers })).status).toBe(401);
  });

  test('an admin key is made for the site, shown once in both forms, reads a report, and is revoked', async () => {
    await using at = await tab(await application.actor({ role: ROLE.root }));
    const { page } = at;
    await press(page, '创建管理密钥');
    await inDialog(page, '创建管理密钥');
    await sees(page, '请输入名称');
    await page.getByLabel('名称', { exact: true }).fill('财务');
    await page.getByLabel('全站用量').check();
    await inDialog(page, '创建管理密钥');
    const dialog = page.getByRole('dialog', { name: '管理密钥已创建' });
    await dialog.locator('code').nth(1).waitFor();
    const shown = await dialog.locator('code').allInnerTexts();
    const key = shown[0] ?? '';
    expect(shown[1]).toBe(key.replace('sk-admin-', 'sk-ant-admin01-'));
    const read = (report = 'costs') =>
      application.request(`/v1/organization/${report}?start_time=0`, {
        headers: { Authorization: `Bearer ${key}` },
      });
    expect((await read()).status).toBe(200);
    expect((await read('usage/completions')).status).toBe(200);
    await dialog.getByRole('button', { name: '关闭' }).click();
    await sees(page, `sk-admin-${key.slice(9, 13)}…${key.slice(-4)}`);
    expect(await page.content()).not.toContain(key);
    await page.getByText('全站', { exact: true }).waitFor();
    await page.getByRole('button', { name: '吊销 财务' }).click();
    await inDialog(page, '吊销');
    await sees(page, '管理密钥已吊销');
    expect((await read()).status).toBe(401);
  });

  test('ACC-8.26 where the clipboard is closed, a dialog asks to copy by hand', async () => {
    await using at = await tab({}, { language: 'en', permissions: [] });
    const { page } = at;
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('closed'));
      document.execCommand = () => false;`);
    await press(page, 'Copy the invite link');
    const dialog = page.getByRole('dialog', { name: 'Could not copy to the clipboard. Copy it by hand.' });
    await dialog.waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toContain('/register?aff=');
  });
});

describe('second factor, passkeys, sessions', () => {
  test('two-factor: the picture, a wrong code, the recovery codes once, new ones, off again', async () => {
    await using at = await tab({});
    const { page, actor, problems } = at;
    await press(page, '启用两步验证');
    await page.getByRole('img', { name: '两步验证二维码' }).waitFor();
    const secret = (await page.getByRole('dialog').locator('code').innerText()).replaceAll(' ', '');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    await inDialog(page, '确认启用');
    await sees(page, '请输入验证码');
    await page.getByRole('dialog').getByLabel('验证码').fill('000000');
    await inDialog(page, '确认启用');
    await sees(page, '验证码错误或已使用，请输入新的验证码');
    expect(await accessibilityViolations(page, { floating: true })).toEqual([]);
    await page
      .getByRole('dialog')
      .getByLabel('验证码')
      .fill(await totpCode(secret, stepAt(now())));
    await inDialog(page, '确认启用');
    const codes = page.getByRole('dialog', { name: '恢复码', exact: true });
    await codes.waitFor();
    const first = await codes.getByRole('listitem').allInnerTexts();
    expect(new Set(first).size).toBe(10);
    await press(page, '我已保存');
    await sees(page, '剩余 10 个恢复码');
    await press(page, '重新生成恢复码');
    await page
      .getByRole('dialog')
      .getByLabel('验证码')
      .fill(first[0] ?? '');
    await inDialog(page, '重新生成恢复码');
    await codes.waitFor();
    const second = await codes.getByRole('listitem').allInnerTexts();
    expect(new Set([...first, ...second]).size).toBe(20);
    await press(page, '我已保存');
    await press(page, '关闭两步验证');
    await page
      .getByRole('dialog')
      .getByLabel('验证码')
      .fill(second[0] ?? '');
    await inDialog(page, '关闭两步验证');
    await sees(page, '两步验证已关闭');
    await page.getByRole('button', { name: '启用两步验证' }).waitFor();
    const left = await application.store.db
      .selectFrom('totp_secrets')
      .select('user_id')
      .where('user_id', '=', actor.id)
      .where('enabled_at', '>', 0)
      .execute();
    expect(left).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('a passkey is added, named anew, answers the step-up, and is removed', async () => {
    const actor = await application.actor();
    await using at = await visit(application, { as: actor, site, language: 'en' });
    const { page } = at;
    const cdp = await at.context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto('/setting');
    await press(page, 'Add a passkey');
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await inDialog(page, 'Add a passkey');
    await sees(page, 'Passkey added');
    await press(page, 'Rename Laptop');
    await page.getByRole('dialog').getByLabel('Name').fill('Old laptop');
    await inDialog(page, 'Rename');
    await sees(page, 'Old laptop');
    await application.store.db
      .updateTable('sessions')
      .set({ verified_at: 1 })
      .where('user_id', '=', actor.id)
      .execute();
    await application.store.changes.announce('sessions');
    await press(page, 'Remove Old laptop');
    await inDialog(page, 'Remove');
    await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor();
    await press(page, 'Use a passkey');
    await sees(page, 'Passkey removed');
    await sees(page, 'No passkeys yet');
  });

  test('sessions: this one is marked, another is signed out, then all others', async () => {
    await using at = await tab({}, { language: 'en' });
    const { page, actor } = at;
    const phone = await application.login(actor.username);
    const other = await application.login(actor.username);
    await page.reload();
    const part = page.getByRole('region', { name: 'Where you are signed in' });
    await part.getByText('This one').waitFor();
    const end = part.getByRole('button', { name: /^Sign out (?!all)/ });
    expect(await end.count()).toBe(2);
    await end.first().click();
    await sees(page, 'Signed out');
    await press(page, 'Sign out all others');
    await inDialog(page, 'Sign out all others');
    await sees(page, '1 device signed out');
    for (const as of [phone, other])
      expect((await application.request('/api/user/self', { as })).status).toBe(401);
    expect((await application.request('/api/user/self', { as: actor })).status).toBe(200);
  });
});

describe('leaving', () => {
  test('ACC-1.10 ACC-2.45 ACC-5.17 ACC-6.05 ACC-8.11 ACC-8.55 the account name has to be typed; then the account is gone', async () => {
    await using at = await tab({});
    const { page, actor } = at;
    await press(page, '删除个人账户');
    const typed = page.getByRole('dialog').getByLabel(`输入你的账户名 ${actor.username} 以确认删除`);
    for (const text of ['', actor.username.slice(0, -1), actor.username.toUpperCase()]) {
      await typed.fill(text);
      await inDialog(page, '删除个人账户');
      await sees(page, '请输入你的账户名以确认删除');
    }
    expect((await rowOf(actor.id)).deleted_at).toBeNull();
    await typed.fill(actor.username);
    await inDialog(page, '删除个人账户');
    await page.waitForURL('**/login');
    await sees(page, '账户已删除');
    expect(await stored(page, 'user')).toBeNull();
    expect((await rowOf(actor.id)).deleted_at).toBeGreaterThan(0);
  });

  test('ACC-8.11 the message in English; the super admin cannot leave', async () => {
    await using at = await tab({}, { language: 'en' });
    await press(at.page, 'Delete your account');
    await inDialog(at.page, 'Delete your account');
    await sees(at.page, 'Enter your account name to confirm the deletion');
    const root = await application.login('root', ROOT_PASSWORD);
    await using rootAt = await tab(root, { language: 'en' });
    await sees(rootAt.page, 'The super admin account cannot be deleted.');
    expect(await rootAt.page.getByRole('button', { name: 'Delete your account' }).isDisabled()).toBe(true);
  });
});
