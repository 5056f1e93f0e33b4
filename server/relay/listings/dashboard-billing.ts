// OpenAI's old dashboard billing calls, from which chat clients read a balance. Figures of the token or the account, by
// setting; dollars, and cents for usage.
import type { Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

/** The limit shown for an unlimited token. */
const UNLIMITED_DOLLARS = 100_000_000;

interface Figures {
  remaining: number;
  used: number;
  isUnlimited: boolean;
  expiresAt: number;
}

async function figures(store: Store, caller: Caller, settings: Settings): Promise<Figures> {
  if (settings.DisplayTokenStatEnabled) {
    const token = await store.db
      .selectFrom('tokens')
      .select(['remain_quota', 'used_quota', 'unlimited_quota', 'expired_time'])
      .where('id', '=', caller.tokenId)
      .executeTakeFirst();
    if (token === undefined) throw new RelayError('invalid_api_key');
    return {
      remaining: token.remain_quota,
      used: token.used_quota,
      isUnlimited: token.unlimited_quota === 1,
      expiresAt: Math.max(0, token.expired_time),
    };
  }
  const user = await store.db
    .selectFrom('users')
    .select(['quota', 'used_quota'])
    .where('id', '=', caller.userId)
    .executeTakeFirst();
  if (user === undefined) throw new RelayError('user_disabled');
  return { remaining: user.quota, used: user.used_quota, isUnlimited: false, expiresAt: 0 };
}

export async function subscription(store: Store, caller: Caller, settings: Settings) {
  const { remaining, used, isUnlimited, expiresAt } = await figures(store, caller, settings);
  const dollars = isUnlimited ? UNLIMITED_DOLLARS : (remaining + used) / settings.QuotaPerUnit;
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: dollars,
    hard_limit_usd: dollars,
    system_hard_limit_usd: dollars,
    access_until: expiresAt,
  };
}

export async function usage(store: Store, caller: Caller, settings: Settings) {
  const { used } = await figures(store, caller, settings);
  return { object: 'list', total_usage: (used * 100) / settings.QuotaPerUnit };
}
