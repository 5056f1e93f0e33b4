// What a public page is: an address, the parameters that change it, and the function that renders it. `index.ts` adds language,
// cache, compression and headers.
import type { Language } from '#contract/language.ts';
import type { RunningSettings } from '#server/platform/settings/settings.ts';

/** Where this site is, and what its operator set. */
export interface Site {
  readonly settings: RunningSettings;
  readonly name: string;
  /** Address of the site without a slash at its end: the operator's, else the one the browser asked at. */
  readonly address: string;
  readonly version: string;
  /** Whether a page of the server answers the path. */
  readonly has: (path: string) => boolean;
}

export interface Asked {
  readonly site: Site;
  readonly language: Language;
  /** The address names the language: links to other pages keep it. */
  readonly isLanguageNamed: boolean;
  /** Decoded. */
  readonly path: string;
  /** Only the parameters that the page declares. */
  readonly query: URLSearchParams;
}

export interface PageContent {
  /** A whole document. */
  readonly body: string;
  /** HTML by default. */
  readonly type?: string;
  /** 200 by default; pages with another one are not cached. */
  readonly status?: number;
}

export interface PublicPage {
  readonly matches: (path: string) => boolean;
  /** Parameters that change the content; all others are ignored. */
  readonly query?: readonly string[];
  /** One document for both languages, such as a feed or the site map: `lang` is ignored, too. */
  readonly isWithoutLanguage?: boolean;
  /** Users have the same in the console, which answers them. */
  readonly isForVisitors?: boolean;
  /** A document of the console, which no cache may answer without asking: it names the files of one build. */
  readonly isOfConsole?: boolean;
  /** For those who have its address: it is kept nowhere, listed nowhere, and tells no other site where its reader came from. */
  readonly isPrivate?: boolean;
  /** Undefined: there is no such page here, and the console answers the address. */
  readonly render: (asked: Asked) => Promise<PageContent | undefined> | PageContent | undefined;
  /** Addresses for the site map, each a path; none when the page is not for search engines. */
  readonly listed?: (site: Site) => Promise<readonly string[]> | readonly string[];
}

/** A path of this site in the language of the page that links to it. */
export function linkTo(asked: Pick<Asked, 'isLanguageNamed' | 'language'>, target: string): string {
  if (!asked.isLanguageNamed) return target;
  const [rest = '', fragment] = target.split('#');
  const named = `${rest}${rest.includes('?') ? '&' : '?'}lang=${asked.language}`;
  return fragment === undefined ? named : `${named}#${fragment}`;
}

/** The whole address of a page in one language; `x-default` is the one that follows the browser. */
export function addressIn(
  { site, path, query }: Pick<Asked, 'site' | 'path' | 'query'>,
  language: Language | undefined,
): string {
  const parameters = new URLSearchParams(query);
  if (language !== undefined) parameters.set('lang', language);
  const text = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `${site.address}${encodePath(path)}${text}`;
}

/** Names of models hold slashes, colons and sometimes characters that an address must not. */
export const encodePath = (path: string): string =>
  encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
