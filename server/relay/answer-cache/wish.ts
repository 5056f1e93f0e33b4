// What a caller wants of the cached answers: `Tollgate-Cache: bypass`, `refresh`, `ttl=600`, and the directives of `Cache-Control` that
// requests have. What is not known is left out.

export const CACHE_HEADER = 'tollgate-cache';

export interface CacheWish {
  /** Neither answered with a cached answer nor kept. */
  readonly isBypass: boolean;
  /** Not answered with a cached answer; the new one is kept. */
  readonly isRefresh: boolean;
  /** How long the answer may be kept, and how old a kept one may be; undefined: as the key says. */
  readonly seconds: number | undefined;
  /** How old a cached answer may be. */
  readonly mostAge: number;
}

export function wishIn(headers: Pick<Headers, 'get'>): CacheWish {
  const own = directivesIn(headers.get(CACHE_HEADER));
  const standard = directivesIn(headers.get('cache-control'));
  const seconds = secondsOf(own.get('ttl'));
  return {
    isBypass: own.has('bypass') || standard.has('no-store') || seconds === 0,
    isRefresh: own.has('refresh') || standard.has('no-cache'),
    seconds,
    mostAge: secondsOf(standard.get('max-age')) ?? Infinity,
  };
}

const MOST_DIRECTIVES = 20;

function directivesIn(text: string | null): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (text === null) return found;
  for (const part of text.slice(0, 1000).split(',', MOST_DIRECTIVES)) {
    const [name = '', value = ''] = part.split('=', 2);
    found.set(name.trim().toLowerCase(), value.trim().replaceAll('"', ''));
  }
  return found;
}

const secondsOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
