// The second step of a login and passkeys, in a real browser with a virtual authenticator.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { CDPSession, Page } from 'playwright-core';
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { accessibilityViolations, stored, visit } from '#tests/support/browser.ts';

let application: TestApplication;
/** A passkey needs a host name; an IP address has none. */
let site: string;

beforeAll(async () => {
  application = await startApplication();
  site = `http://localhost:${application.port}`;
  await application.settings.set('ServerAddress', site, 0);
});
afterAll(() => application.close());

const now = () => Math.floor(Date.now() / 1000);

/** A user with two-factor on. */
async function guarded(): Promise<{ actor: Actor; code: () => Promise<string>; recovery: string[] }> {
  const actor = await application.actor();
  const { security } = application.client(actor);
  const { secret } = await security.twoFactorSetup();
  const { recovery_codes } = await security.twoFactorEnable({
    body: { code: await totpCode(secret, stepAt(now())) },
  });
  // The TOTP step of the setup is used; the next one is accepted already.
  return { actor, code: () => totpCode(secret, stepAt(now()) + 1), recovery: recovery_codes };
}

async function enterPassword(page: Page, { username }: Actor): Promise<void> {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(USER_PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.locator('input[name=second-step]').waitFor();
}

describe('two-factor', () => {
  test('the second step wants a code of the app; a wrong one is marked at the field', async () => {
    const { actor, code } = await guarded();
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/login?next=%2Flog');
    await enterPassword(at.page, actor);
    await at.page.getByRole('heading', { name: '两步验证' }).waitFor();
    expect(await stored(at.page, 'user')).toBeNull();
    const submit = at.page.getByRole('button', { name: '验证', exact: true });
    await submit.click();
    await at.page.getByText('请输入验证码').waitFor();
    await at.page.getByLabel('验证码').fill('000000');
    await submit.click();
    await at.page.getByText('验证码错误或已使用，请输入新的验证码').waitFor();
    expect(await accessibilityViolations(at.page)).toEqual([]);
    await at.page.getByLabel('验证码').fill(await code());
    await submit.click();
    await at.page.waitForURL('**/log');
    await at.page.getByText('登录成功！', { exact: true }).waitFor();
    expect(at.problems).toEqual([]);
  });

  test('a recovery code works in its place, once', async () => {
    const { actor, recovery } = await guarded();
    const [code = ''] = recovery;
    for (const [round, outcome] of ['in', 'refused'].entries()) {
      await using at = await visit(application, { language: 'en' });
      await at.page.goto('/login');
      await enterPassword(at.page, actor);
      await at.page.getByRole('button', { name: 'Use a recovery code' }).click();
      await at.page.getByLabel('Recovery code').fill(code);
      await at.page.getByRole('button', { name: 'Verify' }).click();
      if (round === 0) await at.page.waitForURL('**/token');
      else await at.page.getByText('The code is wrong or was already used. Enter a new one.').waitFor();
      expect(outcome).toBe(new URL(at.page.url()).pathname === '/token' ? 'in' : 'refused');
    }
  });

  test('after five wrong codes the password is asked for again', async () => {
    const { actor } = await guarded();
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/login');
    await enterPassword(at.page, actor);
    const submit = at.page.getByRole('button', { name: '验证', exact: true });
    for (let guess = 0; guess < 6; guess += 1) {
      if (!(await at.page.getByLabel('验证码').isVisible())) break;
      const answered = at.page.waitForResponse('**/api/user/login/2fa');
      await at.page.getByLabel('验证码').fill(`00000${guess}`);
      await submit.click();
      await answered;
    }
    await at.page.locator('input[name=password]').waitFor();
    await at.page.getByRole('alert').getByText('登录已超时，请重新输入密码').waitFor();
  });
});

interface Authenticator {
  cdp: CDPSession;
  id: string;
}

async function plugIn(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, id: authenticatorId };
}

/** The calls of the personal tab that add a passkey. */
async function addPasskey(page: Page, actor: Actor): Promise<void> {
  const answer = await page.evaluate<{ success: boolean; message: string }>(`(async () => {
    const call = async (path, body) => {
      const response = await fetch('/api/user/passkey/register/' + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'New-Api-User': '${actor.id}' },
        body: JSON.stringify(body),
      });
      return await response.json();
    };
    const { data } = await call('begin', {});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data);
    const credential = await navigator.credentials.create({ publicKey });
    return await call('finish', { name: 'test', credential: credential.toJSON() });
  })()`);
  if (!answer.success) throw new Error(answer.message);
}

describe('passkeys', () => {
  test('a passkey signs in without a name, and is the way that is marked from then on', async () => {
    const actor = await application.actor();
    await using at = await visit(application, { site, language: 'zh' });
    await plugIn(at.page);
    const [name = '', value = ''] = actor.cookie.split('=');
    await at.context.addCookies([{ name, value, url: site }]);
    await at.page.goto('/about');
    await addPasskey(at.page, actor);
    await at.context.clearCookies();
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: '通行密钥' }).click();
    await at.page.waitForURL('**/token');
    await at.page.getByText('登录成功！', { exact: true }).waitFor();
    expect(JSON.parse((await stored(at.page, 'user')) ?? '{}')).toMatchObject({ id: actor.id });
    expect(await stored(at.page, 'last-login')).toBe('passkey');
    expect(at.problems).toEqual([]);
  });

  test('who signed in by passkey before is offered it in the name field', async () => {
    const actor = await application.actor();
    await using at = await visit(application, { site, language: 'en', storage: { 'last-login': 'passkey' } });
    await plugIn(at.page);
    const [name = '', value = ''] = actor.cookie.split('=');
    await at.context.addCookies([{ name, value, url: site }]);
    await at.page.goto('/about');
    await addPasskey(at.page, actor);
    await at.context.clearCookies();
    // The authenticator answers at once, like a user who picks the passkey from the list of the field.
    await at.page.goto('/login');
    await at.page.waitForURL('**/token');
    expect(JSON.parse((await stored(at.page, 'user')) ?? '{}')).toMatchObject({ id: actor.id });
  });

  test('without an earlier passkey login the field sends no request; a closed dialog is no error', async () => {
    await using at = await visit(application, { site, language: 'en' });
    let begun = 0;
    await at.page.route('**/api/user/passkey/login/begin', (route) => {
      begun += 1;
      return route.continue();
    });
    const { cdp, id } = await plugIn(at.page);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: 'Passkey' }).waitFor();
    expect(await at.page.locator('input[name=username]').getAttribute('autocomplete')).toBe(
      'username webauthn',
    );
    expect(begun).toBe(0);
    const answered = at.page.waitForResponse('**/api/user/passkey/login/begin');
    await at.page.getByRole('button', { name: 'Passkey' }).click();
    await answered;
    await at.page.getByRole('button', { name: 'Passkey', disabled: false }).waitFor();
    expect(await at.page.getByRole('alert').count()).toBe(0);
  });
});
