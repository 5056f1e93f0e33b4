// Browser profiles that are cleaned and reused: a new one costs twice the work, because it loads and compiles the whole
// console. A reused profile contains nothing of its last use; a profile that cannot be cleaned is discarded.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { slowness } from './machine.ts';

export interface Profile {
  context: BrowserContext;
  page: Page;
  /** The origin it can be reused for. */
  key: string;
  home: string;
  /** It was changed in a way that cleaning does not undo. */
  spoiled: boolean;
}

/** A document of the application's origin that loads nothing of the console. */
const WAITING_ROOM = '/healthz';
/** How long a test waits for something it expects; a busy machine takes ten seconds for what usually takes one. */
export const PATIENCE_MS = 30_000;

/** Events that tests subscribe to; the driver itself uses others to notice closed pages. */
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

/** A clean profile on the blank page of that application. */
export async function takeProfile(browser: Browser, home: string, locale: string): Promise<Profile> {
  const key = keyOf(home, locale);
  const position = idle.findIndex((profile) => profile.key === key);
  const [kept] = position < 0 ? [] : idle.splice(position, 1);
  return kept ?? (await newProfile(browser, home, locale));
}

/** A profile that has loaded nothing yet. */
export async function newProfile(browser: Browser, home: string, locale: string): Promise<Profile> {
  const context = await browser.newContext({ baseURL: home, locale, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS * slowness());
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

/** Only on the blank page: the console would read half-written storage. */
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
  page.setDefaultTimeout(PATIENCE_MS * slowness());
  await context.setOffline(false);
  await page.goto(home + WAITING_ROOM);
  await page.mouse.move(0, 0);
  await fillStorage(page, {});
  await context.clearCookies();
  await context.clearPermissions();
  return true;
}

/** Scripts, clocks, profile-wide listeners and debugger sessions last as long as the profile. */
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
