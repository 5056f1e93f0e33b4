// Takes the pictures of one installation and finds what a program can find in them.
import { fileURLToPath } from 'node:url';
import { LANGUAGES, type Language } from '#contract/language.ts';
import type { Actor, TestApplication } from '#tests/support/application.ts';
import { visit, type Visit } from '#tests/support/browser.ts';
import { faultsOf } from './screenshot-faults.ts';
import type { Screen, SettingSets } from './screenshot-screen.ts';

export const FOLDER = fileURLToPath(new URL('../../test-results/screens/', import.meta.url));
/** The public address of the site with the first kind of screens. */
export const SITE = 'https://gate.example';
const WIDTHS = { 375: 812, 768: 1024, 1280: 800, 1440: 900, 1920: 1080 } as const;
const PATIENCE_MS = 60_000;
const IDLE_MS = 4000;
const THEMES = ['light', 'dark'] as const;
const OFF = {
  outside: [
    'GitHubOAuthEnabled',
    'LinuxDOOAuthEnabled',
    'OIDCEnabled',
    'WeChatAuthEnabled',
    'TelegramOAuthEnabled',
  ],
  verified: ['EmailVerificationEnabled'],
} as const;

/** An installation with people, and the words that `{name}` in a path stands for. */
export interface Site {
  application: TestApplication;
  people: Readonly<Record<string, Actor>>;
  words: Readonly<Record<string, string>>;
  settings?: SettingSets;
  close(): Promise<void>;
}

export interface Shots {
  /** As `zh-dark-375`; undefined: all. */
  wanted: readonly string[] | undefined;
  quick: boolean;
}

export interface Pictures {
  count: number;
  found: string[];
}

interface Look {
  language: Language;
  /** One after the other on the same page, as when the system's theme changes. */
  themes: readonly (typeof THEMES)[number][];
  viewport: { width: number; height: number };
  quick: boolean;
}

export async function shootSite(
  open: () => Promise<Site>,
  screens: readonly Screen[],
  { wanted, quick }: Shots,
): Promise<Pictures> {
  const pictures: Pictures = { count: 0, found: [] };
  if (screens.length === 0) return pictures;
  const site = await open();
  for (const language of LANGUAGES) {
    for (const [size, height] of Object.entries(WIDTHS)) {
      const width = Number(size);
      const themes = THEMES.filter((theme) => wanted?.includes(`${language}-${theme}-${width}`) ?? true);
      if (themes.length > 0)
        await shoot(site, screens, { language, themes, viewport: { width, height }, quick }, pictures);
    }
  }
  await site.close();
  return pictures;
}

/** One browser profile per user and site, so that later pages use the cache. */
async function shoot(
  { application, people, words, settings }: Site,
  screens: readonly Screen[],
  look: Look,
  pictures: Pictures,
): Promise<void> {
  const kinds = Map.groupBy(screens, ({ as, company, settings: set, storage }) =>
    JSON.stringify([as, company, set, storage]),
  );
  for (const own of kinds.values()) {
    const { as: who, company = who, settings: set, storage } = own[0] ?? {};
    const actor = company && people[company];
    if (set)
      for (const [key, text] of Object.entries(settings?.[set] ?? {}))
        await application.settings.set(key, text, 0);
    await using at = await visit(application, {
      ...(actor ? { as: actor } : {}),
      ...(storage ? { storage } : {}),
      language: look.language,
      viewport: look.viewport,
      locale: look.language === 'zh' ? 'zh-CN' : 'en-US',
    });
    // Files of results have the public address of the site.
    await at.page.route(`${SITE}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: `${application.url}${pathname}${search}` }) });
    });
    // A long timeout: a busy machine must not end the run half way.
    at.page.setDefaultTimeout(PATIENCE_MS);
    for (const screen of own) await shootOne({ ...at, words }, screen, look, pictures);
    if (set) for (const key of OFF[set]) await application.settings.set(key, 'false', 0);
  }
}

async function shootOne(
  at: Pick<Visit, 'page' | 'problems'> & Pick<Site, 'words'>,
  screen: Screen,
  look: Look,
  pictures: Pictures,
): Promise<void> {
  const { page, words } = at;
  const { width } = look.viewport;
  const nameOf = (theme: string) => `${screen.name}-${look.language}-${theme}-${width}`;
  const [first = 'light'] = look.themes;
  await page.emulateMedia({ colorScheme: first });
  await page.setViewportSize({ ...look.viewport, ...(screen.height ? { height: screen.height } : {}) });
  await page.goto(screen.path.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? ''));
  // A request that the page gives up may count as running for ever.
  await page.waitForLoadState('networkidle', { timeout: IDLE_MS }).catch(() => undefined);
  await page
    .locator('[aria-busy=true]')
    .first()
    .waitFor({ state: 'detached' })
    .catch(() => undefined);
  try {
    await screen.prepare?.(page, width);
  } catch (error) {
    pictures.found.push(`${nameOf(first)}: ${String(error).split('\n')[0]}`);
  }
  // Moves the pointer away: a tooltip is not part of the screen.
  await page.mouse.move(0, 0);
  for (const theme of look.themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${FOLDER}${nameOf(theme)}.png` });
    pictures.count += 1;
    for (const fault of await faultsIn(at, screen, look)) pictures.found.push(`${nameOf(theme)}: ${fault}`);
  }
}

async function faultsIn(
  { page, problems }: Pick<Visit, 'page' | 'problems'>,
  { floating = false, refused }: Screen,
  { language, quick }: Look,
): Promise<string[]> {
  // A page that moves on by itself, on a busy machine: one picture less to check, not the end of the run.
  const faults = await faultsOf(page, { language, floating, quick }).catch((error: unknown) => [
    String(error).split('\n')[0] ?? '',
  ]);
  const complaints = problems
    .splice(0)
    .filter((problem) => !refused || !problem.startsWith('Failed to load resource'));
  return [...faults, ...complaints];
}
