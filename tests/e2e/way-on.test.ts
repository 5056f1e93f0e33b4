// Pages that must lead on: the end of a sign-in elsewhere and the way back from it, a human check that could not be loaded,
// questions before something is lost, the footer and notice of the price list, and stored facts in both languages.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { factText } from '#contract/facts.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  eventually,
  fitsWidth,
  PHONE,
  screenshot,
  stored,
  visit,
} from '#tests/support/browser.ts';
import { eachLook } from '#tests/support/looks.ts';
import { addChannel } from '#tests/support/channels.ts';
import { closeProviders, providerSettings, startProviders, type Providers } from '#mock/logins/index.ts';

let application: TestApplication;
let providers: Providers;
let root: Actor;

beforeAll(async () => {
  providers = await startProviders();
  application = await startApplication({ settings: providerSettings(providers) });
  await application.settings.set('ServerAddress', application.url, 0);
  providers.github.callback = `${application.url}/oauth/github`;
  root = await application.actor({ role: ROLE.root });
});
afterAll(async () => {
  await application.close();
  await closeProviders(providers);
});

const LOOKS = eachLook([
  { language: 'zh', theme: 'light' },
  { language: 'en', theme: 'dark' },
] as const);

describe('a sign-in elsewhere', () => {
  test('Back after it does not land on the used address (O55)', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/login');
    await at.page.getByRole('button', { name: 'GitHub' }).click();
    await at.page.getByRole('link', { name: 'Authorize' }).click();
    await at.page.waitForURL('**/token');
    await at.page.goBack();
    await eventually(
      () => Promise.resolve(!new URL(at.page.url()).pathname.startsWith('/oauth/')),
      'a page other than the used address',
    );
    // The address itself, opened again by a signed-in user, leads on without an error.
    await at.page.goto('/oauth/github');
    await at.page.waitForURL('**/token');
    expect(await at.page.getByRole('alert').count()).toBe(0);
  });

  test('a used address says so to a visitor and leads to the sign-in page (O55)', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.page.clock.install();
    await at.page.goto('/oauth/github');
    await at.page.getByRole('main').getByText('这个登录地址已经用过，请重新登录').waitFor();
    await at.page.clock.runFor(4100);
    await at.page.waitForURL('**/login?next=%2Fsetting');
  });

  test.each(LOOKS)(
    'REL-8.30 REL-8.31 a failure shows its message, then that it leads back, and goes to /setting: %p (O38)',
    async ({ language, theme }) => {
      await using at = await visit(application, { language, theme });
      await at.page.clock.install();
      await at.page.goto('/oauth/github?code=a&state=not-a-state');
      const main = at.page.getByRole('main');
      const [message, then] =
        language === 'zh'
          ? ['错误：登录请求已失效或不是由此浏览器发起，请重试', '操作失败，重定向至登录界面中...']
          : ['', 'Sign-in failed. Taking you back to the sign-in page…'];
      await main.getByText(then, { exact: true }).waitFor();
      if (message) {
        const shown = (await main.innerText()).split('\n').filter(Boolean);
        expect(shown.indexOf(message)).toBeLessThan(shown.indexOf(then));
        expect(shown).toContain(message);
      }
      expect(await accessibilityViolations(at.page)).toEqual([]);
      await screenshot(at.page, `callback-failed-${language}-${theme}`);
      await at.page.clock.runFor(4100);
      await at.page.waitForURL('**/login?next=%2Fsetting');
    },
  );
});

test.each(LOOKS)(
  'a human check that could not be loaded offers to try again, and forms say so: %p (O57)',
  async (look) => {
    const settings = { TurnstileSiteKey: 'key', TurnstileSecretKey: 'secret', TurnstileCheckEnabled: 'true' };
    for (const [key, value] of Object.entries(settings)) await application.settings.set(key, value, 0);
    try {
      await using at = await visit(application, look);
      let isAway = true;
      await at.page.route('https://challenges.cloudflare.com/**', (route) =>
        isAway
          ? route.abort()
          : route.fulfill({
              contentType: 'text/javascript',
              body: `window.turnstile = { render: (host, options) => { options.callback('token'); return 'w'; }, reset() {}, remove() {} };`,
            }),
      );
      const [retry, failed, passed, labels, register] =
        look.language === 'zh'
          ? ['重试', '人机验证加载失败，请点“重试”', '人机验证已通过', ['用户名', '密码', '确认密码'], '注册']
          : [
              'Try again',
              'The human check could not be loaded. Press “Try again” in its box.',
              'Human check passed',
              ['Username', 'Password', 'Repeat password'],
              'Register',
            ];
      await at.page.goto('/register');
      await at.page.getByRole('button', { name: retry }).waitFor();
      for (const label of labels) {
        const text = label === labels[0] ? `h${Date.now() % 1_000_000}` : 'zq7Kfmwxpl';
        await at.page.getByLabel(label, { exact: true }).fill(text);
      }
      await at.page.getByRole('button', { name: register, exact: true }).click();
      await at.page.getByText(failed, { exact: true }).waitFor();
      expect(await at.page.getByText(/正在检查用户环境|still running/).count()).toBe(0);
      expect(await accessibilityViolations(at.page)).toEqual([]);
      await screenshot(at.page, `human-failed-${look.language}-${look.theme}`);
      isAway = false;
      await at.page.getByRole('button', { name: retry }).click();
      await at.page.getByText(passed).waitFor();
    } finally {
      await application.settings.set('TurnstileCheckEnabled', 'false', 0);
    }
  },
);

test('before something is lost the safe button has the focus, and Enter keeps everything (O48)', async () => {
  const id = await addChannel(application.store, {
    base_url: 'http://127.0.0.1:9',
    models: ['a'],
    name: 'first',
  });
  await using at = await visit(application, { as: root, language: 'zh' });
  await at.page.goto(`/channel/edit/${id}`);
  const name = at.page.getByRole('textbox', { name: /^名称( \*)?$/ });
  await name.fill('half written');
  await at.page.getByRole('button', { name: '取消' }).click();
  const question = at.page.getByRole('dialog', { name: '放弃更改？' });
  await question.waitFor();
  await question.locator('button:focus', { hasText: '继续编辑' }).waitFor();
  await screenshot(at.page, 'discard-focus');
  await at.page.keyboard.press('Enter');
  await question.waitFor({ state: 'hidden' });
  expect(await name.inputValue()).toBe('half written');
});

describe('the price list', () => {
  test.each(LOOKS)(
    'has the notice above and the footer below, as the other public pages: %p (O45)',
    async (look) => {
      await application.settings.set('Notice', 'Maintenance on Sunday', 0);
      await application.settings.set('Footer', '<b>ICP 000000</b>', 0);
      await addChannel(application.store, {
        base_url: 'http://127.0.0.1:9',
        models: ['gpt-4o', 'gpt-4o-mini'],
      });
      for (const viewport of [undefined, PHONE]) {
        await using at = await visit(application, { ...look, ...(viewport && { viewport }) });
        await at.page.goto('/pricing');
        await at.page.getByText('Maintenance on Sunday').waitFor();
        await at.page.locator('footer').getByText('ICP 000000').scrollIntoViewIfNeeded();
        expect(await fitsWidth(at.page)).toBe(true);
        expect(await accessibilityViolations(at.page)).toEqual([]);
        await screenshot(at.page, `pricing-${look.language}-${look.theme}-${viewport ? 'phone' : 'desk'}`);
        expect(at.problems).toEqual([]);
      }
    },
  );
});

describe('stored facts', () => {
  test.each(LOOKS)(
    'a failed test and a failed call are read in the language of the console: %p (O46)',
    async (look) => {
      const id = await addChannel(application.store, {
        base_url: 'http://127.0.0.1:9',
        models: ['gpt-4o'],
        name: `useless-${look.language}-${look.theme}`,
      });
      const other_info = JSON.stringify({ test_error: factText('noAnswer', { status: 200 }) });
      const now = Math.floor(Date.now() / 1000);
      await application.store.db
        .updateTable('channels')
        .set({ other_info, test_time: now })
        .where('id', '=', id)
        .execute();
      await application.store.db
        .insertInto('logs')
        .values(
          [
            { type: 5, model_name: 'gpt-4o', quota: 0, content: 'network' },
            {
              type: 3,
              model_name: '',
              quota: 750_000,
              content: factText('quotaAdded', { quota: 750_000, reason: 'gift' }),
            },
          ].map((row) => ({
            ...row,
            created_at: now,
            user_id: root.id,
            username: root.username,
            other: '{}',
          })),
        )
        .execute();
      await using at = await visit(application, { ...look, as: root });
      const [failed, why, network, added] =
        look.language === 'zh'
          ? ['失败', '上游返回了 200，但没有回答内容', '与上游的连接失败', '管理员增加额度：$1.50（gift）']
          : [
              'failed',
              'The upstream answered 200, but without content',
              'The connection to the upstream failed',
              'Quota added by an administrator: $1.50 (gift)',
            ];
      await at.page.goto('/channel');
      const row = at.page.getByRole('row', { name: new RegExp(`useless-${look.language}-${look.theme}`) });
      const cell = row.getByText(failed, { exact: true });
      // A list that loads again under the pointer closes its tooltip.
      const isShown = () =>
        at.page
          .getByText(why)
          .waitFor({ timeout: 3000 })
          .then(() => true)
          .catch(() => false);
      let shown = false;
      for (let tries = 0; tries < 10 && !shown; tries += 1) {
        await at.page.mouse.move(0, 0);
        await cell.hover();
        shown = await isShown();
      }
      expect(shown).toBe(true);
      expect(await row.getByText('200', { exact: true }).count()).toBe(0);
      await screenshot(at.page, `failed-test-${look.language}-${look.theme}`);
      await at.page.goto('/log?type=3');
      await at.page.getByText(added).first().waitFor();
      await at.page.goto('/log?type=5');
      await at.page.getByRole('row').nth(1).click();
      await at.page.getByText(network).first().waitFor();
      expect(await at.page.getByText('network', { exact: true }).count()).toBe(0);
      await screenshot(at.page, `failed-call-${look.language}-${look.theme}`);
      expect(await stored(at.page, 'user')).not.toBeNull();
    },
  );
});
