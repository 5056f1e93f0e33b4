// What opens an account ends together: sessions, the system access token and the admin keys.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { startApplication, USER_PASSWORD, type Actor } from '#tests/support/application.ts';

setDefaultTimeout(120_000);

test.each(['sqlite', 'postgres'] as const)(
  '%s: the access token and the admin keys end with a new password, a password set by an administrator, "sign out others" and a ban (S28)',
  async (database) => {
    const app = await startApplication({ database });
    try {
      const root = await app.actor({ role: ROLE.root });
      const manage = (id: number, action: string) =>
        app.request('/api/user/manage', { as: root, body: { id, action } });
      const events: Record<string, (owner: Actor) => Promise<unknown>[]> = {
        'a new password': (owner) => [
          app.request('/api/user/self', {
            method: 'PUT',
            as: owner,
            body: { original_password: USER_PASSWORD, password: 'another-password-1' },
          }),
        ],
        'a password set by an administrator': (owner) => [
          app.request('/api/user/', {
            method: 'PUT',
            as: root,
            body: { id: owner.id, username: owner.username, password: 'another-password-2' },
          }),
        ],
        'sign out others': (owner) => [app.request('/api/user/sessions', { method: 'DELETE', as: owner })],
        'a ban that was lifted': (owner) => [
          manage(owner.id, 'disable').then(() => manage(owner.id, 'enable')),
        ],
      };
      for (const [name, event] of Object.entries(events)) {
        const owner = await app.actor();
        const accessToken = (await app.request('/api/user/token', { as: owner })).body.data as string;
        const made = await app.request('/api/admin_key/', { as: owner, body: { name: 'reports' } });
        const { key } = made.body.data as { key: string };
        const answers = async () => [
          (
            await app.request('/api/user/self', {
              headers: { Authorization: accessToken, 'New-Api-User': String(owner.id) },
            })
          ).status,
          (
            await app.request('/v1/organization/costs?start_time=1', {
              headers: { Authorization: `Bearer ${key}` },
            })
          ).status,
        ];
        expect([name, await answers()]).toEqual([name, [200, 200]]);
        const [reply] = await Promise.all(event(owner));
        expect([name, reply]).toMatchObject([name, { body: { success: true } }]);
        expect([name, await answers()]).toEqual([name, [401, 401]]);
      }
    } finally {
      await app.close();
    }
  },
);
