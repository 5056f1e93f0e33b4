// The operator's content on the public pages: rendered after the sanitiser, framed without shared origin, remembered.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { stored, visit } from '#tests/support/browser.ts';

const ATTACK =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">go</a>';

let application: TestApplication;

beforeAll(async () => {
  application = await startApplication();
  await addChannel(application.store, { base_url: 'http://127.0.0.1:9', models: ['gpt-4o-mini'] });
});
afterAll(() => application.close());

const set = (key: 'Footer' | 'Notice' | 'HomePageContent' | 'About' | 'SystemName', value: string) =>
  application.settings.set(key, value, 0);

describe('footer', () => {
  test('REL-2.158 without a footer of the operator the installation shows a credit line', async () => {
    await set('Footer', '');
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    await at.page.locator('footer').getByText('由 Tollgate 驱动').waitFor();
  });

  test('S11 REL-2.157 the custom HTML is shown and cannot run anything', async () => {
    await set('Footer', `<b>京ICP备 000000 号</b>${ATTACK}`);
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    const footer = at.page.locator('footer');
    await footer.locator('b').getByText('京ICP备 000000 号').waitFor();
    expect(await footer.locator('script').count()).toBe(0);
    expect(await footer.getByText('go', { exact: true }).getAttribute('href')).toBeNull();
    expect(await at.page.evaluate('window.hacked')).toBeUndefined();
    await at.page.goto('/about');
    await at.page.locator('footer b').getByText('京ICP备 000000 号').waitFor();
    expect(await at.page.evaluate('window.hacked')).toBeUndefined();
    expect(await stored(at.page, 'footer_html')).toContain('京ICP备');
    await set('Footer', '');
  });
});

describe('home', () => {
  test('S11 Markdown of the operator replaces the default home and cannot run anything', async () => {
    await set('HomePageContent', `# Welcome to the gate\n\n**bold** ${ATTACK}`);
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    await at.page.getByRole('heading', { name: 'Welcome to the gate' }).waitFor();
    expect(await at.page.evaluate('window.hacked')).toBeUndefined();
    expect(await at.page.getByText('Base URL').count()).toBe(0);
  });

  test('S11 a whole page runs, scripts and all, in a frame that shares nothing with the console', async () => {
    await set(
      'HomePageContent',
      `<!doctype html><html><body><h1>framed</h1><script>
        let reach = 'nothing';
        try { reach = parent.document.title + localStorage.length + document.cookie; } catch {}
        document.body.append(Object.assign(document.createElement('p'), { textContent: 'reaches ' + reach }));
      </script></body></html>`,
    );
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    const sandbox = await at.page.locator('iframe').getAttribute('sandbox');
    expect(sandbox).toContain('allow-scripts');
    expect(sandbox).not.toContain('allow-same-origin');
    await at.page.frameLocator('iframe').getByRole('heading', { name: 'framed' }).waitFor();
    await at.page.frameLocator('iframe').getByText('reaches nothing').waitFor();
    expect(at.problems).toEqual([]);
    // Opened directly it is isolated as well.
    await at.page.goto('/content/home');
    await at.page.getByText('reaches nothing').waitFor();
    expect((await at.page.goto('/content/about'))?.status()).toBe(404);
    await set('HomePageContent', '');
  });

  test('the default home offers the base URL; a refused clipboard opens the dialog with the text', async () => {
    await using at = await visit(application, { language: 'zh' });
    await at.context.addInitScript(
      `navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`,
    );
    await at.page.goto('/');
    await at.page.getByRole('button', { name: '复制 Base URL' }).click();
    const dialog = at.page.getByRole('dialog', { name: '无法复制到剪贴板，请手动复制' });
    expect(await dialog.getByRole('textbox').inputValue()).toBe(`${application.url}/v1`);
  });

  test('the example can be copied', async () => {
    await using at = await visit(application, {
      language: 'zh',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await at.page.goto('/');
    await at.page.getByRole('tab', { name: 'Python' }).click();
    await at.page.getByRole('button', { name: '复制示例' }).click();
    await at.page.getByRole('button', { name: '已复制' }).waitFor();
    expect(await at.page.evaluate<string>('navigator.clipboard.readText()')).toContain(
      `base_url="${application.url}/v1"`,
    );
  });
});

describe('notice', () => {
  test('it stays away once dismissed and comes back with a new text', async () => {
    await set('Notice', 'maintenance at nine');
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    const notice = at.page.getByRole('note');
    await notice.getByText('maintenance at nine').waitFor();
    await notice.getByRole('button', { name: '关闭' }).click();
    await notice.waitFor({ state: 'detached' });
    await at.page.reload();
    await at.page.getByText('Base URL').first().waitFor();
    expect(await notice.count()).toBe(0);
    await set('Notice', 'maintenance at ten');
    await at.page.reload();
    await notice.getByText('maintenance at ten').waitFor();
    await set('Notice', '');
  });

  test('O9: the console shows notice and custom footer too', async () => {
    await set('Notice', 'maintenance at eleven');
    await set('Footer', '<b>京ICP备 000000 号</b>');
    await using at = await visit(application, { as: await application.actor(), language: 'zh' });
    await at.page.goto('/token');
    await at.page.locator('footer b').getByText('京ICP备 000000 号').waitFor();
    const notice = at.page.getByRole('note').filter({ hasText: 'maintenance at eleven' });
    await notice.getByRole('button', { name: '关闭' }).click();
    await notice.waitFor({ state: 'detached' });
    await set('Notice', '');
    await set('Footer', '');
  });
});

describe('about', () => {
  test('empty, it shows the product and its version', async () => {
    await set('About', '');
    await using at = await visit(application, { language: 'en' });
    await at.page.goto('/about');
    await at.page.getByText('Version').waitFor();
    // D36 what operators are to do is not for visitors.
    expect(await at.page.getByRole('main').innerText()).not.toMatch(/administrator|fill/i);
  });

  test('the text of the operator is shown', async () => {
    await set('About', 'Run by *three* people.');
    await using at = await visit(application, { language: 'en' });
    await at.page.goto('/about');
    await at.page.locator('em').getByText('three').waitFor();
  });
});

describe('name', () => {
  test('the system name is in the bar, in the title of the page and in the footer', async () => {
    await set('SystemName', '纸船网关');
    await using at = await visit(application, { language: 'zh' });
    await at.page.goto('/');
    await at.page.getByRole('banner').getByText('纸船网关').waitFor();
    await at.page.locator('footer').getByText('由 纸船网关 驱动').waitFor();
    expect(await at.page.title()).toBe('纸船网关');
    await set('SystemName', 'Tollgate');
  });
});
