// A real Chromium against the real application: pages with language, theme and user, collected errors, an accessibility
// check and screenshots.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type ConsoleMessage, type Page } from 'playwright-core';
import type { Language } from '#contract/language.ts';
import { keepPorts, type Actor, type TestApplication } from './application.ts';
import { browserFile } from './browser-file.ts';
import { fillStorage, giveBack, newProfile, PATIENCE_MS, takeProfile } from './browser-profiles.ts';
import { startPatience } from './machine.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page lasts for seconds: optimising compilers cost more than they save.
  '--js-flags=--no-opt,--no-maglev',
];
const RESULTS = fileURLToPath(new URL('../../test-results/', import.meta.url));
const AXE = fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url));

keepPorts();

export const PHONE = { width: 375, height: 812 };
export const DESKTOP = { width: 1280, height: 800 };

let browser: Promise<Browser> | undefined;

/** One browser per process; it ends with the process. */
function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    executablePath: browserFile(),
    args: FLAGS,
  });
  return browser;
}

export interface VisitOptions {
  /** Signed in as; otherwise a visitor. */
  as?: Actor;
  language?: Language;
  /** Undefined follows the system. */
  theme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  /** The system's and the browser's own preferences. */
  colorScheme?: 'light' | 'dark';
  locale?: string;
  storage?: Record<string, string>;
  permissions?: string[];
  /** The address in the browser, if not the application's own. */
  site?: string;
  /** A browser with an empty cache, for tests of what is loaded. */
  fresh?: boolean;
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors of the page and its console, including the content security policy. */
  problems: string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the console stores after a login. */
async function userRecord(application: TestApplication, actor: Actor): Promise<string> {
  const self = await application.client(actor).users.self();
  const { id, username, display_name, role, status, group, password_is_initial } = self;
  return JSON.stringify({ id, username, display_name, role, status, group, password_is_initial });
}

/**
 * Two complaints say how quick the machine is: the blank page of a new profile has no icon, and the answer may come after the
 * watching began; a preloaded style counts as unused when the page needs seconds for its first picture.
 */
const isOfSlowMachine = (message: ConsoleMessage): boolean =>
  message.location().url.endsWith('/favicon.ico') ||
  message.text().includes('was preloaded using link preload but not used within a few seconds');

/** A clean browser profile; only the options are stored in it. */
export async function visit(application: TestApplication, options: VisitOptions = {}): Promise<Visit> {
  const { viewport = DESKTOP, colorScheme = 'light', locale = 'zh-CN', permissions = [] } = options;
  const site = options.site ?? application.url;
  const profile = await (options.fresh ? newProfile : takeProfile)(await sharedBrowser(), site, locale);
  const { context, page } = profile;
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  if (permissions.length > 0) await context.grantPermissions(permissions);
  const storage: Record<string, string> = { ...options.storage };
  if (options.language) storage.i18nextLng = options.language;
  if (options.theme) storage['theme-mode'] = options.theme;
  if (options.as) {
    storage.user = await userRecord(application, options.as);
    const [name = '', value = ''] = options.as.cookie.split('=');
    await context.addCookies([{ name, value, url: site }]);
  }
  await fillStorage(page, storage);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`${error.name}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (!isOfSlowMachine(message)) problems.push(message.text());
  });
  // A second close must not return a profile that another test uses by then.
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= giveBack(profile));
  return { page, context, problems, close, [Symbol.asyncDispose]: close };
}

/** A stored value, as text. */
export async function stored(page: Page, key: string): Promise<string | null> {
  return await page.evaluate<string | null>(`localStorage.getItem(${JSON.stringify(key)})`);
}

/** Polls until the check holds: the page may show a result before the server or the clipboard has it. */
export async function eventually(check: () => Promise<boolean>, what: string): Promise<void> {
  const isOver = startPatience(PATIENCE_MS);
  while (!(await check())) {
    if (isOver()) throw new Error(`never happened: ${what}`);
    await Bun.sleep(25);
  }
}

/** Waits until an expression holds in the page. Polled from here: the page's policy forbids evaluating text in it. */
export async function until(page: Page, expression: string): Promise<void> {
  await eventually(() => page.evaluate<boolean>(`Boolean(${expression})`), expression);
}

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: unknown; failureSummary?: string }[] }[];
}

let axeSource: string | undefined;
const isWithoutLooks = process.env['TEST_LOOKS'] === 'none';

/**
 * Every accessibility violation on the page as text. `floating`: a menu or dialog is open, which lies outside of the
 * landmarks. `names`: what a control shows is part of its name, for people who speak to it. A whole `npm test` leaves the
 * check to CI (TEST_LOOKS); a file that is run by its name makes it.
 */
export async function accessibilityViolations(
  page: Page,
  { floating = false, names = false } = {},
): Promise<string[]> {
  if (isWithoutLooks) return [];
  axeSource ??= readFileSync(AXE, 'utf8');
  // Half a megabyte: sent once to each document.
  if (!(await page.evaluate<boolean>(`typeof axe === 'object'`))) await page.evaluate(axeSource);
  const result = await page.evaluate<AxeResult>(
    `axe.run(document, { resultTypes: ['violations'], rules: {
      region: { enabled: ${!floating} }, 'label-content-name-mismatch': { enabled: ${names} } } })`,
  );
  return result.violations.flatMap((violation) =>
    violation.nodes.map(
      (node) => `${violation.id}: ${JSON.stringify(node.target)} ${node.failureSummary ?? violation.help}`,
    ),
  );
}

/** True when nothing overflows sideways. */
export async function fitsWidth(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>(
    'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
  );
}

/** Regions of the page with more in them than their width shows. */
export async function sidewaysRegions(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(
    `[...document.querySelectorAll('main, main [role=region]')].filter((region) => region.scrollWidth > region.clientWidth + 1)
      .map((region) => region.getAttribute('aria-label') ?? region.tagName)`,
  );
}

/** Words of buttons that have no room: the end of them is hidden without a sign. */
export async function cutLabels(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(
    `[...document.querySelectorAll('.mantine-Button-label')].filter((label) => label.scrollWidth > label.clientWidth + 1)
      .map((label) => label.textContent)`,
  );
}

/** Controls beside the edge of a box that hides what sticks out of it. A box with a scroll bar shows them to who scrolls. */
export async function hiddenControls(page: Page): Promise<string[]> {
  return await page.evaluate<
    string[]
  >(`[...document.querySelectorAll('main :is(a, button, input, select, textarea)')]
    .filter((control) => {
      if (control.matches('[type=radio], [type=checkbox]') || !control.checkVisibility()) return false;
      const own = control.getBoundingClientRect();
      if (own.width <= 1) return false;
      for (let box = control.parentElement; box && box !== document.body; box = box.parentElement) {
        const { overflowX, textOverflow } = getComputedStyle(box);
        if (overflowX === 'auto' || overflowX === 'scroll' || textOverflow === 'ellipsis') return false;
        if (overflowX !== 'hidden' && overflowX !== 'clip') continue;
        const edge = box.getBoundingClientRect();
        if (own.left < edge.left - 2 || own.right > edge.right + 2) return true;
      }
      return false;
    })
    .map((control) => control.getAttribute('aria-label') || control.textContent.trim() || control.tagName)`);
}

/** A picture for the eye, which nobody sees of a whole `npm test`. */
export async function screenshot(page: Page, name: string): Promise<string> {
  const path = `${RESULTS}${name}.png`;
  if (!isWithoutLooks) await page.screenshot({ path });
  return path;
}
