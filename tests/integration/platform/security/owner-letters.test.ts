// An attacker who takes over an account changes its credentials; the owner gets a mail about each change, by any author.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { linkIn, startMailServer, type MailServer } from '#tests/support/mail-server.ts';
import { createPasskeyDevice } from '#tests/support/passkey-device.ts';

setDefaultTimeout(30_000);

const ORIGIN = 'https://gate.example';
const PASSWORD = 'another-fine-password';
const NEITHER = 'If it was neither you nor your administrator';
let count = 0;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let mails: MailServer;
    beforeAll(async () => {
      mails = await startMailServer();
      const settings = { ...mails.settings, ServerAddress: ORIGIN, SystemName: '纸船' };
      app = await startApplication({ database, settings });
    }, 30_000);
    afterAll(async () => {
      await app.close();
      await mails.close();
    });

    async function owner(): Promise<Actor & { email: string }> {
      const email = `owner${database}${(count += 1)}@example.com`;
      return { ...(await app.actor({ row: { email } })), email };
    }
    const codeNow = async (userId: number, secret: string) => {
      await app.store.db
        .updateTable('totp_secrets')
        .set({ last_step: 0 })
        .where('user_id', '=', userId)
        .execute();
      return await totpCode(secret, stepAt(Math.floor(Date.now() / 1000)));
    };
    const expectMail = async (email: string, nth: number, zh: string, en: string) => {
      const mail = await mails.mailTo(email, { count: nth });
      expect(mail.subject).toBe('纸船：账户安全提醒 / Your account was changed');
      expect(mail.text).toContain(zh);
      expect(mail.text).toContain(en);
      expect(mail.text).toContain(NEITHER);
      return mail.text;
    };

    test('a password changed by its owner, with the address, and without the password', async () => {
      const user = await owner();
      const body = { original_password: USER_PASSWORD, password: PASSWORD };
      await app.client(user).users.changeSelf({ body });
      const text = await expectMail(user.email, 1, '登录密码已修改', 'the password was changed');
      expect(text).toContain(user.username);
      expect(text).toContain('from 127.0.0.1');
      expect(text).not.toContain(PASSWORD);
    });

    test('a refused password, or a new display name, sends no mail', async () => {
      const user = await owner();
      const body = { original_password: 'not the password', password: PASSWORD };
      expect((await app.request('/api/user/self', { method: 'PUT', as: user, body })).body.success).toBe(
        false,
      );
      await app.client(user).users.changeSelf({ body: { display_name: 'Paper boat' } });
      const rows = await app.store.db
        .selectFrom('mails')
        .select('id')
        .where('recipient', '=', user.email)
        .execute();
      expect(rows).toEqual([]);
    });

    test('a password reset by mail', async () => {
      const { email } = await owner();
      await app.request(`/api/reset_password?email=${email}`);
      const token = linkIn(await mails.mailTo(email)).searchParams.get('token') ?? '';
      const reset = await app.request('/api/user/reset', { body: { email, token } });
      expect(reset.body.success).toBe(true);
      const text = await expectMail(email, 2, '登录密码已通过邮件重置', 'the password was reset by email');
      expect(text).not.toContain(reset.body.data as string);
    });

    test('a password set and keys removed by an administrator, whose address is not shown', async () => {
      const user = await owner();
      const root = await app.actor({ role: ROLE.root });
      await app.client(root).userManagement.change({ body: { id: user.id, password: PASSWORD } });
      const first = await expectMail(
        user.email,
        1,
        '管理员已为您设置新的登录密码',
        'an administrator set a new password',
      );
      await app.client(root).userManagement.resetTwoFactor({ params: { id: user.id } });
      const second = await expectMail(
        user.email,
        2,
        '管理员已移除两步验证与全部通行密钥',
        'an administrator removed two-factor authentication and every passkey',
      );
      for (const text of [first, second]) expect(text).not.toContain('127.0.0.1');
      expect(first).not.toContain(PASSWORD);
    });

    test('passkeys that an administrator kept, because the owner has no other way to sign in', async () => {
      const user = await owner();
      const root = await app.actor({ role: ROLE.root });
      await app.store.db
        .insertInto('passkeys')
        .values({ user_id: user.id, credential_id: user.email, public_key: 'k', created_at: 1 })
        .execute();
      await app.store.db.updateTable('users').set({ password_hash: '' }).where('id', '=', user.id).execute();
      await app.client(root).userManagement.resetTwoFactor({ params: { id: user.id } });
      await expectMail(
        user.email,
        1,
        '管理员已移除两步验证；通行密钥是您唯一的登录方式，已保留',
        'an administrator removed two-factor authentication; your passkeys are your only way to sign in and were kept',
      );
    });

    test('two-factor on, new recovery codes, two-factor off', async () => {
      const user = await owner();
      const { security } = app.client(user);
      const { secret } = await security.twoFactorSetup();
      await security.twoFactorEnable({ body: { code: await codeNow(user.id, secret) } });
      await expectMail(user.email, 1, '两步验证已启用', 'two-factor authentication was turned on');
      const { recovery_codes } = await security.recoveryCodes({
        body: { code: await codeNow(user.id, secret) },
      });
      const text = await expectMail(user.email, 2, '恢复码已重新生成', 'the recovery codes were replaced');
      for (const code of recovery_codes) expect(text).not.toContain(code);
      await security.twoFactorDisable({ body: { code: await codeNow(user.id, secret) } });
      await expectMail(user.email, 3, '两步验证已停用', 'two-factor authentication was turned off');
    });

    test('a passkey added and removed; a foreign one sends no mail', async () => {
      const user = await owner();
      const { security } = app.client(user);
      const device = await createPasskeyDevice(ORIGIN);
      const credential = await device.create(await security.passkeyRegisterBegin());
      const made = await app.request('/api/user/passkey/register/finish', {
        as: user,
        body: { name: 'Key ring', credential },
      });
      await expectMail(user.email, 1, '已添加新的通行密钥', 'a passkey was added');
      const { id } = made.body.data as { id: number };
      const stranger = await owner();
      const foreign = await app.request(`/api/user/passkey/${id}`, { method: 'DELETE', as: stranger });
      expect(foreign.body.code).toBe('not_found');
      await security.passkeyRemove({ params: { id } });
      await expectMail(user.email, 2, '一个通行密钥已被移除', 'a passkey was removed');
      expect(mails.mails.filter(({ to }) => to === stranger.email)).toEqual([]);
    });

    test('an outside account bound and unbound, with its name', async () => {
      const user = await owner();
      await app.store.db.updateTable('users').set({ github_id: '7' }).where('id', '=', user.id).execute();
      await app.client(user).outsideLogins.unbind({ params: { provider: 'github' } });
      const text = await expectMail(
        user.email,
        1,
        '已解除 GitHub 账户的绑定',
        'its GitHub account was unlinked',
      );
      expect(text).toContain('from 127.0.0.1');
    });

    test('an account without an email, and a site without mail, can change credentials all the same', async () => {
      const user = await app.actor();
      const change = (password: string, original_password: string) =>
        app.client(user).users.changeSelf({ body: { original_password, password } });
      await change(PASSWORD, USER_PASSWORD);
      const second = await owner();
      await app.settings.reset('SMTPServer', 1);
      try {
        await app.client(second).users.changeSelf({
          body: { original_password: USER_PASSWORD, password: PASSWORD },
        });
      } finally {
        await app.settings.set('SMTPServer', '127.0.0.1', 1);
      }
      await app.login(user.username, PASSWORD);
      await app.login(second.username, PASSWORD);
      const waiting = await app.store.db
        .selectFrom('mails')
        .select('id')
        .where('recipient', 'in', ['', second.email])
        .execute();
      expect(waiting).toEqual([]);
    });
  });
}
