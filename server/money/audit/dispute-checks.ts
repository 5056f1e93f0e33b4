// Disputes against their entries in the ledger and the sums of their orders.
import { sql, type RawBuilder } from 'kysely';
import { DISPUTE_FREEZE_KIND, DISPUTE_RETURN_KIND } from '#server/money/ledger/idempotency.ts';
import { inSlice, type Check, type Finding } from './finding.ts';

const NAME = 'disputes and their entries match one to one';

/** Each move of each dispute: 1, 2, … up to its `moves`. */
const numbers = sql`with recursive numbers(id, move) as (
    select id, 1 from disputes where moves > 0
    union all select n.id, n.move + 1 from numbers n join disputes d on d.id = n.id where n.move < d.moves)`;

/** An entry has the number of its dispute and of its move in its key: found by it, however long the ledger is. */
const entries = sql`${numbers}
  select n.id, sum(case l.kind when ${DISPUTE_FREEZE_KIND} then l.amount else -l.amount end) as frozen
  from numbers n join ledger l on l.idem = 'dispute:' || n.id || ':' || n.move
    and l.kind in (${DISPUTE_FREEZE_KIND}, ${DISPUTE_RETURN_KIND}) group by n.id`;

export const disputeChecks: Record<string, (now: number) => RawBuilder<Finding>> = {
  [NAME]: () => sql`
    select d.user_id, 'dispute ' || d.reference as detail from disputes d
    left join (${entries}) e on e.id = d.id where d.frozen_quota <> coalesce(e.frozen, 0)
    union all select o.user_id, 'order ' || o.trade_no from orders o
      left join (select order_id, sum(amount_minor) as minor, sum(quota) as quota, sum(frozen_quota) as frozen,
        sum(lost_quota) as lost from disputes group by order_id) d on d.order_id = o.id
      where o.disputed_minor <> coalesce(d.minor, 0) or o.disputed_quota <> coalesce(d.quota, 0)
        or o.frozen_quota <> coalesce(d.frozen, 0) or o.lost_quota <> coalesce(d.lost, 0)
        or o.refunded_minor + o.disputed_minor > o.amount_minor
        or (o.plan_id = 0 and o.refunded_quota + o.disputed_quota + o.lost_quota > o.quota)
    union all select d.user_id, 'dispute ' || d.reference from disputes d
      left join (select provider_reference, sum(amount_minor) as minor from refunds
        where request_id like 'dispute:%' and status = 'done' group by provider_reference) r
        on r.provider_reference = d.reference
      where d.booked_minor <> coalesce(r.minor, 0)`,
};

export const disputeLedgerChecks: Record<string, Check> = {
  [NAME]: (_, slice) => sql`
    select l.user_id, l.idem as detail from ledger l
    where ${inSlice(sql`l.id`, slice)} and l.kind in (${DISPUTE_FREEZE_KIND}, ${DISPUTE_RETURN_KIND}) and not exists (
      ${numbers} select 1 from numbers n join disputes d on d.id = n.id
      where d.user_id = l.user_id and l.idem = 'dispute:' || n.id || ':' || n.move)`,
};
