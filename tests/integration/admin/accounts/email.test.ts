// Email addresses: codes for registering and binding, and the password reset by mail, on both databases and through a
// real mail server.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  startApplication,
  USER_PASSWORD,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { codeIn, linkIn, startMailServer, type MailServer } from '#tests/support/mail-server.ts';
import { exchange } from '#tests/support/raw-socket.ts';

const PASSWORD = 'a-fine-password';
let count = 0;
const newEmail = (local = 'person') => `${local}${Date.now().toString(36)}${(count += 1)}@example.com`;
const newName = () => `m${Date.now().toString(36).slice(-6)}${(count += 1)}`;

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let app: TestApplication;
    let mails: MailServer;
    beforeAll(async () => {
      mails = await startMailServer();
      app = await startApplication({
        database,
        settings: {
          ...mails.settings,
          ServerAddress: 'https://gate.example/',
          SystemName: 'Gate 站',
          EmailVerificationEnabled: 'true',
        },
      });
    });
    afterAll(async () => {
      await app.close();
      await mails.close();
    });

    const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
    const askCode = (email: string, as?: Actor) =>
      app.request(`/api/verification?${query({ email })}`, { as });
    const askReset = (email: string, options: { language?: 'zh'; headers?: Record<string, string> } = {}) =>
      app.request(`/api/reset_password?${query({ email })}`, options);
    const confirm = (email: string, token: string) =>
      app.request('/api/user/reset', { body: { email, token } });
    const register = (body: Record<string, unknown>) =>
      app.request('/api/user/register', { body: { username: newName(), password: PASSWORD, ...body } });
    const bind = (as: Actor, email: string, code: string) =>
      app.request(`/api/oauth/email/bind?${query({ email, code })}`, { as });
    const emailOf = async (id: number) =>
      (await app.store.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email;
    /** Ends the countdown of an address. */
    const waitOut = (email: string) =>
      app.store.db
        .updateTable('verification_codes')
        .set({ created_at: Math.floor(Date.now() / 1000) - 31 })
        .where('subject', '=', email.toLowerCase())
        .execute();

    async function withSettings(settings: Record<string, string>, run: () => Promise<void>) {
      for (const [key, text] of Object.entries(settings)) await app.settings.set(key, text, 1);
      try {
        await run();
      } finally {
        for (const key of Object.keys(settings)) await app.settings.reset(key as 'RegisterEnabled', 1);
      }
    }

    describe('codes', () => {
      test('ACC-7.36 ACC-3.031 ACC-3.032 a mailed code registers the address, once', async () => {
        const email = newEmail('Ann.');
        expect((await askCode(email)).body).toEqual({ success: true, message: '', data: null });
        const mail = await mails.mailTo(email);
        expect(mail.subject).toBe('Gate 站: your verification code');
        expect(mail.text).toContain('expires in 10 minutes');
        const code = codeIn(mail);
        expect(code).toMatch(/^\d{6}$/);
        const username = newName();
        expect((await register({ username, email, verification_code: code })).body.success).toBe(true);
        const user = await app.store.db
          .selectFrom('users')
          .select('email')
          .where('username', '=', username)
          .executeTakeFirst();
        expect(user?.email).toBe(email);
        const again = await register({ email, verification_code: code });
        expect(again.body.code).toBe('email_code_wrong');
      });

      test('the mail is in the language of the caller', async () => {
        const email = newEmail();
        await app.request(`/api/verification?${query({ email })}`, { language: 'zh' });
        const mail = await mails.mailTo(email);
        expect(mail.subject).toBe('Gate 站 邮箱验证码');
        expect(mail.text).toContain('10 分钟内有效');
      });

      test('ACC-5.13 ACC-8.13 an invalid address gets no code', async () => {
        const reply = await app.request('/api/verification');
        expect(reply.body).toMatchObject({
          code: 'email_required',
          message: 'The email address is required',
        });
        expect((await app.request('/api/reset_password')).body.code).toBe('email_required');
      });

      test('ACC-9.07 the next code can be sent after 30 seconds, and invalidates the previous one', async () => {
        const email = newEmail();
        await askCode(email);
        const first = codeIn(await mails.mailTo(email));
        const early = await askCode(email.toUpperCase());
        expect(early.body.code).toBe('code_sent_recently');
        expect(early.body.message).toMatch(/Try again in (?:[12]\d|30|\d) seconds/);
        await waitOut(email);
        expect((await askCode(email)).body.success).toBe(true);
        const second = codeIn(await mails.mailTo(email, { count: 2 }));
        if (first !== second)
          expect((await register({ email, verification_code: first })).body.code).toBe('email_code_wrong');
        expect((await register({ email, verification_code: second })).body.success).toBe(true);
      });

      test('ACC-8.37 A10 a code allows five tries; the sixth is refused even when right (plan A10)', async () => {
        const email = newEmail();
        await askCode(email);
        const code = codeIn(await mails.mailTo(email));
        const wrong = code === '000000' ? '000001' : '000000';
        for (let round = 0; round < 5; round += 1) {
          const reply = await register({ email, verification_code: wrong });
          expect(reply.body.message).toBe('The verification code is wrong or expired. Request a new one.');
        }
        expect((await register({ email, verification_code: code })).body.code).toBe('email_code_wrong');
        faultSeen('A10', '5 wrong mail codes, then the right one: refused');
      });

      test('A10 parallel guesses share the five tries (plan A10)', async () => {
        const email = newEmail();
        await askCode(email);
        const code = codeIn(await mails.mailTo(email));
        const guesses = Array.from({ length: 20 }, (_, index) =>
          String((Number(code) + 1 + index) % 1_000_000),
        );
        await Promise.all(
          guesses.map((guess) => register({ email, verification_code: guess.padStart(6, '0') })),
        );
        const { tries } = await app.store.db
          .selectFrom('verification_codes')
          .select('tries')
          .where('subject', '=', email.toLowerCase())
          .executeTakeFirstOrThrow();
        expect(tries).toBe(5);
        faultSeen('A10', '20 guesses at once: 5 compared');
      });

      test('ACC-9.09 the minutes of validity are a setting, and an expired code is refused', async () => {
        await withSettings({ EmailCodeMinutes: '3' }, async () => {
          const email = newEmail();
          await askCode(email);
          const mail = await mails.mailTo(email);
          expect(mail.text).toContain('3 minutes');
          const row = await app.store.db
            .selectFrom('verification_codes')
            .select(['created_at', 'expires_at'])
            .where('subject', '=', email.toLowerCase())
            .executeTakeFirstOrThrow();
          expect(row.expires_at - row.created_at).toBe(180);
          await app.store.db
            .updateTable('verification_codes')
            .set({ expires_at: Math.floor(Date.now() / 1000) })
            .where('subject', '=', email.toLowerCase())
            .execute();
          expect((await register({ email, verification_code: codeIn(mail) })).body.code).toBe(
            'email_code_wrong',
          );
        });
      });

      test('A10 a code proves only its own address, and is stored as a digest (plan A10)', async () => {
        const email = newEmail();
        const other = newEmail();
        await askCode(email);
        await askCode(other);
        const code = codeIn(await mails.mailTo(email));
        if (codeIn(await mails.mailTo(other)) !== code)
          expect((await register({ email: other, verification_code: code })).body.code).toBe(
            'email_code_wrong',
          );
        const row = await app.store.db
          .selectFrom('verification_codes')
          .selectAll()
          .where('subject', '=', email.toLowerCase())
          .executeTakeFirstOrThrow();
        expect(row.code_digest).toMatch(/^[\da-f]{64}$/);
        // Keyed: without the master key a list of all six digits finds nothing.
        expect(row.code_digest).not.toBe(new Bun.CryptoHasher('sha256').update(code).digest('hex'));
        faultSeen('A10', 'a code of another address: refused; stored as a keyed hash');
        expect(app.logged.join('\n')).not.toContain(email);
      });

      test.each([
        [{ EmailDomainRestrictionEnabled: 'true', EmailDomainWhitelist: 'other.example' }, 'a@example.com'],
        [{ EmailAliasRestrictionEnabled: 'true' }, 'a+b@example.com'],
        [{ EmailAliasRestrictionEnabled: 'true' }, 'a.b@example.com'],
        [{}, 'not-an-address'],
      ])('with %o the address %s gets no code (plan S24)', async (settings, email) => {
        await withSettings(settings, async () => {
          expect((await askCode(email)).body.code).toBe('email_not_accepted');
          faultSeen('S24', 'aliases with + and dots, and other domains: no code');
        });
      });

      test('no more than ten mails an hour are sent to one address', async () => {
        const email = newEmail();
        const now = Math.floor(Date.now() / 1000);
        await app.store.db
          .insertInto('verification_codes')
          .values(
            Array.from({ length: 10 }, (_, index) => ({
              purpose: 'email',
              subject: email.toLowerCase(),
              code_digest: '',
              created_at: now - 600 - index,
              expires_at: now,
            })),
          )
          .execute();
        expect((await askCode(email)).body.code).toBe('code_sent_recently');
      });

      test('A3 a visitor cannot distinguish an address with an account from one without; its owner can', async () => {
        const email = newEmail();
        await app.createUser({ row: { email } });
        expect((await askCode(email)).body).toEqual((await askCode(newEmail())).body);
        const mail = await mails.mailTo(email);
        expect(mail.subject).toBe('Gate 站: this address already has an account');
        expect(linkIn(mail).href).toBe('https://gate.example/reset');
        expect((await register({ email, verification_code: '000000' })).body.code).toBe('email_code_wrong');
      });

      test('a visitor gets no code where registration is closed; a signed-in user does', async () => {
        await withSettings({ RegisterEnabled: 'false' }, async () => {
          expect((await askCode(newEmail())).body.code).toBe('register_disabled');
          expect((await askCode(newEmail(), await app.actor())).body.success).toBe(true);
        });
      });

      test('without a mail server the error says so', async () => {
        await withSettings({ EmailVerificationEnabled: 'false', SMTPServer: '' }, async () => {
          expect((await askCode(newEmail())).body.code).toBe('mail_not_configured');
          expect((await askReset(newEmail())).body.code).toBe('mail_not_configured');
        });
        await app.settings.set('SMTPServer', '127.0.0.1', 1);
      });
    });

    describe('binding', () => {
      test('ACC-7.44 ACC-6.03 a proven address is bound; the previous address gets a mail', async () => {
        const user = await app.actor();
        const email = newEmail();
        await askCode(email, user);
        expect((await bind(user, email, codeIn(await mails.mailTo(email)))).body.success).toBe(true);
        expect(await emailOf(user.id)).toBe(email);
        const next = newEmail();
        await askCode(next, user);
        expect((await bind(user, next, codeIn(await mails.mailTo(next)))).body.success).toBe(true);
        expect(await emailOf(user.id)).toBe(next);
        const notice = await mails.mailTo(email, { count: 2 });
        expect(notice.subject).toBe('Gate 站: your email address was changed');
        expect((await app.login(next)).id).toBe(user.id);
        const audited = await app.store.db
          .selectFrom('audit')
          .select('after')
          .where('action', '=', 'user.email')
          .where('target', '=', `user:${user.id}`)
          .execute();
        expect(audited.map(({ after }) => JSON.parse(after))).toEqual([{ email }, { email: next }]);
      });

      test('ACC-5.19 ACC-5.20 ACC-8.14 address and code are required, and the code must be right', async () => {
        const user = await app.actor();
        expect((await bind(user, '', '123456')).body.code).toBe('email_required');
        expect((await bind(user, newEmail(), '')).body.message).toBe(
          'The email verification code is required',
        );
        expect((await bind(user, newEmail(), '123456')).body.code).toBe('email_code_wrong');
        expect(await emailOf(user.id)).toBe('');
      });

      test('ACC-8.35 an address that another user bound meanwhile is refused; asking for its code does not reveal that', async () => {
        const user = await app.actor();
        const email = newEmail();
        await askCode(email, user);
        const code = codeIn(await mails.mailTo(email));
        await app.createUser({ row: { email } });
        expect((await bind(user, email, code)).body.message).toBe(
          'This email address is already in use. Sign in, or reset the password.',
        );
        const taken = newEmail();
        await app.createUser({ row: { email: taken } });
        expect((await askCode(taken, user)).body).toEqual((await askCode(newEmail(), user)).body);
        expect((await mails.mailTo(taken)).subject).toBe('Gate 站: this address already has an account');
      });
    });

    describe('the password reset', () => {
      test('ACC-7.37 ACC-7.38 ACC-7.39 ACC-4.36 a mailed link gives a new password, once, and ends every session', async () => {
        const email = newEmail();
        const user = await app.actor({ row: { email } });
        expect((await askReset(email)).body).toEqual({ success: true, message: '', data: null });
        const mail = await mails.mailTo(email);
        const link = linkIn(mail);
        expect(link.origin + link.pathname).toBe('https://gate.example/user/reset');
        expect(link.searchParams.get('email')).toBe(email);
        const token = link.searchParams.get('token') ?? '';
        expect(token).toMatch(/^[\da-f]{64}$/);
        const reply = await confirm(email, token);
        expect(reply.headers.get('cache-control')).toBe('no-store');
        const password = reply.body.data as string;
        expect(password).toMatch(/^[\dA-Za-z]{12}$/);
        expect((await app.request('/api/user/self', { as: user })).status).toBe(401);
        expect((await app.login(user.username, password)).id).toBe(user.id);
        const old = await app.request('/api/user/login', {
          body: { username: user.username, password: USER_PASSWORD },
        });
        expect(old.body.code).toBe('wrong_credentials');
        const again = await confirm(email, token);
        expect(again.body.message).toBe('This reset link is invalid or has expired. Request a new one.');
        const dump = JSON.stringify(await app.store.db.selectFrom('mails').selectAll().execute());
        expect(dump).not.toContain(token);
      });

      test('ACC-8.38 A10 a wrong token is refused however often it is tried, and ends nobody’s right one (plan A10) (S19)', async () => {
        const email = newEmail();
        await app.createUser({ row: { email } });
        await askReset(email);
        const token = linkIn(await mails.mailTo(email)).searchParams.get('token') ?? '';
        for (let round = 0; round < 8; round += 1)
          expect((await confirm(email, 'f'.repeat(64))).body.code).toBe('reset_link_invalid');
        expect((await confirm(newEmail(), token)).body.code).toBe('reset_link_invalid');
        expect((await confirm('', '')).body.code).toBe('reset_link_invalid');
        // A stranger who knows the address must not be able to end the link of its owner.
        expect((await confirm(email, token)).body.success).toBe(true);
        expect((await confirm(email, token)).body.code).toBe('reset_link_invalid');
        faultSeen('A10', '8 wrong reset tokens: refused; the right one works once');
      });

      test('ACC-9.10 the minutes of a link’s validity are a setting', async () => {
        await withSettings({ ResetLinkMinutes: '7' }, async () => {
          const email = newEmail();
          await app.createUser({ row: { email } });
          await askReset(email, { language: 'zh' });
          const mail = await mails.mailTo(email);
          expect(mail.subject).toBe('Gate 站 密码重置');
          expect(mail.text).toContain('7 分钟内有效');
          await app.store.db
            .updateTable('verification_codes')
            .set({ expires_at: Math.floor(Date.now() / 1000) })
            .where('subject', '=', email.toLowerCase())
            .execute();
          const token = linkIn(mail).searchParams.get('token') ?? '';
          expect((await confirm(email, token)).body.code).toBe('reset_link_invalid');
        });
      });

      test('A3 an address without an account gets the same answer and no mail; so does a banned user', async () => {
        const banned = newEmail();
        await app.createUser({ row: { email: banned, status: 2 } });
        const known = newEmail();
        await app.createUser({ row: { email: known } });
        const unknown = newEmail();
        const replies = [await askReset(known), await askReset(unknown), await askReset(banned)];
        for (const reply of replies) expect(reply.body).toEqual({ success: true, message: '', data: null });
        await mails.mailTo(known);
        const recipients = mails.mails.map(({ to }) => to);
        expect(recipients).not.toContain(unknown);
        expect(recipients).not.toContain(banned);
        // The second request within the half minute gets the same answer, too.
        expect((await askReset(unknown)).body.code).toBe('code_sent_recently');
        expect((await askReset(known)).body.code).toBe('code_sent_recently');
      });

      test('ACC-8.36 a valid link whose account was deleted or changed its address meanwhile gets an error that says so', async () => {
        const email = newEmail();
        const { id } = await app.createUser({ row: { email } });
        await askReset(email);
        const token = linkIn(await mails.mailTo(email)).searchParams.get('token') ?? '';
        await app.store.db.updateTable('users').set({ email: '' }).where('id', '=', id).execute();
        expect((await confirm(email, token)).body.message).toBe(
          'This email address is not registered. Check it, or register.',
        );
      });

      test('A11 the link has the configured server address, not the request’s host (plan A11)', async () => {
        const email = newEmail();
        await app.createUser({ row: { email } });
        const answer = await exchange(
          app.port,
          `GET /api/reset_password?email=${email} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n`,
        );
        expect(answer).toStartWith('HTTP/1.1 200');
        const mail = await mails.mailTo(email);
        expect(linkIn(mail).host).toBe('gate.example');
        expect(mail.text).not.toContain('evil.example');
        faultSeen('A11', 'Host: evil.example; the link leads to the configured address');
      });
    });
  });
}
