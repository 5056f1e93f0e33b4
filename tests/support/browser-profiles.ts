// Browser profiles that are cleaned and used again: a new one costs twice the work, since it fetches and compiles the
// whole console anew. Whoever gets one finds nothing of the one before; what cannot be undone ends a profile.
import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface Profile {
  context: BrowserContext;
  page: Page;
  /** Where it may be used again. */
  key: string;
  home: string;
  /** Something was done to it that outlives a cleaning. */
  spoiled: boolean;
}

/** A document of the application's origin in which nothing of the console runs, and which the console never asks for. */
const WAITING_ROOM = '/healthz';
const PATIENCE_MS = 10_000;

/** What tests listen to; the driver itself listens to others, to learn of the end of a page. */
const HEARD = [
  'console',
  'dialog',
  'download',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'websocket',
];

const idle: Profile[] = [];
const keyOf = (home: string, locale: string) => `${home} ${locale}`;

/** A clean profile, in the waiting room of that application. */
export async function takeProfile(browser: Browser, home: string, locale: string): Promise<Profile> {
  const key = keyOf(home, locale);
  const position = idle.findIndex((profile) => profile.key === key);
  const [kept] = position < 0 ? [] : idle.splice(position, 1);
  return kept ?? (await newProfile(browser, home, locale));
}

/** One that has loaded nothing yet. */
export async function newProfile(browser: Browser, home: string, locale: string): Promise<Profile> {
  const context = await browser.newContext({ baseURL: home, locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const profile = { context, page, key: keyOf(home, locale), home, spoiled: false };
  watch(profile);
  await page.goto(WAITING_ROOM);
  return profile;
}

export async function giveBack(profile: Profile): Promise<void> {
  if (!profile.spoiled && (await cleaned(profile).catch(() => false))) idle.push(profile);
  else await profile.context.close();
}

/** Only in the waiting room: in the console it would be read half filled. */
export async function fillStorage(page: Page, storage: Record<string, string>): Promise<void> {
  await page.evaluate(`(async () => {
    localStorage.clear();
    sessionStorage.clear();
    for (const { name } of await indexedDB.databases())
      await new Promise((resolve, reject) => {
        const removal = indexedDB.deleteDatabase(name);
        removal.onsuccess = resolve;
        removal.onerror = removal.onblocked = () => reject(new Error('kept: ' + name));
      });
    for (const [key, value] of Object.entries(${JSON.stringify(storage)})) localStorage.setItem(key, value);
  })()`);
}

async function cleaned({ context, page, home }: Profile): Promise<boolean> {
  if (page.isClosed()) return false;
  for (const event of HEARD) page.removeAllListeners(event);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  page.setDefaultTimeout(PATIENCE_MS);
  await context.setOffline(false);
  await page.goto(home + WAITING_ROOM);
  await page.mouse.move(0, 0);
  await fillStorage(page, {});
  await context.clearCookies();
  await context.clearPermissions();
  return true;
}

/** Scripts, clocks, listeners of the whole profile and sessions of the debugger stay as long as it lives. */
function watch(profile: Profile): void {
  const { context, page } = profile;
  const spoils = <Owner extends object>(owner: Owner, method: keyof Owner) => {
    const original = owner[method];
    if (typeof original !== 'function') throw new Error(`no method ${String(method)} to watch`);
    const watched: unknown = (...args: unknown[]) => {
      profile.spoiled = true;
      return Reflect.apply(original, owner, args) as unknown;
    };
    Object.defineProperty(owner, method, { value: watched });
  };
  for (const method of ['addInitScript', 'exposeBinding', 'exposeFunction'] as const) {
    spoils(context, method);
    spoils(page, method);
  }
  spoils(context, 'on');
  spoils(context, 'newCDPSession');
  spoils(context, 'setExtraHTTPHeaders');
  spoils(page, 'setExtraHTTPHeaders');
  for (const method of ['install', 'setFixedTime', 'setSystemTime', 'pauseAt'] as const)
    spoils(page.clock, method);
}
