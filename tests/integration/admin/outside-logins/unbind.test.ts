// Unbinding an outside account, on both databases: for each provider, with the step-up. Neither the last binding nor the
// last passkey can be removed when the user has no other way to sign in.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { OUTSIDE_PROVIDERS, type OutsideProvider } from '#contract/admin/outside-logins.ts';
import { startMailServer, type MailServer } from '#tests/support/mail-server.ts';
import type { Actor } from '#tests/support/application.ts';
import { Browser, startScene, throughGitHub, type OutsideScene } from './support.ts';

const COLUMNS = {
  github: 'github_id',
  linuxdo: 'linux_do_id',
  oidc: 'oidc_id',
  wechat: 'wechat_id',
  telegram: 'telegram_id',
} as const satisfies Record<OutsideProvider, string>;
let number = 5_000_000;
const freshId = () => String((number += 1));

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let scene: OutsideScene;
    let mails: MailServer;
    beforeAll(async () => {
      mails = await startMailServer();
      scene = await startScene(database);
      for (const [key, text] of Object.entries(mails.settings)) await scene.app.settings.set(key, text, 0);
    }, 60_000);
    afterAll(async () => {
      await scene.close();
      await mails.close();
    });

    const change = (id: number, columns: Record<string, string>) =>
      scene.app.store.db.updateTable('users').set(columns).where('id', '=', id).execute();
    const rowOf = (id: number) =>
      scene.app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const unbind = (as: Actor, provider: string, headers: Record<string, string> = {}) =>
      scene.app.request(`/api/oauth/${provider}/bind`, { method: 'DELETE', as, headers });
    /** Signed in, and afterwards without the password they signed in with. */
    async function without(columns: Record<string, string>): Promise<Actor> {
      const actor = await scene.app.actor();
      await change(actor.id, { password_hash: '', ...columns });
      return actor;
    }
    async function addPasskey({ id: user_id }: Actor): Promise<number> {
      const row = await scene.app.store.db
        .insertInto('passkeys')
        .values({ user_id, credential_id: freshId(), public_key: '', created_at: 1 })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    }
    const removePasskey = (as: Actor, id: number, language = 'en') =>
      scene.app.request(`/api/user/passkey/${id}`, {
        method: 'DELETE',
        as,
        headers: { 'Accept-Language': language },
      });
    const passkeysOf = (id: number) =>
      scene.app.store.db.selectFrom('passkeys').select('id').where('user_id', '=', id).execute();
    async function during(settings: Record<string, string>, run: () => Promise<void>): Promise<void> {
      try {
        for (const [key, text] of Object.entries(settings)) await scene.app.settings.set(key, text, 1);
        await run();
      } finally {
        for (const key of Object.keys(settings)) await scene.app.settings.set(key, 'true', 1);
      }
    }

    test.each(OUTSIDE_PROVIDERS)(
      '%s: it is unbound, and the same outside account can be bound again',
      async (provider) => {
        const id = freshId();
        const actor = await scene.app.actor({ row: { [COLUMNS[provider]]: id } });
        expect((await unbind(actor, provider)).body).toMatchObject({ success: true, data: null });
        expect((await rowOf(actor.id))[COLUMNS[provider]]).toBe('');
        const again = await unbind(actor, provider);
        expect(again.body.code).toBe('outside_not_bound');
        const audited = await scene.app.store.db
          .selectFrom('audit')
          .select('before')
          .where('action', '=', 'user.unbind')
          .where('target', '=', `user:${actor.id}`)
          .execute();
        expect(audited).toEqual([{ before: JSON.stringify({ provider }) }]);
      },
    );

    test('an unbound account cannot sign in, and its owner gets a mail about binding and unbinding', async () => {
      const email = `bound${database}@example.com`;
      const actor = await scene.app.actor({ row: { email } });
      scene.github.user = { id: Number(freshId()), login: 'paper', name: 'Paper' };
      expect((await throughGitHub(scene, new Browser(scene.app, actor))).body.message).toBe('bind');
      expect((await mails.mailTo(email)).text).toContain('a GitHub account was linked to it');
      await unbind(actor, 'github');
      const mail = (await mails.mailTo(email, { count: 2 })).text;
      expect(mail).toContain('its GitHub account was unlinked');
      expect(mail).toContain('已解除 GitHub 账户的绑定');
      const visitor = await throughGitHub(scene, new Browser(scene.app));
      expect((visitor.body.data as { id: number }).id).not.toBe(actor.id);
    });

    test('the last way to sign in stays: a password, a passkey or another account must be left', async () => {
      const actor = await without({ github_id: freshId() });
      const refused = await unbind(actor, 'github');
      expect(refused.body.message).toBe(
        'This is your only way to sign in. Set a password, add a passkey or link another account first.',
      );
      expect((await rowOf(actor.id)).github_id).not.toBe('');
      await addPasskey(actor);
      expect((await unbind(actor, 'github')).body.success).toBe(true);

      const second = await without({ github_id: freshId(), linux_do_id: freshId() });
      await during({ LinuxDOOAuthEnabled: 'false' }, async () => {
        expect((await unbind(second, 'github')).body.code).toBe('outside_last_way');
      });
      expect((await unbind(second, 'github')).body.success).toBe(true);
      expect((await unbind(second, 'linuxdo')).body.code).toBe('outside_last_way');

      const third = await scene.app.actor({ row: { github_id: freshId() } });
      await during({ PasswordLoginEnabled: 'false' }, async () => {
        expect((await unbind(third, 'github')).body.code).toBe('outside_last_way');
      });
      expect((await unbind(third, 'github')).body.success).toBe(true);
    });

    test('a passkey that is the last way to sign in stays, by the same rule', async () => {
      const actor = await without({ email: `only${database}@example.com`, linux_do_id: freshId() });
      const [first, second] = [await addPasskey(actor), await addPasskey(actor)];
      await during({ LinuxDOOAuthEnabled: 'false' }, async () => {
        expect((await removePasskey(actor, first)).body.success).toBe(true);
        const refused = await removePasskey(actor, second);
        expect([refused.body.code, refused.body.message]).toEqual([
          'passkey_last_way',
          'This is your only way to sign in. Set a password, add another passkey or link a third-party account first.',
        ]);
        expect((await removePasskey(actor, second, 'zh')).body.message).toBe(
          '这是你唯一的登录方式，请先设置密码、添加其他通行密钥或绑定第三方账户',
        );
        expect(await passkeysOf(actor.id)).toEqual([{ id: second }]);
      });
      // Refusals are not audited.
      const audited = await scene.app.store.db
        .selectFrom('audit')
        .select('action')
        .where('target', '=', `user:${actor.id}`)
        .where('action', '=', 'passkey.remove')
        .execute();
      expect(audited.length).toBe(1);
      expect((await removePasskey(actor, second)).body.success).toBe(true);

      const withPassword = await scene.app.actor();
      const third = await addPasskey(withPassword);
      await during({ PasswordLoginEnabled: 'false' }, async () => {
        expect((await removePasskey(withPassword, third)).body.code).toBe('passkey_last_way');
      });
      expect((await removePasskey(withPassword, third)).body.success).toBe(true);
    });

    test('two concurrent removals do not each rely on the other binding', async () => {
      for (let round = 0; round < 5; round += 1) {
        const actor = await without({ github_id: freshId(), linux_do_id: freshId() });
        const replies = await Promise.all([unbind(actor, 'github'), unbind(actor, 'linuxdo')]);
        expect(replies.map(({ body }) => body.success).toSorted()).toEqual([false, true]);
        const other = await without({});
        const [first, second] = [await addPasskey(other), await addPasskey(other)];
        await Promise.all([removePasskey(other, first), removePasskey(other, second)]);
        expect((await passkeysOf(other.id)).length).toBe(1);
      }
    });

    test('A13 it needs a step-up, and refuses access tokens and unknown providers', async () => {
      const actor = await scene.app.actor({ row: { github_id: freshId() } });
      await scene.app.store.db
        .updateTable('sessions')
        .set({ verified_at: 1 })
        .where('user_id', '=', actor.id)
        .execute();
      const stale = await unbind(actor, 'github');
      expect([stale.status, stale.body.code]).toEqual([403, 'step_up_required']);
      const other = await scene.app.actor({ row: { github_id: freshId() } });
      const token = await scene.app.client(other).self.accessToken();
      const program = await scene.app.request('/api/oauth/github/bind', {
        method: 'DELETE',
        headers: { Authorization: token, 'New-Api-User': String(other.id) },
      });
      expect(program.body.code).toBe('session_only');
      expect((await unbind(other, 'constructor')).body.success).toBe(false);
      for (const { id } of [actor, other]) expect((await rowOf(id)).github_id).not.toBe('');
    });
  });
}
