// The page of one API key: for its owner; by a call of its own for administrators above the owner. To everybody else it does not
// exist.
import { isAdmin } from '#contract/access.ts';
import { hasRight } from '#contract/admin/organization-rights.ts';
import { AppError } from '#contract/errors.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { TOKEN_PAGE_CALLS, type TokenPageCall, type TokenPageView } from '#contract/admin/token-page.ts';
import { modelLimitList, tokenStatusAt, type tokens } from '#contract/admin/tokens.ts';
import { callerOf, type Handler, type RequestContext } from '#server/admin/context.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { targetEvents } from '#server/admin/target-events.ts';
import { usagePosts } from '#server/admin/usage-posts.ts';
import { readBudgetZones } from '#server/money/ledger/budget-zones.ts';
import { setAsideOf } from '#server/money/ledger/held-by-calls.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { TokenDependencies } from './dependencies.ts';
import { holderViews } from './holder.ts';
import { maskedKey } from './key.ts';
import { reachOf } from './reach.ts';
import { usageOf } from './usage.ts';

const CALL_DAYS_SECONDS = 30 * 86_400;

/** `below`: keys of users of a lower role, too. */
export function tokenPage(
  dependencies: TokenDependencies,
  whose: 'own' | 'below',
): Handler<typeof tokens.page> {
  const { store, settings } = dependencies;
  return async ({ params: { id }, query }, context) => {
    const caller = callerOf(context);
    const { owner, ...row } = await readableToken(store, context, id, whose);
    const now = nowSeconds(dependencies);
    const zones = await readBudgetZones(store, settings.current.SiteTimeZone, now);
    const { organization } = context;
    const is_own =
      organization === undefined
        ? owner.id === caller.id
        : row.member_id === caller.id || hasRight(organization.role, 'tokens.all');
    const seesActors = isAdmin(caller.role) || organization?.seesAll === true;
    const [usage, setAside, use, calls, events, holders] = await Promise.all([
      usageOf(store.db, owner.id, [id], { zones, now }),
      setAsideOf(store.db, owner.id),
      usagePosts(store, { userId: owner.id, tokenId: id }, query.window, now),
      callsOf(store, owner.id, id, now),
      targetEvents(store, [`token:${id}`], seesActors ? {} : { onlyActor: caller.id }),
      holderViews(store.db, [row]),
    ]);
    const { day, month } = usage(id);
    const held = Math.max(0, row.held_quota - (setAside.get(id) ?? 0));
    const token = { ...shownToken(row, now), held_quota: held, day_used: day, month_used: month };
    const holder = holders.get(id);
    return { now, token, owner, ...(holder && { holder }), is_own, use, calls, events };
  };
}

async function readableToken({ db }: Store, context: RequestContext, id: number, whose: 'own' | 'below') {
  const reach = reachOf(context);
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .selectAll('tokens')
    .select(['users.username', 'users.role'])
    .where('tokens.id', '=', id)
    .where('tokens.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  const { username, role, ...token } = row;
  const isOwn =
    token.user_id === reach.userId && (reach.memberId === undefined || token.member_id === reach.memberId);
  const maySee = isOwn || (whose === 'below' && role < callerOf(context).role);
  if (!maySee) throw new AppError('not_found');
  return { ...token, owner: { id: token.user_id, username } };
}

type Shown = Omit<TokenPageView['token'], 'held_quota' | 'day_used' | 'month_used'>;

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function shownToken(row: Omit<Row<'tokens'>, 'key_digest' | 'key_sealed'>, now: number): Shown {
  return {
    id: row.id,
    name: row.name,
    group: row.group,
    unlimited_quota: row.unlimited_quota === 1,
    remain_quota: row.remain_quota,
    expired_time: row.expired_time,
    model_limits_enabled: row.model_limits_enabled === 1,
    models: modelLimitList(row.model_limits),
    allow_ips: linesOf(row.allow_ips),
    deny_ips: linesOf(row.deny_ips),
    requests_per_minute: row.requests_per_minute,
    tokens_per_minute: row.tokens_per_minute,
    concurrent_calls: row.concurrent_calls,
    day_budget: row.day_budget,
    month_budget: row.month_budget,
    key_hint: maskedKey(row.key_hint),
    status: tokenStatusAt(row, now),
    used_quota: row.used_quota,
    created_time: row.created_time,
    accessed_time: row.accessed_time,
  };
}

/** By the index of the log by user and time. */
async function callsOf(
  { db }: Store,
  userId: number,
  tokenId: number,
  now: number,
): Promise<TokenPageCall[]> {
  return await db
    .selectFrom('logs')
    .select([
      'id',
      'created_at',
      'request_id',
      'type',
      'model_name',
      'prompt_tokens',
      'completion_tokens',
      'quota',
      'use_time',
    ])
    .where('user_id', '=', userId)
    .where('token_id', '=', tokenId)
    .where('created_at', '>=', now - CALL_DAYS_SECONDS)
    .where('type', 'in', [LOG_TYPE.consumption, LOG_TYPE.error])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(TOKEN_PAGE_CALLS)
    .execute();
}
