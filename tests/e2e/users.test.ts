// The user page in a real browser, as the super admin, as an admin and as a user without access.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { accessibilityViolations, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { eachLook, testLooks } from '#tests/support/looks.ts';

setDefaultTimeout(120_000);

let application: TestApplication;
let root: Actor;
let admin: Actor;
beforeAll(async () => {
  application = await startApplication({
    settings: { GroupRatio: '{"default":1,"vip":1,"pro":1,"svip":1,"premium":1}' },
  });
  root = await application.login('root', ROOT_PASSWORD);
  admin = await application.actor({ username: 'boss', role: ROLE.admin });
});
afterAll(() => application.close());

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const field = (page: Page, label: string) => page.getByLabel(new RegExp(`^${label}( \\*)?$`));
const rowOf = (id: number) =>
  application.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function choose(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^(${name} 的操作|Actions of ${name})$`) }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

describe('the list', () => {
  test('ACC-2.16 ACC-2.20 ACC-2.21 ACC-2.22 ACC-9.26 ACC-9.27 ACC-9.28 ACC-9.29 A16 rows with role, group and state; search by keyword and group', async () => {
    const tones = { vip: 'gold', pro: 'gold', svip: 'danger', premium: 'danger', default: null } as const;
    for (const group of Object.keys(tones)) await application.createUser({ username: `tag-${group}`, group });
    await using at = await visit(application, { as: root, language: 'zh' });
    const { page, problems } = at;
    await page.goto('/user');
    await page.getByRole('heading', { level: 1, name: '用户' }).waitFor();
    for (const [group, tone] of Object.entries(tones)) {
      const tag = row(page, `tag-${group}`)
        .locator('span', { hasText: new RegExp(`^${group}$`) })
        .last();
      expect([group, await tag.getAttribute('data-post')]).toEqual([group, tone]);
    }
    expect(await row(page, 'boss').innerText()).toContain('管理员');
    expect(await row(page, 'tag-vip').innerText()).toMatch(/普通用户[\s\S]*已激活/);
    expect(await accessibilityViolations(page)).toEqual([]);

    const search = page.getByRole('textbox', { name: '搜索 ID、名称或邮箱' });
    const balance = row(page, 'tag-vip').getByText('$0.00').first();
    expect(await balance.evaluate((text) => text.closest('td')?.getAttribute('data-align'))).toBe('right');
    await search.fill('tag-sv');
    await row(page, 'tag-vip').waitFor({ state: 'detached' });
    await row(page, 'tag-svip').waitFor();
    await search.fill('');
    await row(page, 'tag-vip').waitFor();
    await page.getByRole('button', { name: '分组' }).first().click();
    await page.getByRole('menuitemcheckbox', { name: 'premium' }).click();
    await row(page, 'tag-vip').waitFor({ state: 'detached' });
    expect(page.url()).toContain('group=premium');
    await page.reload();
    await row(page, 'tag-premium').waitFor();
    expect(await row(page, 'tag-vip').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('ACC-9.02 ACC-9.03 ACC-9.04 ACC-9.05 ACC-9.06 pages of ten, and the size one chooses is kept', async () => {
    for (let index = 0; index < 12; index += 1)
      await application.createUser({ username: `many${index}`, group: 'many' });
    await using at = await visit(application, { as: admin, language: 'en' });
    const { page } = at;
    await page.goto('/user?q=many');
    await sees(page, '1–10 of 12');
    await page.getByRole('button', { name: 'Next page' }).click();
    await sees(page, '11–12 of 12');
    await page.getByRole('button', { name: '10 per page' }).click();
    expect(await page.getByRole('menuitemradio').allInnerTexts()).toEqual(['10', '20', '50', '100']);
    await page.getByRole('menuitemradio', { name: '20' }).click();
    await sees(page, '1–12 of 12');
    await page.goto('/user?q=many');
    await sees(page, '1–12 of 12');
  });

  test('ACC-2.17 ACC-6.15 O8 a user without the right sees a message and no rows', async () => {
    const user = await application.actor();
    await using at = await visit(application, { as: user, language: 'en' });
    await at.page.goto('/user');
    await sees(at.page, 'You are not allowed to see this');
    expect(await at.page.getByRole('row').count()).toBe(0);
    expect(await at.page.getByRole('link', { name: 'Users' }).count()).toBe(0);
    expect(await at.page.getByRole('button', { name: 'Add user' }).count()).toBe(0);
    await at.page.goto('/user/edit');
    await sees(at.page, 'You are not allowed to see this');
    expect(await at.page.getByRole('textbox', { name: /Username/ }).count()).toBe(0);
    await at.page.goto('/audit');
    await sees(at.page, 'You are not allowed to see this');
  });
});

describe('actions of a row', () => {
  test('ACC-2.25 ACC-2.26 ACC-2.27 ACC-2.28 ACC-2.29 ACC-4.06 ACC-4.07 ACC-4.08 ACC-4.09 ACC-8.49 A9 promote, demote, disable, enable, delete: the row shows the answer, a deleted one has no menu', async () => {
    const { id } = await application.createUser({ username: 'ladder' });
    await using at = await visit(application, { as: root, language: 'zh' });
    const { page, problems } = at;
    await page.goto('/user?q=ladder');
    const steps = [
      ['提升', /管理员/],
      ['降级', /普通用户/],
      ['禁用', /已封禁/],
      ['启用', /已激活/],
      ['删除', /已删除/],
    ] as const;
    for (const [action, shown] of steps) {
      await choose(page, 'ladder', action);
      // Enabling needs no confirmation.
      if (action !== '启用')
        await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
      await row(page, 'ladder').filter({ hasText: shown }).waitFor();
      await sees(page, '操作成功完成！');
    }
    expect(await rowOf(id)).toMatchObject({ role: 1, status: 1 });
    expect((await rowOf(id)).deleted_at).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: 'ladder 的操作' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('ACC-4.03 ACC-6.25 what is not open is absent with its reason: equals, oneself, promotion by an admin, status 3', async () => {
    await application.createUser({ username: 'equal', role: ROLE.admin });
    await application.createUser({
      username: 'halted',
      row: { status: 3, suspended_reason: 'balance: off' },
    });
    await application.createUser({ username: 'plain' });
    await using at = await visit(application, { as: admin, language: 'en' });
    const { page } = at;
    const entries = async (name: string) => {
      await page.goto(`/user?q=${name}`);
      await page.getByRole('button', { name: `Actions of ${name}` }).click();
      await page.getByRole('menu').waitFor();
      return await page.getByRole('menu').innerText();
    };
    expect(await entries('equal')).toBe('You cannot change users with your role or a higher one');
    expect(await entries('boss')).toContain('This is your own account; use your personal settings');
    const suspended = await entries('halted');
    expect(suspended).toContain('lift the suspension on the audit page');
    expect(suspended).not.toMatch(/Enable|Disable/);
    const plain = await entries('plain');
    expect(plain).toMatch(/Disable[\s\S]*Delete/);
    expect(plain).not.toContain('Promote');
  });

  test('two-factor is reset; passkeys that are the only login stay, with a warning', async () => {
    const words = {
      zh: ['重置两步验证', '通行密钥是该用户唯一的登录方式，已保留', '操作成功完成！'],
      en: ['Reset two-factor', "The passkeys are this user's only way to sign in", 'Operation completed'],
    } as const;
    const looks = [
      { language: 'zh', theme: 'light', viewport: PHONE },
      { language: 'en', theme: 'dark' },
    ] as const;
    for (const look of looks) {
      const [action, kept, done] = words[look.language];
      const username = `keys-${look.language}`;
      const { id } = await application.createUser({ username, row: { password_hash: '' } });
      const { db } = application.store;
      await db
        .insertInto('passkeys')
        .values({ user_id: id, credential_id: username, public_key: 'k', created_at: 1 })
        .execute();
      await using at = await visit(application, { as: admin, ...look });
      const { page, problems } = at;
      const reset = async () => {
        await choose(page, username, action);
        await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
      };
      await page.goto(`/user?q=${username}`);
      await reset();
      await sees(page, kept);
      expect(await accessibilityViolations(page)).toEqual([]);
      // With a password the user can still sign in.
      const { password_hash } = await rowOf(admin.id);
      await db.updateTable('users').set({ password_hash }).where('id', '=', id).execute();
      await reset();
      await sees(page, done);
      expect(await db.selectFrom('passkeys').selectAll().where('user_id', '=', id).execute()).toEqual([]);
      expect(problems).toEqual([]);
    }
  });

  test('an old session needs a step-up before a user is deleted', async () => {
    const { id } = await application.createUser({ username: 'guarded' });
    const own = await application.actor({ role: ROLE.admin });
    await application.store.db
      .updateTable('sessions')
      .set({ verified_at: 1 })
      .where('user_id', '=', own.id)
      .execute();
    await application.store.changes.announce('sessions');
    await using at = await visit(application, { as: own, language: 'en' });
    const { page } = at;
    await page.goto('/user?q=guarded');
    await choose(page, 'guarded', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.waitFor();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('Enter your password').waitFor();
    await dialog.getByLabel('Password').first().fill('not-the-password');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('The password is wrong').waitFor();
    expect((await rowOf(id)).deleted_at).toBeNull();
    await dialog.getByLabel('Password').first().fill('user-password-of-tests');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await row(page, 'guarded').filter({ hasText: 'Deleted' }).waitFor();
  });
});

describe('the forms', () => {
  test('ACC-2.23 ACC-8.07 ACC-8.09 ACC-8.47 ACC-5.01 ACC-5.02 ACC-5.54 ACC-9.14 add a user: messages, then the new row', async () => {
    const words = {
      zh: [
        '添加用户',
        '用户名',
        '密码',
        '创建',
        '用户名和密码不能为空',
        '密码长度不得小于 8 位',
        '用户账户创建成功',
        '最多 12 个字符',
      ],
      en: [
        'Add user',
        'Username',
        'Password',
        'Create',
        'Username and password cannot be empty',
        'The password must have at least 8 characters',
        'User account created',
        'Up to 12 characters',
      ],
    } as const;
    for (const language of eachLook(['zh', 'en'] as const)) {
      const [add, username, password, create, empty, short, done, hint] = words[language];
      await using at = await visit(application, { as: admin, language });
      const { page, problems } = at;
      await page.goto('/user');
      await page.getByRole('button', { name: add }).click();
      expect(new URL(page.url()).pathname).toBe('/user/edit');
      await sees(page, hint);
      await page.getByRole('button', { name: create, exact: true }).click();
      expect(await page.getByText(empty).count()).toBe(2);
      const name = `fresh-${language}`;
      await field(page, username).fill(name);
      await field(page, password).fill('seven77');
      await page.getByRole('button', { name: create, exact: true }).click();
      await sees(page, short);
      expect(await accessibilityViolations(page)).toEqual([]);
      await field(page, password).fill('long-enough-8');
      await page.getByRole('button', { name: create, exact: true }).click();
      await sees(page, done);
      await row(page, name).waitFor();
      expect(new URL(page.url()).pathname).toBe('/user');
      expect((await application.login(name, 'long-enough-8')).role).toBe(1);
      expect(problems).toEqual([]);
    }
  });

  test('ACC-2.24 ACC-5.22 ACC-5.23 ACC-5.24 ACC-8.19 ACC-8.21 ACC-8.48 A8 edit a user: the balance by a difference or to an amount, with its preview and reason', async () => {
    const { id } = await application.createUser({ username: 'payer', quota: 1_000_000 });
    await using at = await visit(application, { as: admin, language: 'en' });
    const { page, problems } = at;
    await page.goto(`/user/edit/${id}`);
    await sees(page, 'Balance now $2.00');
    await sees(page, /At least 8 characters; leave blank to keep it/);
    await page.getByRole('button', { name: 'Save' }).click();
    await sees(page, 'You do not seem to have changed anything');
    const money = page.getByRole('textbox', { name: 'Add quota (money)' });
    const quota = page.getByRole('textbox', { name: 'Add quota (quota)' });
    await money.fill('much');
    await sees(page, 'Enter a number');
    await money.fill('-2.5');
    expect(await quota.inputValue()).toBe('-1250000');
    await sees(page, 'At most $2.00 can be taken away');
    await quota.fill('-500000');
    expect(await money.inputValue()).toBe('-1');
    const preview = page.getByRole('status').filter({ hasText: 'Balance after' });
    expect((await preview.innerText()).replaceAll(/\s+/g, ' ')).toBe('Balance after $2.00 −$1.00 = $1.00');
    const balance = page.getByRole('textbox', { name: 'Or set it to' });
    expect(await balance.inputValue()).toBe('');
    await balance.fill('0.5');
    expect(await quota.inputValue()).toBe('-750000');
    await balance.fill('1');
    expect(await quota.inputValue()).toBe('-500000');
    await page.getByLabel('Reason').fill('a wrong charge');
    await page.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'vip', exact: true }).click();
    await sees(page, '2 changed');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await sees(page, 'User information updated');
    expect(await rowOf(id)).toMatchObject({ quota: 500_000, group: 'vip' });
    // The form stood over the user's page.
    await page.waitForURL(`**/user/${id}`);
    const changes = page.getByRole('region', { name: 'Balance changes' });
    await changes.getByText('a wrong charge').waitFor();
    expect(await changes.innerText()).toMatch(/Correction by an administrator[\s\S]*−\$1\.00/);
    expect(problems).toEqual([]);
  });

  test('the page of a user shows real calls, also by its old address, and leads to the log', async () => {
    const { id } = await application.createUser({ username: 'caller', quota: 5_000_000 });
    const hour = Math.floor(Date.now() / 3_600_000) * 3600;
    await application.store.db
      .insertInto('usage_hours')
      .values([
        { hour, user_id: id, token_id: 0, channel_id: 1, model_name: 'gpt-5.4', count: 30, quota: 750_000 },
        { hour, user_id: id, token_id: 0, channel_id: 1, model_name: 'claude', count: 10, quota: 250_000 },
      ])
      .execute();
    await using at = await visit(application, { as: admin, language: 'zh' });
    const { page } = at;
    await page.goto(`/user?card=${id}`);
    await page.waitForURL(`**/user/${id}`);
    await page.getByRole('region', { name: '消费最多的模型' }).getByText('gpt-5.4').waitFor();
    expect(await page.getByRole('region', { name: '近 24 小时' }).innerText()).toMatch(
      /调用\s*40[\s\S]*用掉\s*\$2\.00/,
    );
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('link', { name: '全部日志' }).click();
    await page.waitForURL(/\/log\?.*user=caller/);
  });
});

testLooks('the phone has cards, and nothing sticks out in either theme', async () => {
  for (const [language, theme] of [
    ['zh', 'dark'],
    ['en', 'light'],
  ] as const) {
    await using at = await visit(application, { as: root, language, theme, viewport: PHONE });
    await at.page.goto('/user?q=boss');
    await at.page.getByRole('button', { name: /boss 的操作|Actions of boss/ }).waitFor();
    expect(await fitsWidth(at.page)).toBe(true);
    expect(await accessibilityViolations(at.page)).toEqual([]);
    expect(at.problems).toEqual([]);
  }
});
