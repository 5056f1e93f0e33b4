// What must be true of the money at every moment. Each invariant is one statement, so it sees one moment, and it returns
// the rows that break it; an empty answer is the proof. Nothing here repairs anything.
import { sql, type RawBuilder } from 'kysely';
import type { Store } from '#server/store/store.ts';
import { redeemKind, refundKind, refundReversedKind, topUpKind } from './idempotency.ts';
import { reviewNode } from './engine/reserve.ts';
import { lateReference, recoveredReference } from './engine/late.ts';
import { loggedReference } from './engine/settle.ts';

export interface Breach {
  invariant: string;
  /** 0 when no single user is concerned. */
  userId: number;
  detail: string;
}

interface Finding {
  user_id: number;
  detail: string;
}

/** A hold past its end by this much should have been resolved long ago. */
const overdueSeconds = 3600;
/** One broken rule can concern every user; a hundred findings are enough for a report. */
const findingsPerInvariant = 100;

const account = (name: RawBuilder<unknown>) => sql`(
  ${name} in ('revenue', 'suspense') or ${name} like 'world:_%'
  or ${name} = 'user:' || user_id or ${name} = 'aff:' || user_id)`;

/** Σ in − Σ out of one account of each user. */
const sums = (prefix: 'user' | 'aff') => sql`(
  select user_id, sum(case when credit_account = ${sql.lit(`${prefix}:`)} || user_id then amount
      when debit_account = ${sql.lit(`${prefix}:`)} || user_id then -amount else 0 end) as total
  from ledger where user_id > 0 group by user_id)`;

const used = sql`(
  select user_id, sum(case kind when 'use' then amount when 'refund' then -amount else 0 end) as total
  from ledger where kind in ('use', 'refund') group by user_id)`;

/** What a late settlement added to, or took from, the charge of recovery. */
const lateDifference = (requestId: RawBuilder<unknown>) => sql`coalesce((
  select case d.kind when 'refund' then -d.amount else d.amount end from ledger d
  where d.idem = ${requestId} || ':late' and d.reference = ${lateReference}), 0)`;

/** Names and statements; all of money.md's proof that can be read from the database alone. */
const invariants: Record<string, (now: number) => RawBuilder<Finding>> = {
  'every transfer moves an amount between two known accounts': () => sql`
    select user_id, idem as detail from ledger
    where amount < case kind when 'use' then 0 else 1 end or debit_account = credit_account
      or not ${account(sql`debit_account`)} or not ${account(sql`credit_account`)}`,
  'every key is booked once': () => sql`
    select min(user_id) as user_id, idem as detail from ledger group by idem having count(*) > 1`,
  'a balance is the sum of its transfers': () => sql`
    select u.id as user_id, 'balance ' || u.quota || ', transfers ' || coalesce(l.total, 0) as detail
    from users u left join ${sums('user')} l on l.user_id = u.id where u.quota <> coalesce(l.total, 0)
    union all select l.user_id, 'transfers ' || l.total || ', no such user' from ${sums('user')} l
    where l.total <> 0 and not exists (select 1 from users u where u.id = l.user_id)`,
  'an invite balance is the sum of its transfers': () => sql`
    select u.id as user_id, 'invite balance ' || u.aff_quota || ', transfers ' || coalesce(l.total, 0) as detail
    from users u left join ${sums('aff')} l on l.user_id = u.id where u.aff_quota <> coalesce(l.total, 0)`,
  'what a user has on hold is the sum of its holds': () => sql`
    select u.id as user_id, 'held ' || u.held_quota || ', holds ' || coalesce(h.total, 0) as detail
    from users u left join (select user_id, sum(amount) as total from holds group by user_id) h on h.user_id = u.id
    where u.held_quota <> coalesce(h.total, 0)`,
  'what a token has on hold is the sum of its holds': () => sql`
    select t.user_id, 'token ' || t.id || ' held ' || t.held_quota || ', holds ' || coalesce(h.total, 0) as detail
    from tokens t left join (select token_id, sum(amount) as total from holds group by token_id) h on h.token_id = t.id
    where t.held_quota <> coalesce(h.total, 0)`,
  'holds stay between zero and the balance': () => sql`
    select id as user_id, 'held ' || held_quota || ' of ' || quota as detail from users
    where held_quota < 0 or held_quota > quota`,
  'the used total is the sum of the charges': () => sql`
    select u.id as user_id, 'used ' || u.used_quota || ', charges ' || coalesce(l.total, 0) as detail
    from users u left join ${used} l on l.user_id = u.id where u.used_quota <> coalesce(l.total, 0)`,
  'the hourly figures are the sum of the charges': () => sql`
    select user_id, 'hours ' || sum(hours) || ', charges ' || sum(charges) as detail from (
      select user_id, quota as hours, 0 as charges from usage_hours
      union all select user_id, 0, case kind when 'refund' then -amount else amount end from ledger
        where kind = 'use' or (kind = 'refund' and reference = ${lateReference})) both_sides
    group by user_id having sum(hours) <> sum(charges)`,
  'a log row shows what was charged': () => sql`
    select user_id, request_id || ' logged ' || quota || ', charged ' || charged as detail from (
      select g.user_id, g.request_id, g.quota, coalesce(l.amount, 0) + case
        when l.reference = ${recoveredReference} then ${lateDifference(sql`g.request_id`)} else 0 end as charged
      from logs g left join ledger l on l.idem = g.request_id and l.kind = 'use'
      where g.type = 2) both_sides
    where quota <> charged`,
  // Operators may switch logging off (the entry says so) and clean old rows away (from the oldest on), nothing else.
  'a logged charge has its log row': () => sql`
    select l.user_id, l.idem as detail from ledger l
    where l.kind = 'use' and l.reference in (${loggedReference}, ${recoveredReference})
      and l.created_at > (select min(created_at) from logs where type = 2)
      and not exists (select 1 from logs g where g.request_id = l.idem and g.type = 2)`,
  'paid orders and top-ups match one to one': () => sql`
    select o.user_id, 'order ' || o.trade_no as detail from orders o
    left join ledger l on l.idem = 'order:' || o.trade_no and l.kind = ${topUpKind}
    where o.status in ('paid', 'refunded') and (l.id is null or l.amount <> o.quota or l.user_id <> o.user_id)
    union all select l.user_id, l.idem from ledger l where l.kind = ${topUpKind} and not exists (
      select 1 from orders o where 'order:' || o.trade_no = l.idem and o.status in ('paid', 'refunded'))`,
  'refunds and their entries match one to one': () => sql`
    select r.user_id, 'refund ' || r.request_id as detail from refunds r
    left join ledger l on l.idem = 'refund:' || r.request_id and l.kind = ${refundKind}
    left join ledger b on b.idem = 'refund:' || r.request_id || ':reversed' and b.kind = ${refundReversedKind}
    where coalesce(l.amount, 0) <> r.quota
      or coalesce(b.amount, 0) <> case r.status when 'failed' then r.quota else 0 end
    union all select l.user_id, l.idem from ledger l where l.kind in (${refundKind}, ${refundReversedKind})
      and not exists (select 1 from refunds r where l.idem in ('refund:' || r.request_id, 'refund:' || r.request_id || ':reversed'))
    union all select o.user_id, 'order ' || o.trade_no from orders o
      left join (select order_id, sum(quota) as quota, sum(amount_minor) as minor from refunds where status <> 'failed'
        group by order_id) r on r.order_id = o.id
      where o.refunded_quota <> coalesce(r.quota, 0) or o.refunded_minor <> coalesce(r.minor, 0)`,
  'used codes and redemptions match one to one': () => sql`
    select r.used_user_id as user_id, 'code ' || r.id as detail from redemptions r
    left join ledger l on l.idem = 'redemption:' || r.id and l.kind = ${redeemKind}
    where r.status = 3 and (l.id is null or l.amount <> r.quota or l.user_id <> r.used_user_id)
    union all select l.user_id, l.idem from ledger l where l.kind = ${redeemKind} and not exists (
      select 1 from redemptions r where 'redemption:' || r.id = l.idem and r.status = 3)`,
  'no hold outlives its time': (now) => sql`
    select user_id, id as detail from holds where expires_at < ${now - overdueSeconds} and node_id <> ${reviewNode}`,
};

export const invariantNames: readonly string[] = Object.keys(invariants);

/** Every invariant over everything. Takes as long as reading the ledger twice; used at boot, by audits and in tests. */
export async function checkInvariants(store: Store): Promise<Breach[]> {
  const breaches: Breach[] = [];
  const now = Math.floor(Date.now() / 1000);
  for (const [invariant, statement] of Object.entries(invariants)) {
    const query = sql<Finding>`select user_id, detail from (${statement(now)}) findings limit ${findingsPerInvariant}`;
    const { rows } = await query.execute(store.db);
    breaches.push(...rows.map((row) => ({ invariant, userId: row.user_id, detail: row.detail })));
  }
  return breaches;
}
