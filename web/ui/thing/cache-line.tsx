/** How much of the prompts upstreams read from their caches, and what that saved. An unknown price says so and is never shown as nothing. */
import { useTranslation } from 'react-i18next';
import type { CacheSavings } from '#contract/money/margins.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';

/** Of the prompt tokens. */
export const cachedPercent = ({ prompt_tokens, cache_read }: CacheSavings): string =>
  `${((prompt_tokens === 0 ? 0 : cache_read / prompt_tokens) * 100).toFixed(1)}%`;

/** Undefined: the price of no call is known. */
export const knownSaving = (calls: number, unknown: number, saved: number): number | undefined =>
  calls > 0 && unknown === calls ? undefined : saved;

export function CacheText({ cache }: { cache: CacheSavings }) {
  const { t } = useTranslation('thing');
  const display = useDisplay();
  const { cached_calls, saved_cost, unknown_cost_calls, saved_quota, unknown_quota_calls } = cache;
  const own = knownSaving(cached_calls, unknown_cost_calls, saved_cost);
  const users = knownSaving(cached_calls, unknown_quota_calls, saved_quota);
  const amount = (quota: number | undefined): string =>
    quota === undefined ? t('money.unknown') : renderQuota(quota, display);
  const parts = [
    t('cache.read', { percent: cachedPercent(cache), tokens: groupDigits(cache.cache_read) }),
    t('cache.saved', { own: amount(own), users: amount(users) }),
  ];
  if (own !== undefined && unknown_cost_calls > 0)
    parts.push(t('cache.unknownCost', { count: unknown_cost_calls, calls: groupDigits(unknown_cost_calls) }));
  if (users !== undefined && unknown_quota_calls > 0)
    parts.push(
      t('cache.unknownQuota', { count: unknown_quota_calls, calls: groupDigits(unknown_quota_calls) }),
    );
  return <>{parts.join(' ')}</>;
}

/** In a table: the part that was cached, and what it saved the operator. */
export function CacheCell({ cache }: { cache: CacheSavings }) {
  const { t } = useTranslation('thing');
  const display = useDisplay();
  const { cached_calls, unknown_cost_calls, saved_cost } = cache;
  const own = knownSaving(cached_calls, unknown_cost_calls, saved_cost);
  return (
    <span className="nowrap">
      {cachedPercent(cache)}{' '}
      <small className="muted">
        {own === undefined ? t('money.unknown') : renderQuota(own, display)}
        {own !== undefined && unknown_cost_calls > 0 ? ` ${t('money.part')}` : ''}
      </small>
    </span>
  );
}
