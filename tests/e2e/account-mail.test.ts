// Mails in a real browser with a real mail server: the code of a registration, the reset link.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startApplication, USER_PASSWORD, type TestApplication } from '#tests/support/application.ts';
import { accessibilityViolations, visit } from '#tests/support/browser.ts';
import { startMailServer, type MailServer } from '#tests/support/mail-server.ts';

let mail: MailServer;
let application: TestApplication;

beforeAll(async () => {
  mail = await startMailServer();
  application = await startApplication({ settings: { ...mail.settings, EmailVerificationEnabled: 'true' } });
  await application.settings.set('ServerAddress', application.url, 0);
});
afterAll(async () => {
  await application.close();
  await mail.close();
});

/** The code has its own line in the mail. */
const codeIn = (text: string) => /^ {4}(\S+)\s*$/m.exec(text)?.[1] ?? '';
const linkIn = (text: string) => /^https?:\S+$/m.exec(text)?.[0] ?? '';

async function askForReset(page: Page, email: string): Promise<void> {
  await page.goto('/reset');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send reset email' }).click();
  await page.getByText('Reset email sent. Check your inbox.').waitFor();
}

describe('registration', () => {
  test('ACC-1.01 ACC-4.16 ACC-5.13 ACC-7.36 ACC-8.37 ACC-8.51 ACC-8.52 with the code of a real mail, and not with another', async () => {
    const email = `boat${Date.now()}@example.com`;
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/register');
    const send = at.page.getByRole('button', { name: '获取验证码' });
    await send.click();
    await at.page.getByText('请输入邮箱').waitFor();
    await at.page.getByLabel('用户名').fill('paperboat');
    await at.page.getByLabel('密码', { exact: true }).fill('zq7Kfmwxpl');
    await at.page.getByLabel('确认密码').fill('zq7Kfmwxpl');
    await at.page.getByLabel('邮箱', { exact: true }).fill(email);
    await send.click();
    await at.page.getByText('验证码发送成功，请检查邮箱').waitFor();
    expect(await at.page.getByRole('button', { name: /秒后可重发/ }).isDisabled()).toBe(true);
    const letter = await mail.mailTo(email);
    const code = codeIn(letter.text);
    expect(code).not.toBe('');
    const submit = at.page.getByRole('button', { name: '注册', exact: true });
    await at.page.getByLabel('邮箱验证码').fill('000000x');
    await submit.click();
    await at.page.getByText('验证码错误或已过期，请重新获取', { exact: true }).waitFor();
    // A24: beside its field, not only in a corner.
    expect(await at.page.getByLabel('邮箱验证码').getAttribute('aria-invalid')).toBe('true');
    await at.page.getByLabel('邮箱验证码').fill(code);
    await submit.click();
    await at.page.getByText('注册成功', { exact: true }).waitFor();
    await at.page.waitForURL(/\/token\?connect=\d+/);
    const self = await application.client(await application.login(email, 'zq7Kfmwxpl')).users.self();
    expect(self).toMatchObject({ username: 'paperboat', email });
    expect(at.problems).toEqual([]);
  });
});

describe('reset', () => {
  test('ACC-2.05 ACC-7.37 ACC-8.13 ACC-8.59 the reset mail is requested; the answer does not reveal whether the address has an account', async () => {
    await using at = await visit(application, { language: 'en' });
    await at.page.clock.install();
    await at.page.goto('/login');
    await at.page.getByRole('link', { name: 'Forgot password?' }).click();
    await at.page.getByRole('heading', { name: 'Reset password' }).waitFor();
    await at.page.getByRole('button', { name: 'Send reset email' }).click();
    await at.page.getByText('Enter your email').waitFor();
    await askForReset(at.page, 'nobody@example.com');
    await at.page.getByText('If an account uses this address').waitFor();
    const resting = at.page.getByRole('button', { name: /Again in 30 s/ });
    expect(await resting.isDisabled()).toBe(true);
    await at.page.clock.runFor(31_000);
    await at.page.getByRole('button', { name: 'Send reset email' }).waitFor();
    expect(await accessibilityViolations(at.page)).toEqual([]);
    expect(mail.mails.some(({ to }) => to === 'nobody@example.com')).toBe(false);
    expect(at.problems).toEqual([]);
  });

  test('ACC-2.06 ACC-2.07 ACC-2.08 ACC-4.35 ACC-4.36 ACC-4.37 ACC-7.38 ACC-7.39 A4 the link acts on a click, shows the new password, and works once', async () => {
    const email = `reset${Date.now()}@example.com`;
    const user = await application.createUser({ row: { email } });
    await using at = await visit(application, { language: 'en' });
    await askForReset(at.page, email);
    const link = linkIn((await mail.mailTo(email)).text);
    expect(link).toStartWith(`${application.url}/user/reset?`);
    const posted: unknown[] = [];
    await at.page.route('**/api/user/reset', (route) => {
      posted.push(route.request().postDataJSON());
      return route.continue();
    });
    await at.page.goto(link);
    await at.page.getByRole('heading', { name: 'Confirm the reset' }).waitFor();
    expect(await at.page.getByLabel('Email').inputValue()).toBe(email);
    await application.login(user.username, USER_PASSWORD);
    expect(posted).toEqual([]);
    await at.page.getByRole('button', { name: 'Reset password' }).click();
    const field = at.page.getByLabel('New password', { exact: true });
    await field.waitFor();
    const { searchParams } = new URL(link);
    expect(posted).toEqual([{ email, token: searchParams.get('token') }]);
    // A4: shown at once, because the link is used up.
    expect(await field.getAttribute('type')).toBe('text');
    const password = await field.inputValue();
    expect(await accessibilityViolations(at.page)).toEqual([]);
    await application.login(user.username, password);
    await at.page.getByRole('link', { name: 'Go to sign-in' }).click();
    await at.page.waitForURL('**/login');
    await at.page.goto(link);
    await at.page.getByRole('button', { name: 'Reset password' }).click();
    await at.page.getByText('This reset link is invalid or has expired. Request a new one.').waitFor();
    await at.page.getByRole('link', { name: 'Send another reset email' }).click();
    await at.page.waitForURL('**/reset?email=**');
    expect(await at.page.getByLabel('Email').inputValue()).toBe(email);
    expect(at.problems).toEqual([]);
  });

  test('ACC-8.38 an incomplete or invalid link shows an error', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/user/reset?email=boat@example.com');
    await at.page.getByText('无效的重置链接，请重新发起密码重置').waitFor();
    await at.page.goto('/user/reset?email=boat@example.com&token=12e456');
    const asked = at.page.waitForRequest('**/api/user/reset');
    await at.page.getByRole('button', { name: '重置密码' }).click();
    // A number-like token is not converted.
    expect((await asked).postDataJSON()).toEqual({ email: 'boat@example.com', token: '12e456' });
    await at.page.getByText('重置链接无效或已过期，请重新获取').waitFor();
    await at.page.getByRole('link', { name: '重新发送重置邮件' }).waitFor();
  });
});
