// A token for its owner. Only the owner's browser session gets the whole key; a system access token gets it masked, so that
// one leaked credential does not disclose all keys.
import { hasRight } from '#contract/admin/organization-rights.ts';
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { tokenStatusAt, type TokenFields, type TokenView } from '#contract/admin/tokens.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import { setAsideOf } from '#server/money/ledger/held-by-calls.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { TokenDependencies } from './dependencies.ts';
import { holderViews } from './holder.ts';
import { maskedKey, openKey } from './key.ts';
import { usageOf, type TokenUsage } from './usage.ts';

export async function tokenViews(
  dependencies: TokenDependencies,
  context: RequestContext,
  userId: number,
  rows: readonly Row<'tokens'>[],
): Promise<TokenView[]> {
  const now = nowSeconds(dependencies);
  const ids = rows.map((row) => row.id);
  const { store, settings } = dependencies;
  const { db } = store;
  const zones = await readBudgetZones(store, settings.current.SiteTimeZone, now);
  const [usage, setAside, holders] = await Promise.all([
    usageOf(db, userId, ids, { zones, now }),
    setAsideOf(db, userId),
    context.organization === undefined ? undefined : holderViews(db, rows),
  ]);
  return rows.map((row) => {
    const key = seesWhole(context, row) ? openKey(store.vault, row) : maskedKey(row.key_hint);
    const held = Math.max(0, row.held_quota - (setAside.get(row.id) ?? 0));
    return { ...viewOf({ ...row, held_quota: held }, key, usage(row.id), now), ...holders?.get(row.id) };
  });
}

/**
 * Only in a browser. Of an organization's keys a member sees their own, and whoever may change the keys of all those of service
 * accounts: nobody can call in the name of another member.
 */
function seesWhole(context: RequestContext, row: Row<'tokens'>): boolean {
  const { via, organization } = context;
  if (via !== 'session') return false;
  if (organization === undefined) return true;
  if (row.member_id > 0) return row.member_id === callerOf(context).id;
  return hasRight(organization.role, 'tokens.all');
}

export async function oneTokenView(
  dependencies: TokenDependencies,
  context: RequestContext,
  row: Row<'tokens'>,
): Promise<TokenView> {
  const [view] = await tokenViews(dependencies, context, row.user_id, [row]);
  if (!view) throw new Error('one row gives one view');
  return view;
}

function viewOf(row: Row<'tokens'>, key: string, usage: TokenUsage, now: number): TokenView {
  return {
    ...fieldsOf(row),
    id: row.id,
    user_id: row.user_id,
    key,
    status: tokenStatusAt(row, now),
    held_quota: row.held_quota,
    used_quota: row.used_quota,
    created_time: row.created_time,
    accessed_time: row.accessed_time,
    day_used: usage.day,
    month_used: usage.month,
    recent_quota: usage.recent,
  };
}

/** The fields that the owner sets, as the API returns them. */
export function fieldsOf(row: Row<'tokens'>): TokenFields {
  return {
    name: row.name,
    remain_quota: row.remain_quota,
    unlimited_quota: row.unlimited_quota === 1,
    expired_time: row.expired_time,
    model_limits_enabled: row.model_limits_enabled === 1,
    model_limits: row.model_limits,
    allow_ips: row.allow_ips,
    deny_ips: row.deny_ips,
    group: row.group,
    requests_per_minute: row.requests_per_minute,
    tokens_per_minute: row.tokens_per_minute,
    concurrent_calls: row.concurrent_calls,
    rate_limit_message: row.rate_limit_message,
    day_budget: row.day_budget,
    month_budget: row.month_budget,
    strict_conversion: row.strict_conversion === 1,
    answer_cache: row.answer_cache,
    answer_cache_seconds: row.answer_cache_seconds,
    mj_mode: row.mj_mode,
    mj_image_proxy: row.mj_image_proxy === 'on',
    mj_backup_pool: row.mj_backup_pool !== 'off',
  };
}

/** A token in an audit row: the fields the owner set, without the key. */
export function auditedToken(row: Row<'tokens'>): Record<string, unknown> {
  const { key_digest: _digest, key_sealed: _sealed, ...rest } = row;
  return rest;
}
