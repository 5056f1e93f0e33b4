// Signing in and binding through outside accounts in a real browser; each provider is a local server with its protocol.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomInt } from 'node:crypto';
import type { Page } from 'playwright-core';
import { ROLE } from '#contract/access.ts';
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { accessibilityViolations, PHONE, stored, visit, type Visit } from '#tests/support/browser.ts';
import { closeProviders, providerSettings, startProviders, type Providers } from '#mock/logins/index.ts';
import { playTelegram } from '#mock/logins/telegram.ts';

let application: TestApplication;
let providers: Providers;

beforeAll(async () => {
  providers = await startProviders();
  application = await startApplication({ settings: providerSettings(providers) });
  await application.settings.set('ServerAddress', application.url, 0);
  providers.github.callback = `${application.url}/oauth/github`;
});
afterAll(async () => {
  await application.close();
  await closeProviders(providers);
});

const userOf = async (page: Page) => JSON.parse((await stored(page, 'user')) ?? '{}') as { id: number };
const rowOf = (id: number) =>
  application.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** A user with the personal tab open. */
async function atBindings(
  language: 'zh' | 'en',
  row: Record<string, string> = {},
): Promise<Visit & { actor: Actor }> {
  const actor = await application.actor({ row });
  const at = await visit(application, { as: actor, language });
  await at.page.goto('/setting');
  return { ...at, actor };
}

describe('signing in', () => {
  test('ACC-2.10 ACC-4.20 ACC-4.27 ACC-7.56 GitHub: there and back, with the invite code, to /token', async () => {
    const inviter = await application.actor();
    const { aff_code } = await application.client(inviter).users.self();
    await using at = await visit(application, { language: 'zh', storage: { aff: aff_code } });
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: 'GitHub' }).click();
    await at.page.waitForURL(`${providers.github.url}/**`);
    const sentTo = new URL(at.page.url());
    expect(sentTo.searchParams.get('client_id')).toBe(providers.github.clientId);
    expect(sentTo.searchParams.get('state')).toMatch(/^[\w-]{43}$/);
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.waitForURL('**/token');
    await at.page.getByText('登录成功！', { exact: true }).waitFor();
    const { id } = await userOf(at.page);
    expect(await rowOf(id)).toMatchObject({
      github_id: String(providers.github.user.id),
      inviter_id: inviter.id,
    });
    expect(await stored(at.page, 'last-login')).toBe('github');
    expect(at.problems).toEqual([]);
  });

  test('ACC-2.11 ACC-7.57 LINUX DO: there and back, to /token', async () => {
    await using at = await visit(application, { language: 'en' });
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: 'LinuxDO' }).click();
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.waitForURL('**/token');
    expect(await rowOf((await userOf(at.page)).id)).toMatchObject({
      linux_do_id: String(providers.linuxdo.member.id),
    });
    expect(at.problems).toEqual([]);
  });

  test('OIDC: under the name the operator gave it, on a phone; the page asked for before the login wins', async () => {
    await using at = await visit(application, { language: 'zh', viewport: PHONE });
    await at.page.goto('/log?type=2');
    await at.page.waitForURL('**/login?**');
    await at.page.getByRole('button', { name: 'Company ID' }).click();
    await at.page.getByRole('heading', { name: 'Company sign-in' }).waitFor();
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.waitForURL('**/log?type=2');
    expect((await rowOf((await userOf(at.page)).id)).oidc_id).toEndWith(providers.oidc.user.sub);
    expect(at.problems).toEqual([]);
  });

  test('ACC-2.12 ACC-4.33 ACC-4.34 ACC-9.08 A22 WeChat: the account’s picture, three minutes, its code; then /', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.clock.install();
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: '微信' }).click();
    const dialog = at.page.getByRole('dialog', { name: '微信扫码登录' });
    await dialog.getByRole('img', { name: '微信公众号二维码' }).waitFor();
    await dialog.getByText('微信扫码关注公众号，发送“验证码”三个字获取验证码，收到后三分钟内有效').waitFor();
    const submit = dialog.getByRole('button', { name: '登录', exact: true });
    await submit.click();
    await dialog.getByText('请输入验证码').waitFor();
    await dialog.getByLabel('验证码').fill('1234');
    await submit.click();
    await dialog.getByText('验证码错误或已过期，请重新获取').waitFor();
    expect(await accessibilityViolations(at.page, { floating: true })).toEqual([]);
    // A22: a code is valid from when WeChat sends it, however long the dialog has been open.
    await at.page.clock.runFor(181_000);
    expect(await submit.isDisabled()).toBe(false);
    providers.wechat.tell('8888', 'wx-paperboat');
    await dialog.getByLabel('验证码').fill('8888');
    await submit.click();
    await at.page.getByText('登录成功！', { exact: true }).waitFor();
    await at.page.getByRole('link', { name: '进入控制台' }).waitFor();
    expect(new URL(at.page.url()).pathname).toBe('/');
    expect(await rowOf((await userOf(at.page)).id)).toMatchObject({ wechat_id: 'wx-paperboat' });
    expect(at.problems).toEqual([]);
  });

  test('ACC-2.13 ACC-4.30 ACC-4.31 ACC-7.58 A23 Telegram: its own widget under our policy; its fields sign in, then /', async () => {
    const owner = await application.createUser({ row: { telegram_id: '4200' } });
    await using at = await visit(application, { language: 'en' });
    await playTelegram(at.context, () => ({ id: 4200, first_name: 'Paper', username: 'paper boat' }));
    const asked = at.page.waitForRequest(/\/api\/oauth\/telegram\/login\?/);
    await at.page.goto('/login');
    // A23: a script that does not load can be asked for again.
    const script = '**/telegram-widget.js**';
    await at.page.route(script, (route) => route.abort());
    await at.page.getByRole('button', { name: 'Telegram' }).click();
    await at.page.getByText('The Telegram button could not be loaded').waitFor();
    await at.page.unroute(script);
    await at.page.getByRole('button', { name: 'Retry' }).click();
    await at.page
      .frameLocator('iframe[title=Telegram]')
      .getByRole('button', { name: 'Log in with Telegram' })
      .click();
    const sent = new URL((await asked).url()).searchParams;
    expect(sent.get('id')).toBe('4200');
    expect(sent.get('username')).toBe('paper boat');
    expect(sent.get('hash')).toMatch(/^[\da-f]{64}$/);
    await at.page.getByText('Signed in', { exact: true }).waitFor();
    await at.page.getByRole('link', { name: 'Open the console' }).waitFor();
    expect(new URL(at.page.url()).pathname).toBe('/');
    expect(await userOf(at.page)).toMatchObject({ id: owner.id });
    // The frame has no storage, which the preparation of a visit would write to.
    expect(at.problems.filter((problem) => !/localStorage|ERR_FAILED/.test(problem))).toEqual([]);
  });

  test('two-factor is asked for on the way back, too', async () => {
    const actor = await application.actor({ row: { linux_do_id: '90210' } });
    const { security } = application.client(actor);
    const { secret } = await security.twoFactorSetup();
    const step = () => stepAt(Math.floor(Date.now() / 1000));
    await security.twoFactorEnable({ body: { code: await totpCode(secret, step()) } });
    providers.linuxdo.member = { ...providers.linuxdo.member, id: 90_210 };
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: 'LinuxDO' }).click();
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.getByRole('heading', { name: '两步验证' }).waitFor();
    expect(await stored(at.page, 'user')).toBeNull();
    // The TOTP step of the setup is used; the next one is accepted already.
    await at.page.getByLabel('验证码').fill(await totpCode(secret, step() + 1));
    await at.page.getByRole('button', { name: '验证', exact: true }).click();
    await at.page.waitForURL('**/token');
    expect(await userOf(at.page)).toMatchObject({ id: actor.id });
    expect(at.problems).toEqual([]);
  });

  test('a link to the Telegram page from another site does not sign in', async () => {
    await application.createUser({ row: { telegram_id: '4300' } });
    await using at = await visit(application, { language: 'en' });
    let sent = 0;
    await at.page.route('**/api/oauth/telegram/login**', (route) => {
      sent += 1;
      return route.continue();
    });
    await at.page.goto('/oauth/telegram?id=4300&first_name=x&auth_date=1&hash=y');
    await at.page.getByText('The Telegram sign-in was not completed. Try again.').waitFor();
    expect(sent).toBe(0);
  });
});

describe('binding', () => {
  test.each([
    ['ACC-4.25 ACC-4.26 GitHub', '绑定 GitHub', 'github_id', 'GitHub 绑定成功'],
    ['LinuxDO', '绑定 LinuxDO', 'linux_do_id', 'LinuxDO 绑定成功'],
    ['OIDC', '绑定 Company ID', 'oidc_id', 'Company ID 绑定成功'],
  ] as const)(
    '%s: there and back to /setting, and the account is bound',
    async (_, button, column, message) => {
      const id = 77_000 + randomInt(900_000);
      providers.github.user = { id, login: 'second', name: null };
      providers.linuxdo.member = { ...providers.linuxdo.member, id };
      providers.oidc.user = { ...providers.oidc.user, sub: String(id) };
      await using at = await atBindings('zh');
      await at.page.getByRole('button', { name: button }).click();
      await at.page.getByRole('link', { name: 'Authorize' }).click();
      await at.page.waitForURL('**/setting');
      await at.page.getByText(message).waitFor();
      expect((await rowOf(at.actor.id))[column]).toEndWith(String(id));
      expect(await userOf(at.page)).toMatchObject({ id: at.actor.id });
      await at.page.getByRole('button', { name: button.replace('绑定', '已绑定') }).waitFor();
    },
  );

  test('a bound account is shown by the name its owner knows, to them and to an administrator; an old one by its id (O58)', async () => {
    const id = 77_000 + randomInt(900_000);
    const login = `paper<b>boat</b>${id}`;
    providers.github.user = { id, login, name: null };
    await using at = await atBindings('en', { telegram_id: String(id) });
    await at.page.getByRole('button', { name: 'Link GitHub' }).click();
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.waitForURL('**/setting');
    const rows = at.page.getByRole('region', { name: 'Linked accounts' });
    await rows.getByText(login, { exact: true }).waitFor();
    await rows.getByText(`Account ID ${id}`, { exact: true }).waitFor();
    const admin = await application.actor({ role: ROLE.admin });
    await using office = await visit(application, { as: admin, language: 'en' });
    await office.page.goto(`/user/edit/${at.actor.id}`);
    await office.page.getByText(`${login} · account ID ${id}`, { exact: true }).waitFor();
    expect(office.problems).toEqual([]);
  });

  test('ACC-7.43 ACC-8.56 WeChat: by its code, without leaving the page', async () => {
    providers.wechat.tell('6006', 'wx-bound');
    await using at = await atBindings('zh');
    await at.page.getByRole('button', { name: '绑定 微信' }).click();
    await at.page.getByLabel('验证码').fill('6006');
    await at.page.getByRole('dialog').getByRole('button', { name: '绑定', exact: true }).click();
    await at.page.getByText('微信账户绑定成功').waitFor();
    expect(await rowOf(at.actor.id)).toMatchObject({ wechat_id: 'wx-bound' });
  });

  test('ACC-4.32 ACC-7.47 Telegram: by the widget’s redirect', async () => {
    await using at = await atBindings('en');
    await playTelegram(at.context, () => ({ id: 4400, first_name: 'Ada' }));
    const moved = at.page.waitForRequest((request) => request.url().includes('/api/oauth/telegram/bind?'));
    await at.page.getByRole('button', { name: 'Link Telegram' }).click();
    await at.page.frameLocator('iframe[title=Telegram]').getByRole('button').click();
    expect(new URL((await moved).url()).searchParams.get('id')).toBe('4400');
    await at.page.waitForURL('**/setting');
    await at.page.getByText('Telegram is linked to your account').waitFor();
    expect(await rowOf(at.actor.id)).toMatchObject({ telegram_id: '4400' });
  });
});

describe('unbinding', () => {
  test('it asks twice: whether, and who is there; then the account can be bound again', async () => {
    await using at = await atBindings('zh', { github_id: '88001', telegram_id: '88002' });
    await application.store.db
      .updateTable('sessions')
      .set({ verified_at: 1 })
      .where('user_id', '=', at.actor.id)
      .execute();
    await application.store.changes.announce('sessions');
    await at.page.getByRole('button', { name: '解绑 GitHub' }).click();
    const question = at.page.getByRole('dialog', { name: '解绑 GitHub？' });
    await question.getByText('解绑之后不能再用它登录').waitFor();
    expect(await accessibilityViolations(at.page, { floating: true })).toEqual([]);
    await question.getByRole('button', { name: '解绑', exact: true }).click();
    const stepUp = at.page.getByRole('dialog').filter({ has: at.page.locator('input[type=password]') });
    await stepUp.locator('input[type=password]').fill(USER_PASSWORD);
    await at.page.keyboard.press('Enter');
    await at.page.getByText('GitHub 已解绑').waitFor();
    await at.page.getByRole('button', { name: '绑定 GitHub', exact: true }).waitFor();
    expect(await rowOf(at.actor.id)).toMatchObject({ github_id: '', telegram_id: '88002' });
  });

  test('the last login of an account cannot be unbound, with the reason shown', async () => {
    await using at = await atBindings('en', { github_id: '88003' });
    await application.store.db
      .updateTable('users')
      .set({ password_hash: '' })
      .where('id', '=', at.actor.id)
      .execute();
    await at.page.getByRole('button', { name: 'Unlink GitHub' }).click();
    await at.page.getByRole('dialog').getByRole('button', { name: 'Unlink', exact: true }).click();
    await at.page.getByText('This is your only way to sign in.').waitFor();
    expect((await rowOf(at.actor.id)).github_id).toBe('88003');
  });

  test('and so is a passkey that is the last way in', async () => {
    await using at = await atBindings('zh', {});
    const { db } = application.store;
    await db.updateTable('users').set({ password_hash: '' }).where('id', '=', at.actor.id).execute();
    await db
      .insertInto('passkeys')
      .values({ user_id: at.actor.id, credential_id: 'only', public_key: '', name: '钥匙扣', created_at: 1 })
      .execute();
    await at.page.reload();
    await at.page.getByRole('button', { name: '删除 钥匙扣' }).click();
    await at.page.getByRole('dialog').getByRole('button', { name: '删除', exact: true }).click();
    await at.page.getByText('这是你唯一的登录方式').waitFor();
    await at.page.getByRole('button', { name: '删除 钥匙扣' }).waitFor();
  });
});

describe('what goes wrong', () => {
  test('ACC-4.28 ACC-4.29 a failure shows its message, then goes to /setting, which sends a visitor to /login', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.clock.install();
    await at.page.goto('/oauth/github?code=12e456&state=not-a-state');
    const message = '错误：登录请求已失效或不是由此浏览器发起，请重试';
    await at.page.getByRole('main').getByText(message).waitFor();
    // The code is valid once and removed from the URL.
    expect(new URL(at.page.url()).search).toBe('');
    expect(await accessibilityViolations(at.page)).toEqual([]);
    await at.page.clock.runFor(4100);
    await at.page.waitForURL('**/login?next=%2Fsetting');
    await at.page.getByLabel('用户名或邮箱').waitFor();
    await at.page.getByRole('alert').getByText(message).waitFor();
  });

  test('a code of any look arrives as it was sent', async () => {
    await using at = await visit(application, { language: 'en' });
    const asked = at.page.waitForRequest(/\/api\/oauth\/github\?/);
    await at.page.goto('/oauth/github?code=12e456&state=0007');
    const { searchParams } = new URL((await asked).url());
    expect([searchParams.get('code'), searchParams.get('state')]).toEqual(['12e456', '0007']);
  });

  test('an unknown provider has no page', async () => {
    await using at = await visit(application, { language: 'en' });
    await at.page.goto('/oauth/nothing?code=a&state=b');
    await at.page.getByText('This page does not exist').waitFor();
  });

  test('a login refused at the provider shows a message and can be retried', async () => {
    providers.github.user = { id: 77_002, login: 'third', name: null };
    await using at = await visit(application, { language: 'en' });
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: 'GitHub' }).click();
    await at.page.getByRole('link', { name: 'Cancel' }).click();
    await at.page.getByText('The GitHub sign-in was not completed. Try again.').waitFor();
    await at.page.getByRole('button', { name: 'Try again' }).click();
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.waitForURL('**/token');
  });

  test('ACC-8.33 ACC-8.34 the messages of the server are on the page', async () => {
    providers.github.user = { id: 77_003, login: 'fourth', name: null };
    await application.createUser({ row: { github_id: '77003' } });
    await using at = await atBindings('zh');
    await at.page.getByRole('button', { name: '绑定 GitHub' }).click();
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.getByRole('main').getByText('该 GitHub 账户已绑定其他用户，请先在那里解绑').waitFor();
    await application.settings.set('GitHubOAuthEnabled', 'false', 1);
    await at.page.goto('/oauth/github?code=a&state=b');
    await at.page.getByRole('main').getByText('管理员未开启 GitHub 登录，请换一种方式').waitFor();
    await application.settings.set('GitHubOAuthEnabled', 'true', 1);
  });
});

test('only what the operator enabled is offered, and the way used last is marked', async () => {
  for (const key of ['LinuxDOOAuthEnabled', 'WeChatAuthEnabled'] as const)
    await application.settings.set(key, 'false', 1);
  await using at = await visit(application, { language: 'en', storage: { 'last-login': 'github' } });
  await at.page.goto('/login');
  await at.page.getByRole('button', { name: 'GitHub Recent' }).waitFor();
  expect(await at.page.getByRole('button', { name: 'LinuxDO' }).count()).toBe(0);
  expect(await at.page.getByRole('button', { name: 'WeChat' }).count()).toBe(0);
  expect(await accessibilityViolations(at.page)).toEqual([]);
  await at.page.goto('/register');
  await at.page.getByRole('button', { name: 'Company ID' }).waitFor();
  // Telegram only signs in to accounts that bound it; it creates none.
  expect(await at.page.getByRole('button', { name: 'Telegram' }).count()).toBe(0);
  for (const key of ['LinuxDOOAuthEnabled', 'WeChatAuthEnabled'] as const)
    await application.settings.set(key, 'true', 1);
});
