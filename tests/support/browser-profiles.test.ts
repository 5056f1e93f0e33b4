// A browser profile is reused only if nothing of its last use is left in it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { startApplication, type TestApplication } from './application.ts';
import { PHONE, visit, type Visit } from './browser.ts';

setDefaultTimeout(240_000);

let application: TestApplication;
beforeAll(async () => {
  application = await startApplication();
});
afterAll(() => application.close());

const DATABASES = 'indexedDB.databases().then((databases) => databases.map(({ name }) => name))';

test('the next visitor finds nothing of the one before', async () => {
  const actor = await application.actor();
  const first = await visit(application, {
    as: actor,
    language: 'en',
    theme: 'dark',
    colorScheme: 'dark',
    viewport: PHONE,
    permissions: ['clipboard-read'],
  });
  await first.page.goto('/token');
  await first.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  await first.page.evaluate(`sessionStorage.setItem('left', 'behind')`);
  await first.page.evaluate(`new Promise((resolve) => { indexedDB.open('left').onsuccess = resolve; })`);
  expect(await first.page.evaluate<string[]>(DATABASES)).toEqual(['left']);
  const requested: string[] = [];
  first.page.on('request', (request) => requested.push(request.url()));
  await first.page.route('**/about', (route) => route.abort());
  await first.context.route('**/about', (route) => route.abort());
  await first.context.newPage();
  await first.context.setOffline(true);
  await first.close();
  requested.length = 0;
  // Offline the page may have missed a file that it loads late.
  const problems = [...first.problems];

  await using second = await visit(application);
  expect(second.page).toBe(first.page);
  expect(second.context.pages()).toEqual([second.page]);
  expect(await second.context.cookies()).toEqual([]);
  expect(await second.page.evaluate<number>('localStorage.length + sessionStorage.length')).toBe(0);
  expect(await second.page.evaluate<string[]>(DATABASES)).toEqual([]);
  expect(await second.page.evaluate<number>('innerWidth')).toBe(1280);
  expect(await second.page.evaluate<boolean>(`matchMedia('(prefers-color-scheme: dark)').matches`)).toBe(
    false,
  );
  expect((await second.page.goto('/about'))?.status()).toBe(200);
  await second.page.getByRole('heading', { level: 1 }).first().waitFor();
  expect(await second.page.locator('html').getAttribute('lang')).toBe('zh-CN');
  expect(requested).toEqual([]);
  expect(first.problems).toEqual(problems);
});

test('two visitors at once have a profile each, and closing twice gives back once', async () => {
  const first = await visit(application);
  await first.close();
  await first.close();
  await using second = await visit(application);
  await using third = await visit(application);
  expect(third.context).not.toBe(second.context);
});

test('a fresh browser is none that was used', async () => {
  const first = await visit(application);
  await first.close();
  await using second = await visit(application, { fresh: true });
  expect(second.page).not.toBe(first.page);
});

test.each([
  ['a clock', async (at: Visit) => await at.page.clock.install()],
  ['a script', async (at: Visit) => await at.context.addInitScript('self.left = 1')],
  ['a session of the debugger', async (at: Visit) => await at.context.newCDPSession(at.page)],
])('%s ends a profile', async (_, spoil) => {
  const first = await visit(application);
  await spoil(first);
  await first.close();
  await using second = await visit(application);
  expect(second.page).not.toBe(first.page);
});

test('an application takes the address of one that has ended, unless something else has taken it', async () => {
  const first = await startApplication();
  await first.close();
  const second = await startApplication();
  expect((await fetch(`${second.url}/healthz`)).ok).toBe(true);
  await second.close();
  using taken = Bun.serve({
    hostname: '127.0.0.1',
    port: second.port,
    fetch: () => new Response('taken'),
  });
  const third = await startApplication();
  expect(third.port).not.toBe(taken.port);
  expect((await fetch(`${third.url}/healthz`)).ok).toBe(true);
  await third.close();
});
