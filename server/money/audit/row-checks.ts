// Checks of the rows of a slice, each in one statement.
import { sql, type RawBuilder } from 'kysely';
import { LATE_REFERENCE, RECOVERED_REFERENCE } from '#server/money/ledger/engine/late.ts';
import { LOGGED_REFERENCE } from '#server/money/ledger/engine/settle.ts';
import { PLAN_REFERENCE } from '#server/money/ledger/engine/subscriptions.ts';
import {
  ABOVE_HOLD_KIND,
  CHECK_IN_KIND,
  IMPORTED_LOG_SUFFIX,
  PLAN_PURCHASE_KIND,
  REDEEM_KIND,
  REFUND_KIND,
  REFUND_REVERSED_KIND,
  SUSPENSE_KIND,
  TOP_UP_KIND,
} from '#server/money/ledger/idempotency.ts';
import { MOST_FINDINGS, type AuditSource, type Breach, type Slice } from './breach.ts';
import { disputeLedgerChecks } from './dispute-checks.ts';
import { dividendLedgerChecks, dividendRowChecks } from './dividend-checks.ts';
import { inSlice, type Check, type Finding } from './finding.ts';
import { moveLedgerChecks } from './move-checks.ts';
import { rerateLedgerChecks, rerateRowChecks } from './rerate-checks.ts';

/** What holds did not cover belongs to a settled call of its user, so that the operator's figures are of real calls. */
const holdLedgerChecks: Record<string, Check> = {
  'what a hold did not cover belongs to its call': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind in (${SUSPENSE_KIND}, ${ABOVE_HOLD_KIND}) and not exists (
      select 1 from ledger c where c.idem = l.reference and c.kind = 'use' and c.user_id = l.user_id
        and l.idem in (c.idem || ':suspense', c.idem || ':late:suspense', c.idem || ':above-hold',
          c.idem || ':late:above-hold'))`,
};

const account = (name: RawBuilder<unknown>) => sql`(
  ${name} in ('revenue', 'suspense') or ${name} like 'world:_%'
  or ${name} = 'user:' || user_id or ${name} = 'aff:' || user_id or ${name} = 'agent:' || user_id
  or (${name} like 'plan:_%' and exists (
    select 1 from subscriptions s where 'plan:' || s.id = ${name} and s.user_id = ledger.user_id)))`;

/** What a late settlement added to, or took from, the charge of recovery; the log row shows both. */
const lateDifference = sql`case when l.reference = ${RECOVERED_REFERENCE} then coalesce((
  select sum(case d.kind when 'refund' then -d.amount else d.amount end) from ledger d
  where d.idem in (l.idem || ':late', l.idem || ':late:plan') and d.reference = ${LATE_REFERENCE}), 0) else 0 end`;

/** The part of a charge that a subscription paid. */
const planPart = sql`coalesce((select p.amount from ledger p where p.idem = l.idem || ':plan'), 0)`;

/** What re-rating changed since; the log row shows it. */
const rerated = sql`coalesce((select sum(c.wallet_after + c.plan_after - c.wallet_before - c.plan_before)
  from rerate_calls c where c.log_id = g.id), 0)`;

/** Of the ledger, cheap enough for every row that is new. */
const ledgerChecks: Record<string, Check> = {
  // A charge of nothing is booked too: it records that the call was settled.
  'every transfer moves an amount between two known accounts': (_, slice) => sql`
    select user_id, idem as detail from ledger
    where ${inSlice(sql`id`, slice)} and (
      amount < 0 or (amount = 0 and kind <> 'use') or debit_account = credit_account
      or not ${account(sql`debit_account`)} or not ${account(sql`credit_account`)})`,
  'a log row shows what was charged': (source, slice) => sql`
    select l.user_id, l.idem || ' logged ' || g.quota || ', charged ' || l.amount as detail
    from ledger l join logs g on g.request_id = l.idem and g.type = 2 ${sameTime(source, slice)}
    where ${inSlice(sql`l.id`, slice)} and l.kind = 'use'
      and g.quota <> l.amount + ${lateDifference}
      and g.quota <> l.amount + ${lateDifference} + ${planPart}
      and g.quota <> l.amount + ${lateDifference} + ${planPart} + ${rerated}
    union all select p.user_id, p.idem || ' logged ' || g.quota || ', charged ' || l.amount || ' and ' || p.amount
    from ledger p join ledger l on l.idem = substr(p.idem, 1, length(p.idem) - 5)
    join logs g on g.request_id = l.idem and g.type = 2 ${sameTime(source, slice)}
    where ${inSlice(sql`p.id`, slice)} and p.kind = 'use' and p.reference = ${PLAN_REFERENCE}
      and g.quota <> l.amount + ${lateDifference} + p.amount
      and g.quota <> l.amount + ${lateDifference} + p.amount + ${rerated}`,
  // Operators may switch logging off (the entry says so) and clean old rows away (the time is recorded), nothing else.
  'a logged charge has its log row': (source, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind = 'use'
      and l.reference in (${LOGGED_REFERENCE}, ${RECOVERED_REFERENCE})
      and l.created_at >= (select cleaned_before from log_cleaning)
      and case when exists (select 1 from logs g where g.request_id = l.idem ${sameTime(source, slice)}) then false
        else not exists (select 1 from logs g where g.request_id = l.idem) end`,
  'paid orders and top-ups match one to one': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind = ${TOP_UP_KIND} and not exists (
      select 1 from orders o where o.trade_no = substr(l.idem, 7) and 'order:' || o.trade_no = l.idem
        and o.status in ('paid', 'refunded'))`,
  'refunds and their entries match one to one': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind in (${REFUND_KIND}, ${REFUND_REVERSED_KIND}) and not exists (
      select 1 from refunds r
      where l.idem in ('refund:' || r.request_id, 'refund:' || r.request_id || ':reversed'))`,
  // Keys are unique: with the user and the day in the key there is one for each.
  'a user is rewarded for one check-in a day': (_, slice) => sql`
    select user_id, idem as detail from ledger
    where ${inSlice(sql`id`, slice)} and kind = ${CHECK_IN_KIND}
      and idem <> 'checkin:' || user_id || ':' || reference`,
  'used codes and redemptions match one to one': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind = ${REDEEM_KIND} and not exists (
      select 1 from redemptions r where r.used_user_id = l.user_id and 'redemption:' || r.id = l.idem
        and r.status = 3)`,
  'subscriptions and what was paid for them match one to one': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind = ${PLAN_PURCHASE_KIND} and not exists (
      select 1 from subscriptions s where s.user_id = l.user_id and 'plan:' || s.id || ':buy' = l.idem
        and s.source = 'balance')`,
  ...dividendLedgerChecks,
  ...disputeLedgerChecks,
  ...holdLedgerChecks,
  ...moveLedgerChecks,
  ...rerateLedgerChecks,
};

/**
 * A charge and its log row have the same time. On PostgreSQL that selects the day's partition, and the bounds of the slice keep
 * the planner from reading all of them; SQLite would search all rows of that second instead of the one with the request id.
 */
const sameTime = ({ dialect }: AuditSource, { times }: Slice) => {
  if (dialect === 'sqlite') return sql``;
  const bounds = times === undefined ? sql`` : sql`and g.created_at between ${times.first} and ${times.last}`;
  return sql`and g.created_at = l.created_at ${bounds}`;
};

async function timesOf({ db }: AuditSource, slice: Slice): Promise<Pick<Slice, 'times'>> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(created_at) as first, max(created_at) as last from ledger where ${inSlice(sql`id`, slice)}`.execute(
    db,
  );
  const { first, last } = rows[0] ?? {};
  return first == null || last == null ? {} : { times: { first, last } };
}

/** Of the ledger, for the whole audit: the unique index makes sure of it between two. */
const keyChecks: Record<string, Check> = {
  'every key is booked once': (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and exists (
      select 1 from ledger m where m.idem = l.idem and m.id <> l.id)`,
};

/** The entry of a log row of another gateway; null for other rows. */
const importedEntry = sql`case when g.request_id like 'import:%'
  then substr(g.request_id, 1, length(g.request_id) - ${sql.lit(IMPORTED_LOG_SUFFIX)}) end`;

const logChecks: Record<string, Check> = {
  'a log row shows what was charged': (_, slice) => sql`
    select g.user_id, g.request_id || ' logged ' || g.quota || ', charged nothing' as detail from logs g
    where ${inSlice(sql`g.id`, slice)} and g.type = 2 and g.quota <> 0
      and not exists (select 1 from ledger l where l.idem = g.request_id and l.kind = 'use')
      and not exists (select 1 from ledger l where l.idem = ${importedEntry} and l.kind = 'use'
        and l.user_id = g.user_id)`,
};

const orderChecks: Record<string, Check> = {
  'paid orders and top-ups match one to one': (_, slice) => sql`
    select o.user_id, 'order ' || o.trade_no as detail from orders o
    left join ledger l on l.idem = 'order:' || o.trade_no and l.kind = ${TOP_UP_KIND}
    left join subscriptions s on s.order_id = o.id and s.order_id > 0 and o.plan_id > 0
    where ${inSlice(sql`o.id`, slice)} and o.status in ('paid', 'refunded') and case when o.plan_id > 0
      then s.id is null or s.user_id <> o.user_id or l.id is not null
      else l.id is null or l.amount <> o.quota or l.user_id <> o.user_id end`,
};

const subscriptionChecks: Record<string, Check> = {
  'subscriptions and what was paid for them match one to one': (_, slice) => sql`
    select s.user_id, 'subscription ' || s.id as detail from subscriptions s
    left join ledger l on l.idem = 'plan:' || s.id || ':buy' and l.kind = ${PLAN_PURCHASE_KIND}
    left join orders o on o.id = s.order_id
    where ${inSlice(sql`s.id`, slice)} and (
      coalesce(l.amount, 0) <> case s.source when 'balance' then s.price_quota else 0 end
      or (s.source = 'order') <> (s.order_id > 0)
      or (s.order_id > 0 and (o.id is null or o.user_id <> s.user_id or o.plan_id <> s.plan_id
        or o.status not in ('paid', 'refunded'))))`,
};

const codeChecks: Record<string, Check> = {
  'used codes and redemptions match one to one': (_, slice) => sql`
    select r.used_user_id as user_id, 'code ' || r.id as detail from redemptions r
    left join ledger l on l.idem = 'redemption:' || r.id and l.kind = ${REDEEM_KIND}
    where ${inSlice(sql`r.id`, slice)} and r.status = 3
      and (l.id is null or l.amount <> r.quota or l.user_id <> r.used_user_id)`,
};

export const rowChecks = {
  ledgerChecks,
  keyChecks,
  logChecks,
  orderChecks,
  codeChecks,
  subscriptionChecks,
  dividendChecks: dividendRowChecks,
  rerateChecks: rerateRowChecks,
};

export const rowInvariants = Object.values(rowChecks).flatMap((checks) => Object.keys(checks));

export async function checkRows(
  checks: Record<string, Check>,
  source: AuditSource,
  slice: Slice,
): Promise<Breach[]> {
  const breaches: Breach[] = [];
  const isOfLedger = source.dialect === 'postgres' && checks === ledgerChecks;
  const bounded = isOfLedger ? { ...slice, ...(await timesOf(source, slice)) } : slice;
  for (const [invariant, check] of Object.entries(checks)) {
    const query = sql<Finding>`
      select user_id, detail from (${check(source, bounded)}) findings limit ${MOST_FINDINGS}`;
    const { rows } = await query.execute(source.db);
    breaches.push(...rows.map((row) => ({ invariant, userId: row.user_id, detail: row.detail })));
  }
  return breaches;
}
