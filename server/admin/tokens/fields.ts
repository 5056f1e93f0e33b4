// Checks the fields an owner may set and turns them into columns; the schema has checked their types.
import { nowSeconds } from '#server/admin/clock.ts';
import { checkAddressLines, tidyAddressLines } from '#contract/ip-address.ts';
import { AppError } from '#contract/errors.ts';
import { modelLimitList, TOKEN_NEVER_EXPIRES, type TokenFields } from '#contract/admin/tokens.ts';
import { TOKEN_NAME_MAX, tokenNameLength } from '#contract/admin/token-names.ts';
import type { RowChange } from '#server/platform/store/schema.ts';
import type { TokenDependencies } from './dependencies.ts';
import type { TokenReach } from './reach.ts';

/** All columns but the quota, which is changed by a difference. */
export type TokenColumns = Pick<RowChange<'tokens'>, Exclude<keyof TokenFields, 'remain_quota'>>;

/** `known` is the stored token: an edit may keep a past expiry or a group that is no longer offered. */
export function tokenColumns(
  dependencies: TokenDependencies,
  account: Pick<TokenReach, 'group'>,
  fields: Partial<TokenFields>,
  known?: { expired_time: number; group: string },
): TokenColumns {
  const columns: TokenColumns = {
    requests_per_minute: fields.requests_per_minute,
    tokens_per_minute: fields.tokens_per_minute,
    concurrent_calls: fields.concurrent_calls,
    day_budget: fields.day_budget,
    month_budget: fields.month_budget,
    rate_limit_message: fields.rate_limit_message,
    answer_cache: fields.answer_cache,
    answer_cache_seconds: fields.answer_cache_seconds,
    mj_mode: fields.mj_mode,
  };
  if (fields.name !== undefined) columns.name = checkedName(fields.name);
  if (fields.expired_time !== undefined) {
    if (fields.expired_time !== known?.expired_time) {
      refusePastExpiry(fields.expired_time, nowSeconds(dependencies));
    }
    columns.expired_time = fields.expired_time;
  }
  if (fields.group !== undefined) {
    if (fields.group !== known?.group) refuseForeignGroup(dependencies, account, fields.group);
    columns.group = fields.group;
  }
  if (fields.unlimited_quota !== undefined) columns.unlimited_quota = fields.unlimited_quota ? 1 : 0;
  if (fields.model_limits_enabled !== undefined) {
    columns.model_limits_enabled = fields.model_limits_enabled ? 1 : 0;
  }
  if (fields.strict_conversion !== undefined) columns.strict_conversion = fields.strict_conversion ? 1 : 0;
  if (fields.mj_image_proxy !== undefined) columns.mj_image_proxy = fields.mj_image_proxy ? 'on' : '';
  if (fields.mj_backup_pool !== undefined) columns.mj_backup_pool = fields.mj_backup_pool ? '' : 'off';
  if (fields.model_limits !== undefined) columns.model_limits = modelLimitList(fields.model_limits).join(',');
  if (fields.allow_ips !== undefined) columns.allow_ips = checkedAddresses(fields.allow_ips, 'allow_ips');
  if (fields.deny_ips !== undefined) columns.deny_ips = checkedAddresses(fields.deny_ips, 'deny_ips');
  return columns;
}

export function checkedName(name: string): string {
  // A line break or another control character in a name would break exports and log lines.
  const clean = name.replaceAll(/\p{Cc}+/gu, ' ').trim();
  if (clean === '') throw new AppError('token_name_required', {}, { field: 'name' });
  if (tokenNameLength(clean) > TOKEN_NAME_MAX)
    throw new AppError('token_name_too_long', {}, { field: 'name' });
  return clean;
}

function refusePastExpiry(expiredTime: number, now: number): void {
  if (expiredTime !== TOKEN_NEVER_EXPIRES && expiredTime <= now) {
    throw new AppError('token_expiry_in_past', {}, { field: 'expired_time' });
  }
}

/** Empty: the owner's group at the time of a call. */
function refuseForeignGroup(
  dependencies: TokenDependencies,
  account: Pick<TokenReach, 'group'>,
  group: string,
): void {
  const usable =
    group === '' ||
    group === account.group ||
    Object.hasOwn(dependencies.settings.current.UserUsableGroups, group);
  if (!usable) throw new AppError('group_not_usable', { group }, { field: 'group' });
}

function checkedAddresses(text: string, field: 'allow_ips' | 'deny_ips'): string {
  const bad = checkAddressLines(text).find((line) => line.problem !== null);
  if (bad) throw new AppError('address_list_invalid', { line: bad.line, address: bad.text }, { field });
  return tidyAddressLines(text);
}
