// The public pages: rendered on the server for visitors, search engines and link previews, and kept in memory.
// Language: `?lang=zh|en` names it and is the canonical address; without it the browser's language decides.
import { FALLBACK_LANGUAGE, LANGUAGES, type Language } from '#contract/language.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { ASSETS } from './assets.ts';
import { asKept, keepPages, respondKept } from './kept-pages.ts';
import type { Asked, PublicPage, Site } from './page.ts';
import { siteMapPages } from './site-map.ts';

export interface PublicPagesParts {
  settings: SettingsReader;
  store: Pick<Store, 'changes'>;
  version: string;
  /** The first that matches answers. */
  pages: readonly PublicPage[];
}

export interface PublicPages {
  /** `document` counts against the page loads of an address. Undefined: the console's. */
  kindOf(path: string, reader: Pick<Reader, 'isSignedIn'>): 'document' | 'asset' | undefined;
  answer(request: Request, reader: Reader): Promise<Response | undefined>;
}

export interface Reader {
  readonly language: Language;
  readonly isSecure: boolean;
  /** Has the cookie of a session. */
  readonly isSignedIn: boolean;
}

/** A browser asks again, because an operator who saves a text wants to see it; a proxy in front takes most of a rush. */
const PAGE_CACHE = 'public, max-age=0, s-maxage=5, must-revalidate';
/** The same address answers users with the console. */
const VISITOR_CACHE = 'private, max-age=0, must-revalidate';
const CONSOLE_CACHE = 'no-cache';
const ASSET_CACHE = 'public, max-age=31536000, immutable';
const MOST_QUERY_CHARACTERS = 500;

export function createPublicPages({ settings, store, version, pages }: PublicPagesParts): PublicPages {
  const kept = keepPages();
  settings.onChange(() => kept.clear());
  for (const topic of ['channels', 'virtual_models'] as const)
    store.changes.subscribe(topic, () => kept.clear());
  const all = [...pages, ...siteMapPages(pages)];
  const assets = new Map(ASSETS.map((asset) => [asset.path, asKept(asset, { isImmutable: true })]));
  const pageOf = (path: string) => all.find((page) => page.matches(path));
  const isConsoles = (page: PublicPage | undefined, { isSignedIn }: Pick<Reader, 'isSignedIn'>): boolean =>
    page === undefined || (page.isForVisitors === true && isSignedIn);

  function siteOf(request: Request, isSecure: boolean): Site {
    const { current } = settings;
    const own = `${isSecure ? 'https' : 'http'}://${request.headers.get('host') ?? 'localhost'}`;
    return {
      settings: current,
      name: current.SystemName,
      address: serverAddress(current.ServerAddress, own),
      version,
      has: (path) => pageOf(path) !== undefined,
    };
  }

  return {
    kindOf(path, reader) {
      if (assets.has(path)) return 'asset';
      return isConsoles(pageOf(decoded(path)), reader) ? undefined : 'document';
    },
    async answer(request, reader) {
      const url = new URL(request.url);
      const asset = assets.get(url.pathname);
      if (asset) return await respondKept(asset, request.headers, { 'Cache-Control': ASSET_CACHE });
      const path = decoded(url.pathname);
      const page = pageOf(path);
      if (page === undefined || isConsoles(page, reader)) return undefined;
      const { language: accepted, isSecure } = reader;
      const named = LANGUAGES.find((each) => each === url.searchParams.get('lang'));
      const isWithoutLanguage = page.isWithoutLanguage === true;
      const asked: Asked = {
        site: siteOf(request, isSecure),
        language: isWithoutLanguage ? FALLBACK_LANGUAGE : (named ?? accepted),
        isLanguageNamed: named !== undefined && !isWithoutLanguage,
        path,
        query: declared(page, url.searchParams),
      };
      const found = page.isPrivate
        ? await renderOnce(page, asked)
        : await kept.find(keyOf(asked), () => page.render(asked));
      if (found === undefined) return undefined;
      const vary = [
        'Accept-Encoding',
        ...(asked.isLanguageNamed || isWithoutLanguage ? [] : ['Accept-Language']),
        ...(page.isForVisitors ? ['Cookie'] : []),
      ];
      return await respondKept(found, request.headers, {
        'Cache-Control': page.isOfConsole ? CONSOLE_CACHE : page.isForVisitors ? VISITOR_CACHE : PAGE_CACHE,
        ...(page.isPrivate ? privateHeaders(asked.site) : {}),
        // The addresses of models answer programs with JSON.
        Vary: [...vary, ...(path.startsWith('/models') ? ['Accept'] : [])].join(', '),
        'Content-Language': asked.language === 'zh' ? 'zh-CN' : asked.language,
      });
    },
  };
}

/** Texts of users: no picture but the site's own, no frame, no other script, and no trace of the address elsewhere. */
function privateHeaders({ settings: { Logo } }: Site): Record<string, string> {
  const logo = /^https:\/\//i.test(Logo) && URL.canParse(Logo) ? ` ${new URL(Logo).origin}` : '';
  return {
    'Cache-Control': 'private, no-store',
    'X-Robots-Tag': 'noindex, nofollow, noarchive',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:${logo}; ` +
      "font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
  };
}

/** It may be taken back at any moment. */
async function renderOnce(page: PublicPage, asked: Asked) {
  const content = await page.render(asked);
  return content && asKept(content);
}

const keyOf = ({ site, language, isLanguageNamed, path, query }: Asked): string =>
  [site.address, isLanguageNamed ? `=${language}` : language, path, query].join('\n');

function declared({ query = [] }: PublicPage, given: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams();
  for (const name of query)
    for (const value of given.getAll(name))
      if (value !== '') kept.append(name, value.slice(0, MOST_QUERY_CHARACTERS));
  return kept;
}

/** The default address (http://localhost and the server's port) is not reachable from outside, so it is ignored. */
function serverAddress(configured: string, own: string): string {
  const isUnset = /^(?:http:\/\/localhost(?::\d+)?\/*)?$/.test(configured);
  return (isUnset ? own : configured).replace(/\/+$/, '');
}

/** Without a slash at its end, as the console's addresses. */
function decoded(path: string): string {
  const text = path.replace(/(?<=.)\/+$/, '');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
