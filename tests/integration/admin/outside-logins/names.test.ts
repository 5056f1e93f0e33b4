// The name of a bound account at its site, on both databases: stored when it is bound and at each sign-in, cleaned, and shown
// to its owner and to administrators above them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { SelfView } from '#contract/admin/users.ts';
import { signedFields } from '#mock/logins/telegram.ts';
import {
  Browser,
  startScene,
  throughGitHub,
  throughLinuxDo,
  throughOidc,
  type OutsideScene,
} from './support.ts';

let number = 8_000_000;
const freshId = () => (number += 1);

for (const database of ['sqlite', 'postgres'] as const) {
  describe(database, () => {
    let scene: OutsideScene;
    beforeAll(async () => {
      scene = await startScene(database);
    }, 60_000);
    afterAll(() => scene.close());

    const signedInAs = async (browser: Browser, id: number) => {
      browser.userId = id;
      return (await browser.get('/api/user/self')).body.data as SelfView;
    };
    const idOf = (data: unknown) => (data as { id: number }).id;

    test('a bound account has the name that its owner knows, from the binding on (O58)', async () => {
      const actor = await scene.app.actor();
      const browser = new Browser(scene.app, actor);
      const id = freshId();
      scene.github.user = { id, login: 'paper-boat', name: 'Paper Boat' };
      scene.linuxdo.member = { ...scene.linuxdo.member, id, username: 'red_kite', name: 'Red Kite' };
      scene.oidc.user = { ...scene.oidc.user, sub: `sub-${id}`, name: 'Ada Kestrel' };
      expect((await throughGitHub(scene, browser)).body.message).toBe('bind');
      expect((await throughLinuxDo(scene, browser)).body.message).toBe('bind');
      expect((await throughOidc(scene, browser)).body.message).toBe('bind');
      const { state } = await browser.begin('telegram');
      const fields = signedFields({ id, first_name: 'Paper', last_name: 'Boat', username: 'paperboat' });
      expect((await browser.post('/api/oauth/telegram/bind', { ...fields, state })).body.success).toBe(true);
      const names = {
        github_name: 'paper-boat',
        linux_do_name: 'red_kite',
        oidc_name: 'Ada Kestrel',
        telegram_name: 'paperboat',
        // The server of a WeChat account tells no name.
        wechat_name: '',
      };
      const self = await scene.app.client(actor).users.self();
      expect(self).toMatchObject({ ...names, github_id: String(id), telegram_id: String(id) });
      const admin = await scene.app.actor({ role: ROLE.admin });
      expect(await scene.app.client(admin).users.read({ params: { id: actor.id } })).toMatchObject(names);
    });

    test('an old binding gets the name at the next sign-in, and a new name at the one after it (O58)', async () => {
      const id = freshId();
      const owner = await scene.app.createUser({ row: { github_id: String(id) } });
      for (const login of ['first-name', 'second-name']) {
        scene.github.user = { id, login, name: null };
        const browser = new Browser(scene.app);
        expect(idOf((await throughGitHub(scene, browser)).body.data)).toBe(owner.id);
        expect(await signedInAs(browser, owner.id)).toMatchObject({ github_name: login });
      }
    });

    test('an account made by an outside login has its name; unbinding removes it (O58)', async () => {
      scene.github.user = { id: freshId(), login: 'newcomer', name: 'New Comer' };
      const browser = new Browser(scene.app);
      const id = idOf((await throughGitHub(scene, browser)).body.data);
      expect(await signedInAs(browser, id)).toMatchObject({ github_name: 'newcomer' });
      const actor = await scene.app.actor({
        row: {
          github_id: String(freshId()),
          github_name: 'leaving',
          telegram_id: '1',
          telegram_name: 'stays',
        },
      });
      const left = await scene.app.request('/api/oauth/github/bind', { method: 'DELETE', as: actor });
      expect(left.body.success).toBe(true);
      const self = await scene.app.client(actor).users.self();
      expect(self).toMatchObject({ github_id: '', github_name: '', telegram_name: 'stays' });
    });

    test('control and format characters of a name are removed, and a long one is cut (O58)', async () => {
      const actor = await scene.app.actor();
      scene.github.user = { id: freshId(), login: `a\u0000b\n\u202Ec\u200B${'😀'.repeat(100)}`, name: null };
      expect((await throughGitHub(scene, new Browser(scene.app, actor))).body.message).toBe('bind');
      const { github_name } = await scene.app.client(actor).users.self();
      expect(github_name).toBe(`abc${'😀'.repeat(61)}`);
    });

    test('the name is hidden from an administrator of the same role, as the id is (O58)', async () => {
      const row = { github_id: String(freshId()), github_name: 'private-name' };
      const other = await scene.app.actor({ role: ROLE.admin, row });
      const admin = await scene.app.actor({ role: ROLE.admin });
      const { userManagement } = scene.app.client(admin);
      const { items } = await userManagement.search({ query: { keyword: other.username } });
      expect(items).toMatchObject([{ id: other.id, github_id: '', github_name: '' }]);
    });
  });
}
