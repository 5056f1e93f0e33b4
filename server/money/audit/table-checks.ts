// Checks of the tables that are as short as the list of running calls, and of what is recent in longer ones. Each is one
// statement, so it sees one moment, and returns what breaks it.
import { sql, type RawBuilder } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import { REVIEW_NODE } from '#server/money/ledger/engine/reserve.ts';
import {
  REDEEM_KIND,
  REFUND_KIND,
  REFUND_REVERSED_KIND,
  TOP_UP_KIND,
} from '#server/money/ledger/idempotency.ts';
import { MOST_FINDINGS, type AuditSource, type Breach } from './breach.ts';
import { agentChecks, recentDividendChecks } from './dividend-checks.ts';
import { disputeChecks } from './dispute-checks.ts';
import type { Finding } from './finding.ts';

/** A hold past its end by this much should have been resolved long ago. */
const OVERDUE_SECONDS = 3600;
/** Orders and codes older than this were checked while they were recent, and are checked by each whole audit. */
const RECENT_SECONDS = 2 * 86_400;

export const holdChecks: Record<string, (now: number) => RawBuilder<Finding>> = {
  'what a user has on hold is the sum of its holds': () => sql`
    select user_id, 'held ' || sum(held) || ', holds ' || sum(holds) as detail from (
      select id as user_id, held_quota as held, 0 as holds from users where held_quota <> 0
      union all select user_id, 0, amount - plan_amount from holds) both_sides
    group by user_id having sum(held) <> sum(holds)`,
  'what a user has on hold in subscriptions is the sum of its holds': () => sql`
    select user_id, 'held ' || sum(held) || ', holds ' || sum(holds) as detail from (
      select id as user_id, plan_held_quota as held, 0 as holds from users where plan_held_quota <> 0
      union all select user_id, 0, plan_amount from holds where plan_amount <> 0) both_sides
    group by user_id having sum(held) <> sum(holds)`,
  'what a subscription has on hold is the sum of its holds': () => sql`
    select max(user_id) as user_id, 'subscription ' || subscription_id || ' held ' || sum(held) || ', holds ' || sum(holds)
      as detail
    from (
      select id as subscription_id, user_id, held, 0 as holds from subscriptions where held <> 0
      union all select subscription_id, user_id, 0, plan_amount from holds where subscription_id > 0) both_sides
    group by subscription_id having sum(held) <> sum(holds)`,
  'an ended subscription has only what its last calls hold': () => sql`
    select user_id, 'subscription ' || id || ' has ' || quota as detail from subscriptions
    where status = 'ended' and quota <> held`,
  'what a token has on hold is the sum of its holds': () => sql`
    select max(user_id) as user_id, 'token ' || token_id || ' held ' || sum(held) || ', holds ' || sum(holds) as detail
    from (
      select id as token_id, user_id, held_quota as held, 0 as holds from tokens where held_quota <> 0
      union all select token_id, user_id, 0, amount from holds where token_id > 0) both_sides
    group by token_id having sum(held) <> sum(holds)`,
  'what a budget has on hold is the sum of its holds': () => sql`
    select c.organization_id as user_id,
      'budget counter ' || c.id || ' held ' || c.held || ', holds ' || coalesce(sum(h.amount), 0) as detail
    from budget_counters c
    left join holds h on h.user_id = c.organization_id and ',' || h.budgets || ',' like '%,' || c.id || ',%'
    group by c.id, c.organization_id, c.held having c.held <> coalesce(sum(h.amount), 0)`,
  'holds stay between zero and the balance': () => sql`
    select id as user_id, 'held ' || held_quota || ' of ' || quota as detail from users
    where held_quota < 0 or held_quota > quota`,
  'no hold outlives its time': (now) => sql`
    select user_id, id as detail from holds where expires_at < ${now - OVERDUE_SECONDS} and node_id <> ${REVIEW_NODE}`,
};

/** Tables that are short beside the ledger. */
export const shortChecks: Record<string, (now: number) => RawBuilder<Finding>> = {
  'refunds and their entries match one to one': () => sql`
    select r.user_id, 'refund ' || r.request_id as detail from refunds r
    left join ledger l on l.idem = 'refund:' || r.request_id and l.kind = ${REFUND_KIND}
    left join ledger b on b.idem = 'refund:' || r.request_id || ':reversed' and b.kind = ${REFUND_REVERSED_KIND}
    where coalesce(l.amount, 0) <> r.quota
      or coalesce(b.amount, 0) <> case r.status when 'failed' then r.quota else 0 end
    union all select o.user_id, 'order ' || o.trade_no from orders o
      left join (select order_id, sum(quota) as quota, sum(amount_minor) as minor from refunds where status <> 'failed'
        group by order_id) r on r.order_id = o.id
      where o.refunded_quota <> coalesce(r.quota, 0) or o.refunded_minor <> coalesce(r.minor, 0)`,
  ...agentChecks,
  ...disputeChecks,
};

/** The other direction, from the ledger to orders and codes, is checked with the ledger's rows. */
export const recentChecks: Record<string, (now: number) => RawBuilder<Finding>> = {
  'paid orders and top-ups match one to one': (now) => sql`
    select o.user_id, 'order ' || o.trade_no as detail from orders o
    left join ledger l on l.idem = 'order:' || o.trade_no and l.kind = ${TOP_UP_KIND}
    left join subscriptions s on s.order_id = o.id and s.order_id > 0 and o.plan_id > 0
    where o.status in ('paid', 'refunded') and o.paid_at > ${now - RECENT_SECONDS} and case when o.plan_id > 0
      then s.id is null or s.user_id <> o.user_id or l.id is not null
      else l.id is null or l.amount <> o.quota or l.user_id <> o.user_id end`,
  'used codes and redemptions match one to one': (now) => sql`
    select r.used_user_id as user_id, 'code ' || r.id as detail from redemptions r
    left join ledger l on l.idem = 'redemption:' || r.id and l.kind = ${REDEEM_KIND}
    where r.status = 3 and r.redeemed_time > ${now - RECENT_SECONDS}
      and (l.id is null or l.amount <> r.quota or l.user_id <> r.used_user_id)`,
  ...recentDividendChecks,
};

export async function checkTables(
  checks: Record<string, (now: number) => RawBuilder<Finding>>,
  { db }: AuditSource,
): Promise<Breach[]> {
  const breaches: Breach[] = [];
  const now = unixSeconds();
  for (const [invariant, statement] of Object.entries(checks)) {
    const query = sql<Finding>`select user_id, detail from (${statement(now)}) findings limit ${MOST_FINDINGS}`;
    const { rows } = await query.execute(db);
    breaches.push(...rows.map((row) => ({ invariant, userId: row.user_id, detail: row.detail })));
  }
  return breaches;
}
