// Whether the answers of a key's calls are kept, and who may be answered with them (ADR 123).
import type { Settings } from '#contract/settings.ts';
import type { TokenFields } from '#contract/admin/tokens.ts';

export interface CachePolicy {
  /** Callers of one scope may get each other's answers. */
  readonly scope: string;
  /** How long the key wants answers to be kept; 0: as the site does. */
  readonly seconds: number;
}

interface CachingToken {
  readonly tokenId: number;
  readonly answerCache: TokenFields['answer_cache'];
  readonly answerCacheSeconds: number;
  readonly organizationCache: boolean;
  readonly userId: number;
}

export function asksForCache(
  mode: Settings['AnswerCache'],
  wish: TokenFields['answer_cache'],
  organizationCache: boolean,
): boolean {
  if (mode === 'off' || wish === 'off') return false;
  return mode === 'on' || wish === 'on' || organizationCache;
}

/** Undefined: nothing of the key is kept. */
export function cachePolicyOf(token: CachingToken, settings: Settings): CachePolicy | undefined {
  const { tokenId, userId, answerCache, answerCacheSeconds, organizationCache } = token;
  if (!asksForCache(settings.AnswerCache, answerCache, organizationCache)) return undefined;
  return {
    scope: organizationCache ? `organization ${userId}` : `key ${tokenId}`,
    seconds: answerCacheSeconds,
  };
}
