// Checks of resellers: records and withdrawals against their entries, and what agents owe against their records.
import { sql, type RawBuilder } from 'kysely';
import {
  DIVIDEND_BACK_KIND,
  DIVIDEND_KIND,
  WITHDRAWAL_KIND,
  WITHDRAWAL_REFUSED_KIND,
} from '#server/money/ledger/idempotency.ts';
import type { Slice } from './breach.ts';
import { inSlice, type Check, type Finding } from './finding.ts';

const RECORD_INVARIANT = 'dividend records and their entries match one to one';
const WITHDRAWAL_INVARIANT = 'withdrawals and their entries match one to one';
const OWED_INVARIANT = 'what an agent owes is the sum of its records';

/** From the ledger to the tables. */
export const dividendLedgerChecks: Record<string, Check> = {
  [RECORD_INVARIANT]: (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind in (${DIVIDEND_KIND}, ${DIVIDEND_BACK_KIND}) and not exists (
      select 1 from dividends d where d.idem = l.idem)`,
  [WITHDRAWAL_INVARIANT]: (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind in (${WITHDRAWAL_KIND}, ${WITHDRAWAL_REFUSED_KIND}) and not exists (
      select 1 from withdrawals w where l.idem in ('withdrawal:' || w.id, 'withdrawal:' || w.id || ':refused')
        and w.user_id = l.user_id)`,
};

/** A record says how the balance changed; its entry has the same key, agent, amount and direction. */
const recordsWithoutEntry = (condition: RawBuilder<unknown>): RawBuilder<Finding> => sql`
  select d.agent_id as user_id, 'dividend ' || d.idem as detail from dividends d left join ledger l on l.idem = d.idem
  where ${condition} and d.amount <> coalesce(
    case when l.user_id <> d.agent_id then 0
      when l.kind = ${DIVIDEND_KIND} and l.credit_account = 'agent:' || d.agent_id then l.amount
      when l.kind = ${DIVIDEND_BACK_KIND} and l.debit_account = 'agent:' || d.agent_id then -l.amount else 0 end, 0)`;

/** From the records to the ledger, for the whole audit. */
export const dividendRowChecks: Record<string, Check> = {
  [RECORD_INVARIANT]: (_, slice: Slice) => recordsWithoutEntry(inSlice(sql`d.id`, slice)),
};

const RECENT_SECONDS = 2 * 86_400;

export const recentDividendChecks: Record<string, (now: number) => RawBuilder<Finding>> = {
  [RECORD_INVARIANT]: (now) => recordsWithoutEntry(sql`d.created_at > ${now - RECENT_SECONDS}`),
};

export const agentChecks: Record<string, (now: number) => RawBuilder<Finding>> = {
  [WITHDRAWAL_INVARIANT]: () => sql`
    select w.user_id, 'withdrawal ' || w.id as detail from withdrawals w
    left join ledger l on l.idem = 'withdrawal:' || w.id and l.kind = ${WITHDRAWAL_KIND} and l.user_id = w.user_id
      and l.debit_account = 'agent:' || w.user_id
    left join ledger b on b.idem = 'withdrawal:' || w.id || ':refused' and b.kind = ${WITHDRAWAL_REFUSED_KIND}
      and b.user_id = w.user_id and b.credit_account = 'agent:' || w.user_id
    where coalesce(l.amount, 0) <> w.quota
      or coalesce(b.amount, 0) <> case w.status when 'refused' then w.quota else 0 end`,
  // What comes in is used for what is owed first, so an agent that owes has no balance.
  [OWED_INVARIANT]: () => sql`
    select user_id, 'owes ' || sum(owed) || ', records ' || sum(recorded) as detail from (
      select user_id, owed_quota as owed, 0 as recorded from agents where owed_quota <> 0
      union all select agent_id, 0, owed from dividends where owed <> 0) both_sides
    group by user_id having sum(owed) <> sum(recorded)
    union all select a.user_id, 'owes ' || a.owed_quota || ' and has ' || u.dividend_quota from agents a
      join users u on u.id = a.user_id where a.owed_quota > 0 and u.dividend_quota > 0`,
};
