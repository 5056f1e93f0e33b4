// Checks the fields an administrator sets; the schema has checked their types.
import { AppError } from '#contract/errors.ts';
import { quotaDisplayOf, renderQuota } from '#contract/money/quota-text.ts';
import {
  cutRedemptionName,
  REDEMPTION_NAME_MAX,
  redemptionExpired,
  redemptionNameLength,
} from '#contract/money/redemptions.ts';
import type { RedemptionDependencies } from './dependencies.ts';

/** A blank name becomes the formatted quota. */
export function checkedName(
  { settings }: Pick<RedemptionDependencies, 'settings'>,
  name: string,
  quota: number,
): string {
  // A line break or another control character in a name would break exports and log lines.
  const clean = name.replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (clean === '') {
    return cutRedemptionName(renderQuota(quota, quotaDisplayOf(settings.current)));
  }
  if (redemptionNameLength(clean) > REDEMPTION_NAME_MAX)
    throw new AppError('redemption_name_too_long', {}, { field: 'name' });
  return clean;
}

export function refusePastExpiry(expiredTime: number, now: number): void {
  if (redemptionExpired({ expired_time: expiredTime }, now))
    throw new AppError('redemption_expiry_in_past', {}, { field: 'expired_time' });
}
