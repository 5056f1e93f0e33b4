// Checks of re-rating: notes against their calls, and corrected calls against their log rows.
import { sql, type RawBuilder } from 'kysely';
import {
  RERATE_CREDIT_KIND,
  RERATE_DEBIT_KIND,
  RERATE_SUSPENSE_KIND,
} from '#server/money/ledger/idempotency.ts';
import type { Slice } from './breach.ts';
import { inSlice, type Check, type Finding } from './finding.ts';

const NOTE_INVARIANT = 'notes of re-rating and their entries match one to one';
const CALLS_INVARIANT = 'a note of re-rating is the sum of its corrected calls';
const LOG_INVARIANT = 'a corrected log row shows its last correction';

/** Positive: revenue got the amount. */
const signed = sql`case when l.credit_account = 'revenue' then l.amount else -l.amount end`;

const entry = (idem: RawBuilder<unknown>, kinds: readonly string[]) => sql`coalesce((
  select ${signed} from ledger l where l.idem = ${idem} and l.user_id = p.user_id
    and l.kind in (${sql.join(kinds)})), 0)`;

const NOTE_KINDS = [RERATE_CREDIT_KIND, RERATE_DEBIT_KIND];

const isCallOfPart = sql`c.run_id = p.run_id and c.user_id = p.user_id and c.day = p.day and c.part = p.part`;

const partsWithoutEntry = (parts: RawBuilder<unknown>): RawBuilder<Finding> => sql`
  select p.user_id, p.idem as detail from rerate_parts p where ${parts} and (
    p.wallet <> ${entry(sql`p.idem`, NOTE_KINDS)}
    or p.suspense <> ${entry(sql`p.idem || ':suspense'`, [RERATE_SUSPENSE_KIND])}
    or p.plan <> coalesce((select sum(${signed}) from ledger l where l.user_id = p.user_id
      and l.kind in (${sql.join(NOTE_KINDS)}) and l.idem in (
        select p.idem || ':plan:' || c.subscription_id from rerate_calls c where ${isCallOfPart})), 0))`;

const wrongSums = (parts: RawBuilder<unknown>): RawBuilder<Finding> => sql`
  select user_id, idem || ' booked ' || wallet || ', ' || plan || ', ' || suspense as detail from (
    select p.user_id, p.idem, p.calls, p.wallet, p.plan, p.suspense, count(c.log_id) as found,
      coalesce(sum(c.wallet_after - c.wallet_before), 0) as calls_wallet,
      coalesce(sum(c.plan_after - c.plan_before), 0) as calls_plan,
      coalesce(sum(c.suspense_after - c.suspense_before), 0) as calls_suspense
    from rerate_parts p left join rerate_calls c on ${isCallOfPart} where ${parts}
    group by p.id, p.user_id, p.idem, p.calls, p.wallet, p.plan, p.suspense) sums
  where calls <> found or wallet <> calls_wallet or plan <> calls_plan or suspense <> calls_suspense`;

/** The last correction of a call is the one of the run that booked last. */
const wrongLogs = (parts: RawBuilder<unknown>): RawBuilder<Finding> => sql`
  select c.user_id, c.request_id || ' logged ' || g.quota || ', corrected to ' || (c.wallet_after + c.plan_after) as detail
  from rerate_parts p join rerate_calls c on ${isCallOfPart} join rerate_runs r on r.id = c.run_id
  join logs g on g.id = c.log_id and g.created_at = c.created_at
  where ${parts} and g.quota <> c.wallet_after + c.plan_after and not exists (
    select 1 from rerate_calls o join rerate_runs q on q.id = o.run_id
    where o.log_id = c.log_id and q.booking > r.booking)`;

/** The parts whose notes are in a slice of the ledger. */
const notedIn = (slice: Slice) => sql`p.idem in (
  select case when n.reference like 'rerate:%' then n.reference else n.idem end
  from ledger n where ${inSlice(sql`n.id`, slice)}
    and n.kind in (${sql.join([...NOTE_KINDS, RERATE_SUSPENSE_KIND])}))`;

export const rerateLedgerChecks: Record<string, Check> = {
  [NOTE_INVARIANT]: (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind in (${sql.join([...NOTE_KINDS, RERATE_SUSPENSE_KIND])})
      and not exists (select 1 from rerate_parts p where p.user_id = l.user_id and p.state = 'booked'
        and p.idem = case when l.reference like 'rerate:%' then l.reference else l.idem end)
    union all ${partsWithoutEntry(notedIn(slice))}`,
  [CALLS_INVARIANT]: (_, slice) => wrongSums(notedIn(slice)),
  [LOG_INVARIANT]: (_, slice) => wrongLogs(notedIn(slice)),
};

/** From the parts to the ledger, for the whole audit: also parts whose notes add up to nothing. */
export const rerateRowChecks: Record<string, Check> = {
  [NOTE_INVARIANT]: (_, slice) => partsWithoutEntry(inSlice(sql`p.id`, slice)),
  [CALLS_INVARIANT]: (_, slice) => wrongSums(inSlice(sql`p.id`, slice)),
  [LOG_INVARIANT]: (_, slice) => wrongLogs(inSlice(sql`p.id`, slice)),
};
