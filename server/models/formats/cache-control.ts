// Anthropic's marks of what to cache. Chat callers use them too.
import type { CacheHint } from './canonical.ts';
import type { Fields } from './fields.ts';
import { isObject, type Json } from './json.ts';

/** If a mark is lost, only the bill shows it. */
export function decodeCache(part: Fields): { cache?: CacheHint } {
  if (!isObject(part.get('cache_control'))) return {};
  const control = part.object('cache_control');
  control.ignore('type');
  const ttl = control.get('ttl');
  return { cache: ttl === '1h' || ttl === '5m' ? { ttl } : {} };
}

export const encodeCache = (cache: CacheHint | undefined): Json =>
  cache === undefined
    ? {}
    : { cache_control: { type: 'ephemeral', ...(cache.ttl === undefined ? {} : { ttl: cache.ttl }) } };
